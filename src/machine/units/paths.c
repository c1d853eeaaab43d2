/* An exact profile of acyclic paths: how often the program takes which way from one backward branch to the next.
 *
 * It is what hardware that finds hot spots is measured against, and finds them itself: its table has room for all paths,
 * so it cannot be built, and its cost is what it has used at the end.
 *
 * What a path is, path_table.h says.  Each hart has a path of its own under way, whichever context it runs on: so threads
 * do not mix.  What a handler of a signal executes is on the path that the signal interrupts, unless it can be seen that
 * control came there without a branch. */
#include "machine/state/hart.h"
#include "machine/state/statistics.h"
#include "machine/units/path_table.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

#define ADDRESS_BITS 64
#define COUNT_BITS 64

/* The path of one hart. */
struct walk {
    const struct hart *hart;
    struct path_walk on;
};

struct paths {
    struct finds finds; /* come first */
    uint64_t threshold, blocks;
    struct walk *walks;
    unsigned walk_count, last_walk;
    struct path_table known;
    uint64_t cut; /* executions that ended because a path may not have more blocks */
    uint64_t
        dropped; /* paths under way that were left other than by a branch, or to where nothing is looked at */
};

static struct paths *of(const struct unit *unit)
{
    return (struct paths *)(uintptr_t)unit;
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    const bool included = watch_orders_include(unit->host.orders, instruction->pc);

    return (struct watch_request){.events =
                                      included && blocks_watched(instruction) ? WATCH_BRANCH : 0u};
}

static struct walk *walk_of(struct paths *own, const struct hart *hart)
{
    if (own->last_walk < own->walk_count && own->walks[own->last_walk].hart == hart) {
        return &own->walks[own->last_walk];
    }
    unsigned number = 0;
    while (number < own->walk_count && own->walks[number].hart != hart) {
        number++;
    }
    if (number == own->walk_count) {
        own->walks = realloc(own->walks, ++own->walk_count * sizeof *own->walks);
        ASSERT(own->walks != NULL);
        memset(&own->walks[number], 0, sizeof *own->walks);
        own->walks[number].hart = hart;
    }
    own->last_walk = number;
    return &own->walks[number];
}

/* The path under way has been executed. */
static void end_path(struct paths *own, struct walk *walk, const struct watch_event *event)
{
    const uint64_t executions = path_table_count(&own->known, &walk->on.path)->executions;

    if (finds_is_due(&own->finds, walk->on.path.blocks[0], executions, own->threshold)) {
        finds_add(&own->finds, event, &walk->on.path);
    }
}

static void on_branch(struct unit *unit, const struct watch_event *event)
{
    struct paths *own = of(unit);
    if (!blocks_counts(event)) {
        return;
    }
    struct walk *walk = walk_of(own, event->hart);
    const uint64_t next = blocks_next(event);
    const bool included = watch_orders_include(unit->host.orders, next);
    const enum path_step step = path_walk_on(&walk->on, event, (unsigned)own->blocks, included);

    own->dropped += step == PATH_DROPPED;
    own->cut += step == PATH_CUT;
    if (step == PATH_ENDS || step == PATH_CUT) {
        end_path(own, walk, event);
    }
    if (!included) {
        return;
    }
    if (path_walk_begins(event)) {
        path_walk_begin(&walk->on, next);
        walk->on.under_way = finds_wants(&own->finds, next);
    }
    finds_arrive(&own->finds, event, next);
}

static void add_bits(struct pc_item *item, void *context)
{
    const struct known_path *known = (const struct known_path *)(const void *)item;

    *(uint64_t *)context += (known->count + UINT64_C(1)) * ADDRESS_BITS + COUNT_BITS;
}

static void report_path(const struct known_path *known, struct statistics *statistics)
{
    statistics->begin(statistics, NULL);
    finds_report_path(statistics, known->blocks, known->count, known->next);
    statistics->number(statistics, "executions", known->executions);
    statistics->end(statistics);
}

static void report(const struct unit *unit, struct statistics *statistics)
{
    const struct paths *own = of(unit);
    const struct hot_paths hot = path_table_hot(&own->known);

    statistics->number(statistics, "paths", own->known.known.count);
    statistics->number(statistics, "executions", own->known.executions);
    statistics->number(statistics, "cut", own->cut);
    statistics->number(statistics, "dropped", own->dropped);
    statistics->number(statistics, "hot_paths", hot.count);
    statistics->number(statistics, "hot_executions", hot.executions);
    statistics->begin_list(statistics, "hot");
    for (size_t i = 0; i < hot.count; i++) {
        report_path(hot.paths[i], statistics);
    }
    statistics->end(statistics);
    free(hot.paths);
    finds_report(&own->finds, statistics);
}

/* Each path with its blocks, where it leads and its count; of each hart the path under way, and where control is.
 * All paths are compared at once with the one that ends, and one count is counted up. */
static struct unit_cost cost(const struct unit *unit)
{
    const struct paths *own = of(unit);
    const uint64_t walk_bits = (own->blocks + 1) * ADDRESS_BITS + 1;
    uint64_t bits = own->walk_count * walk_bits + finds_storage_bits((unsigned)own->blocks);

    pc_table_each(&own->known.known, add_bits, &bits);
    return (struct unit_cost){.storage_bits = bits,
                              .comparators = own->known.known.count + finds_comparators(),
                              .adders = 1};
}

static void on_orders(struct unit *unit)
{
    struct paths *own = of(unit);

    if (finds_ordered(&own->finds)) {
        for (unsigned i = 0; i < own->walk_count; i++) {
            own->dropped += own->walks[i].on.under_way;
            own->walks[i].on.under_way = false;
        }
    }
}

static void destroy(struct unit *unit)
{
    struct paths *own = of(unit);

    finds_release(&own->finds);
    path_table_destroy(&own->known);
    free(own->walks);
    free(own);
}

static struct unit *create(const uint64_t *values)
{
    struct paths *own = calloc(1, sizeof *own);

    if (own == NULL || !path_table_create(&own->known, sizeof(struct known_path))) {
        free(own);
        return NULL;
    }
    finds_start(&own->finds);
    own->threshold = values[0];
    own->blocks = values[1];
    return &own->finds.unit;
}

_Static_assert(FIND_BLOCKS == 64 && PATH_BLOCKS == 48, "the table below has the numbers");
static const struct unit_parameter parameters[] = {
    {"threshold", 100, 1, 4294967295, "executions that make a path a find"},
    {"blocks", 48, 1, 64, "of a path, at the most"},
    {.name = NULL}};

const struct unit_kind paths_unit = {
    .version = UNIT_VERSION,
    .name = "paths",
    .meaning = "how often which path from one backward branch to the next is taken, exactly",
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
