/* Finds decoded blocks by a number: hash chains through the blocks themselves, in a table that grows with them. */
#include "machine/engine/block.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

bool index_create(struct block_index *index)
{
    *index = (struct block_index){.bits = INDEX_FIRST_BITS};
    index->buckets = calloc((size_t)1 << index->bits, sizeof(struct block_link *));
    return index->buckets != NULL;
}

void index_destroy(struct block_index *index)
{
    free(index->buckets);
}

void index_empty(struct block_index *index)
{
    memset(index->buckets, 0, sizeof(struct block_link *) << index->bits);
    index->count = 0;
}

static void push(struct block_index *index, uint64_t key, struct block_link *link)
{
    struct block_link **bucket = index_bucket(index, key);
    link->next = *bucket;
    *bucket = link;
}

static void grow(struct block_index *index)
{
    const struct block_index old = *index;
    struct block_link **buckets = calloc((size_t)2 << old.bits, sizeof(struct block_link *));
    if (buckets == NULL) {
        return; /* longer chains do */
    }
    index->buckets = buckets;
    index->bits++;
    for (size_t i = 0; i < (size_t)1 << old.bits; i++) {
        struct block_link *next;
        for (struct block_link *link = old.buckets[i]; link != NULL; link = next) {
            next = link->next;
            push(index, index_key(link), link);
        }
    }
    free(old.buckets);
}

void index_insert(struct block_index *index, uint64_t key, struct block_link *link)
{
    if (index->count >> index->bits != 0) {
        grow(index);
    }
    push(index, key, link);
    index->count++;
}

void index_remove(struct block_index *index, struct block_link *link)
{
    struct block_link **place = index_bucket(index, index_key(link));
    while (*place != link) {
        ASSERT(*place != NULL);
        place = &(*place)->next;
    }
    *place = link->next;
    index->count--;
}
