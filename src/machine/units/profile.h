/* Counts each instruction that the program executes, by its address in the program.
 *
 * Without a translator these are the instructions of the machine.  Under one the table of origins says which
 * instructions of the program are executed with each of the cache: what is counted is the program's path, and no
 * instruction of the translator.  Nothing is added to what the machine executes. */
#ifndef STRATA_MACHINE_UNITS_PROFILE_H
#define STRATA_MACHINE_UNITS_PROFILE_H

#include "machine/engine/unit.h"
#include "machine/state/hart.h"
#include "machine/units/origins.h"

struct profile;
struct call_graph;
struct code_counts;

/* A function of the program, by a number that who finds it gives it; all that is not known has its own, too. */
struct profile_function {
    uint32_t number;
    guest_addr start, end; /* from one to before the other there is no other function */
};
struct profile_request {
    struct profile_function (*find)(void *context, guest_addr pc);
    void *context;
    bool calls; /* who calls whom, too */
};

/* `timed`: there is a pipeline, and cycles are counted, too. */
struct profile *profile_create(struct unit_host host, const struct origins *origins,
                               const struct profile_request *request, bool timed);
struct unit *profile_unit(struct profile *profile);

/* `hart` goes on from here: other harts have their own calls. */
void profile_resume(struct profile *profile, struct hart *hart);
/* The hart's program has ended: another may get the same one. */
void profile_forget(struct profile *profile, const struct hart *hart);
/* The instruction at `pc` was counted, but did not retire after all. */
void profile_take_back(struct profile *profile, guest_addr pc);

/* A vfork child's executions are not its parent's: what was counted before it, to be put back, and freed with it. */
struct profile_kept;
struct profile_kept *profile_keep(const struct profile *profile);
void profile_put_back(struct profile *profile, struct profile_kept *kept);

/* What is known of an address of the program. */
struct profile_count {
    guest_addr pc;
    uint32_t function;
    uint32_t word; /* the instruction as it was decoded last; 0 if it is not known */
    uint64_t executions;
    uint64_t falls; /* of a backward branch: how often it went on behind itself */
    uint64_t
        cycles; /* in which it was the oldest instruction of its context; 0 without a pipeline */
};
/* By address, those that were executed or have cycles; to be freed. */
struct profile_count *profile_counts(const struct profile *profile, size_t *count);
/* A translator's cache is empty: what is written there now is other code. */
void profile_cache_emptied(struct profile *profile);
/* What the code that is in the cache now has done (units/cache_code.h), to be freed; NULL if there is no translator. */
struct code_counts *profile_code(const struct profile *profile);
/* Cycles in which the oldest instruction was the translator's. */
uint64_t profile_other_cycles(const struct profile *profile);
/* NULL if calls were not asked for. */
struct call_graph *profile_calls(struct profile *profile);

#endif
