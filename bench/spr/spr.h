/* Software helper threads: a worker runs a loop in phases, a helper reads ahead what the next phases need.
 *
 *     struct spr *spr = spr_start(&plan, help, data);
 *     for (size_t k = 0; k < spr_phases(&plan); k++) {
 *         spr_enter(spr, k, live_in);
 *         ... items k * plan.phase and following ...
 *     }
 *     spr_stop(spr, &report);
 *
 * A helper only reads: what the worker computes is the same with it and without it. */
#ifndef BENCH_SPR_H
#define BENCH_SPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who waits at the border of two phases.  Barrier: the helper reads phase k + distance while the worker runs
 * phase k, and each waits for the other.  Bound: only the helper waits, when it is `distance` phases ahead;
 * one that was overtaken goes on ahead of the worker. */
enum spr_scheme { SPR_BARRIER, SPR_BOUND };

/* How one waits.  Spin: reads the word again and again; pause: with the processor's hint between reads; delay:
 * with a read of the time between them, which takes the pipeline a while and no units; sleep: by a futex; mixed:
 * spins first. */
enum spr_wait { SPR_SPIN, SPR_PAUSE, SPR_DELAY, SPR_SLEEP, SPR_MIXED };

struct spr_plan {
    size_t items;    /* of the loop */
    size_t phase;    /* items of a phase; at least 1 */
    size_t distance; /* phases; at least 1 */
    bool dynamic;    /* the distance is only the first one: it follows the time that phases take */
    enum spr_scheme scheme;
    enum spr_wait wait;
    unsigned spins;     /* reads before a mixed wait sleeps */
    int worker, helper; /* processors to run on; -1: any */
};

/* Items that the helper is to read.  It has read those before `begin`, unless `restart`: then it was
 * overtaken, and the worker was at item `at` with `live_in`.  The two may be of different phases: what is
 * read by them may be of no use, but must be there to read. */
struct spr_ahead {
    size_t begin, end;
    bool restart;
    size_t at;
    const void *live_in;
};

typedef void spr_help(void *data, const struct spr_ahead *ahead);

struct spr_report {
    bool helped; /* there was a thread for the helper */
    size_t worker_waits, helper_waits;
    size_t restarts; /* times that the helper was overtaken */
    size_t distance; /* in the end */
};

struct spr;

size_t spr_phases(const struct spr_plan *plan);
/* Without a thread for the helper the worker goes on alone.  NULL if memory runs out. */
struct spr *spr_start(const struct spr_plan *plan, spr_help *help, void *data);
/* The worker comes to a phase; `live_in` is what a helper needs to begin there. */
void spr_enter(struct spr *spr, size_t phase, const void *live_in);
void spr_stop(struct spr *spr, struct spr_report *report);

#endif
