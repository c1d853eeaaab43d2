/* What the pipeline tells those who run slices on its free contexts: helpers/. */
#ifndef STRATA_MACHINE_PIPELINE_HELPER_HOOKS_H
#define STRATA_MACHINE_PIPELINE_HELPER_HOOKS_H

#include <stdint.h>

struct helpers;
struct record;

/* What becomes of a line that a slice asked for. */
enum line_fate {
    LINE_BROUGHT,   /* it was not there */
    LINE_REDUNDANT, /* it was there, or on its way */
    LINE_TIMELY,    /* a thread used it, and it was there */
    LINE_LATE,      /* a thread used it, and it was still on its way */
    LINE_EVICTED,   /* nobody had used it */
};

/* Each is called only where there are helpers.  `id` is an instruction in flight. */
struct helper_hooks {
    /* The context was given `count` records, the first as its record `position`. */
    void (*given)(struct helpers *helpers, unsigned context, uint64_t position,
                  const struct record *records, unsigned count);
    /* An instruction with STATIC_TRIGGER was dispatched, as the context's record `position`. */
    void (*dispatched)(struct helpers *helpers, unsigned context, uint32_t id, uint64_t position);
    /* A load of the slice with that number was issued. */
    void (*loaded)(struct helpers *helpers, unsigned slice);
    /* A line of the slice with that number has come to this. */
    void (*line)(struct helpers *helpers, unsigned slice, enum line_fate fate);
    /* An instruction retired: nobody waits for it any more, and a delinquent load has used up what was
     * fetched for it. */
    void (*retired)(struct helpers *helpers, unsigned context, uint32_t id);
    /* A thread has taken the context of a slice: what that has not dispatched is dropped, and the thread
     * comes behind the rest. */
    void (*left)(struct helpers *helpers, unsigned context);
    /* No thread runs any more: nor do slices. */
    void (*ended)(struct helpers *helpers);
};

#endif
