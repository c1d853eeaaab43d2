/* Where fragments, and exits that wait for one, are found by the program's address: a hash table. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_INDEX_H
#define STRATA_TRANSLATOR_FRAGMENT_INDEX_H

#include "translator/fragment/fragment.h"

struct bucket {
    struct fragment *fragments; /* that begin at one of the bucket's addresses */
    struct exit *waiting;       /* unlinked exits that go to one of them */
};

/* Finds fragments by their start.  The number of buckets follows the cache's size, so that emptying a small one is cheap
 * and chains stay short. */
struct index {
    struct bucket *buckets;
    size_t mask;
    struct fragment *last; /* the one that was built last, or NULL */
};
#define INDEX_CACHE_BYTES_PER_BUCKET 256

/* Code lies dense enough for its addresses to be their own hash. */
static inline struct bucket *index_bucket(const struct index *index, guest_addr start)
{
    return &index->buckets[start / TARGET_SHORTEST_INSTRUCTION & index->mask];
}

static inline struct fragment *index_find_in(const struct bucket *bucket, guest_addr start)
{
    struct fragment *fragment = bucket->fragments;
    while (fragment != NULL && fragment->start != start) {
        fragment = fragment->next;
    }
    return fragment;
}

static inline struct fragment *index_find(const struct index *index, guest_addr start)
{
    return index_find_in(index_bucket(index, start), start);
}

/* It is complete: whoever looks without the lock finds all of it. */
static inline void index_add(const struct index *index, struct fragment *fragment)
{
    struct bucket *bucket = index_bucket(index, fragment->start);

    fragment->next = bucket->fragments;
    __atomic_store_n(&bucket->fragments, fragment, __ATOMIC_RELEASE);
}

static inline void index_remove(const struct index *index, const struct fragment *fragment)
{
    struct fragment **place = &index_bucket(index, fragment->start)->fragments;

    while (*place != fragment) {
        place = &(*place)->next;
    }
    *place = fragment->next;
}

/* How many buckets a cache of this size wants: a power of two. */
static inline size_t index_size(size_t cache_bytes)
{
    size_t size = 1;

    while (size * 2 * INDEX_CACHE_BYTES_PER_BUCKET <= cache_bytes) {
        size *= 2;
    }
    return size;
}

static inline void index_clear(struct index *index)
{
    index->last = NULL;
    for (size_t i = 0; i <= index->mask; i++) {
        index->buckets[i] = (struct bucket){NULL, NULL};
    }
}

#endif
