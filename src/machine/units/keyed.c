/* A growing set of things that are found by an address: hashed, in chains, and listed. */
#include "machine/units/keyed.h"

#include "base/check.h"
#include "base/spread.h"

#include <stdlib.h>

#define FIRST_BITS 12

static struct keyed **bucket_of(const struct keyed_set *set, guest_addr key)
{
    return &set->buckets[spread_key(key / 2, set->bits)];
}

struct keyed *keyed_find(const struct keyed_set *set, guest_addr key)
{
    struct keyed *keyed = *bucket_of(set, key);
    while (keyed != NULL && keyed->key != key) {
        keyed = keyed->hash_next;
    }
    return keyed;
}

static void add_to_bucket(struct keyed_set *set, struct keyed *keyed)
{
    struct keyed **bucket = bucket_of(set, keyed->key);
    keyed->hash_next = *bucket;
    *bucket = keyed;
}

static void add_buckets(struct keyed_set *set)
{
    struct keyed **buckets = calloc((size_t)2 << set->bits, sizeof(struct keyed *));
    if (buckets == NULL) {
        return; /* longer chains do */
    }
    free(set->buckets);
    set->buckets = buckets;
    set->bits++;
    for (struct keyed *keyed = set->first; keyed != NULL; keyed = keyed->next) {
        add_to_bucket(set, keyed);
    }
}

void *keyed_add(struct keyed_set *set, guest_addr key, size_t bytes)
{
    struct keyed *keyed = calloc(1, bytes);
    ASSERT(keyed != NULL);
    keyed->key = key;
    if (set->count >> set->bits != 0) {
        add_buckets(set);
    }
    add_to_bucket(set, keyed);
    *set->last = keyed;
    set->last = &keyed->next;
    set->count++;
    return keyed;
}

bool keyed_create(struct keyed_set *set)
{
    set->bits = FIRST_BITS;
    set->buckets = calloc((size_t)1 << FIRST_BITS, sizeof *set->buckets);
    set->last = &set->first;
    return set->buckets != NULL;
}

void keyed_destroy(struct keyed_set *set)
{
    for (struct keyed *keyed = set->first; keyed != NULL;) {
        struct keyed *next = keyed->next;
        free(keyed);
        keyed = next;
    }
    free(set->buckets);
}

uint64_t keyed_longest_chain(const struct keyed_set *set)
{
    uint64_t longest = 0;
    for (size_t i = 0; i < (size_t)1 << set->bits; i++) {
        uint64_t length = 0;
        for (const struct keyed *at = set->buckets[i]; at != NULL; at = at->hash_next) {
            length++;
        }
        longest = length > longest ? length : longest;
    }
    return longest;
}
