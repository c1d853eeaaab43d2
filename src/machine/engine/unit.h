/* Hardware that watches the program: what a unit is to the rest of the machine.
 *
 * A unit says, for each instruction that is decoded, which events it wants to see there.  Exactly these are
 * built into the decoded code and into what the pipeline keeps of the instruction, so what nobody watches costs
 * nothing.  A unit that changes its mind says which addresses are to be asked about again (unit_rewatch).
 *
 * A unit of the tree is one file with a struct unit_kind and one row of units.def.  This header and
 * statistics.h need no other of the machine's: they are installed in strata/, and `--unit FILE.so` loads a unit that
 * was compiled outside of the tree and exports `const struct unit_kind strata_unit`. */
#ifndef STRATA_UNIT_H
#define STRATA_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Changes with everything here that a compiled unit depends on. */
#define UNIT_VERSION 3

enum watch {
    WATCH_COUNTED = 1,     /* executions of one address, counted in a cell */
    WATCH_EXECUTED = 2,    /* an instruction was executed, in the program's order */
    WATCH_BRANCH = 4,      /* a branch or jump is executed: where it goes is known */
    WATCH_MEMORY = 8,      /* a load, store or atomic is about to access memory */
    WATCH_DISPATCHED = 16, /* an instruction enters the pipeline's window */
    WATCH_ISSUED = 32,     /* an instruction goes to its functional unit; a load, to the caches */
    WATCH_MISSED = 64,     /* a load is issued and does not find its line in the first level */
    WATCH_FILLED = 128,    /* the line that a load missed is there */
    WATCH_STALLED = 256,   /* retirement waits for the oldest instruction of a context */
    WATCH_RETIRED = 512,   /* an instruction retires; without a pipeline, it was executed */
    /* For the machine's own units. */
    WATCH_TOTAL = 1024,        /* executed instructions, added up: one addition for many */
    WATCH_RECORD = 2048,       /* an instruction goes to the list of engine_run_recorded */
    WATCH_RECORD_FIRST = 4096, /* the first instruction of a block goes to that list */
    WATCH_RUN = 8192,     /* executions of instructions that follow each other, counted as one */
    WATCH_FALLS = 16384,  /* executions of a conditional branch that go on behind it */
    WATCH_BEFORE = 32768, /* an instruction is about to be executed */
    WATCH_CYCLES = 65536, /* cycles since the last retirement of its context, added up */
};
/* Events that have a cycle: only a pipeline tells them, but for WATCH_RETIRED. */
#define WATCH_TIMED                                                                                \
    (WATCH_DISPATCHED | WATCH_ISSUED | WATCH_MISSED | WATCH_FILLED | WATCH_STALLED | WATCH_RETIRED)

/* What an instruction does, as far as hardware that watches wants to know. */
enum watched_flags {
    WATCHED_LOAD = 1,
    WATCHED_STORE = 2,
    WATCHED_ATOMIC = 4,
    WATCHED_CONDITIONAL = 8, /* a conditional branch */
    WATCHED_JUMP = 16,       /* jal or jalr */
    WATCHED_INDIRECT = 32,   /* of jumps: to an address in a register */
    WATCHED_CALL = 64,       /* of jumps: it leaves a return address */
    WATCHED_RETURN = 128,    /* of jumps: to a return address, and leaves none */
    WATCHED_SYSTEM = 256,
};

struct rv64_insn;
struct static_insn;
struct hart;
struct statistics;
struct unit;

struct watch_instruction {
    uint64_t pc;
    uint32_t word;                /* 16 bits of it, if bytes is 2 */
    uint8_t bytes;                /* 2 or 4 */
    uint16_t flags;               /* enum watched_flags */
    const struct rv64_insn *insn; /* as the machine decodes it; not for units from outside */
};

#define UNIT_NO_CYCLE UINT64_MAX
/* Where a line comes from, or which level misses it: the first, the second and the third cache, and memory. */
enum watch_level { WATCH_L1, WATCH_L2, WATCH_L3, WATCH_MAIN_MEMORY };

/* The cycles in which an instruction did what, as far as it has: fetched, dispatched, issued, and when its result is
 * there. */
struct watch_times {
    uint64_t fetched, dispatched, issued, done;
};

/* What a load found in the caches, bits by enum watch_level. */
struct watch_access {
    uint8_t missed;   /* the line was not there */
    uint8_t merged;   /* the line was on its way already */
    uint8_t capacity; /* a fully associative cache would have missed, too: known with --loads */
    bool looked;      /* false: it took its data from a store, or always hits */
    bool forwarded;   /* it took its data from a store */
};

struct watch_event {
    const struct watch_instruction *instruction;
    void *own;      /* what the unit asked for the event with */
    uint64_t cycle; /* UNIT_NO_CYCLE where the functional engine tells it */
    /* Of BRANCH: where it goes.  Of MEMORY, and where there is a cycle: what is accessed. */
    uint64_t address;
    unsigned context; /* the hardware context */
    bool taken;       /* of BRANCH */
    /* The state of the context; NULL where there is a cycle, since it has gone on.  Not for units from outside. */
    struct hart *hart;
    /* All that follows is said where there is a cycle. */
    bool helper;    /* it is an instruction of a slice */
    bool measured;  /* what happens counts for the statistics (--skip, --sample) */
    uint8_t level;  /* enum watch_level: where a load's data comes from, once it is issued */
    uint8_t cause;  /* enum cause: what it waits for.  Not for units from outside. */
    uint64_t slots; /* of STALLED: how many instructions could have retired */
    struct watch_times times;
    struct watch_access access; /* of ISSUED and MISSED */
    uint64_t waited; /* of RETIRED: cycles since an instruction of its context last retired */
};

/* Counts executions.  `fires_at` is compared for equality after the increment, so a cell that must never fire
 * holds 0 there, which a count cannot become. */
struct watch_cell {
    uint64_t executions;
    uint64_t fires_at;
    struct unit *unit; /* whose `counted` is called when it fires */
};

/* Which function of the program runs, and how many of the program's instructions have. */
struct watch_course {
    uint64_t instructions;
    uint32_t function;
};

/* Instructions that follow each other in a decoded block, and are counted together.  With a course, `entered` is
 * called before they are counted wherever they are of another function than the course has. */
struct watch_run {
    uint64_t executions;
    struct unit *unit;
    struct watch_course *course; /* NULL: they are only counted */
    uint32_t function;
    uint32_t instructions;  /* of the program */
    struct watch_run *then; /* another that begins at the same place, behind this one; or NULL */
};

struct watch_request {
    unsigned events; /* enum watch */
    /* For WATCH_COUNTED.  It stays valid until the address is asked about again. */
    struct watch_cell *cell;
    void *own; /* comes back with each event of the instruction */
    /* For WATCH_TOTAL and WATCH_CYCLES: stays valid as long as a cell.  For WATCH_CYCLES two words, cycles and how
     * often the instruction retired. */
    uint64_t *total;
    unsigned part;            /* for WATCH_RUN: neighbours with the same one are one run */
    struct watch_run *falls;  /* for WATCH_FALLS */
    struct static_insn *insn; /* for WATCH_RECORD and WATCH_RECORD_FIRST: what records point to */
};

/* A parameter, as `--unit NAME,PARAMETER=VALUE` sets it. */
struct unit_parameter {
    const char *name;
    uint64_t value; /* unless it is set */
    uint64_t least, most;
    const char *meaning;
};

/* What the hardware would consist of. */
struct unit_cost {
    uint64_t storage_bits; /* all of its state */
    uint64_t comparators, adders;
};

/* What a program tells hardware that finds hot spots: the CSRs hotcall, hotlow, hothigh and hotmode.  Code outside of
 * low to high is as if it were not executed. */
struct watch_orders {
    uint64_t callback;  /* 0: nobody is called */
    uint64_t low, high; /* the code that it looks at; high 0: all */
    bool only_told;     /* it looks only at hot spots that begin where hot.watch says */
};

static inline bool watch_orders_include(const struct watch_orders *orders, uint64_t pc)
{
    return orders->high == 0 || pc - orders->low < orders->high - orders->low;
}

/* What the machine gives a unit. */
struct unit_host {
    const struct watch_orders *orders;
    void (*rewatch)(void *machine, uint64_t start, uint64_t bytes);
    void (*raise)(void *machine, struct unit *unit, const struct watch_event *event,
                  uint64_t callback, uint64_t argument);
    void *machine;
    uint64_t (*executed)(const void *machine, const struct watch_event *event);
};

/* Functions for events that a unit never asks for may be NULL, and so may all from `cost` on. */
struct unit_kind {
    unsigned version; /* UNIT_VERSION */
    const char *name, *meaning;
    /* Of WATCH_TIMED: what it may ask for.  Without `watches` it hears of all instructions. */
    unsigned timed;
    const struct unit_parameter *parameters; /* the last one has no name; NULL: there are none */
    /* A unit, whose struct begins with a struct unit, from the values of its parameters, in their order.  NULL if
     * memory runs out. */
    struct unit *(*create)(const uint64_t *values);
    struct watch_request (*watches)(struct unit *unit, const struct watch_instruction *instruction);
    void (*counted)(struct unit *unit, const struct watch_event *event, struct watch_cell *cell);
    void (*executed)(struct unit *unit, const struct watch_event *event);
    void (*branch)(struct unit *unit, const struct watch_event *event);
    void (*memory)(struct unit *unit, const struct watch_event *event);
    void (*dispatched)(struct unit *unit, const struct watch_event *event);
    void (*issued)(struct unit *unit, const struct watch_event *event);
    void (*missed)(struct unit *unit, const struct watch_event *event);
    void (*filled)(struct unit *unit, const struct watch_event *event);
    void (*stalled)(struct unit *unit, const struct watch_event *event);
    void (*retired)(struct unit *unit, const struct watch_event *event);
    /* The program enters a callback that the unit raised. */
    void (*callback_begins)(struct unit *unit, uint64_t argument);
    /* Of a unit that finds hot spots: the word of that number of what it found, of which a callback began last.
     * The first word is the number of blocks, 1 or more; then come the addresses where they begin, in the order in which
     * they are executed; and where the last one leads, 0 if that is not known.  All words behind these are UINT64_MAX. */
    uint64_t (*found)(const struct unit *unit, uint64_t number);
    /* Of such a unit: the program executed hot.watch, or wrote one of its CSRs.  May be NULL. */
    void (*told)(struct unit *unit, uint64_t address);
    void (*ordered)(struct unit *unit);
    struct unit_cost (*cost)(const struct unit *unit);
    void (*report)(const struct unit *unit, struct statistics *statistics);
    /* Writes out what it still holds back; prints its own message and returns false if it cannot. */
    bool (*finish)(struct unit *unit);
    void (*destroy)(struct unit *unit);
    /* For the machine's own units, too: WATCH_BEFORE; the run of the instructions in `bytes` from `pc` on, or NULL
     * if they are not to be counted; a run of another function begins; the last execution of a run ended before
     * the instruction at `pc`. */
    void (*before)(struct unit *unit, const struct watch_event *event);
    struct watch_run *(*run)(struct unit *unit, uint64_t pc, unsigned bytes);
    void (*entered)(struct unit *unit, const struct watch_run *run);
    void (*cut)(struct unit *unit, const struct watch_run *run, uint64_t pc);
};

/* Each unit's own struct begins with this. */
struct unit {
    const struct unit_kind *kind;
    struct unit_host host;
};

/* What the unit watches in a range has changed. */
static inline void unit_rewatch(struct unit *unit, uint64_t start, uint64_t bytes)
{
    unit->host.rewatch(unit->host.machine, start, bytes);
}

/* Has the program call `callback`, with `argument` in the CSR ctrarg, on the context of the event: before the
 * instruction if it was counted; behind the block of instructions that is being executed, for other events of the
 * engine; where the context goes on, if the event has a cycle.  One that comes while a callback runs waits for its
 * end; none is lost. */
static inline void unit_raise(struct unit *unit, const struct watch_event *event, uint64_t callback,
                              uint64_t argument)
{
    unit->host.raise(unit->host.machine, unit, event, callback, argument);
}

/* How many instructions the program has executed by the event, which the functional engine tells: that of a branch is
 * one of them, that of another event may be. */
static inline uint64_t unit_executed(const struct unit *unit, const struct watch_event *event)
{
    return unit->host.executed != NULL ? unit->host.executed(unit->host.machine, event) : 0;
}

#endif
