/* Counters in software, each with a word of its own: `sw`, which goes when the loop is hot, and `sw-exact`. */
#include "translator/fragment/counter_code.h"
#include "translator/fragment/trace.h"
#include "translator/fragment/translator.h"

static uint64_t *cell_of(const struct translator *translator, const struct loop *loop)
{
    return TARGET_CELL_OF(loop->code, translator->cache.end - translator->cache.start);
}

/* So that the cell is 0 before the execution that reaches the threshold. */
static uint64_t cell_start(const uint64_t *cell, uint64_t threshold)
{
    return (1 - threshold) * TARGET_CELL_UNIT(cell);
}

static struct reading sw_read(const struct translator *translator, const struct loop *loop)
{
    const bool stops = translator->options.counters == COUNTERS_SW;
    struct reading reading = {.executions = loop->executions, .partial = stops && loop->hot};
    if (loop->fragment != NULL && !loop->removed) {
        const uint64_t *cell = cell_of(translator, loop);
        reading.executions +=
            count_additions(*cell - cell_start(cell, loop->threshold), TARGET_CELL_UNIT(cell));
    }
    return reading;
}

void sw_counter_take_back(const struct translator *translator, const struct loop *loop)
{
    uint64_t *cell = cell_of(translator, loop);
    __atomic_fetch_sub(cell, TARGET_CELL_UNIT(cell), __ATOMIC_RELAXED);
}

static void sw_make(struct translator *translator, struct fragment *fragment)
{
    struct counts *counts = translator->counts;
    const bool exact = translator->options.counters == COUNTERS_SW_EXACT;
    if (fragment->loop != NULL || !count_attach(counts, fragment)) {
        return;
    }
    struct loop *loop = fragment->loop;
    if (loop->hot && !exact && !count_wants_path(translator, loop)) {
        return; /* nothing is left to find out */
    }
    if (!counter_code_place(translator, loop)) {
        counts->totals.unplaced++;
        count_detach(loop);
        return;
    }
    uint64_t *cell = cell_of(translator, loop);
    *cell = cell_start(cell, loop->threshold);
    loop->removed = false;
    counter_code_pass_through(translator, loop);
    if (loop->hot && !count_wants_path(translator, loop)) {
        target_counter_pass(translator, loop);
    }
}

/* What was counted becomes the loop's, and counting goes on, up to another threshold. */
static void restart(struct translator *translator, struct loop *loop, uint64_t threshold)
{
    uint64_t *cell = cell_of(translator, loop);

    count_settle(translator->counts, loop, sw_read(translator, loop).executions);
    loop->threshold = threshold;
    *cell = cell_start(cell, threshold);
    count_settled(translator->counts);
}

static void sw_again(struct translator *translator, struct loop *loop, uint64_t executions)
{
    if (!loop->removed) {
        restart(translator, loop, executions);
    }
}

/* `sw` counts no longer: its loop is as it was without a counter. */
static void remove(struct translator *translator, struct loop *loop)
{
    count_settle(translator->counts, loop, sw_read(translator, loop).executions);
    loop->removed = true;
    count_settled(translator->counts);
    counter_code_bypass(translator, loop);
}

static void sw_calm(struct translator *translator, struct loop *loop)
{
    if (loop->fragment == NULL || loop->removed) {
        return;
    }
    if (translator->options.counters == COUNTERS_SW_EXACT) {
        target_counter_pass(translator, loop);
    } else {
        remove(translator, loop);
    }
}

/* It comes through the counter again, if that is still there; what it counted is the loop's already. */
static void sw_uncount(struct translator *translator, struct loop *loop)
{
    (void)translator;
    loop->executions -= !loop->removed;
}

/* An exact counter stays in front of the trace. */
static bool sw_lead(struct translator *translator, struct loop *loop, struct fragment *trace)
{
    if (loop->removed) {
        trace_attach(translator, loop->fragment, trace);
        return true;
    }
    if (!target_counter_aim(translator, loop,
                            trace != NULL ? trace->landing : loop->fragment->entry)) {
        return false;
    }
    loop->fragment->trace = trace;
    return true;
}

static void sw_drop(struct translator *translator, struct loop *loop)
{
    counter_code_forget(translator, loop->code, loop);
    count_settle(translator->counts, loop, sw_read(translator, loop).executions);
    translator->counts->totals.dropped += !loop->removed;
}

static const uint8_t *sw_reached(struct translator *translator, struct loop *loop)
{
    if (count_may_want_path(translator, loop)) {
        /* The optimizer decides whether the counter stays. */
        restart(translator, loop, 0);
    } else if (translator->options.counters == COUNTERS_SW_EXACT) {
        /* It comes through the counter again, perhaps after a signal's handler. */
        sw_counter_take_back(translator, loop);
        target_counter_pass(translator, loop);
    } else {
        remove(translator, loop);
    }
    return fragment_indirect_entry(loop->fragment);
}

/* It comes through the next counter of the loop, where there is one for a hot loop. */
static void sw_reached_late(struct translator *translator, struct loop *loop)
{
    loop->executions -=
        translator->options.counters == COUNTERS_SW_EXACT || translator->optimizer != NULL;
}

const struct counter_kind sw_counter = {.make = sw_make,
                                        .link = count_link,
                                        .taken = count_make_when_taken,
                                        .read = sw_read,
                                        .drop = sw_drop,
                                        .reached = sw_reached,
                                        .reached_late = sw_reached_late,
                                        .again = sw_again,
                                        .calm = sw_calm,
                                        .uncount = sw_uncount,
                                        .lead = sw_lead};
