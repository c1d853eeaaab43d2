/* Space-Saving: entries are found by a hash of their key, and the least one is on top of a heap.
 *
 * Hardware would compare all tags and all counts at once.  Of equal counts the heap has the entry with the lowest number on
 * top, as a tree of comparators would. */
#include "machine/units/frequent_table.h"

#include "base/spread.h"

#include <stdlib.h>

bool frequent_create(struct frequent_table *table, uint32_t size)
{
    unsigned bits = 1;

    while (UINT32_C(1) << bits < size) {
        bits++;
    }
    *table = (struct frequent_table){.size = size,
                                     .bits = bits,
                                     .entries = calloc(size, sizeof *table->entries),
                                     .order = calloc(size, sizeof *table->order),
                                     .buckets = calloc((size_t)1 << bits, sizeof *table->buckets)};
    return table->entries != NULL && table->order != NULL && table->buckets != NULL;
}

void frequent_destroy(struct frequent_table *table)
{
    free(table->entries);
    free(table->order);
    free(table->buckets);
}

static uint32_t *bucket_of(const struct frequent_table *table, uint64_t key)
{
    return &table->buckets[spread_mix(key) >> (64 - table->bits)];
}

/* The number of its entry, plus 1; 0 if there is none. */
static uint32_t search(const struct frequent_table *table, uint64_t key)
{
    uint32_t at = *bucket_of(table, key);

    while (at != 0 && table->entries[at - 1].key != key) {
        at = table->entries[at - 1].hash_next;
    }
    return at;
}

static bool is_less(const struct frequent_table *table, uint32_t a, uint32_t b)
{
    const uint64_t left = table->entries[a].count, right = table->entries[b].count;

    return left != right ? left < right : a < b;
}

static void put(struct frequent_table *table, uint32_t place, uint32_t number)
{
    table->order[place] = number;
    table->entries[number].place = place;
}

/* Its count has grown: what is less goes up. */
static void sink(struct frequent_table *table, uint32_t number)
{
    uint32_t place = table->entries[number].place;

    for (uint32_t child; (child = 2 * place + 1) < table->used; place = child) {
        if (child + 1 < table->used &&
            is_less(table, table->order[child + 1], table->order[child])) {
            child++;
        }
        if (!is_less(table, table->order[child], number)) {
            break;
        }
        put(table, place, table->order[child]);
    }
    put(table, place, number);
}

/* A new one has the least count that there can be, and goes up until those above it have no more. */
static void rise(struct frequent_table *table, uint32_t number)
{
    uint32_t place = table->entries[number].place;

    while (place > 0 && is_less(table, number, table->order[(place - 1) / 2])) {
        put(table, place, table->order[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(table, place, number);
}

static void forget_key(struct frequent_table *table, uint32_t number)
{
    uint32_t *at = bucket_of(table, table->entries[number].key);

    while (*at != number + 1) {
        at = &table->entries[*at - 1].hash_next;
    }
    *at = table->entries[number].hash_next;
}

static void set_key(struct frequent_table *table, uint32_t number, uint64_t key)
{
    uint32_t *bucket = bucket_of(table, key);

    table->entries[number].key = key;
    table->entries[number].hash_next = *bucket;
    *bucket = number + 1;
}

/* An entry for a key that has none: a free one, or the least. */
static uint32_t take_entry(struct frequent_table *table, uint64_t key)
{
    if (table->used < table->size) {
        const uint32_t number = table->used++;
        table->entries[number].place = number;
        set_key(table, number, key);
        rise(table, number);
        return number;
    }
    const uint32_t number = table->order[0];
    forget_key(table, number);
    set_key(table, number, key);
    table->entries[number].error = table->entries[number].count;
    return number;
}

const struct frequent_entry *frequent_count(struct frequent_table *table, uint64_t key)
{
    const uint32_t known = search(table, key);
    const uint32_t number = known != 0 ? known - 1 : take_entry(table, key);

    table->counted++;
    table->entries[number].count++;
    sink(table, number);
    return &table->entries[number];
}

const struct frequent_entry *frequent_find(const struct frequent_table *table, uint64_t key)
{
    const uint32_t known = search(table, key);

    return known != 0 ? &table->entries[known - 1] : NULL;
}

uint64_t frequent_least(const struct frequent_table *table)
{
    return table->used < table->size ? 0 : table->entries[table->order[0]].count;
}
