/* What the files of the oracle share: where in the cache the program's branches are, traces, and the oracle itself.  All
 * others include oracle.h. */
#ifndef STRATA_MACHINE_UNITS_ORACLE_STATE_H
#define STRATA_MACHINE_UNITS_ORACLE_STATE_H

#include "isa/rv64/insn.h"
#include "machine/units/oracle.h"
#include "machine/units/path_table.h"

/* A trace that was made; it stays when it has gone, since what it did is judged at the end. */
struct oracle_trace {
    guest_addr start, end; /* of its path, in the cache */
    guest_addr last;       /* the last code there that does something for the program */
    uint64_t made;         /* instructions of the program that were executed before */
    struct watch_cell entered;
    uint64_t completed;
};

/* Where a branch or jump of the program leads that the code of a site stands for. */
enum leads {
    LEADS_THERE,    /* always to `target`: it may take no instruction of its own */
    LEADS_BY_TEST,  /* where the machine's own branch says, or if it is turned, where that does not */
    LEADS_REGISTER, /* to what is in a register of the machine, and `offset` more */
    LEADS_MEMORY, /* to what the translator keeps for such a register, at `kept` from its own, and `offset` more */
};

struct site_branch {
    struct watch_instruction instruction; /* the program's */
    uint8_t leads;                        /* enum leads */
    bool taken;                           /* of LEADS_THERE */
    bool turned;
    uint8_t reg; /* of LEADS_MEMORY: the translator's own */
    int32_t offset, kept;
    guest_addr target;
};

/* Code of the machine with which branches of the program are executed, or with which a trace comes to its end. */
struct site {
    struct pc_item item;
    struct oracle_trace *trace; /* NULL: it is in none */
    bool last;                  /* the end of its trace's path */
    unsigned count;
    struct site_branch branches[];
};

/* A moment from which on a path is predicted. */
struct prediction {
    uint64_t before;  /* executions until then */
    uint64_t made;    /* when the last trace was made that it takes */
    uint64_t outside; /* executions from then on that were not in traces, or not in one */
    bool is_there;
};

/* What the oracle knows of a path. */
struct judged_path {
    struct known_path known; /* first */
    uint64_t seen;           /* when its first execution ended */
    struct prediction by[ORACLE_WAYS];
};

/* The path of a hart, and in which traces it has been executed so far. */
struct oracle_walk {
    const struct hart *hart;
    struct path_walk on;
    const struct oracle_trace *trace; /* that executed its last branch; NULL: none did */
    guest_addr at;                    /* where in that */
    uint64_t made;                    /* when the last of its traces was made */
    unsigned passages;                /* through traces */
    bool outside;                     /* some branch of it was not in a trace */
};

struct oracle {
    struct unit unit;
    const struct origins *origins;
    struct origin_place asked;
    struct pc_table sites;
    struct oracle_trace **live; /* traces whose code is there, in the order of their addresses, */
    size_t live_count;
    struct oracle_trace **traces; /* and all that ever were */
    size_t trace_count;
    struct path_table paths;
    struct oracle_walk *walks;
    unsigned walk_count, last_walk;
    uint64_t cut, dropped, unknown;
    /* Instructions of the machine with which so many of the program are executed: outside of traces, and in them. */
    uint64_t executed[2][ORIGIN_EXECUTED_MAX + 1];
    unsigned most_at_once; /* no more than this many at once so far */
};

/* How many instructions the program has executed, in traces or outside of them. */
uint64_t oracle_executed(const struct oracle *oracle, bool in_traces);

/* oracle_sites.c: the site of the code at instruction->pc; NULL if there is nothing to follow.  It stays. */
struct site *oracle_site(struct oracle *oracle, const struct watch_instruction *instruction,
                         const struct executed *executed, struct oracle_trace *trace);

#endif
