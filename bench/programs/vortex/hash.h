/* Indices by name: linear hashing, with buckets that are objects of the store. */
#ifndef VORTEX_HASH_H
#define VORTEX_HASH_H

#include "store.h"

enum { BUCKET_ENTRIES = 14, HASH_CANDIDATES = 32 };

struct bucket {
    uint32_t count;
    handle overflow;
    uint32_t hashes[BUCKET_ENTRIES];
    handle values[BUCKET_ENTRIES];
};

struct hash {
    struct store *store;
    handle *buckets;
    uint32_t bucket_count, bucket_capacity;
    uint32_t round; /* bucket_count was this when the round of splits began: a power of two */
    uint32_t count;
};

uint32_t hash_of_name(const char *name);
enum status hash_create(struct hash *index, struct store *store);
void hash_destroy(struct hash *index);
enum status hash_insert(struct hash *index, uint32_t hash, handle value);
enum status hash_delete(struct hash *index, uint32_t hash, handle value);

/* All values with this hash: the caller compares names. */
enum status hash_find(const struct hash *index, uint32_t hash, handle values[HASH_CANDIDATES],
                      unsigned *count);
enum status hash_validate(const struct hash *index);

#endif
