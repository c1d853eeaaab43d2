/* Which version of a hot loop the program executes: its fragments, or one of the traces that were made of it.
 *
 * T_old and T_new are measured on the same executions: how often the program came to each block of a trace times what it
 * executed there, and times what fragments would have.  A trace is looked at again and again, and judged by what it did
 * since the last look, so that a change of the loop's behaviour shows.  Of two traces the better one is executed; where
 * both lose, the fragments are, and the better of the two is tried again, ever more seldom if it goes on losing. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_TRIAL_H
#define STRATA_TRANSLATOR_FRAGMENT_TRIAL_H

#include "translator/fragment/ledger.h"
#include "translator/fragment/trace.h"
#include "translator/passes/prefetch.h"

/* A trace of a loop. */
struct version {
    struct fragment *trace; /* NULL: there is none */
    struct ledger *ledger;  /* of it */
    struct recipe recipe;
    struct account led;    /* what it had done when it was led to last, */
    struct account seen;   /* and at the last look, */
    struct account judged; /* and between that look and the one before: what it is judged by */
};

/* How far it has come that what the loop loads is fetched ahead (ahead.h). */
enum ahead_stage {
    AHEAD_NOT,   /* nothing is measured */
    AHEAD_LOADS, /* what loads miss is measured, */
    AHEAD_PLAIN, /* and what a trace takes that misses, */
    AHEAD_TRIED, /* and one that fetches ahead */
};

/* Executions of a trace, and cycles of its path. */
struct ahead_sum {
    uint64_t executions, cycles;
};

#define AHEAD_WISHES 16

struct ahead_trial {
    uint8_t stage; /* enum ahead_stage */
    bool looked;   /* enough was measured once, and no load missed much */
    unsigned wish_count;
    struct prefetch_wish wishes[AHEAD_WISHES];
    struct ahead_sum began; /* when the stage did */
    struct ahead_sum plain; /* what the trace took that does not fetch ahead */
};

struct trial {
    struct version runs;  /* what the loop leads to; without a trace it is the fragments */
    struct version rival; /* the best of those that it does not lead to */
    struct version plain; /* while `runs` is tried: the same without fetching ahead, or no trace */
    struct ahead_trial ahead;
    uint64_t wait;      /* executions of fragments until the rival is tried again, the next time, */
    uint64_t waited;    /* and this time */
    uint64_t since;     /* executions of traces since a rival was tried */
    unsigned paths;     /* how often another path was looked for, since this one brings little */
    bool challenged;    /* what runs has yet to show that it is better than its rival */
    bool specialized;   /* it was tried to take registers for constants */
    struct looks looks; /* at the loop's head, while it had traces */
};

/* The path of the loop of `fragment` is known, and `looks` were taken at its head: it gets a trace that is worth it by now.
 * Whether it has one then. */
bool trial_make(struct context *context, struct fragment *fragment, const struct path *path,
                const struct looks *looks);
/* The loop's trace takes registers for constants, of which one has another value now: the loop is led elsewhere. */
void trial_differs(struct context *context, struct fragment *fragment);
/* The loop has been executed as often as it was to be until the next look. */
void trial_review(struct context *context, struct fragment *fragment);
/* Whether the loop is recorded since the path that was found before brings little. */
bool trial_looks_further(const struct loop *loop);
/* The loop may be recorded again. */
void trial_record_again(struct translator *translator, struct loop *loop);
/* The loop is looked at again when it has been executed so many times more. */
void trial_look_again(struct translator *translator, struct loop *loop, uint64_t executions);
/* What a trace has done, without what it does to fetch ahead. */
struct account trial_reckon(const struct ledger *ledger);
/* A look: what the version has done since the last one. */
void trial_look(struct version *version);
/* The code of `trace` may have changed: it is not led to again. */
void trial_forget(const struct loop *loop, const struct fragment *trace);

#endif
