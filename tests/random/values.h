/* Random numbers, and the values that make instructions go wrong. */
#ifndef TESTS_RANDOM_VALUES_H
#define TESTS_RANDOM_VALUES_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

/* A stream of its own for each part of a program: dropping one part leaves the others as they
 * were, which is what makes a failure small. */
struct rng rng_begin(uint64_t seed, uint64_t part, uint64_t detail);
uint64_t rng_next(struct rng *rng);
unsigned rng_below(struct rng *rng, unsigned limit);
bool rng_percent(struct rng *rng, unsigned percent);

uint64_t value_integer(struct rng *rng);

/* The bits of a floating-point register that holds a double, or a single in its box: once in a
 * while a broken box. */
uint64_t value_double(struct rng *rng);
uint64_t value_single(struct rng *rng);

#endif
