/* The window behind and ahead of the compressor and the chains of earlier strings in it. */
#ifndef GZIP_MATCHER_H
#define GZIP_MATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "format.h"

enum {
    HASH_BITS = 15,
    HASH_SIZE = 1 << HASH_BITS,
    HASH_SHIFT = (HASH_BITS + MATCH_MIN - 1) / MATCH_MIN,
    WINDOW_MASK = WINDOW_BYTES - 1,
    LOOKAHEAD_MIN = MATCH_MAX + MATCH_MIN + 1,
    DISTANCE_MAX = WINDOW_BYTES - LOOKAHEAD_MIN
};

/* Position 0 ends a chain: what starts there is never matched. */
struct matcher {
    const uint8_t *input;
    size_t input_left;
    unsigned start; /* the string to match next */
    unsigned ahead; /* bytes of the window from start on */
    unsigned hash;  /* of the MATCH_MIN - 1 bytes from start on, and what was before */
    unsigned match_start;
    uint64_t candidates; /* compared, for the report */
    uint16_t head[HASH_SIZE];
    uint16_t previous[WINDOW_BYTES];
    uint8_t window[2 * WINDOW_BYTES + MATCH_MAX];
};

/* How hard to look: chains are cut at a quarter behind a good match, and a nice one ends them. */
struct effort {
    unsigned good_length;
    unsigned lazy_length; /* a match so long is taken as it is; for greedy levels: hashed whole */
    unsigned nice_length;
    unsigned chain_limit;
    bool lazy;
};

void matcher_init(struct matcher *matcher, const uint8_t *input, size_t size);
void matcher_fill(struct matcher *matcher);
void matcher_skip_unhashed(struct matcher *matcher, unsigned count);

/* Looks for a match longer than `best`; returns the length of the longest, and leaves its start. */
unsigned matcher_longest(struct matcher *matcher, unsigned candidate, unsigned best,
                         const struct effort *effort);

/* Enters the string at `start` and returns the latest one with the same hash, or 0. */
static inline unsigned matcher_insert(struct matcher *matcher)
{
    unsigned at = matcher->start;
    matcher->hash =
        (matcher->hash << HASH_SHIFT ^ matcher->window[at + MATCH_MIN - 1]) & (HASH_SIZE - 1);
    unsigned candidate = matcher->head[matcher->hash];
    matcher->previous[at & WINDOW_MASK] = (uint16_t)candidate;
    matcher->head[matcher->hash] = (uint16_t)at;
    return candidate;
}

static inline bool matcher_reaches(const struct matcher *matcher, unsigned candidate)
{
    return candidate != 0 && matcher->start - candidate <= DISTANCE_MAX;
}

static inline void matcher_advance(struct matcher *matcher)
{
    matcher->start++;
    matcher->ahead--;
}

#endif
