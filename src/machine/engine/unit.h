/* What a hardware table of the simulated processor is to the rest of the machine.
 *
 * A unit says, for each instruction that is decoded, which events it wants to
 * see there.  The engine builds exactly these into the decoded block, so what
 * nobody watches costs nothing.  A unit that changes its mind tells the machine
 * which addresses changed (unit_host.rewatch), and those are decoded again.
 *
 * A new table is one new file with a `struct unit_kind`, and one line in machine.c
 * that adds it.  Functions for events that a unit never asks for may be NULL. */
#ifndef STRATA_MACHINE_ENGINE_UNIT_H
#define STRATA_MACHINE_ENGINE_UNIT_H

#include "isa/rv64/insn.h"
#include "machine/state/hart.h"

enum watch {
    WATCH_PC_MATCH = 1, /* executions of one address, counted in a cell */
    WATCH_BRANCH = 2,   /* branches and jumps, after they are resolved */
    WATCH_MEMORY = 4,   /* loads, stores and atomics, before they access */
    WATCH_MISS = 8,     /* cache misses: only a pipeline has them */
    WATCH_DECODE = 16,  /* an instruction enters the machine's decoded blocks */
    WATCH_RETIRE = 32,  /* every instruction, in program order */
    WATCH_RECORD = 128, /* every instruction, put into the list that engine_run_recorded fills */
    WATCH_RECORD_FIRST = 256, /* the same, where the instruction is the first of a decoded block */
    WATCH_TOTAL = 64,         /* instructions that retire, added up: one addition for many */
};

/* Counts executions.  `fires_at` is compared for equality after the increment,
 * so a cell that must never fire holds zero, which a count cannot become. */
struct watch_cell {
    uint64_t executions;
    uint64_t fires_at;
};

struct static_insn;

struct watch_request {
    unsigned events;          /* enum watch */
    struct watch_cell *cell;  /* for WATCH_PC_MATCH; stays valid until rewatched */
    uint64_t *total;          /* for WATCH_TOTAL; the same */
    struct static_insn *insn; /* for these two: what its records point to */
};

enum unit_action {
    UNIT_CONTINUE,
    UNIT_REDIRECT, /* hart->pc was changed: continue there, before this instruction */
};

struct unit;
struct statistics;

struct unit_kind {
    const char *name;
    struct watch_request (*watches)(struct unit *unit, guest_addr pc, const struct rv64_insn *insn);
    enum unit_action (*pc_match)(struct unit *unit, struct hart *hart, guest_addr pc,
                                 struct watch_cell *cell);
    void (*branch)(struct unit *unit, struct hart *hart, guest_addr pc, guest_addr target,
                   bool taken);
    void (*memory)(struct unit *unit, struct hart *hart, guest_addr pc, guest_addr address,
                   const struct rv64_insn *insn);
    void (*decode)(struct unit *unit, guest_addr pc, const struct rv64_insn *insn);
    void (*retire)(struct unit *unit, struct hart *hart, guest_addr pc,
                   const struct rv64_insn *insn);
    void (*report)(const struct unit *unit, struct statistics *statistics);
    /* Writes out what it still holds back; prints its own message and returns
     * false if it cannot. */
    bool (*finish)(struct unit *unit);
    void (*destroy)(struct unit *unit);
};

/* What the machine gives a unit. */
struct unit_host {
    void (*rewatch)(void *machine, guest_addr start, uint64_t bytes);
    void *machine;
};

/* Each unit's own struct begins with this. */
struct unit {
    const struct unit_kind *kind;
    struct unit_host host;
};

#define UNITS_MAX 8
struct unit_set {
    struct unit *units[UNITS_MAX];
    unsigned count;
};

#endif
