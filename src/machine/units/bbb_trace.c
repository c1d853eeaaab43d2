/* Traces of a hot spot: paths along branches that the branch behaviour buffer has as candidates.
 *
 * A branch that goes against its bias drops the trace: its head comes by again, and the branch will go the other way.
 * One that is no candidate or has no bias would drop it each time, so the trace ends there, with what it has; it leads
 * nowhere in particular.  A trace also ends where a branch or jump leads backward into it, which is a loop within: that
 * has a trace of its own. */
#include "machine/units/bbb_trace.h"

#define ADDRESS_BITS 64

/* How a branch fits into a trace. */
enum fit { FIT_ON, FIT_AGAINST, FIT_UNBIASED };

static void drop(struct bbb_traces *traces)
{
    traces->counts.dropped += traces->under_way;
    traces->under_way = false;
}

void bbb_traces_forget(struct bbb_traces *traces)
{
    drop(traces);
    traces->last_hart = NULL;
}

void bbb_traces_start(struct bbb_traces *traces)
{
    bbb_traces_forget(traces);
    traces->head_count = 0;
}

bool bbb_traces_full(const struct bbb_traces *traces)
{
    return traces->head_count == traces->sizes.heads;
}

static bool is_candidate(const struct bbb_entry *entry)
{
    return entry != NULL && entry->candidate;
}

static enum fit fit_of(const struct bbb_traces *traces, const struct watch_event *event,
                       const struct bbb_entry *entry)
{
    if ((event->instruction->flags & WATCHED_CONDITIONAL) == 0) {
        return FIT_ON;
    }
    if (!is_candidate(entry)) {
        return FIT_UNBIASED;
    }
    const uint32_t falls = entry->executed - entry->taken;
    const uint32_t most = entry->taken > falls ? entry->taken : falls;
    if (most * UINT64_C(100) < traces->sizes.bias * entry->executed) {
        return FIT_UNBIASED;
    }
    return event->taken == (entry->taken > falls) ? FIT_ON : FIT_AGAINST;
}

static bool is_given(const struct bbb_traces *traces, uint64_t head)
{
    bool given = false;

    for (unsigned i = 0; i < traces->head_count && !given; i++) {
        given = traces->heads[i] == head;
    }
    return given;
}

/* The trace under way ends, and leads to `next`.  Its head may have been given before: the one that it began with may
 * have been nothing but a jump to it. */
static bool give(struct bbb_traces *traces, const struct watch_event *event, uint64_t next)
{
    struct find *path = &traces->path;

    if (is_given(traces, path->blocks[0])) {
        drop(traces);
        return false;
    }
    traces->under_way = false;
    traces->heads[traces->head_count++] = path->blocks[0];
    traces->counts.complete += next == path->blocks[0];
    traces->counts.open += next != path->blocks[0];
    path->next = next;
    finds_add(traces->finds, event, path);
    return true;
}

/* The trace under way goes on at `next`.  True if it ends, and is a find. */
static bool go_on(struct bbb_traces *traces, const struct watch_event *event,
                  const struct bbb_entry *entry, uint64_t next)
{
    struct find *path = &traces->path;
    const enum fit fit = fit_of(traces, event, entry);

    if (event->instruction->pc < traces->at || fit == FIT_AGAINST ||
        !watch_orders_include(traces->finds->unit.host.orders, next)) {
        drop(traces);
        return false;
    }
    if (fit == FIT_UNBIASED) {
        return give(traces, event, 0);
    }
    traces->at = next;
    const enum flow flow = blocks_advance(path, event);
    if (path->count == 0 && flow == FLOW_BACK) {
        drop(traces); /* its head is nothing but a jump to another one, which is looked at next */
        return false;
    }
    const bool home = path->count > 0 && next == path->blocks[0];
    const bool inner = flow == FLOW_BACK && blocks_include(path, next);
    if (home || inner || (flow != FLOW_WITHIN && path->count == traces->sizes.blocks)) {
        return give(traces, event, next);
    }
    if (flow != FLOW_WITHIN) {
        path->blocks[path->count++] = next;
    }
    return false;
}

/* A trace begins where the event leads, if a candidate leads backward there. */
static void begin(struct bbb_traces *traces, const struct watch_event *event,
                  const struct bbb_entry *entry, uint64_t next)
{
    const bool behind =
        traces->last_hart == event->hart && traces->last_next == event->instruction->pc;

    if (blocks_flow(event) != FLOW_BACK || !(is_candidate(entry) || (entry == NULL && behind)) ||
        !watch_orders_include(traces->finds->unit.host.orders, next) || is_given(traces, next) ||
        bbb_traces_full(traces) || !finds_wants(traces->finds, next)) {
        return;
    }
    traces->under_way = true;
    traces->hart = event->hart;
    traces->at = next;
    blocks_begin(&traces->path, next);
}

bool bbb_traces_follow(struct bbb_traces *traces, const struct watch_event *event,
                       const struct bbb_entry *entry)
{
    const uint64_t next = blocks_next(event);
    const bool given =
        traces->under_way && traces->hart == event->hart && go_on(traces, event, entry, next);

    if (!traces->under_way) {
        begin(traces, event, entry, next);
    }
    if (is_candidate(entry)) {
        traces->last_hart = event->hart;
        traces->last_next = next;
    } else if (traces->last_hart == event->hart) {
        traces->last_hart = NULL;
    }
    return given;
}

/* The trace under way, the heads that were given, where control is and where the last candidate led.  Heads and blocks
 * are compared with where a branch leads, the last candidate's way with where a jump stands; the bias takes two
 * multiplications by a constant, here as adders, and a comparison. */
struct unit_cost bbb_traces_cost(const struct bbb_traces *traces)
{
    const struct bbb_trace_sizes *sizes = &traces->sizes;
    const uint64_t addresses = sizes->blocks + sizes->heads + UINT64_C(2);
    const unsigned counts_bits = 7 + 7; /* of blocks and of heads, each up to 64 */

    return (struct unit_cost){.storage_bits = addresses * ADDRESS_BITS + counts_bits + 2,
                              .comparators = sizes->blocks + sizes->heads + UINT64_C(2),
                              .adders = 3};
}
