/* A growing set of things that are found by an address, and walked in the order in which they were added. */
#ifndef STRATA_MACHINE_UNITS_KEYED_H
#define STRATA_MACHINE_UNITS_KEYED_H

#include "machine/state/hart.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first member of what is found by an address. */
struct keyed {
    guest_addr key;
    struct keyed *hash_next;
    struct keyed *next; /* in order of creation */
};
struct keyed_set {
    struct keyed **buckets; /* 2^bits, and at least as many as elements */
    unsigned bits;
    uint64_t count;
    struct keyed *first, **last;
};

/* False if memory runs out.  The set must not be moved. */
bool keyed_create(struct keyed_set *set);
/* Frees its elements, too. */
void keyed_destroy(struct keyed_set *set);
/* NULL if there is none. */
struct keyed *keyed_find(const struct keyed_set *set, guest_addr key);
/* A new element of `bytes`, of which struct keyed is the first member and everything else is zero. */
void *keyed_add(struct keyed_set *set, guest_addr key, size_t bytes);
/* How many elements a search looks at, at the most. */
uint64_t keyed_longest_chain(const struct keyed_set *set);

#endif
