/* What a profile adds up to: for profile_report.c, which makes it, and profile_print.c, which shows it. */
#ifndef STRATA_REPORT_PROFILE_SUMS_H
#define STRATA_REPORT_PROFILE_SUMS_H

#include "machine/units/call_graph.h"
#include "machine/units/profile.h"
#include "report/loop_bodies.h"
#include "report/places.h"
#include "report/profile_report.h"

struct function_sum {
    uint32_t number;
    uint64_t instructions, cycles;
    uint64_t inclusive; /* with all that it calls */
    uint64_t calls;
};

/* The calls from one address: what they executed. */
struct site_sum {
    guest_addr site;
    uint64_t instructions;
};

struct loop_share {
    guest_addr head;
    uint32_t function;
    double share;
};

struct profile_report {
    const struct function_table *table;
    bool timed;
    double scale; /* of cycles, to those of the whole run: phases_report_scale */
    struct profile_count *counts;
    size_t count;
    uint64_t instructions, cycles, other_cycles;
    struct function_sum *functions; /* most instructions first; all that were executed */
    size_t function_count;
    struct loop_bodies loops;
    struct loop_share *shares;       /* of the loops, by their heads */
    const struct call_place *places; /* NULL without a call graph */
    size_t place_count;
    const struct call_again *again;
    size_t again_count;
    uint64_t *below; /* of each place: instructions there and at those behind it */
    struct site_sum *sites;
    size_t site_count;
};

/* 0 where there is nothing that it could be a part of. */
double profile_ratio(uint64_t part, uint64_t whole);
/* Of the run's cycles where there are some, else of its instructions. */
double profile_share_of(const struct profile_report *report, uint64_t instructions,
                        uint64_t cycles);
/* What is known of an address in a function, whose file may be mapped no longer; false if nothing is. */
bool profile_find_place(const struct profile_report *report, struct places *places,
                        uint32_t function, guest_addr address, struct place *place);
/* The name of the function that the place is in, for a person. */
void profile_name_place(const struct profile_report *report, uint32_t function,
                        const struct place *place, char *name, size_t columns);

#endif
