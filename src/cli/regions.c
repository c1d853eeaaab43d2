/* Turns names of functions, source files and libraries into bytes of files, before the program starts. */
#include "cli/regions.h"

#include "cli/libraries.h"

#include "base/check.h"
#include "base/number.h"
#include "base/say.h"
#include "elf/image.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names that are shown where one is unknown. */
#define NEAREST 4
#define NAME_BYTES 200
/* A linker puts the program headers right behind the ELF header. */
#define HEADER_BYTES 4096

static const char *const keys[] = {
#define REGION_KEY(id, key, value, meaning) key "=",
#define REGION_NAME(id, key, value, meaning) key "=",
#include "translator/detect/regions.def"
#undef REGION_KEY
#undef REGION_NAME
};

const char *regions_take(struct regions_asked *asked, const char *value)
{
    if (asked->count == REGIONS_MAX) {
        return "too many regions:";
    }
    asked->values[asked->count++] = value;
    return NULL;
}

void regions_free(struct regions_asked *asked)
{
    for (unsigned i = 0; i < asked->found_count; i++) {
        free(asked->found[i]);
    }
    asked->found_count = 0;
}

/* What is behind `key` in the text; NULL if it begins otherwise. */
static const char *behind(const char *text, const char *key)
{
    const size_t length = strlen(key);

    return strncmp(text, key, length) == 0 ? text + length : NULL;
}

/* Ranges of one file. */
struct range {
    uint64_t start, end;
};

struct ranges {
    struct symbols *symbols;
    struct range *items;
    size_t count, capacity;
};

/* Bytes of the file; what is not in it cannot be executed. */
static void take_range(void *context, uint64_t start, uint64_t end)
{
    struct ranges *ranges = context;
    uint64_t offset;

    if (end <= start || !symbols_offset(ranges->symbols, start, &offset)) {
        return;
    }
    if (ranges->count == ranges->capacity) {
        ranges->capacity = 2 * ranges->capacity + 64;
        ranges->items = realloc(ranges->items, ranges->capacity * sizeof *ranges->items);
        ASSERT(ranges->items != NULL);
    }
    ranges->items[ranges->count++] = (struct range){offset, offset + (end - start)};
}

static int compare_ranges(const void *left, const void *right)
{
    const struct range *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

/* Sorted, and those that touch are one. */
static void join_ranges(struct ranges *ranges)
{
    size_t kept = 0;

    if (ranges->count > 0) {
        qsort(ranges->items, ranges->count, sizeof *ranges->items, compare_ranges);
    }
    for (size_t i = 0; i < ranges->count; i++) {
        struct range *last = kept > 0 ? &ranges->items[kept - 1] : NULL;
        const struct range range = ranges->items[i];
        if (last != NULL && range.start <= last->end) {
            last->end = range.end > last->end ? range.end : last->end;
        } else {
            ranges->items[kept++] = range;
        }
    }
    ranges->count = kept;
}

/* What the list of mappings calls the file: of a library its name alone, which does not depend on the folder. */
static const char *mapped_name(const struct simulation *simulation, const struct library *library)
{
    if (library->needed == NULL) {
        return simulation->seen != NULL ? simulation->seen : library->path;
    }
    return strrchr(library->path, '/') + 1;
}

/* The code of the name in one file, as ",bytes=FILE+LOW-HIGH..."; false if there is none. */
static bool put_ranges(FILE *text, const struct simulation *simulation,
                       const struct library *library, enum symbol_kind kind, const char *name)
{
    struct ranges ranges = {.symbols = library->symbols};

    symbols_each_range(library->symbols, kind, name, take_range, &ranges);
    join_ranges(&ranges);
    if (ranges.count > 0) {
        fprintf(text, ",bytes=%s", mapped_name(simulation, library));
    }
    for (size_t i = 0; i < ranges.count; i++) {
        fprintf(text, "+0x%" PRIx64 "-0x%" PRIx64, ranges.items[i].start, ranges.items[i].end);
    }
    free(ranges.items);
    return ranges.count > 0;
}

/* The names that are like one that there is not. */
struct nearest {
    const char *name;
    char names[NEAREST][NAME_BYTES];
    size_t distances[NEAREST];
    size_t count;
    bool any; /* there are names, if only such as are too long to be compared */
};

/* How many characters must be put in, left out or changed to get from one to the other: Levenshtein's distance. */
static size_t distance_of(const char *left, const char *right)
{
    size_t row[NAME_BYTES];
    const size_t width = strlen(right);

    for (size_t i = 0; i <= width; i++) {
        row[i] = i;
    }
    for (size_t at = 0; left[at] != '\0'; at++) {
        size_t diagonal = row[0];
        row[0] = at + 1;
        for (size_t i = 0; i < width; i++) {
            const size_t changed = diagonal + (left[at] != right[i]);
            const size_t moved = (row[i] < row[i + 1] ? row[i] : row[i + 1]) + 1;
            diagonal = row[i + 1];
            row[i + 1] = changed < moved ? changed : moved;
        }
    }
    return row[width];
}

static void compare_name(void *context, const char *known)
{
    struct nearest *nearest = context;
    nearest->any = true;
    if (strlen(known) >= NAME_BYTES || strlen(nearest->name) >= NAME_BYTES) {
        return;
    }
    const size_t distance = distance_of(nearest->name, known);
    size_t place = nearest->count;
    for (size_t i = 0; i < nearest->count; i++) {
        if (strcmp(nearest->names[i], known) == 0) {
            return;
        }
    }
    while (place > 0 && nearest->distances[place - 1] > distance) {
        place--;
    }
    if (place == NEAREST) {
        return;
    }
    nearest->count += nearest->count < NEAREST;
    for (size_t i = nearest->count - 1; i > place; i--) {
        memcpy(nearest->names[i], nearest->names[i - 1], NAME_BYTES);
        nearest->distances[i] = nearest->distances[i - 1];
    }
    memcpy(nearest->names[place], known, strlen(known) + 1);
    nearest->distances[place] = distance;
}

/* Text that grows; malloc'ed when it is closed. */
struct words {
    FILE *file;
    char *text;
    size_t bytes;
};

static void open_words(struct words *words)
{
    words->file = open_memstream(&words->text, &words->bytes);
    ASSERT(words->file != NULL);
}

static void close_words(struct words *words)
{
    ASSERT(fclose(words->file) == 0);
}

static void refuse_name(const struct libraries *libraries, enum symbol_kind kind, const char *term,
                        const char *name)
{
    struct nearest nearest = {.name = name};
    const bool file = kind == SYMBOL_FILE;
    struct words words;

    /* The program's own come first among those that are as near. */
    for (size_t i = 0; i < libraries->count; i++) {
        if (libraries->items[i].symbols != NULL) {
            symbols_each_name(libraries->items[i].symbols, kind, compare_name, &nearest);
        }
    }
    open_words(&words);
    for (size_t i = 0; i < nearest.count; i++) {
        fprintf(words.file, "%s%s", i == 0 ? "" : ", ", nearest.names[i]);
    }
    close_words(&words);
    say(stderr,
        "strata: --region %s: no %s of that name has code in the program or its libraries%s%s\n",
        term, file ? "source file" : "function",
        nearest.count != 0 ? "; the nearest are "
        : nearest.any      ? ""
        : file             ? "; they have no line information: compile with -g"
                           : "; they have no symbols",
        words.text);
    free(words.text);
}

static void keep(struct regions_asked *asked, char *word)
{
    ASSERT(word != NULL && asked->found_count < REGIONS_MAX);
    asked->found[asked->found_count++] = word;
}

/* A name of the program's own, or else one of its libraries'. */
static bool resolve_name(struct regions_asked *asked, const struct libraries *libraries,
                         enum symbol_kind kind, const char *term, const char *name)
{
    struct words words;
    bool found = false;

    open_words(&words);
    fputs(term, words.file);
    for (size_t i = 0; i < libraries->count && !(found && i == 1) && name[0] != '\0'; i++) {
        const struct library *library = &libraries->items[i];
        found |= library->symbols != NULL &&
                 put_ranges(words.file, libraries->simulation, library, kind, name);
    }
    close_words(&words);
    if (!found) {
        free(words.text);
        refuse_name(libraries, kind, term, name);
        return false;
    }
    keep(asked, words.text);
    return true;
}

/* By its whole name, or without the version at its end. */
static bool is_file(const char *file, const char *name)
{
    const char *rest = behind(file, name);

    return rest != NULL && (rest[0] == '\0' || rest[0] == '.');
}

static bool is_library(const struct library *library, const char *name)
{
    return (library->needed != NULL && is_file(library->needed, name)) ||
           (library->path != NULL && is_file(strrchr(library->path, '/') + 1, name));
}

static void refuse_library(const struct libraries *libraries, const char *term)
{
    struct words words;

    open_words(&words);
    for (size_t i = 1; i < libraries->count; i++) {
        fprintf(words.file, "%s%s", i == 1 ? "" : ", ", libraries->items[i].needed);
    }
    close_words(&words);
    say(stderr,
        "strata: --region %s: there is no such library below the sysroot or where the program "
        "looks; %s%s\n",
        term, libraries->count > 1 ? "it needs " : "it needs none", words.text);
    free(words.text);
}

/* One that the program needs, or that is there to be loaded; or the program itself. */
static bool resolve_library(struct regions_asked *asked, const struct libraries *libraries,
                            const char *term, const char *name)
{
    const char *file = NULL;
    char *word = NULL, *path = NULL;

    for (size_t i = 0; i < libraries->count && file == NULL && name[0] != '\0'; i++) {
        const struct library *library = &libraries->items[i];
        if (library->path != NULL && is_library(library, name)) {
            file = mapped_name(libraries->simulation, library);
        }
    }
    if (file == NULL && name[0] != '\0') {
        path = libraries_find(libraries, name);
        file = path == NULL || strchr(name, '/') != NULL ? path : strrchr(path, '/') + 1;
    }
    if (file == NULL) {
        refuse_library(libraries, term);
        return false;
    }
    ASSERT(asprintf(&word, "library=%s", file) >= 0);
    free(path);
    keep(asked, word);
    return true;
}

static bool read_image(const char *path, struct elf_image *image)
{
    uint8_t bytes[HEADER_BYTES];
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t count = fd < 0 ? -1 : pread(fd, bytes, sizeof bytes, 0);
    const bool sound = count >= 0 && fstat(fd, &status) == 0 &&
                       elf_read(image, bytes, (size_t)count, (uint64_t)status.st_size,
                                ELF_MACHINE_RISCV) == ELF_OK;

    if (fd >= 0) {
        close(fd);
    }
    return sound;
}

/* Whether there may be code: what is behind the program's own segments can be made at run time. */
static bool may_have_code(const struct elf_image *image, uint64_t low, uint64_t high)
{
    bool any = high > image->high;

    for (unsigned i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        any |= (segment->permissions & ELF_EXECUTE) != 0 &&
               low < segment->address + segment->memory_bytes && segment->address < high;
    }
    return any;
}

static void refuse_addresses(const struct elf_image *image, const char *term)
{
    char code[80] = "";

    for (unsigned i = 0; i < image->segment_count && code[0] == '\0'; i++) {
        const struct elf_segment *segment = &image->segments[i];
        if ((segment->permissions & ELF_EXECUTE) != 0) {
            snprintf(code, sizeof code, "0x%" PRIx64 "-0x%" PRIx64, segment->address,
                     segment->address + segment->memory_bytes);
        }
    }
    say(stderr, "strata: --region %s: the program has no code there; its code is at %s\n", term,
        code);
}

/* Of a program that is loaded anywhere, addresses as its file has them are bytes of the file; others are addresses in
 * memory. */
static bool resolve_addresses(struct regions_asked *asked, const struct libraries *libraries,
                              const char *term, const char *value)
{
    const struct library *program = &libraries->items[0];
    struct elf_image image;
    uint64_t low, high, offset, last;
    const char *at = number_take(value, NUMBER_PLAIN, &low);
    char *word = NULL;

    const bool sound = at != NULL && *at == '-' &&
                       (at = number_take(at + 1, NUMBER_PLAIN, &high)) != NULL && *at == '\0' &&
                       low < high && read_image(program->path, &image);
    if (sound && !image.position_independent && !may_have_code(&image, low, high)) {
        refuse_addresses(&image, term);
        return false;
    }
    if (!sound || !image.position_independent || !symbols_offset(program->symbols, low, &offset) ||
        !symbols_offset(program->symbols, high - 1, &last)) {
        keep(asked, strdup(term));
        return true;
    }
    ASSERT(asprintf(&word, "bytes=%s+0x%" PRIx64 "-0x%" PRIx64,
                    mapped_name(libraries->simulation, program), offset, last + 1) >= 0);
    keep(asked, word);
    return true;
}

/* What has no name the translator understands as it is, and judges. */
static bool resolve_term(struct regions_asked *asked, const struct libraries *libraries,
                         const char *term)
{
    const char *name;

    if (asked->found_count == REGIONS_MAX) {
        say(stderr, "strata: --region %s: there are too many regions\n", term);
        return false;
    }
    if ((name = behind(term, "function=")) != NULL) {
        return resolve_name(asked, libraries, SYMBOL_FUNCTION, term, name);
    }
    if ((name = behind(term, "file=")) != NULL) {
        return resolve_name(asked, libraries, SYMBOL_FILE, term, name);
    }
    if ((name = behind(term, "library=")) != NULL) {
        return resolve_library(asked, libraries, term, name);
    }
    if ((name = behind(term, "address=")) != NULL) {
        return resolve_addresses(asked, libraries, term, name);
    }
    keep(asked, strdup(term));
    return true;
}

/* A comma ends a term where another key follows; else it is one of a name, such as those between parameters. */
static size_t term_length(const char *value)
{
    for (const char *comma = strchr(value, ','); comma != NULL; comma = strchr(comma + 1, ',')) {
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            if (behind(comma + 1, keys[i]) != NULL) {
                return (size_t)(comma - value);
            }
        }
    }
    return strlen(value);
}

bool regions_resolve(struct regions_asked *asked, const struct simulation *simulation,
                     const char *program)
{
    struct libraries libraries;
    bool resolved = true;

    if (asked->count == 0 || !libraries_open(&libraries, simulation, program)) {
        return true;
    }
    for (unsigned i = 0; i < asked->count && resolved; i++) {
        const char *at = asked->values[i];
        bool more = true;
        while (more && resolved) {
            const size_t length = term_length(at);
            char *term = strndup(at, length);
            ASSERT(term != NULL);
            resolved = resolve_term(asked, &libraries, term);
            free(term);
            more = at[length] == ',';
            at += length + 1;
        }
    }
    libraries_close(&libraries);
    return resolved;
}
