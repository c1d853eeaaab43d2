/* The frames of rePLay: branches that always go the same way become assertions, and the code between others one piece.
 *
 * Two tables say which branches are promoted (frames_bias.h); a frame is put together from what retires, and runs when
 * control comes to its head again (frames_walk.h).  Each new frame is a find, whether it was found before or not.  All
 * contexts share the tables and the cache of frames; each puts together frames of its own.  Frames of code that was
 * changed stay, as nobody tells the unit: their assertions fire. */
#include "machine/state/statistics.h"
#include "machine/units/bits.h"
#include "machine/units/frames_bias.h"
#include "machine/units/frames_walk.h"
#include "machine/units/straight_code.h"

#include <stdlib.h>

struct frames {
    struct finds finds; /* come first */
    struct frames_bias branches, targets;
    struct frames_shared shared;
    struct straight_code code;
    unsigned history_bits;
    struct frames_walk walks[CONTEXTS_MAX];
    unsigned contexts;     /* that have executed branches */
    uint64_t instructions; /* of those that are looked at, and from the first branch on */
};

/* In the order of the table. */
enum {
    VALUE_BIAS_SETS,
    VALUE_BIAS_WAYS,
    VALUE_TARGET_SETS,
    VALUE_TARGET_WAYS,
    VALUE_PROMOTE,
    VALUE_HISTORY,
    VALUE_FRAME_SETS,
    VALUE_FRAME_WAYS,
    VALUE_SHORTEST,
    VALUE_LONGEST,
    VALUE_STEPS,
    VALUE_ASSERTED,
    VALUE_FIRES,
    VALUE_COMPLETED,
    VALUE_NEAR
};

static struct frames *of(const struct unit *unit)
{
    return (struct frames *)(uintptr_t)unit;
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    if (!watch_orders_include(unit->host.orders, instruction->pc)) {
        return (struct watch_request){.events = 0};
    }
    straight_code_note(&of(unit)->code, instruction);
    return (struct watch_request){.events = blocks_watched(instruction) ? WATCH_BRANCH : 0u};
}

/* That of the context; what it has of another hart is broken off, as by a switch of threads. */
static struct frames_walk *walk_of(struct frames *own, const struct watch_event *event)
{
    struct frames_walk *walk = &own->walks[event->context];

    own->contexts = event->context < own->contexts ? own->contexts : event->context + 1;
    if (walk->hart != event->hart) {
        frames_walk_break(walk, &own->shared);
        walk->hart = event->hart;
    }
    return walk;
}

/* Tells the tables.  True if the branch holds what a frame asserts of it: direct jumps always do. */
static bool holds(struct frames *own, struct frames_walk *walk, const struct watch_event *event)
{
    const unsigned flags = event->instruction->flags;
    const uint64_t place = event->instruction->pc / 2;

    if ((flags & WATCHED_INDIRECT) != 0) {
        return frames_bias_branch(&own->targets, place, event->address);
    }
    if ((flags & WATCHED_CONDITIONAL) == 0) {
        return true;
    }
    const uint64_t before = walk->history & ((UINT64_C(1) << own->history_bits) - 1);
    walk->history = walk->history << 1 | event->taken;
    return frames_bias_branch(&own->branches, place << own->history_bits | before, event->taken);
}

static void on_branch(struct unit *unit, const struct watch_event *event)
{
    struct frames *own = of(unit);
    const uint64_t next = blocks_next(event);

    if (!blocks_counts(event)) {
        return;
    }
    struct frames_walk *walk = walk_of(own, event);
    const bool held = holds(own, walk, event);
    const uint64_t instructions =
        walk->at != FRAME_ANYWHERE
            ? straight_code_count(&own->code, walk->at, event->instruction->pc)
            : 0;
    if (instructions == 0) {
        frames_walk_break(walk, &own->shared);
    }
    own->instructions += instructions;
    if (!watch_orders_include(unit->host.orders, next)) {
        frames_walk_break(walk, &own->shared);
        return;
    }
    frames_walk_step(walk, &own->shared, event, instructions, held);
    finds_arrive(&own->finds, event, next);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole != 0 ? (double)part / (double)whole : 0;
}

static void report_branches(const struct frames *own, struct statistics *statistics)
{
    const struct frames_bias_counts *branches = &own->branches.counts;
    const struct frames_bias_counts *targets = &own->targets.counts;

    statistics->number(statistics, "branches_promoted", branches->promoted);
    statistics->number(statistics, "branches_demoted", branches->demoted);
    statistics->number(statistics, "branches_lost", branches->lost);
    statistics->number(statistics, "targets_promoted", targets->promoted);
    statistics->number(statistics, "targets_demoted", targets->demoted);
    statistics->number(statistics, "targets_lost", targets->lost);
}

static void report(const struct unit *unit, struct statistics *statistics)
{
    const struct frames *own = of(unit);
    const struct frames_counts *counts = &own->shared.counts;

    report_branches(own, statistics);
    statistics->number(statistics, "built", counts->built);
    statistics->number(statistics, "built_instructions", counts->built_instructions);
    statistics->number(statistics, "built_assertions", counts->built_assertions);
    statistics->number(statistics, "dropped", counts->dropped);
    statistics->number(statistics, "broken", counts->broken);
    statistics->number(statistics, "completed", counts->completed);
    statistics->number(statistics, "fired", counts->fired);
    statistics->number(statistics, "evicted", counts->evicted);
    statistics->number(statistics, "replaced", own->shared.cache.replaced);
    statistics->number(statistics, "instructions", own->instructions);
    statistics->number(statistics, "covered", counts->covered);
    statistics->number(statistics, "undone", counts->undone);
    statistics->ratio(statistics, "coverage", share(counts->covered, own->instructions));
    statistics->ratio(statistics, "completion",
                      share(counts->completed, counts->completed + counts->fired));
    finds_report(&own->finds, statistics);
}

static void add_cost(struct unit_cost *sum, const struct unit_cost *cost, uint64_t times)
{
    sum->storage_bits += times * cost->storage_bits;
    sum->comparators += times * cost->comparators;
    sum->adders += times * cost->adders;
}

/* The tables and the frames, once; what each context has, with its history, for as many as have executed branches. */
static struct unit_cost cost(const struct unit *unit)
{
    const struct frames *own = of(unit);
    const struct frames_sizes *sizes = &own->shared.sizes;
    const struct frames_cache *cache = &own->shared.cache;
    const struct unit_cost parts[] = {
        frames_bias_cost(&own->branches), frames_bias_cost(&own->targets),
        frames_cache_cost(cache, sizes->steps, sizes->fires, sizes->completed)};
    struct unit_cost walk = frames_walk_cost(sizes, cache->sets * cache->ways);
    struct unit_cost sum = {.storage_bits = finds_storage_bits(FIND_BLOCKS),
                            .comparators = finds_comparators()};

    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        add_cost(&sum, &parts[i], 1);
    }
    walk.storage_bits += own->history_bits;
    add_cost(&sum, &walk, own->contexts != 0 ? own->contexts : 1);
    return sum;
}

static void on_orders(struct unit *unit)
{
    struct frames *own = of(unit);

    if (finds_ordered(&own->finds)) {
        for (unsigned i = 0; i < CONTEXTS_MAX; i++) {
            frames_walk_break(&own->walks[i], &own->shared);
        }
    }
}

static void destroy(struct unit *unit)
{
    struct frames *own = of(unit);

    finds_release(&own->finds);
    frames_bias_destroy(&own->branches);
    frames_bias_destroy(&own->targets);
    frames_cache_destroy(&own->shared.cache);
    straight_code_destroy(&own->code);
    free(own);
}

static bool create_parts(struct frames *own, const uint64_t *values)
{
    const struct frames_bias_sizes branches = {.sets = values[VALUE_BIAS_SETS],
                                               .ways = values[VALUE_BIAS_WAYS],
                                               .promote = values[VALUE_PROMOTE],
                                               .history_bits = (unsigned)values[VALUE_HISTORY],
                                               .way_bits = 1};
    const struct frames_bias_sizes targets = {.sets = values[VALUE_TARGET_SETS],
                                              .ways = values[VALUE_TARGET_WAYS],
                                              .promote = values[VALUE_PROMOTE],
                                              .way_bits = ADDRESS_BITS};

    return frames_bias_create(&own->branches, &branches) &&
           frames_bias_create(&own->targets, &targets) &&
           frames_cache_create(&own->shared.cache, values[VALUE_FRAME_SETS],
                               values[VALUE_FRAME_WAYS]) &&
           straight_code_create(&own->code);
}

static struct unit *create(const uint64_t *values)
{
    struct frames *own = calloc(1, sizeof *own);

    if (own == NULL) {
        return NULL;
    }
    finds_start(&own->finds);
    if (!create_parts(own, values)) {
        destroy(&own->finds.unit);
        return NULL;
    }
    own->history_bits = (unsigned)values[VALUE_HISTORY];
    own->shared.finds = &own->finds;
    own->shared.sizes = (struct frames_sizes){.shortest = values[VALUE_SHORTEST],
                                              .longest = values[VALUE_LONGEST],
                                              .steps = (unsigned)values[VALUE_STEPS],
                                              .asserted = (unsigned)values[VALUE_ASSERTED],
                                              .fires = values[VALUE_FIRES],
                                              .completed = values[VALUE_COMPLETED],
                                              .near = values[VALUE_NEAR]};
    for (unsigned i = 0; i < CONTEXTS_MAX; i++) {
        own->walks[i].at = FRAME_ANYWHERE;
    }
    return &own->finds.unit;
}

_Static_assert(FRAME_STEPS == 64, "the table below has the number");
static const struct unit_parameter parameters[] = {
    {"bias_sets", 1024, 1, 65536, "of the bias table of conditional branches"},
    {"bias_ways", 4, 1, 64, "of each set"},
    {"target_sets", 128, 1, 65536, "of the bias table of indirect jumps"},
    {"target_ways", 4, 1, 64, "of each set"},
    {"promote", 32, 1, 65535, "equal ways in a row that promote a branch (recalled)"},
    {"history", 0, 0, 16, "branches before, whose ways tell executions of a branch apart"},
    {"frame_sets", 64, 1, 1024, "of the frame cache (recalled: 256 frames)"},
    {"frame_ways", 4, 1, 64, "of each set"},
    {"shortest", 8, 1, 4096, "instructions of a frame, at least (recalled)"},
    {"longest", 256, 1, 4096, "instructions of a frame, at the most (recalled)"},
    {"steps", 64, 1, 64, "branches and jumps of a frame, at the most"},
    {"asserted", 1, 0, 64, "promoted branches of a frame, at least"},
    {"fires", 1, 1, 65535, "assertions that fire in a row and evict their frame"},
    {"completed", 0, 0, 65535, "times that make a frame a find; 0: it is one when it is built"},
    {"near", 64, 0, 65535,
     "branches behind an address that the program names, where frames begin, too"},
    {.name = NULL}};

const struct unit_kind frames_unit = {
    .version = UNIT_VERSION,
    .name = "frames",
    .meaning =
        "rePLay: frames of branches that always go the same way, and how often they complete",
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
