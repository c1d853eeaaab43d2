/* A fully associative cache of lines beside a real one: tells capacity misses from others. */
#include "machine/pipeline/shadow.h"

#include "base/check.h"

#include <stdbool.h>
#include <stdlib.h>

#define NONE UINT32_MAX
#define TABLE_FIRST                                                                                \
    4096 /* places of the hash table; a power of two, and at least double the lines */

/* A line that was accessed at some time; those that would be in the cache are in the list. */
struct shadow_line {
    uint64_t number;
    uint32_t newer, older; /* of the list; newer is the line itself: not in it */
};

struct shadow {
    uint64_t capacity, resident;
    struct shadow_line *lines;
    uint32_t count, room;
    uint32_t *table; /* places in lines, by hash; NONE: empty */
    unsigned table_bits;
    uint32_t newest, oldest;
};

static uint64_t place_of(const struct shadow *shadow, uint64_t number)
{
    return number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - shadow->table_bits);
}

static bool allocate(struct shadow *shadow, unsigned bits)
{
    const uint64_t places = UINT64_C(1) << bits;
    uint32_t *table = malloc(places * sizeof *table);
    struct shadow_line *lines = realloc(shadow->lines, places / 2 * sizeof *lines);
    shadow->lines = lines != NULL ? lines : shadow->lines;
    if (table == NULL || lines == NULL) {
        free(table);
        return false;
    }
    free(shadow->table);
    shadow->table = table;
    shadow->table_bits = bits;
    shadow->room = (uint32_t)(places / 2);
    for (uint64_t i = 0; i < places; i++) {
        table[i] = NONE;
    }
    for (uint32_t i = 0; i < shadow->count; i++) {
        uint64_t place = place_of(shadow, lines[i].number);
        while (table[place] != NONE) {
            place = (place + 1) & (places - 1);
        }
        table[place] = i;
    }
    return true;
}

struct shadow *shadow_create(uint64_t lines)
{
    struct shadow *shadow = calloc(1, sizeof *shadow);
    if (shadow == NULL) {
        return NULL;
    }
    shadow->capacity = lines;
    shadow->newest = shadow->oldest = NONE;
    if (!allocate(shadow, (unsigned)__builtin_ctzll(TABLE_FIRST))) {
        shadow_destroy(shadow);
        return NULL;
    }
    return shadow;
}

void shadow_destroy(struct shadow *shadow)
{
    if (shadow != NULL) {
        free(shadow->lines);
        free(shadow->table);
        free(shadow);
    }
}

static void leave_list(struct shadow *shadow, uint32_t id)
{
    struct shadow_line *line = &shadow->lines[id];
    if (line->newer != NONE) {
        shadow->lines[line->newer].older = line->older;
    } else {
        shadow->newest = line->older;
    }
    if (line->older != NONE) {
        shadow->lines[line->older].newer = line->newer;
    } else {
        shadow->oldest = line->newer;
    }
    line->newer = id;
    shadow->resident--;
}

static void become_newest(struct shadow *shadow, uint32_t id)
{
    if (shadow->resident == shadow->capacity) {
        leave_list(shadow, shadow->oldest);
    }
    struct shadow_line *line = &shadow->lines[id];
    line->newer = NONE;
    line->older = shadow->newest;
    if (shadow->newest != NONE) {
        shadow->lines[shadow->newest].newer = id;
    } else {
        shadow->oldest = id;
    }
    shadow->newest = id;
    shadow->resident++;
}

/* The place in the table of the line, or where it belongs. */
static uint32_t *find(const struct shadow *shadow, uint64_t number)
{
    const uint64_t mask = (UINT64_C(1) << shadow->table_bits) - 1;
    uint64_t place = place_of(shadow, number);
    while (shadow->table[place] != NONE && shadow->lines[shadow->table[place]].number != number) {
        place = (place + 1) & mask;
    }
    return &shadow->table[place];
}

enum shadow_answer shadow_access(struct shadow *shadow, uint64_t line)
{
    uint32_t *place = find(shadow, line);
    const uint32_t id = *place;
    if (id == NONE) {
        if (shadow->count == shadow->room) {
            /* There is no answer without it, and a program's lines were all mapped before. */
            ASSERT(shadow->table_bits < 32 && allocate(shadow, shadow->table_bits + 1));
            place = find(shadow, line);
        }
        *place = shadow->count;
        shadow->lines[shadow->count].number = line;
        become_newest(shadow, shadow->count++);
        return SHADOW_FIRST;
    }
    const bool resident = shadow->lines[id].newer != id;
    if (id == shadow->newest) {
        return SHADOW_HIT;
    }
    if (resident) {
        leave_list(shadow, id);
    }
    become_newest(shadow, id);
    return resident ? SHADOW_HIT : SHADOW_CAPACITY;
}
