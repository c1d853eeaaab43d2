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
    file->next = places->files;
    places->files = file;
    return file;
}

bool places_find(struct places *places, guest_addr address, struct symbol_place *place)
{
    const struct region *region = region_find(files_state(places->process)->regions, address);
    if (region == NULL || region->name == NULL) {
        return false;
    }
    struct place_file *file = file_of(places, region->name);
    uint64_t linked;
    if (file->symbols == NULL ||
        !symbols_address(file->symbols, region->offset + (address - region->start), &linked)) {
        return false;
    }
    return symbols_find(file->symbols, linked, place);
}

void places_report(struct places *places, struct statistics *s, guest_addr address)
{
    struct symbol_place place = {0};
    char source[512];
    places_find(places, address, &place);
    if (place.function != NULL) {
        s->text(s, "function", place.function);
    } else {
        s->nothing(s, "function");
    }
    if (place.file != NULL) {
        snprintf(source, sizeof source, "%s:%u", place.file, place.line);
        s->text(s, "source", source);
    } else {
        s->nothing(s, "source");
    }
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
