/* What hot loops become: the paths that the program takes through them, and traces made of these.
 *
 * A loop that its counter finds hot goes through three stages.  The recorder (recorder.c) sees several of its
 * iterations and names the most common path; trace.c makes one plan of that path, with guards in the place of
 * branches, and lets the loop's head lead there.  Exists only with --opt. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_OPTIMIZER_H
#define STRATA_TRANSLATOR_FRAGMENT_OPTIMIZER_H

#include "translator/fragment/index.h"
#include "translator/fragment/ledger.h"
#include "translator/fragment/looks.h"
#include "translator/fragment/plan.h"
#include "translator/passes/log.h"
#include "translator/passes/place.h"
#include "translator/passes/shares.h"

/* Blocks of a path, each of which ends where a fragment does; iterations that are recorded of each loop, fewer if
 * those before them all agree; and loops whose iterations are recorded at the same time.  Between the most and the
 * least effort decides (effort.h). */
#define PATH_BLOCKS TRACE_BLOCKS
/* The same for a path that does not come back to its beginning: most executions leave a long one early. */
#define PATH_BLOCKS_OPEN 24
#define PATH_BLOCKS_LEAST 8
#define PATH_CODE_BYTES 1024
#define PATH_CODE_BYTES_LEAST 256
#define PATH_SAMPLES 8
#define PATH_SAMPLES_LEAST 3
#define PATH_SAMPLES_AGREEING 3
#define PATH_SAMPLES_AGREEING_LEAST 2
#define PATH_PROFILES 64
#define RECORDED_BUCKETS 1024

/* A way through the program: blocks by where they begin, and where the last of them leads. */
struct path {
    unsigned count;
    unsigned turns;  /* how often it goes around; of one that was chosen */
    guest_addr next; /* 0: not known */
    guest_addr blocks[PATH_BLOCKS];
    guest_addr
        second[PATH_BLOCKS]; /* of one that was chosen: what followed second most often, or 0 */
};

/* What was recorded of one loop. */
struct path_profile {
    struct loop *loop; /* NULL: not in use */
    unsigned count;
    unsigned effort;    /* that the loop was worth when the last of them ended */
    struct looks looks; /* at the loop's head, when it began to be recorded */
    struct path samples[PATH_SAMPLES];
};

/* A path that was not recorded, but found by hardware. */
#define FOUND_PATHS 64
struct found_path {
    struct loop *loop; /* NULL: not in use */
    struct path path;
};

/* A guard that compares an indirect target.  While it fails for the first few times the program comes to dispatch, which
 * lets traces grow where it goes. */
#define GUARD_MISSES 8
struct guard_site {
    uint8_t *branch;       /* of the guard, if it leads to the jump itself; or NULL */
    uint8_t *jump;         /* leads to dispatch, */
    const uint8_t *lookup; /* and here in the end */
    unsigned misses;
};

struct options;

struct optimizer_totals {
    uint64_t changed;   /* traces whose code may have changed */
    uint64_t undone;    /* times that a trace did not pay, */
    uint64_t again;     /* times that a loop was led again to a trace that had been taken away */
    uint64_t special;   /* traces that take registers for constants, */
    uint64_t differed;  /* and times that the registers were others */
    uint64_t postponed; /* loops that had to wait, each time */
    uint64_t recorded;  /* iterations */
    uint64_t copies;    /* fragments that record */
    uint64_t traces;    /* that were made */
    uint64_t plain;     /* loops whose path is one fragment: there is nothing to straighten */
    uint64_t
        abandoned; /* loops that got no trace, for want of room or because their code may change */
};

struct optimizer {
    struct index recorded; /* fragments that record */
    struct bucket buckets[RECORDED_BUCKETS];
    struct exit missed; /* what their indirect branches leave through */
    struct path_profile profiles[PATH_PROFILES];
    struct found_path found[FOUND_PATHS]; /* paths that are known, of loops that have to wait */
    unsigned next_found;                  /* whose place is taken when all are in use */
    unsigned next_profile;                /* whose place is taken when all are in use */
    struct optimizer_totals totals;
    uint64_t began; /* by target_clock */
    uint64_t spent; /* on recording and on making traces, */
    uint64_t asked; /* of it, on loops that had to wait, */
    uint64_t tried; /* and on looking at traces, and leading loops from one to another */
    struct ledger *ledgers;
    struct ledger_sum settled; /* what traces have done that are gone */
    int64_t gain;              /* of all, when it was looked at last, */
    uint64_t heads;            /* and what their first fragments would have executed, */
    uint64_t looked;           /* which was then */
    uint64_t passed;           /* instructions of traces that passes went over, */
    uint64_t
        left_out; /* instructions that passes left out of traces; begins, as `passed`, with a guess */
    struct log *logs; /* of all traces that passes have changed */
    struct ops ops;   /* of the trace that is being made, */
    struct place place;
    uint8_t way_outs[PLAN_STEPS]; /* as in struct emission_special */
    struct arranged placed;
    struct block_shares shares[TRACE_BLOCKS + 1];
};

/* Executions of a loop that let expect as many more, so that a trace of it pays. */
#ifndef TRACE_EXECUTIONS
#define TRACE_EXECUTIONS 16000
#endif

/* What a trace costs, about, in instructions; where time is counted, it is known from those that were made. */
#define TRACE_COST 60000

/* Whether the loop of `fragment`, which is hot, may be optimized now: it has been executed often enough by the rule of
 * --threshold, and what its trace costs stays within --max-loss, or traces have brought more.  If not, its counter calls
 * again; or never, if the loop may not be changed.  `counted`: the counter called just now, and the execution that it
 * counted has not happened. */
bool optimizer_allows(struct translator *translator, const struct fragment *fragment, bool counted);
/* Whether what was asked in vain has cost so little that one more question may be: of what hardware finds by itself there
 * may be much more than can be paid for. */
bool optimizer_may_ask(const struct translator *translator);
/* The loop stays as it is, for good. */
void optimizer_leave_plain(struct translator *translator, struct loop *loop, bool counted);
/* Whether the code at `pc` may be in a trace.  That of the vDSO may not: it is the kernel's, and reads memory that the
 * kernel changes at any time. */
bool optimizer_may_change(const struct translator *translator, guest_addr pc);
/* The loop has cost more: as much as target_clock and target_cycles say. */
void optimizer_spend(struct translator *translator, struct loop *loop, uint64_t cost,
                     uint64_t cycles);
/* What registers hold in the trace that has `code` on its path; NULL if passes have not changed it, or it is none.  Needs
 * no lock. */
const struct log *optimizer_find_log(const struct optimizer *optimizer, const uint8_t *code);
void optimizer_add_log(struct optimizer *optimizer, struct log *log);
/* Before the counters go with all fragments. */
void optimizer_settle(struct translator *translator);

/* What becomes of hot loops where --opt does not say it.  Traces pay where they are known to pay, and finding hot loops
 * costs nothing: with hardware counters. */
void optimizer_choose(struct options *options, bool has_hardware);
/* When the options are known. */
void optimizer_start(struct translator *translator);
/* All fragments go, those that record and traces among them. */
void optimizer_forget(struct translator *translator);

#endif
