/* The frames that were built, by their heads: the frame cache of rePLay.
 *
 * It holds one frame for each head.  What the paper has beside it is left out: a predictor that chooses among several
 * frames of one head, and the frames' instructions, which are the translator's traces here. */
#ifndef STRATA_MACHINE_UNITS_FRAMES_CACHE_H
#define STRATA_MACHINE_UNITS_FRAMES_CACHE_H

#include "machine/units/finds.h"

/* Branches and jumps of a frame, at the most. */
#define FRAME_STEPS 64
/* A step that may lead anywhere: the branch that ends the frame.  No instruction is at such an address. */
#define FRAME_ANYWHERE UINT64_MAX

struct frame {
    uint64_t head;
    uint64_t number; /* of all frames that were built, from 1; 0: there is none */
    uint64_t used;
    uint64_t fires;              /* since it last completed */
    unsigned count;              /* of the steps */
    uint64_t steps[FRAME_STEPS]; /* where its branches and jumps lead, in their order */
    uint64_t completed;          /* times, since it was built */
    /* What the translator is to make a trace of: the frame up to where it comes back into itself, since traces are
     * loops, and unrolled by those who make them. */
    struct find path;
};

struct frames_cache {
    uint64_t sets, ways;
    struct frame *frames;
    uint64_t time, built;
    uint64_t replaced; /* frames that went for another one */
};

/* False if memory runs out. */
bool frames_cache_create(struct frames_cache *cache, uint64_t sets, uint64_t ways);
void frames_cache_destroy(struct frames_cache *cache);
/* NULL: there is none. */
struct frame *frames_cache_find(const struct frames_cache *cache, uint64_t head);
/* The frame is about to run. */
void frames_cache_use(struct frames_cache *cache, struct frame *frame);
/* A copy of `frame` goes into the cache, with a number of its own. */
void frames_cache_add(struct frames_cache *cache, const struct frame *frame);
void frames_cache_evict(struct frame *frame);
/* With frames of at most so many steps and so many fires; and if they are found only when they have completed so many
 * times, with the number of these and their paths. */
struct unit_cost frames_cache_cost(const struct frames_cache *cache, unsigned steps, uint64_t fires,
                                   uint64_t completed);

#endif
