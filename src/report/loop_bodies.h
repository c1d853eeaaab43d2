/* The loops of a program that was profiled: which instructions are in each, and how often they ran. */
#ifndef STRATA_REPORT_LOOP_BODIES_H
#define STRATA_REPORT_LOOP_BODIES_H

#include "machine/units/profile.h"

/* A loop: code of a function from each part of which all of it can be reached again.  Its head is where a backward
 * branch in it leads to; a loop inside has a head of its own.  Loops that share a head are one. */
struct loop_body {
    guest_addr head;
    uint32_t function;
    uint64_t turns;      /* backward branches and jumps to the head */
    uint64_t executions; /* of its head, however it was reached */
    uint64_t instructions;
    uint64_t cycles;
    uint64_t called; /* instructions of what it called; 0 without a call graph */
};

struct loop_bodies {
    struct loop_body *loops; /* the one with most instructions first */
    size_t count;
};

/* What is known of the program besides its counts. */
struct loop_facts {
    /* Whether a function is one: code without symbols has one number for all, and is parted where calls lead to. */
    bool (*is_function)(void *context, uint32_t function);
    /* What the calls from `site` executed; NULL: not known. */
    uint64_t (*called)(void *context, guest_addr site);
    void *context;
};

struct loop_bodies loop_bodies_find(const struct profile_count *counts, size_t count,
                                    const struct loop_facts *facts);
void loop_bodies_free(struct loop_bodies *bodies);

#endif
