/* What registers hold along a trace that passes have changed, for signals: a list of changes, in the order of the code. */
#ifndef STRATA_TRANSLATOR_PASSES_LOG_H
#define STRATA_TRANSLATOR_PASSES_LOG_H

#include "translator/passes/ops.h"

/* From `at` on, `dst` holds the value, and so should `guest`; either may be NO_REGISTER. */
struct log_event {
    uint32_t at; /* in bytes, from the beginning of the path */
    uint16_t root;
    uint8_t dst, guest;
    int64_t offset;
};

/* Where the value is that one of the program's registers should hold. */
struct log_place {
    bool in_context; /* the trace has put it away */
    uint8_t
        reg; /* else a register to which `constant` is added, or NO_REGISTER: it is the constant */
    int64_t constant;
};

/* A load that a pass has added: where it faults its register gets 0, and the program never hears of it. */
struct log_load {
    uint32_t at;        /* in bytes, from the beginning of the path */
    uint8_t dst, bytes; /* of code */
};

struct log {
    struct log *next;           /* of all traces that there are */
    const uint8_t *start, *end; /* of the path */
    uint32_t spares;            /* what the program has in these is in the context all along */
    unsigned load_count;
    struct log_load loads[AHEAD_MOST];
    unsigned count;
    struct log_event events[];
};

/* Where the values of the program's registers are when the instruction at `at` is about to be executed: one place for
 * each register. */
void log_find(const struct log *log, const uint8_t *at, struct log_place places[OPS_REGISTERS]);

/* The load at `at`, if a pass has added it; else NULL. */
const struct log_load *log_find_load(const struct log *log, const uint8_t *at);

#endif
