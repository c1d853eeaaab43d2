/* Judges the traces of a translator: follows each path that the program takes, and sees which traces execute it.
 *
 * Nothing is looked at but branches: what each stands for was found when it was decoded (oracle_sites.c).  A path is
 * predicted from the first execution on that traces execute whole, and its prediction is as old as the last of these
 * traces.  So it does not matter how a detector puts a path together, as one trace or as several that lead to each other,
 * cut where they are full or not, and what a trace has that is never executed counts for nothing. */
#include "machine/units/oracle_state.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

static struct oracle *of(const struct unit *unit)
{
    return (struct oracle *)(uintptr_t)unit;
}

uint64_t oracle_executed(const struct oracle *oracle, bool in_traces)
{
    uint64_t sum = 0;

    for (unsigned i = 1; i <= oracle->most_at_once; i++) {
        sum += i * oracle->executed[in_traces][i];
    }
    return sum;
}

static uint64_t clock_of(const struct oracle *oracle)
{
    return oracle_executed(oracle, false) + oracle_executed(oracle, true);
}

/* The number of the first live trace that ends behind `pc`. */
static size_t first_behind(const struct oracle *oracle, guest_addr pc)
{
    size_t low = 0, high = oracle->live_count;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (oracle->live[middle]->end <= pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct oracle_trace *trace_at(const struct oracle *oracle, guest_addr pc)
{
    const size_t number = first_behind(oracle, pc);

    return number < oracle->live_count && oracle->live[number]->start <= pc ? oracle->live[number]
                                                                            : NULL;
}

void oracle_code_written(struct oracle *oracle, guest_addr start, guest_addr end)
{
    const size_t first = first_behind(oracle, start);
    size_t last = first;

    if (first == oracle->live_count) {
        return; /* there may have been none yet, and no memory for them */
    }
    while (last < oracle->live_count && oracle->live[last]->start < end) {
        last++;
    }
    memmove(oracle->live + first, oracle->live + last,
            (oracle->live_count - last) * sizeof oracle->live[0]);
    oracle->live_count -= last - first;
}

/* The last code of the path that does something for the program; 0 if there is none. */
static guest_addr find_last(const struct oracle *oracle, guest_addr start, guest_addr end)
{
    struct origin_place place = {.next = 0};
    struct executed executed;
    struct rv64_insn insn;
    guest_addr last = 0;

    for (guest_addr at = start; at < end && origins_read(oracle->origins, at, &insn);
         at += insn.length) {
        origins_executed(oracle->origins, &place, at, insn.length, &executed);
        last = executed.known && executed.count > executed.without ? at : last;
    }
    return last;
}

void oracle_trace_made(struct oracle *oracle, guest_addr start, guest_addr end)
{
    const size_t bytes = (oracle->trace_count + 1) * sizeof oracle->traces[0];
    struct oracle_trace *trace = calloc(1, sizeof *trace);

    oracle_code_written(oracle, start, end);
    oracle->traces = realloc(oracle->traces, bytes);
    oracle->live = realloc(oracle->live, bytes);
    ASSERT(trace != NULL && oracle->traces != NULL && oracle->live != NULL);
    *trace = (struct oracle_trace){.start = start,
                                   .end = end,
                                   .last = find_last(oracle, start, end),
                                   .made = clock_of(oracle),
                                   .entered = {.unit = &oracle->unit}};
    oracle->traces[oracle->trace_count++] = trace;
    const size_t number = first_behind(oracle, start);
    memmove(oracle->live + number + 1, oracle->live + number,
            (oracle->live_count - number) * sizeof oracle->live[0]);
    oracle->live[number] = trace;
    oracle->live_count++;
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    struct oracle *oracle = of(unit);
    struct watch_request request = {.events = 0};
    struct executed executed;

    origins_executed(oracle->origins, &oracle->asked, instruction->pc, instruction->bytes,
                     &executed);
    if (!executed.known) {
        return request;
    }
    struct oracle_trace *trace = trace_at(oracle, instruction->pc);
    if (executed.count > 0) {
        request.events |= WATCH_TOTAL;
        request.total = &oracle->executed[trace != NULL][executed.count];
        oracle->most_at_once =
            executed.count > oracle->most_at_once ? executed.count : oracle->most_at_once;
    }
    if (trace != NULL && instruction->pc == trace->start) {
        request.events |= WATCH_COUNTED;
        request.cell = &trace->entered;
    }
    const struct site *site = oracle_site(oracle, instruction, &executed, trace);
    if (site != NULL) {
        request.events |=
            (instruction->flags & WATCHED_CONDITIONAL) != 0 ? WATCH_BRANCH : WATCH_BEFORE;
        request.own = (void *)(uintptr_t)site;
    }
    return request;
}

static struct oracle_walk *walk_of(struct oracle *oracle, const struct hart *hart)
{
    if (oracle->last_walk < oracle->walk_count &&
        oracle->walks[oracle->last_walk].hart == hart) {
        return &oracle->walks[oracle->last_walk];
    }
    unsigned number = 0;
    while (number < oracle->walk_count && oracle->walks[number].hart != hart) {
        number++;
    }
    if (number == oracle->walk_count) {
        oracle->walks = realloc(oracle->walks, ++oracle->walk_count * sizeof *oracle->walks);
        ASSERT(oracle->walks != NULL);
        memset(&oracle->walks[number], 0, sizeof *oracle->walks);
        oracle->walks[number].hart = hart;
    }
    oracle->last_walk = number;
    return &oracle->walks[number];
}

void oracle_forget(struct oracle *oracle, const struct hart *hart)
{
    for (unsigned i = 0; i < oracle->walk_count; i++) {
        if (oracle->walks[i].hart == hart) {
            oracle->dropped += oracle->walks[i].on.under_way;
            oracle->walks[i] = oracle->walks[--oracle->walk_count];
            return;
        }
    }
}

/* An execution of the path has ended, which was in traces or was not. */
static void judge(struct prediction *prediction, const struct judged_path *path,
                  const struct oracle_walk *walk, bool inside)
{
    if (inside && !prediction->is_there) {
        prediction->is_there = true;
        prediction->before = path->known.executions - 1;
        prediction->made = walk->made;
    }
    prediction->outside += prediction->is_there && !inside;
}

static void end_path(struct oracle *oracle, const struct oracle_walk *walk)
{
    struct judged_path *path =
        (struct judged_path *)(void *)path_table_count(&oracle->paths, &walk->on.path);
    const bool inside = !walk->outside && walk->passages > 0;

    if (path->known.executions == 1) {
        path->seen = clock_of(oracle);
    }
    judge(&path->by[ORACLE_BY_TRACES], path, walk, inside);
    judge(&path->by[ORACLE_BY_ONE_TRACE], path, walk, inside && walk->passages == 1);
}

/* A branch of the path under way is executed by the code of `site`. */
static void note_site(struct oracle_walk *walk, const struct site *site)
{
    const struct oracle_trace *trace = site->trace;

    if (trace == NULL) {
        walk->outside = true;
    } else if (trace != walk->trace || site->item.pc < walk->at) {
        walk->passages++;
        walk->made = trace->made > walk->made ? trace->made : walk->made;
    }
    walk->trace = trace;
    walk->at = site->item.pc;
}

static void begin_path(struct oracle_walk *walk, uint64_t head)
{
    path_walk_begin(&walk->on, head);
    walk->trace = NULL;
    walk->made = 0;
    walk->passages = 0;
    walk->outside = false;
}

/* Where the program goes by the branch; false if that cannot be known. */
static bool find_way(const struct oracle *oracle, const struct site_branch *branch,
                     const struct watch_event *event, struct watch_event *way)
{
    switch ((enum leads)branch->leads) {
    case LEADS_THERE:
        way->taken = branch->taken;
        way->address = branch->target;
        return true;
    case LEADS_BY_TEST:
        way->taken = event->taken != branch->turned;
        way->address = branch->target;
        return true;
    case LEADS_REGISTER:
        way->taken = true;
        way->address =
            (event->hart->x[branch->reg] + (uint64_t)(int64_t)branch->offset) & ~UINT64_C(1);
        return true;
    case LEADS_MEMORY:
        way->taken = true;
        way->address = event->hart->x[branch->reg] + (uint64_t)(int64_t)branch->kept;
        if (!memory_read(oracle->origins->memory, &way->address, way->address,
                         sizeof way->address)) {
            break;
        }
        way->address = (way->address + (uint64_t)(int64_t)branch->offset) & ~UINT64_C(1);
        return true;
    }
    return false;
}

static void follow(struct oracle *oracle, struct oracle_walk *walk, const struct site *site,
                   const struct watch_event *way)
{
    if (walk->on.under_way) {
        note_site(walk, site);
    }
    const enum path_step step = path_walk_on(&walk->on, way, PATH_BLOCKS, true);
    oracle->dropped += step == PATH_DROPPED;
    oracle->cut += step == PATH_CUT;
    if (step == PATH_ENDS || step == PATH_CUT) {
        end_path(oracle, walk);
    }
    if (path_walk_begins(way)) {
        begin_path(walk, blocks_next(way));
    }
}

/* Callbacks are no part of what the program executes. */
static void on_site(struct unit *unit, const struct watch_event *event)
{
    struct oracle *oracle = of(unit);
    const struct site *site = event->own;

    if (event->hart->in_callback) {
        return;
    }
    struct oracle_walk *walk = walk_of(oracle, event->hart);
    for (unsigned i = 0; i < site->count; i++) {
        const struct site_branch *branch = &site->branches[i];
        struct watch_event way = {.instruction = &branch->instruction, .hart = event->hart};
        if (find_way(oracle, branch, event, &way)) {
            follow(oracle, walk, site, &way);
        } else {
            oracle->unknown++;
            oracle->dropped += walk->on.under_way;
            walk->on.under_way = false;
        }
    }
    if (site->last) {
        site->trace->completed++;
    }
}

static void destroy(struct unit *unit)
{
    struct oracle *oracle = of(unit);

    for (size_t i = 0; i < oracle->trace_count; i++) {
        free(oracle->traces[i]);
    }
    free(oracle->traces);
    free(oracle->live);
    free(oracle->walks);
    pc_table_destroy(&oracle->sites);
    path_table_destroy(&oracle->paths);
    free(oracle);
}

static const struct unit_kind kind = {.name = "oracle",
                                      .watches = watches,
                                      .branch = on_site,
                                      .before = on_site,
                                      .destroy = destroy};

struct oracle *oracle_create(struct unit_host host, const struct origins *origins)
{
    struct oracle *oracle = calloc(1, sizeof *oracle);

    if (oracle == NULL) {
        return NULL;
    }
    oracle->unit = (struct unit){.kind = &kind, .host = host};
    oracle->origins = origins;
    if (!pc_table_create(&oracle->sites) ||
        !path_table_create(&oracle->paths, sizeof(struct judged_path))) {
        destroy(&oracle->unit);
        return NULL;
    }
    return oracle;
}

struct unit *oracle_unit(struct oracle *oracle)
{
    return &oracle->unit;
}
