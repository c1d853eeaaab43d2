/* The branch behaviour buffer of Merten and others: finds hot spots where few branches dominate all, and their traces.
 *
 * The buffer (bbb_buffer.h) says when there is a hot spot.  Then for a while traces are made of what retires
 * (bbb_trace.h), by what the buffer holds, which stays as it is meanwhile.  Then it goes on; the next hot spot is
 * detected only when the clear timer has cleared all.  All harts share the buffer, as threads do on one core. */
#include "machine/state/statistics.h"
#include "machine/units/bbb_trace.h"

#include "base/check.h"

#include <stdlib.h>

/* A hot spot that was detected, for statistics only. */
struct hot_spot {
    uint64_t branch, instruction; /* at which it was: numbers of both, from 1 */
    uint64_t candidates;          /* in the buffer then */
    uint64_t traces;
};

struct bbb {
    struct finds finds; /* come first */
    struct bbb_buffer buffer;
    struct bbb_traces traces;
    uint64_t scan;      /* conditional branches that are looked at for the traces of a hot spot */
    uint64_t scan_left; /* 0: no traces are made now */
    struct hot_spot *hot_spots;
    size_t hot_spot_count, hot_spot_capacity;
};

/* In the order of the table. */
enum {
    VALUE_SETS,
    VALUE_WAYS,
    VALUE_COUNTER_BITS,
    VALUE_CANDIDATE,
    VALUE_DETECTION_BITS,
    VALUE_DECREMENT,
    VALUE_INCREMENT,
    VALUE_REFRESH,
    VALUE_CLEAR,
    VALUE_SCAN,
    VALUE_BLOCKS,
    VALUE_HEADS,
    VALUE_BIAS
};

static struct bbb *of(const struct unit *unit)
{
    return (struct bbb *)(uintptr_t)unit;
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    const bool included = watch_orders_include(unit->host.orders, instruction->pc);

    return (struct watch_request){.events =
                                      included && blocks_watched(instruction) ? WATCH_BRANCH : 0u};
}

static void note_hot_spot(struct bbb *own, const struct watch_event *event)
{
    if (own->hot_spot_count == own->hot_spot_capacity) {
        own->hot_spot_capacity = own->hot_spot_capacity * 2 + 16;
        own->hot_spots = realloc(own->hot_spots, own->hot_spot_capacity * sizeof *own->hot_spots);
        ASSERT(own->hot_spots != NULL);
    }
    own->hot_spots[own->hot_spot_count++] =
        (struct hot_spot){.branch = own->buffer.counts.branches,
                          .instruction = unit_executed(&own->finds.unit, event),
                          .candidates = bbb_buffer_candidates(&own->buffer)};
}

static void stop_scan(struct bbb *own)
{
    own->scan_left = 0;
    bbb_traces_forget(&own->traces);
}

/* What follows for the traces from a conditional branch of which the buffer was told. */
static void control_scan(struct bbb *own, const struct watch_event *event, enum bbb_outcome outcome)
{
    if (outcome == BBB_DETECTED) {
        note_hot_spot(own, event);
        own->scan_left = own->scan;
        bbb_traces_start(&own->traces);
    } else if (own->scan_left > 0 && (--own->scan_left == 0 || outcome == BBB_CLEARED)) {
        stop_scan(own);
    }
}

static void follow(struct bbb *own, const struct watch_event *event, bool conditional)
{
    const struct bbb_entry *entry =
        conditional ? bbb_buffer_find(&own->buffer, event->instruction->pc) : NULL;

    own->hot_spots[own->hot_spot_count - 1].traces += bbb_traces_follow(&own->traces, event, entry);
}

static void on_branch(struct unit *unit, const struct watch_event *event)
{
    struct bbb *own = of(unit);
    const bool conditional = (event->instruction->flags & WATCHED_CONDITIONAL) != 0;
    const bool scans = own->scan_left > 0;
    const uint64_t next = blocks_next(event);

    if (!blocks_counts(event)) {
        return;
    }
    if (scans) {
        follow(own, event, conditional);
    }
    if (conditional) {
        control_scan(own, event,
                     bbb_buffer_branch(&own->buffer, event->instruction->pc, event->taken, scans));
    }
    if (scans && bbb_traces_full(&own->traces)) {
        stop_scan(own);
    }
    if (watch_orders_include(unit->host.orders, next)) {
        finds_arrive(&own->finds, event, next);
    }
}

static void report_hot_spots(const struct bbb *own, struct statistics *statistics)
{
    statistics->begin_list(statistics, "hot_spots");
    for (size_t i = 0; i < own->hot_spot_count; i++) {
        const struct hot_spot *hot_spot = &own->hot_spots[i];
        statistics->begin(statistics, NULL);
        statistics->number(statistics, "branch", hot_spot->branch);
        statistics->number(statistics, "instruction", hot_spot->instruction);
        statistics->number(statistics, "candidates", hot_spot->candidates);
        statistics->number(statistics, "traces", hot_spot->traces);
        statistics->end(statistics);
    }
    statistics->end(statistics);
}

static void report(const struct unit *unit, struct statistics *statistics)
{
    const struct bbb *own = of(unit);
    const struct bbb_counts *counts = &own->buffer.counts;

    statistics->number(statistics, "branches", counts->branches);
    statistics->number(statistics, "candidates", counts->candidates);
    statistics->number(statistics, "refreshes", counts->refreshes);
    statistics->number(statistics, "thrown_out", counts->thrown_out);
    statistics->number(statistics, "clears", counts->clears);
    statistics->number(statistics, "replaced", counts->replaced);
    statistics->number(statistics, "unrecorded", counts->unrecorded);
    statistics->number(statistics, "saturated", counts->saturated);
    statistics->number(statistics, "complete", own->traces.counts.complete);
    statistics->number(statistics, "open", own->traces.counts.open);
    statistics->number(statistics, "dropped", own->traces.counts.dropped);
    report_hot_spots(own, statistics);
    finds_report(&own->finds, statistics);
}

/* With the counter of the branches that are looked at for traces. */
static struct unit_cost cost(const struct unit *unit)
{
    const struct bbb *own = of(unit);
    const struct unit_cost buffer = bbb_buffer_cost(&own->buffer);
    const struct unit_cost traces = bbb_traces_cost(&own->traces);
    const unsigned scan_bits = 64 - (unsigned)__builtin_clzll(own->scan);

    return (struct unit_cost){
        .storage_bits = buffer.storage_bits + traces.storage_bits + scan_bits +
                        finds_storage_bits(own->traces.sizes.blocks),
        .comparators = buffer.comparators + traces.comparators + finds_comparators(),
        .adders = buffer.adders + traces.adders + 1};
}

static void on_orders(struct unit *unit)
{
    if (finds_ordered(&of(unit)->finds)) {
        bbb_traces_forget(&of(unit)->traces);
    }
}

static void destroy(struct unit *unit)
{
    struct bbb *own = of(unit);

    finds_release(&own->finds);
    bbb_buffer_destroy(&own->buffer);
    free(own->hot_spots);
    free(own);
}

static struct unit *create(const uint64_t *values)
{
    struct bbb *own = calloc(1, sizeof *own);
    const struct bbb_sizes sizes = {.sets = values[VALUE_SETS],
                                    .ways = values[VALUE_WAYS],
                                    .counter_bits = (unsigned)values[VALUE_COUNTER_BITS],
                                    .candidate = values[VALUE_CANDIDATE],
                                    .detection_bits = (unsigned)values[VALUE_DETECTION_BITS],
                                    .decrement = values[VALUE_DECREMENT],
                                    .increment = values[VALUE_INCREMENT],
                                    .refresh = values[VALUE_REFRESH],
                                    .clear = values[VALUE_CLEAR]};

    if (own == NULL || !bbb_buffer_create(&own->buffer, &sizes)) {
        free(own);
        return NULL;
    }
    finds_start(&own->finds);
    own->scan = values[VALUE_SCAN];
    own->traces.finds = &own->finds;
    own->traces.sizes = (struct bbb_trace_sizes){.blocks = (unsigned)values[VALUE_BLOCKS],
                                                 .heads = (unsigned)values[VALUE_HEADS],
                                                 .bias = values[VALUE_BIAS]};
    return &own->finds.unit;
}

_Static_assert(FIND_BLOCKS == 64 && BBB_HEADS_MOST == 64, "the table below has the number");
static const struct unit_parameter parameters[] = {
    {"sets", 512, 1, 65536, "of the buffer (recalled)"},
    {"ways", 4, 1, 64, "of each set (recalled)"},
    {"counter_bits", 9, 1, 32, "of executions and of taken branches, each (recalled)"},
    {"candidate", 16, 1, 4294967295, "executions that make a branch a candidate (recalled)"},
    {"detection_bits", 13, 1, 32, "of the hot spot detection counter (recalled)"},
    {"decrement", 1, 1, 65536, "of that counter at a candidate (recalled)"},
    {"increment", 2, 0, 65536, "of that counter at any other branch (recalled)"},
    {"refresh", 8192, 1, 4294967295, "branches to a refresh (recalled: 4096 to 8192)"},
    {"clear", 65535, 1, 4294967295, "branches to a clear (recalled)"},
    {"scan", 8192, 1, 4294967295, "branches that are looked at for a hot spot's traces"},
    {"blocks", 48, 1, 64, "of a trace, at the most"},
    {"heads", 32, 1, 64, "of a hot spot: traces, at the most"},
    {"bias", 75, 51, 100, "percent of its executions that a branch of a trace goes its way"},
    {.name = NULL}};

const struct unit_kind bbb_unit = {
    .version = UNIT_VERSION,
    .name = "bbb",
    .meaning = "hot spots by the branch behaviour buffer, and traces of its candidates",
    .parameters = parameters,
    .create = create,
    .watches = watches,
    .branch = on_branch,
    .callback_begins = finds_callback_begins,
    .found = finds_word,
    .told = finds_name,
    .ordered = on_orders,
    .cost = cost,
    .report = report,
    .destroy = destroy};
