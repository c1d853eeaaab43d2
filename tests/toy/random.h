/* Random programs of the toy, which all end: loops with bounds, calls that never go in circles, indirect jumps
 * and calls, code that changes itself. */
#ifndef TESTS_TOY_RANDOM_H
#define TESTS_TOY_RANDOM_H

#include "rig.h"

struct random {
    uint64_t state;
};
void random_begin(struct random *random, uint64_t seed);
/* From 0 to `below` - 1. */
uint64_t random_below(struct random *random, uint64_t below);
bool random_one_in(struct random *random, uint64_t count);

/* What the program may do beside computing. */
struct random_wishes {
    unsigned functions;    /* at most RANDOM_FUNCTIONS */
    unsigned block_bytes;  /* about so much code in each */
    uint64_t instructions; /* about so many are executed */
    bool changes_code;     /* and says so by `sync`, */
    bool silently;         /* or does not */
    bool stores_near;      /* to the words between its functions */
    unsigned calls;        /* system calls CALL_OTHERS and so many behind it are made, too */
};
#define RANDOM_FUNCTIONS 90

/* Writes it, and returns where it begins; it wants R5 to be the beginning of its data, of RANDOM_DATA_BYTES. */
guest_addr random_write(struct random *random, struct rig *rig, const struct random_wishes *wishes);
#define RANDOM_DATA_BYTES 4096
/* Behind all code of so many functions, but on the page of the last. */
guest_addr random_code_end(unsigned functions);

#endif
