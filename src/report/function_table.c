/* Finds functions by the files that are mapped, and gives each a number. */
#include "report/function_table.h"

#include "base/check.h"
#include "base/spread.h"
#include "machine/linux/files.h"
#include "symbols/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table_file {
    char *path;
    char *shown;             /* what its code without functions is called */
    struct symbols *symbols; /* NULL: it has none */
    bool library;            /* it is a shared library, not a program */
    struct table_file *next;
};

#define BUCKETS 4096

struct function_table {
    struct process *process;
    struct table_file *files;
    struct table_function *functions;
    const char **shown;
    uint32_t *
        next; /* the number of the next function in the same bucket, and one more; 0: there is none */
    uint32_t count, capacity;
    uint32_t buckets[BUCKETS]; /* by address: a number and one more */
};

struct function_table *function_table_create(void)
{
    struct function_table *table = calloc(1, sizeof *table);
    ASSERT(table != NULL);
    return table;
}

void function_table_destroy(struct function_table *table)
{
    if (table == NULL) {
        return;
    }
    for (struct table_file *file = table->files; file != NULL;) {
        struct table_file *next = file->next;
        symbols_close(file->symbols);
        free(file->path);
        free(file->shown);
        free(file);
        file = next;
    }
    for (uint32_t i = 0; i < table->count; i++) {
        free(table->functions[i].made);
    }
    free(table->functions);
    free(table->shown);
    free(table->next);
    free(table);
}

void function_table_follow(struct function_table *table, struct process *process)
{
    table->process = process;
}

static struct table_file *file_of(struct function_table *table, const char *path)
{
    for (struct table_file *file = table->files; file != NULL; file = file->next) {
        if (strcmp(file->path, path) == 0) {
            return file;
        }
    }
    struct table_file *file = calloc(1, sizeof *file);
    const char *slash = strrchr(path, '/');
    ASSERT(file != NULL);
    file->path = strdup(path);
    const int length = asprintf(&file->shown, "[%s]", slash != NULL ? slash + 1 : path);
    ASSERT(file->path != NULL && length >= 0);
    file->symbols = symbols_open(path);
    file->library = symbols_of_library(file->symbols);
    file->next = table->files;
    table->files = file;
    return file;
}

/* A function of a file: it has a name, or gets one when it is met for the first time. */
struct found_function {
    struct table_function function;
    bool known;        /* there is a function; else it is code that none has */
    const char *file;  /* the file's name, without its folders */
    const char *shown; /* its name for a person */
};

static void make_name(struct found_function *found)
{
    if (found->known && found->function.name == NULL) {
        const int length =
            asprintf(&found->function.made, "%s+0x%" PRIx64, found->file, found->function.linked);
        ASSERT(length >= 0);
        found->function.name = found->shown = found->function.made;
    }
}

static uint32_t number_of(struct function_table *table, struct found_function *found)
{
    const struct table_function *function = &found->function;
    uint32_t *bucket = &table->buckets[spread_mix(function->start) >> 32 & (BUCKETS - 1)];
    for (uint32_t i = *bucket; i != 0; i = table->next[i - 1]) {
        const struct table_function *known = &table->functions[i - 1];
        if (known->start == function->start && known->file == function->file &&
            (known->name != NULL) == found->known) {
            return i - 1;
        }
    }
    if (table->count == table->capacity) {
        table->capacity = table->capacity != 0 ? table->capacity * 2 : 256;
        table->functions = realloc(table->functions, table->capacity * sizeof *table->functions);
        table->shown = realloc(table->shown, table->capacity * sizeof *table->shown);
        table->next = realloc(table->next, table->capacity * sizeof *table->next);
        ASSERT(table->functions != NULL && table->shown != NULL && table->next != NULL);
    }
    make_name(found);
    table->functions[table->count] = *function;
    table->shown[table->count] = found->shown;
    table->next[table->count] = *bucket;
    *bucket = table->count + 1;
    return table->count++;
}

struct profile_function function_table_find(void *context, guest_addr pc)
{
    struct function_table *table = context;
    const struct region *region = region_find(files_state(table->process)->regions, pc);
    struct profile_function bounds = {.start = pc, .end = pc + 2};
    struct found_function found = {.shown = "[made at run time]"};
    if (region != NULL && region->name != NULL) {
        struct table_file *file = file_of(table, region->name);
        const char *slash = strrchr(file->path, '/');
        uint64_t linked, end;
        found.function.file = file->path;
        found.file = slash != NULL ? slash + 1 : file->path;
        found.shown = file->shown;
        if (file->symbols != NULL &&
            symbols_address(file->symbols, region->offset + (pc - region->start), &linked) &&
            symbols_function(file->symbols, linked, &found.function.name, &found.function.linked,
                             &end)) {
            found.known = true;
            found.shown = found.function.name;
            found.function.start = bounds.start = pc - (linked - found.function.linked);
            bounds.end = pc + (end - linked);
        }
    }
    bounds.number = number_of(table, &found);
    return bounds;
}

const struct table_function *function_table_get(const struct function_table *table, uint32_t number)
{
    ASSERT(number < table->count);
    return &table->functions[number];
}

uint32_t function_table_count(const struct function_table *table)
{
    return table->count;
}

bool function_table_place(const struct function_table *table, uint32_t number, guest_addr address,
                          struct place *place)
{
    const struct table_function *function = function_table_get(table, number);
    const struct table_file *file = table->files;
    *place = (struct place){.file = NULL};
    if (function->name == NULL) {
        return false;
    }
    while (file->path != function->file) {
        file = file->next;
    }
    const char *slash = strrchr(file->path, '/');
    place->file = slash != NULL ? slash + 1 : file->path;
    place->library = file->library;
    place->offset = function->linked + (address - function->start);
    symbols_find(file->symbols, place->offset, &place->symbol);
    return true;
}

const char *function_table_name(const struct function_table *table, uint32_t number)
{
    ASSERT(number < table->count);
    return table->shown[number];
}
