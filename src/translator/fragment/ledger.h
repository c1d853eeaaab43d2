/* What traces cost and what they bring, loop by loop, in instructions.
 *
 * Where the processor counts any number of addresses, each block of a trace is counted.  So it is known how often the
 * program came to each, and where it left; times the lengths of the code, this is what the trace has executed, and what
 * fragments would have executed on the same way. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_LEDGER_H
#define STRATA_TRANSLATOR_FRAGMENT_LEDGER_H

#include "translator/fragment/fragment.h"
#include "translator/fragment/plan.h"
#include "translator/passes/shares.h"

/* Of one loop. */
struct account {
    uint64_t entries; /* how often its trace was entered, or went around */
    uint64_t left;    /* of these, how often it was left before its end */
    uint64_t before;  /* instructions that fragments would have executed for what its trace did */
    uint64_t after;   /* that the trace has */
    uint64_t cost;    /* of recording the path and making the trace, in the units of target_clock */
    uint64_t cost_cycles; /* the same by target_cycles */
};

/* What a counter has measured; all zero where executions have no cycles. */
struct target_times {
    uint64_t retired, cycles; /* executions, and what they took */
    uint64_t misses,
        miss_cycles; /* of a load: those that missed the first level, and how long for */
};

/* Of all traces, without what they cost. */
struct ledger_sum {
    int64_t gain;
    uint64_t
        heads; /* instructions of the fragments that they begin with, about: a part of `before` */
};

/* A block of a trace, where it is left in one of two ways: on the trace, or off it. */
struct ledger_block {
    const uint8_t *at;               /* these three as in struct xstrata_block */
    guest_addr start;                /* in the program */
    const struct fragment *fragment; /* that was executed before */
    uint16_t before_on, before_off;  /* instructions of fragments, each way */
    uint16_t after_on;               /* of the trace, up to the next block */
    uint16_t after_off;      /* and up to what the way off it leads to, if that is indirect; */
    const struct exit *exit; /* else that way; or NULL */
};

/* What struct xstrata_trace says of a trace, for who has counted what its code did. */
struct ledger_told {
    guest_addr head;
    const uint8_t *code;
    const uint8_t *path_end; /* behind the last instruction of the path: what follows leaves it */
    const uint8_t *end;
    const struct ledger_block *first_block;
    uint32_t blocks, block_bytes;
    uint32_t check_bytes;
    uint32_t undone;
};

/* Of one trace.  Behind its last block stands where the last way on begins, if that is counted. */
struct ledger {
    struct ledger *next; /* of all */
    struct ledger_told told;
    struct loop *loop;
    uint64_t base; /* entries that counters counted which are gone */
    bool fetches_ahead;
    struct target_times carried; /* and what they measured, while that is of interest (ahead.h) */
    const uint8_t
        *landing; /* of a trace that does something before it begins: is counted, too; or NULL */
    uint16_t landing_length;
    uint16_t compared; /* of these, instructions that compare registers */
    unsigned count;
    bool counts_end; /* blocks[count].at is counted */
    /* Of each block, if passes have changed the trace, else NULL; and then, registers that are put away at the landing. */
    const struct block_shares *shares;
    uint16_t put_away;
    struct ledger_block blocks[];
};

/* What ledger_open may take from the pool. */
#define LEDGER_BYTES (sizeof(struct ledger) + (TRACE_BLOCKS + 2) * sizeof(struct ledger_block))
#define LEDGER_SHARES_BYTES ((TRACE_BLOCKS + 1) * sizeof(struct block_shares))

/* Whether executions are counted, so that there are accounts. */
bool ledger_counts(const struct translator *translator);
struct emission_special;
/* A trace of `plan` was made for `fragment`, as `special` says. */
void ledger_open(struct translator *translator, const struct fragment *fragment,
                 const struct plan *plan, const struct emission_special *special);
/* The counter of the loop's head goes, and another begins at 0: `count` entries of its trace were counted. */
void ledger_carry(const struct loop *loop, uint64_t count);
/* Nothing leads to the loop's trace any more. */
void ledger_undone(const struct loop *loop);
/* How often the loop's trace was entered from outside, and executed; 0 if it does nothing where it is entered. */
struct turns {
    uint64_t entries, executions;
};
struct turns ledger_turns(const struct loop *loop);
/* How often one trace was executed, and what it has done so far. */
uint64_t ledger_executions(const struct ledger *ledger);
struct account ledger_reckon(const struct ledger *ledger);
/* Of the instructions that it has executed, those that fetch ahead what is loaded later (fetches_ahead). */
uint64_t ledger_reckon_ahead(const struct ledger *ledger);
/* What the loop's account says now. */
struct account ledger_read(const struct translator *translator, const struct loop *loop);
/* Of what the account says was gained, what each pass has; the rest is what traces gain that are as the program is. */
struct shares ledger_shares(const struct translator *translator, const struct loop *loop);
/* What all traces have done so far. */
struct ledger_sum ledger_sum(const struct translator *translator);
/* All traces go: what they have done becomes a part of their loops' accounts.  Then their counters go. */
void ledger_settle(struct translator *translator);
void ledger_close(struct translator *translator);

#endif
