/* The source lines and the instructions of a run's hottest loops and loads, for the page. */
#include "report/listing.h"

#include "base/check.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/disassemble.h"
#include "report/program_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_BEFORE 6
#define LINES_AFTER 16
#define CODE_BEFORE 4
#define CODE_AFTER 4
/* Of a line of the source: what is longer was made by a program. */
#define LINE_BYTES_MAX 1000
#define CODE_MAX 64
/* A loop whose last branch is further away is shown as far as CODE_MAX. */
#define LOOP_BYTES_MAX 1024

/* What a listing is made from. */
struct material {
    struct program_file *program; /* NULL: there is nothing to show */
    struct sources *sources;
};

struct code {
    struct program_file *program;
    uint64_t start; /* where to begin to decode: an instruction certainly starts there */
    uint64_t head;
    uint64_t end; /* behind the last branch back to the head; the head if there is none */
};

static void put(json_t *object, const char *key, json_t *value)
{
    ASSERT(json_object_set_new(object, key, value) == 0);
}

static void append(json_t *list, json_t *value)
{
    ASSERT(json_array_append_new(list, value) == 0);
}

/* The first line of a text.  It need not be UTF-8; JSON must be. */
static json_t *make_text(const char *text)
{
    const size_t bytes = strcspn(text, "\r\n");
    const size_t length = bytes < LINE_BYTES_MAX ? bytes : LINE_BYTES_MAX;
    json_t *line = json_stringn(text, length);
    if (line == NULL) {
        char *copy = strndup(text, length);
        ASSERT(copy != NULL);
        for (char *at = copy; *at != '\0'; at++) {
            *at = (unsigned char)*at < 0x80 ? *at : '?';
        }
        line = json_string(copy);
        free(copy);
    }
    return line;
}

static json_t *make_source(const struct sources *sources, const struct symbol_place *place)
{
    const unsigned first = place->line > LINES_BEFORE ? place->line - LINES_BEFORE : 1;
    FILE *file = sources_find(sources, place, NULL);
    if (file == NULL) {
        return json_null();
    }
    json_t *lines = json_array();
    char *line = NULL;
    size_t size = 0;
    for (unsigned number = 1;
         number <= place->line + LINES_AFTER && getline(&line, &size, file) >= 0; number++) {
        if (number >= first) {
            append(lines, make_text(line));
        }
    }
    free(line);
    fclose(file);
    /* Another file than the compiler saw may be shorter. */
    json_t *source = json_null();
    if (json_array_size(lines) > place->line - first) {
        source = json_pack("{s:o, s:i, s:i, s:O}", "path", make_text(place->path), "line",
                           (int)place->line, "first", (int)first, "lines", lines);
    }
    json_decref(lines);
    return source;
}

/* Decodes the instruction at a linked address; false behind the end of the code. */
static bool decode(const struct code *code, uint64_t at, struct rv64_insn *insn)
{
    uint32_t word = 0;
    size_t count;
    const uint8_t *bytes = program_file_code(code->program, at, &count);
    if (bytes == NULL || count < 2) {
        return false;
    }
    memcpy(&word, bytes, count < 4 ? count : 4);
    rv64_decode(word, insn);
    return insn->length <= count;
}

static bool goes_to(const struct rv64_insn *insn, uint64_t at, uint64_t target)
{
    const uint32_t flags = rv64_row(insn->op)->flags;
    return flags & (INSN_CONDITIONAL | INSN_JUMP) && !(flags & INSN_INDIRECT) &&
           at + (uint64_t)insn->imm == target;
}

static void find_end(struct code *code)
{
    struct rv64_insn insn;
    code->end = code->head;
    for (uint64_t at = code->head; at - code->head < LOOP_BYTES_MAX && decode(code, at, &insn);
         at += insn.length) {
        if (goes_to(&insn, at, code->head)) {
            code->end = at + insn.length;
        }
    }
}

/* The address of the instruction that is CODE_BEFORE instructions before the head. */
static uint64_t find_first(const struct code *code)
{
    uint64_t last[CODE_BEFORE];
    struct rv64_insn insn;
    unsigned count = 0;
    uint64_t at = code->start;
    for (; at < code->head && decode(code, at, &insn); at += insn.length) {
        last[count++ % CODE_BEFORE] = at;
    }
    if (at != code->head || count == 0) { /* data among the code: begin where it is certain */
        return code->head;
    }
    return last[count >= CODE_BEFORE ? count % CODE_BEFORE : 0];
}

static json_t *make_code(const struct code *code)
{
    json_t *list = json_array();
    unsigned behind = 0;
    uint64_t at = find_first(code);
    for (unsigned i = 0; i < CODE_MAX && behind < CODE_AFTER; i++) {
        struct rv64_insn insn;
        char address[24], word[16], text[RV64_TEXT_SIZE];
        if (!decode(code, at, &insn)) {
            break;
        }
        const uint64_t bias = program_file_bias(code->program);
        const bool in_loop = at >= code->head && (at < code->end || at == code->head);
        snprintf(address, sizeof address, "0x%" PRIx64, at + bias);
        snprintf(word, sizeof word, "%0*" PRIx32, insn.length * 2,
                 insn.length == 2 ? insn.word & 0xffff : insn.word);
        rv64_disassemble(&insn, at + bias, text, sizeof text);
        append(list, json_pack("{s:s, s:s, s:s, s:b}", "address", address, "word", word, "text",
                               text, "loop", in_loop));
        behind += at >= code->head && !in_loop;
        at += insn.length;
    }
    return list;
}

static json_t *make_place(const struct material *material, const json_t *loop)
{
    struct symbol_place place;
    struct code code = {.program = material->program};
    if (!program_file_find(material->program, loop, &code.head, &place)) {
        return NULL;
    }
    code.start = place.function != NULL ? code.head - place.offset : code.head;
    find_end(&code);
    json_t *source = make_source(material->sources, &place);
    json_t *hidden =
        json_is_null(source) && place.path != NULL ? make_text(place.path) : json_null();
    return json_pack("{s:o, s:o, s:o}", "source", source, "hidden", hidden, "code",
                     make_code(&code));
}

/* Of the first `max` of a list, by what `key` says is their address. */
static json_t *make_parts(const struct material *material, const json_t *list, const char *key,
                          size_t max)
{
    json_t *made = json_object();
    ASSERT(made != NULL);
    for (size_t i = 0; material->program != NULL && i < json_array_size(list) && i < max; i++) {
        const json_t *place = json_array_get(list, i);
        const char *address = json_string_value(json_object_get(place, key));
        json_t *parts = address != NULL ? make_place(material, place) : NULL;
        if (parts != NULL) {
            put(made, address, parts);
        }
    }
    return made;
}

json_t *listing_make(const json_t *run, const struct source_rules *rules, size_t loops_max,
                     size_t loads_max)
{
    const json_t *counted = json_object_get(json_object_get(run, "hotspots"), "loops");
    const json_t *profiled = json_object_get(json_object_get(run, "profile"), "loops");
    const json_t *loads = json_object_get(json_object_get(run, "pipeline"), "loads");
    const char *why;
    const json_t *path = json_object_get(json_object_get(run, "program"), "path");
    const struct material material = {program_file_open(run, &why),
                                      sources_open(rules, json_string_value(path))};
    json_t *listing = json_object();
    ASSERT(listing != NULL);
    put(listing, "why", why != NULL ? json_string(why) : json_null());
    /* Both lists begin with their hottest: by share, and by executions. */
    json_t *loops = make_parts(&material, profiled, "head", loops_max);
    json_t *others = make_parts(&material, counted, "head", loops_max);
    ASSERT(json_object_update_missing(loops, others) == 0);
    json_decref(others);
    put(listing, "loops", loops);
    if (loads_max > 0) {
        put(listing, "loads", make_parts(&material, loads, "pc", loads_max));
    }
    program_file_close(material.program);
    sources_close(material.sources);
    return listing;
}
