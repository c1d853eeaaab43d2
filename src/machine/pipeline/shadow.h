/* A fully associative cache of lines beside a real one: tells capacity misses from others.
 *
 * Of the three kinds of misses in the model of Hill (compulsory, capacity, conflict) a miss of the real
 * cache is a capacity miss if this one, of the same size and with exact LRU, misses as well, and the
 * line was accessed before. */
#ifndef STRATA_MACHINE_PIPELINE_SHADOW_H
#define STRATA_MACHINE_PIPELINE_SHADOW_H

#include <stdint.h>

struct shadow;

enum shadow_answer {
    SHADOW_HIT,
    SHADOW_FIRST,    /* the line was never accessed before */
    SHADOW_CAPACITY, /* it was, but more than `lines` others were since */
};

/* NULL if memory runs out. */
struct shadow *shadow_create(uint64_t lines);
void shadow_destroy(struct shadow *shadow);

/* The line is accessed.  Memory grows with the lines that a program ever touches. */
enum shadow_answer shadow_access(struct shadow *shadow, uint64_t line);

#endif
