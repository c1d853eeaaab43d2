/* The most frequent of many things, in few entries: Space-Saving, by Metwally, Agrawal and El Abbadi.
 *
 * What is counted and has no entry takes the one with the least count, counts on from there, and remembers that count as its
 * possible error.  So of whatever has an entry, after N counts in m entries,
 *
 *     count - error <= how often it was counted <= count,    error <= N / m,
 *
 * and nothing that has no entry was counted more often than the least count says.  docs/replacement.md has the proof. */
#ifndef STRATA_MACHINE_UNITS_FREQUENT_TABLE_H
#define STRATA_MACHINE_UNITS_FREQUENT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct frequent_entry {
    uint64_t key;
    uint64_t count, error;
    uint32_t place;     /* in the order: where its number stands */
    uint32_t hash_next; /* the next with the same hash, plus 1; 0: none */
};

struct frequent_table {
    uint32_t size, used;
    unsigned bits; /* there are 2^bits buckets */
    uint64_t counted;
    struct frequent_entry *entries;
    uint32_t *order;   /* a heap of the numbers of entries, the one with the least count first */
    uint32_t *buckets; /* by key: the number of the first entry, plus 1 */
};

#define FREQUENT_ENTRIES_MAX 65536

/* False if memory runs out; frequent_destroy then is right, too. */
bool frequent_create(struct frequent_table *table, uint32_t size);
void frequent_destroy(struct frequent_table *table);

/* Counts `key` once.  Its entry, valid until something else is counted. */
const struct frequent_entry *frequent_count(struct frequent_table *table, uint64_t key);
/* NULL if it has none. */
const struct frequent_entry *frequent_find(const struct frequent_table *table, uint64_t key);
/* What nothing without an entry was counted more often than: 0 while an entry is free. */
uint64_t frequent_least(const struct frequent_table *table);

#endif
