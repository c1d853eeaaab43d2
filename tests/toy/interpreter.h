/* The toy machine: runs programs, and code in the cache.
 *
 * A machine without a context runs the program alone.  It may have memory of its own, a fixed distance away
 * from the addresses that the program sees, so that the two can run side by side. */
#ifndef TESTS_TOY_INTERPRETER_H
#define TESTS_TOY_INTERPRETER_H

#include "translator/fragment/translator.h"

/* What may be done with each page of the program's memory: HOST_READ and the others, 0 where there is none. */
#define TOY_PAGES 128
#define TOY_SHARED 128 /* also: it is shared, */
#define TOY_FILE 64    /* or of a file */
struct toy_memory {
    guest_addr start;
    uint8_t pages[TOY_PAGES];
};

/* The processor's counters, which take each other's places in turn. */
#define TOY_COUNTERS_MAX 512 /* which nobody fills */
struct toy_counters {
    unsigned entries; /* that this processor has */
    unsigned next;
    uint64_t threshold; /* the usual one */
    uint64_t created, evicted, dropped;
    struct {
        const uint8_t *tag; /* NULL: not in use */
        uint64_t count;
        uint64_t threshold; /* 0: it only counts */
    } of[TOY_COUNTERS_MAX];
};
/* The counter of `tag`, or `entries` if there is none. */
unsigned toy_counter_find(const struct toy_counters *counters, const uint8_t *tag);
void toy_counter_new(struct toy_counters *counters, const uint8_t *tag, uint64_t threshold);

enum toy_stop {
    TOY_GOES_ON,
    TOY_HALTED,
    TOY_CALLED, /* alone only: a system call; pc is behind it */
    TOY_LEFT,   /* in the cache only: through `exit`; the registers are in the context */
    TOY_ILLEGAL_STOP,
    TOY_FAULTED, /* an access at `fault` failed; nothing of the instruction has happened */
    TOY_ESCAPED, /* in the cache only: it is no longer there */
};

struct toy_machine {
    struct target_registers registers;
    uint64_t pc;
    uint64_t instructions; /* executed ones, with those of the translator's */
    uint64_t fault;
    bool fault_writes;
    bool holds; /* nobody has accessed memory since it was held */
    uint64_t held;
    const struct toy_memory *memory;
    uint64_t shift;          /* from what the program sees as an address to where it is */
    struct context *context; /* NULL if the program runs alone */
    struct toy_counters *counters;
    struct exit *exit;
    bool called_back; /* it left before an instruction, in a callback */
};

/* Executes one instruction; all but TOY_GOES_ON leave pc at it, but for TOY_CALLED. */
enum toy_stop toy_step(struct toy_machine *machine);
/* Whether a branch with this condition is taken. */
bool toy_condition_holds(uint64_t flags, unsigned condition);

#endif
