/* The memory that fragments live in: the cache for their code, the pool for what is known of them, marks,
 * the index.
 *
 * A flush empties all of it at once.  Where the cache may grow, a flush of one that was full of code in use
 * makes it twice as large, with all that belongs to it. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_SPACE_H
#define STRATA_TRANSLATOR_FRAGMENT_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct translator;

/* Fragments and exits, taken from the beginning. */
struct pool {
    uint8_t *start, *next;
    uint8_t *last; /* behind it, a fragment might find too little */
    uint8_t *end;
};

/* All zero.  space_has_room makes sure that there is enough. */
static inline void *pool_take(struct pool *pool, size_t bytes)
{
    void *taken = pool->next;
    pool->next += bytes;
    return taken;
}

/* False if there is no memory. */
bool space_create(struct translator *translator, size_t cache_bytes);
/* Whether the longest fragment finds room in what is left of the chunk in use. */
bool space_has_room(const struct translator *translator);
/* Goes to the next chunk, if the longest fragment finds no room in this one; false if all chunks are full. */
bool space_use_more(struct translator *translator);
/* The cache and all that belongs to it are empty. */
void space_clear(struct translator *translator);
/* The cache and all that belongs to it are empty, and twice as large; as large as before if there is no memory, or no
 * more is wanted. */
void space_grow(struct translator *translator);
/* Bytes that the memory behind the cache has, where software counters count. */
size_t space_cell_bytes(size_t cache_bytes);

#endif
