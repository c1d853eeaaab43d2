/* The pairs of instructions that the machine executes as one. */
#ifndef TESTS_RANDOM_PAIRS_H
#define TESTS_RANDOM_PAIRS_H

enum pair {
#define PAIR(first, second, join) PAIR_##first##_##second##_##join,
#define PAIR_BRANCH PAIR
#include "machine/engine/pairs.def"
#undef PAIR
#undef PAIR_BRANCH
    PAIR_COUNT
};

struct group;

void pair_append(struct group *group, unsigned pair);
const char *pair_name(unsigned pair);

#endif
