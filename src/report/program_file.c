/* The file of a program that has run: its bytes, its symbols, and where it stood in memory.
 *
 * Where a position-independent program was loaded follows from the offset of one of its loops or loads in the
 * file.  Statistics that have none need not say it: function and line of loops or loads are in them, and one
 * distance between file and memory fits these. */
#include "report/program_file.h"

#include "base/check.h"
#include "base/regular_file.h"
#include "base/sha256.h"
#include "elf/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Loops that are tried and loops that judge: the hottest are often enough in one library. */
#define LOOPS_TRIED 12
#define LOOPS_JUDGING 48

struct program_file {
    struct symbols *symbols;
    struct elf_image image;
    const uint8_t *bytes;
    size_t size;
    uint64_t bias;
};

/* Of a loop its head, of a load its pc. */
static bool address_of(const json_t *loop, uint64_t *head)
{
    const json_t *address = json_object_get(loop, "head");
    const char *text = json_string_value(address != NULL ? address : json_object_get(loop, "pc"));
    if (text == NULL) {
        return false;
    }
    char *end;
    *head = strtoull(text, &end, 16);
    return end != text && *end == '\0';
}

static bool same_text(const char *text, const json_t *value)
{
    const char *other = json_string_value(value);
    return text == NULL || other == NULL ? text == other : strcmp(text, other) == 0;
}

/* Whether `linked` is what the statistics say of the loop. */
static bool fits(struct program_file *program, const json_t *loop, uint64_t linked,
                 struct symbol_place *place)
{
    char source[512];
    size_t count;
    symbols_find(program->symbols, linked, place);
    if (json_is_string(json_object_get(loop, "library")) ||
        program_file_code(program, linked, &count) == NULL ||
        !same_text(place->function, json_object_get(loop, "function"))) {
        return false;
    }
    snprintf(source, sizeof source, "%s:%u", place->file != NULL ? place->file : "", place->line);
    return same_text(place->file != NULL ? source : NULL, json_object_get(loop, "source"));
}

bool program_file_find(struct program_file *program, const json_t *loop, uint64_t *linked,
                       struct symbol_place *place)
{
    uint64_t head;
    *place = (struct symbol_place){0};
    if (!address_of(loop, &head)) {
        return false;
    }
    *linked = head - program->bias;
    return fits(program, loop, *linked, place);
}

void program_file_name(struct program_file *program, json_t *loop)
{
    struct symbol_place place;
    uint64_t head;
    if (program->image.position_independent || json_object_get(loop, "function") != NULL ||
        !address_of(loop, &head)) {
        return;
    }
    symbols_find(program->symbols, head, &place);
    json_t *function = place.function != NULL ? json_string(place.function) : json_null();
    json_t *source =
        place.file != NULL ? json_sprintf("%s:%u", place.file, place.line) : json_null();
    ASSERT(json_object_set_new(loop, "function", function != NULL ? function : json_null()) == 0);
    ASSERT(json_object_set_new(loop, "source", source != NULL ? source : json_null()) == 0);
}

static size_t count_fitting(struct program_file *program, const json_t *loops, uint64_t bias)
{
    size_t fitting = 0;
    for (size_t i = 0; i < json_array_size(loops) && i < LOOPS_JUDGING; i++) {
        const json_t *loop = json_array_get(loops, i);
        struct symbol_place place;
        uint64_t head;
        fitting += json_is_string(json_object_get(loop, "function")) && address_of(loop, &head) &&
                   fits(program, loop, head - bias, &place);
    }
    return fitting;
}

/* Tries each page of the program's code as the one that `loop` is in. */
static void try_loop(struct program_file *program, const json_t *loops, const json_t *loop,
                     size_t *best)
{
    const uint64_t page = ELF_PAGE_BYTES;
    uint64_t head;
    if (!json_is_string(json_object_get(loop, "function")) || !address_of(loop, &head)) {
        return;
    }
    for (unsigned i = 0; i < program->image.segment_count; i++) {
        const struct elf_segment *segment = &program->image.segments[i];
        if (!(segment->permissions & ELF_EXECUTE)) {
            continue;
        }
        uint64_t linked = (segment->address & ~(page - 1)) + (head & (page - 1));
        for (; linked < segment->address + segment->file_bytes; linked += page) {
            struct symbol_place place;
            const bool known = *best > 0 && head - linked == program->bias;
            if (known || !fits(program, loop, linked, &place)) {
                continue;
            }
            const size_t fitting = count_fitting(program, loops, head - linked);
            if (fitting > *best) {
                *best = fitting;
                program->bias = head - linked;
            }
        }
    }
}

/* What the statistics say themselves: where a loop or load of the program's own file stands in it. */
static bool take_offset(struct program_file *program, const json_t *loop)
{
    const char *text = json_string_value(json_object_get(loop, "offset"));
    struct symbol_place place;
    uint64_t head;
    if (text == NULL || !address_of(loop, &head)) {
        return false;
    }
    const uint64_t linked = strtoull(text, NULL, 16);
    if (!fits(program, loop, linked, &place)) {
        return false;
    }
    program->bias = head - linked;
    return true;
}

static void find_bias(struct program_file *program, const json_t *run)
{
    const json_t *const lists[] = {json_object_get(json_object_get(run, "hotspots"), "loops"),
                                   json_object_get(json_object_get(run, "pipeline"), "loads"),
                                   json_object_get(json_object_get(run, "profile"), "loops")};
    const size_t count = sizeof lists / sizeof lists[0];
    size_t best = 0;
    for (size_t k = 0; k < count && program->image.position_independent; k++) {
        for (size_t i = 0; i < json_array_size(lists[k]); i++) {
            if (take_offset(program, json_array_get(lists[k], i))) {
                return;
            }
        }
    }
    for (size_t k = 0; k < count && best == 0 && program->image.position_independent; k++) {
        for (size_t i = 0; i < json_array_size(lists[k]) && i < LOOPS_TRIED; i++) {
            try_loop(program, lists[k], json_array_get(lists[k], i), &best);
        }
    }
}

static bool map_file(struct program_file *program, const char *path)
{
    uint64_t bytes_there;
    const int fd = regular_file_open(path, &bytes_there);
    if (fd < 0) {
        return false;
    }
    if (bytes_there > 0) {
        program->size = (size_t)bytes_there;
        void *bytes = mmap(NULL, program->size, PROT_READ, MAP_PRIVATE, fd, 0);
        program->bytes = bytes != MAP_FAILED ? bytes : NULL;
    }
    close(fd);
    return program->bytes != NULL;
}

struct program_file *program_file_open(const json_t *run, const char **why)
{
    const json_t *described = json_object_get(run, "program");
    const char *path = json_string_value(json_object_get(described, "path"));
    const char *digest = json_string_value(json_object_get(described, "sha256"));
    char found[SHA256_TEXT_BYTES];
    if (path == NULL || digest == NULL) {
        *why = "the statistics do not say which program they are of";
        return NULL;
    }
    if (!sha256_file(path, found)) {
        *why = "the program's file was not found";
        return NULL;
    }
    if (strcmp(found, digest) != 0) {
        *why = "the program's file has changed since the run";
        return NULL;
    }
    struct program_file *program = calloc(1, sizeof *program);
    ASSERT(program != NULL);
    if (!map_file(program, path) ||
        elf_read(&program->image, program->bytes, program->size, program->size,
                 ELF_MACHINE_RISCV) != ELF_OK ||
        (program->symbols = symbols_open(path)) == NULL) {
        *why = "the program's file is not a RISC-V program";
        program_file_close(program);
        return NULL;
    }
    find_bias(program, run);
    *why = NULL;
    return program;
}

uint64_t program_file_bias(const struct program_file *program)
{
    return program->bias;
}

const uint8_t *program_file_code(const struct program_file *program, uint64_t linked, size_t *count)
{
    for (unsigned i = 0; i < program->image.segment_count; i++) {
        const struct elf_segment *segment = &program->image.segments[i];
        if (segment->permissions & ELF_EXECUTE && linked >= segment->address &&
            linked - segment->address < segment->file_bytes) {
            const uint64_t within = linked - segment->address;
            *count = segment->file_bytes - within;
            return program->bytes + segment->file_offset + within;
        }
    }
    return NULL;
}

void program_file_close(struct program_file *program)
{
    if (program == NULL) {
        return;
    }
    symbols_close(program->symbols);
    if (program->bytes != NULL) {
        munmap((void *)(uintptr_t)program->bytes, program->size);
    }
    free(program);
}
