/* How much optimizing a loop is worth: more the larger its share of the execution is, with diminishing returns.
 *
 * The paper: "The amount of time we should spend optimizing a loop is probably correlated to its percentage of its
 * execution time by a hyperbolic function."  Here effort = share * (1 + h) / (share + h): nothing for a loop that
 * is never executed, all of it for one that is everything, and about half at the share h. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_EFFORT_H
#define STRATA_TRANSLATOR_FRAGMENT_EFFORT_H

#include <stdint.h>

struct loop;
struct translator;

/* Efforts are numbers up to this one; and 1 / h. */
#define EFFORT_MOST 1000
#define EFFORT_STEEPNESS 1000
/* What it comes to for passes: from 0 to this one. */
#define EFFORT_LEVELS 4

/* What is spent on a loop, each of which is a limit. */
struct effort_limits {
    unsigned blocks;     /* of an iteration that is recorded, */
    unsigned code_bytes; /* and of the code on it, about */
    unsigned samples;    /* iterations that are recorded, */
    unsigned agreeing;   /* and how many are enough if all of them agree */
};

/* For `part` of `whole`: where that is more, or `whole` is 0, the part is all. */
unsigned effort_of_share(uint64_t part, uint64_t whole);
/* The effort that has at least this level, and the level of an effort. */
unsigned effort_of_level(unsigned level);
unsigned effort_get_level(unsigned effort);
struct effort_limits effort_get_limits(unsigned effort);

/* For a loop that was executed as often as its counter says, and executes so many instructions each time.  Without an
 * instruction clock shares are not known: it is all that there is. */
unsigned effort_for(const struct translator *translator, const struct loop *loop,
                    uint64_t instructions);
/* What the path was recorded with that the loop's trace is made of: which passes are worth it. */
unsigned effort_level(const struct loop *loop);
/* One bit for each enum pass that is worth it at this level. */
unsigned effort_get_passes(unsigned level);

#endif
