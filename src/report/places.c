/* Names guest addresses: finds the file that is mapped there, and in it function and line. */
#include "report/places.h"

#include "base/check.h"
#include "machine/linux/files.h"
#include "machine/units/origins.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One file with symbols; few programs map more than a handful. */
struct place_file {
    char *path;
    struct symbols *symbols; /* NULL: it has none */
    bool library;
    struct place_file *next;
};

struct places {
    struct process *process;
    struct place_file *files;
};

const char *places_owner(unsigned owner)
{
    static const char *const names[] = {
        [OWNER_PROGRAM] = "program", [OWNER_TRANSLATOR] = "strata", [OWNER_UNKNOWN] = "unknown"};
    return names[owner];
}

struct places *places_open(struct process *process)
{
    struct places *places = calloc(1, sizeof *places);
    ASSERT(places != NULL);
    places->process = process;
    return places;
}

static struct place_file *file_of(struct places *places, const char *path)
{
    for (struct place_file *file = places->files; file != NULL; file = file->next) {
        if (strcmp(file->path, path) == 0) {
            return file;
        }
    }
    struct place_file *file = calloc(1, sizeof *file);
    ASSERT(file != NULL);
    file->path = strdup(path);
    ASSERT(file->path != NULL);
    file->symbols = symbols_open(path);
    file->library = symbols_of_library(file->symbols);
    file->next = places->files;
    places->files = file;
    return file;
}

bool places_find(struct places *places, guest_addr address, struct place *place)
{
    const struct region *region = region_find(files_state(places->process)->regions, address);
    *place = (struct place){.file = NULL};
    if (region == NULL || region->name == NULL) {
        return false;
    }
    struct place_file *file = file_of(places, region->name);
    if (file->symbols == NULL ||
        !symbols_address(file->symbols, region->offset + (address - region->start),
                         &place->offset)) {
        return false;
    }
    const char *slash = strrchr(file->path, '/');
    place->file = slash != NULL ? slash + 1 : file->path;
    place->library = file->library;
    symbols_find(file->symbols, place->offset, &place->symbol);
    return true;
}

static void report_text(struct statistics *s, const char *key, const char *text)
{
    if (text != NULL) {
        s->text(s, key, text);
    } else {
        s->nothing(s, key);
    }
}

void places_report_place(struct statistics *s, const struct place *known)
{
    static const struct place nothing = {.file = NULL};
    const struct place *place = known != NULL ? known : &nothing;
    const struct symbol_place *symbol = &place->symbol;
    char source[512];
    report_text(s, "function", symbol->function);
    snprintf(source, sizeof source, "%s:%u", symbol->file != NULL ? symbol->file : "",
             symbol->line);
    report_text(s, "source", symbol->file != NULL ? source : NULL);
    report_text(s, "library", place->library ? place->file : NULL);
    if (known != NULL) {
        places_report_address(s, "offset", place->offset);
    } else {
        s->nothing(s, "offset");
    }
}

void places_report(struct places *places, struct statistics *s, guest_addr address)
{
    struct place place;
    places_report_place(s, places_find(places, address, &place) ? &place : NULL);
}

void places_name(const struct place *place, char *text, size_t columns)
{
    const struct symbol_place *symbol = &place->symbol;
    char *name = NULL;
    int length = 0;
    if (symbol->function != NULL && place->library && symbol->file == NULL) {
        length = asprintf(&name, "%s: %s", place->file, symbol->function);
    } else if (symbol->function != NULL) {
        name = strdup(symbol->function);
    } else if (place->file != NULL) {
        length = asprintf(&name, "%s+0x%" PRIx64, place->file, place->offset);
    } else {
        name = strdup("-");
    }
    ASSERT(length >= 0 && name != NULL);
    columns_fit(text, name, columns);
    free(name);
}

void places_source(const struct place *place, char *text, size_t columns)
{
    const struct symbol_place *symbol = &place->symbol;
    char *source = NULL;
    if (symbol->file == NULL) {
        columns_fill(text, "-", columns);
        return;
    }
    ASSERT(asprintf(&source, "%s:%u", symbol->file, symbol->line) >= 0);
    columns_fill(text, source, columns);
    free(source);
}

void places_report_address(struct statistics *s, const char *key, guest_addr address)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    s->text(s, key, text);
}

void places_close(struct places *places)
{
    for (struct place_file *file = places->files; file != NULL;) {
        struct place_file *next = file->next;
        symbols_close(file->symbols);
        free(file->path);
        free(file);
        file = next;
    }
    free(places);
}
