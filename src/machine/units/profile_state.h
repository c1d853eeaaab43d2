/* What the files of the profile share: addresses of the program, the runs in which they are counted, and the unit.  All
 * others include profile.h. */
#ifndef STRATA_MACHINE_UNITS_PROFILE_STATE_H
#define STRATA_MACHINE_UNITS_PROFILE_STATE_H

#include "machine/units/pc_table.h"
#include "machine/units/profile.h"

struct rv64_insn;

/* What the program's instruction does to its calls. */
enum control { CONTROL_NONE, CONTROL_CALL, CONTROL_RETURN };

/* An address of the program. */
struct place {
    struct pc_item item; /* its address in the program */
    int64_t more;        /* executions beyond those of its runs; mostly none, or less than none */
    /* Its cycles, and how often it retired in them; under a translator, of code that is no longer in the cache. */
    uint64_t cycles[2];
    /* Of a backward branch: how often it went on behind itself; and how often it did in copies that branch where
     * it does not, which is how often it was taken there. */
    struct watch_run falls, turned_falls;
    uint32_t function;
    uint32_t
        word; /* the instruction, which may be gone when it is asked for; 0 if it is not known */
    uint8_t control; /* enum control */
    uint8_t bytes;
    uint8_t rs1; /* of a return: where it goes */
    int32_t imm;
};

/* One of the program's instructions in a run: it is executed with the machine's at `offset`, or before that and
 * behind the one before it, if `offset` is odd. */
struct member {
    struct place *place;
    guest_addr
        next; /* what the program executes behind it, if it takes no instruction of its own */
    int32_t offset;
    bool
        turned; /* a branch whose copy branches where it does not, or that goes on and has no copy */
    bool without; /* it takes no instruction of its own */
};

/* What is counted together.  The same code is decoded again and again, and counted in the same run. */
struct run {
    struct pc_item item; /* where it begins, in the machine's code */
    struct watch_run watched;
    unsigned bytes;
    bool at_start; /* it begins where its function does */
    /* If it is not NULL there are no members: a call, or a return to `target`, that takes no instruction, and is told
     * between the runs before and behind it. */
    struct place *control;
    guest_addr target;
    unsigned count;
    struct member members[];
};

/* Instructions of one function that no call or return parts: they go into one run. */
struct part {
    guest_addr next; /* behind its last instruction; 0 if there is none */
    unsigned number;
    uint32_t function;
    bool ends; /* what follows is another part */
};

struct profile {
    struct unit unit;
    const struct origins *origins;
    struct profile_request request;
    struct call_graph *calls; /* NULL: not asked for */
    struct pc_table places, runs;
    struct profile_function function; /* the one that was found last */
    struct origin_place asked, built; /* what was decoded last, for units and for runs */
    struct part part, part_before;    /* of what was asked for last, and of what was before it */
    bool timed;                       /* instructions have cycles */
    uint64_t other_cycles[2];         /* of what is not the program's, as those of a place */
    struct cache_code *code; /* what is counted of a translator's cache; NULL: there is none */
};

static inline struct profile *profile_of(struct unit *unit)
{
    return (struct profile *)(void *)unit;
}

static inline struct place *place_of(struct pc_item *item)
{
    return (struct place *)(void *)item;
}

static inline struct run *run_of(struct pc_item *item)
{
    return (struct run *)(void *)item;
}

/* The number of the function at `pc`, which is profile->function then. */
uint32_t profile_function_at(struct profile *profile, guest_addr pc);
/* What is at `pc` now: where a library goes, another may come. */
struct place *profile_place_at(struct profile *profile, guest_addr pc);
bool profile_is_conditional(const struct rv64_insn *insn);
/* Whether the branch that is executed with `copy` goes backward, and whether the copy branches where it does not. */
bool profile_is_backward_branch(const struct profile *profile, const struct rv64_insn *copy,
                                const struct executed *executed, bool *turned);

/* Of the unit: what counts the code in `bytes` from `pc` on, which was decoded just now. */
struct watch_run *profile_on_run(struct unit *unit, uint64_t pc, unsigned bytes);

#endif
