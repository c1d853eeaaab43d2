/* Helper contexts: precomputation slices run on contexts that no thread uses.
 *
 * The engine executes the main thread ahead of the pipeline, so the values that a slice starts from are
 * captured when its trigger is executed (capture.c), and wait for the pipeline to dispatch it.  A slice
 * is executed as a whole when it is started; when its instructions run is the pipeline's to say, as
 * for every thread's: its first ones wait for the instructions of the main thread that make the
 * live-ins, so that no value is used before its time. */
#ifndef STRATA_MACHINE_HELPERS_HELPERS_H
#define STRATA_MACHINE_HELPERS_HELPERS_H

#include "machine/state/hart.h"
#include "machine/engine/unit.h"

#include <stdbool.h>
#include <stdint.h>

#define SLICES_MAX 255 /* numbers fit in a byte of a cache's line; 0 is none */

struct captures;
struct memory;
struct origins;
struct pipeline;
struct slice;
struct statistics;

/* What became of a slice, and of the lines that it asked for:
 * triggers      that the main thread dispatched
 * started       slices, by it
 * chained       started by another slice
 * no_context    not started, for there was no free context
 * throttled     chained ones that had to wait for the main thread
 * guarded       ended by their guard: the loop was over
 * overtaken     chains that the main thread came before: a new one was started
 * faulted       stopped at a load that may not read
 * cut_short     not run to their end, for a thread took the context, or none ran any more
 * instructions  executed
 * loads         issued
 * redundant     of these, those whose line was there or on its way
 * lines         brought into the first level: by the other loads
 * timely        of these, used by the main thread, and there when it came
 * late          used, but still on their way
 * evicted       not used before they were evicted */
#define SLICE_LEDGER(KEY)                                                                          \
    KEY(triggers)                                                                                  \
    KEY(started)                                                                                   \
    KEY(chained)                                                                                   \
    KEY(no_context)                                                                                \
    KEY(throttled)                                                                                 \
    KEY(guarded)                                                                                   \
    KEY(overtaken)                                                                                 \
    KEY(faulted)                                                                                   \
    KEY(cut_short)                                                                                 \
    KEY(instructions)                                                                              \
    KEY(loads)                                                                                     \
    KEY(redundant)                                                                                 \
    KEY(lines)                                                                                     \
    KEY(timely)                                                                                    \
    KEY(late)                                                                                      \
    KEY(evicted)

struct slice_ledger {
#define KEY(name) uint64_t name;
    SLICE_LEDGER(KEY)
#undef KEY
};

struct helpers;
struct rv64_insn;

/* Contexts of the pipeline that no thread uses run slices from now on.  `origins` says which instructions of the
 * program those are that a translator has copied.  NULL if memory runs out. */
struct helpers *helpers_create(struct pipeline *pipeline, const struct memory *memory,
                               const struct origins *origins);
/* Before the pipeline, which must not run any more. */
void helpers_destroy(struct helpers *helpers);
/* A unit that makes slices, too, and optimizes them; NULL if memory runs out. */
struct unit *helpers_make_slices(struct helpers *helpers, bool optimize);
/* Whom to tell of new triggers. */
void helpers_set_host(struct helpers *helpers, struct unit_host host);

/* The slice is run from now on: its number, 0 if it cannot be (no room, or no way to run it). */
unsigned helpers_add(struct helpers *helpers, const struct slice *slice, guest_addr bias);
/* The same of a slice that the program brings, whose addresses are the program's: it starts wherever a translator
 * has copied its trigger to.  Under a translator, one that begins with the thread pointer cannot be run, for that
 * register is the translator's. */
unsigned helpers_add_own(struct helpers *helpers, const struct slice *slice, guest_addr bias);
/* It is not started any more; those that run go on. */
void helpers_remove(struct helpers *helpers, unsigned number);
struct slice_ledger *helpers_ledger(struct helpers *helpers, unsigned number);

/* Whether a slice starts at the instruction, which is decoded. */
bool helpers_triggers(const struct helpers *helpers, guest_addr pc, const struct rv64_insn *insn);
/* The registers that were captured at triggers. */
struct captures *helpers_captures(struct helpers *helpers);

/* What is executed from now on is given to a context of the pipeline next. */
void helpers_follow(struct helpers *helpers);
bool helpers_context_free(const struct pipeline *pipeline, unsigned context);

/* An instruction of the program, or of a translator: enum owner of units/origins.h. */
struct slice_place {
    guest_addr pc; /* in the program, if it is the program's, however it is executed */
    uint8_t owner;
};

/* A slice that was run, and what became of it. */
struct slice_account {
    struct slice_place trigger, target; /* `target` is its first delinquent load */
    bool chaining, removed;
    unsigned length, live_ins;
    struct slice_ledger ledger;
};
/* Of the slice with that number; false if there is none, nor any with a higher one. */
bool helpers_account(const struct helpers *helpers, unsigned number, struct slice_account *account);
/* Slices that could not be added. */
unsigned helpers_refused(const struct helpers *helpers);
/* What the hardware that makes slices did, if there is any. */
void helpers_report(const struct helpers *helpers, struct statistics *statistics);

#endif
