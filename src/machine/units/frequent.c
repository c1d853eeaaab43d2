/* The heads of loops that are executed most, in few entries, of all taken backward branches.
 *
 * A counter is made once, by code that goes away, so a loop whose counter a full table gives up is never counted again.
 * This unit needs no such code: each taken backward branch that retires counts its target, and the table is one of
 * frequent_table.h, whose counts are never wrong by more than the branches divided by the entries.  A find is a head that
 * has been counted `threshold` times for sure, by what is known without the possible error.
 *
 * Exact counts of all heads stand beside it, for statistics and to assert that bound at each branch. */
#include "machine/state/statistics.h"
#include "machine/units/blocks.h"
#include "machine/units/frequent_table.h"
#include "machine/units/keyed.h"

#include "base/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ADDRESS_BITS 64
#define COUNT_BITS 64

/* As of units.counters. */
static const uint64_t thresholds[] = {4, 10, 100, 1000, 10000, 100000};
#define THRESHOLDS (sizeof thresholds / sizeof thresholds[0])

/* What was really counted.  The key is the head. */
struct exact {
    struct keyed keyed;
    uint64_t executions;
    uint64_t sure; /* the most that its entry ever knew for sure */
    bool lost;     /* its entry was given up */
};

struct frequent {
    struct finds finds; /* come first */
    struct frequent_table table;
    uint64_t threshold;
    uint64_t replaced; /* entries that were given up */
    struct keyed_set exact;
};

static struct frequent *of(const struct unit *unit)
{
    return (struct frequent *)(uintptr_t)unit;
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    const bool included = watch_orders_include(unit->host.orders, instruction->pc);

    return (struct watch_request){.events =
                                      included && blocks_watched(instruction) ? WATCH_BRANCH : 0u};
}

static struct exact *exact_of(struct frequent *own, uint64_t head)
{
    struct keyed *known = keyed_find(&own->exact, head);

    return known != NULL ? (struct exact *)(void *)known
                         : keyed_add(&own->exact, head, sizeof(struct exact));
}

/* error <= N / m, without a fraction. */
static bool error_is_bounded(const struct frequent_table *table, const struct frequent_entry *entry)
{
    return entry->error <= table->counted / table->size;
}

static void assert_bounds(const struct frequent *own, const struct frequent_entry *entry,
                          const struct exact *exact)
{
    ASSERT(entry->count - entry->error <= exact->executions);
    ASSERT(exact->executions <= entry->count);
    ASSERT(error_is_bounded(&own->table, entry));
}

static void count(struct frequent *own, const struct watch_event *event, uint64_t head)
{
    struct exact *exact = exact_of(own, head);
    const bool crowded = own->table.used == own->table.size;
    const bool enters = frequent_find(&own->table, head) == NULL;
    if (enters && crowded) {
        own->replaced++;
        exact_of(own, own->table.entries[own->table.order[0]].key)->lost = true;
    }
    const struct frequent_entry *entry = frequent_count(&own->table, head);
    const uint64_t sure = entry->count - entry->error;

    exact->executions++;
    exact->sure = sure > exact->sure ? sure : exact->sure;
    assert_bounds(own, entry, exact);
    if (finds_is_due(&own->finds, head, sure, own->threshold)) {
        finds_add(&own->finds, event, &(struct find){.count = 1, .blocks = {head}});
    }
}

static void on_branch(struct unit *unit, const struct watch_event *event)
{
    struct frequent *own = of(unit);
    const uint64_t next = blocks_next(event);

    if (!blocks_counts(event) || !watch_orders_include(unit->host.orders, next)) {
        return;
    }
    if (blocks_flow(event) == FLOW_BACK && finds_wants(&own->finds, next)) {
        count(own, event, next);
    }
    finds_arrive(&own->finds, event, next);
}

/* How many heads were executed so often, and of how many of them the table never knew it for sure, because it gave them up:
 * what units.counters calls premature evictions. */
static void report_thresholds(const struct frequent *own, struct statistics *statistics)
{
    statistics->begin_list(statistics, "thresholds");
    for (size_t i = 0; i < THRESHOLDS; i++) {
        uint64_t reached = 0, premature = 0;
        for (const struct keyed *at = own->exact.first; at != NULL; at = at->next) {
            const struct exact *exact = (const struct exact *)(const void *)at;
            reached += exact->executions >= thresholds[i];
            premature += exact->executions >= thresholds[i] && exact->sure < thresholds[i];
        }
        statistics->begin(statistics, NULL);
        statistics->number(statistics, "threshold", thresholds[i]);
        statistics->number(statistics, "reached", reached);
        statistics->number(statistics, "premature_evictions", premature);
        statistics->ratio(statistics, "premature_share",
                          reached == 0 ? 0.0 : (double)premature / (double)reached);
        statistics->end(statistics);
    }
    statistics->end(statistics);
}

static void report_entries(const struct frequent *own, struct statistics *statistics)
{
    char head[24];

    statistics->begin_list(statistics, "heads");
    for (uint32_t i = 0; i < own->table.used; i++) {
        const struct frequent_entry *entry = &own->table.entries[i];
        const struct keyed *exact = keyed_find(&own->exact, entry->key);
        snprintf(head, sizeof head, "0x%" PRIx64, entry->key);
        statistics->begin(statistics, NULL);
        statistics->text(statistics, "head", head);
        statistics->number(statistics, "count", entry->count);
        statistics->number(statistics, "error", entry->error);
        statistics->number(statistics, "executions",
                           ((const struct exact *)(const void *)exact)->executions);
        statistics->end(statistics);
    }
    statistics->end(statistics);
}

/* The bound of all entries once more, and of what has none, which is looked at only here. */
static uint64_t assert_all(const struct frequent *own)
{
    uint64_t largest = 0;

    for (const struct keyed *at = own->exact.first; at != NULL; at = at->next) {
        const struct exact *exact = (const struct exact *)(const void *)at;
        const struct frequent_entry *entry = frequent_find(&own->table, at->key);
        if (entry != NULL) {
            assert_bounds(own, entry, exact);
            largest = entry->error > largest ? entry->error : largest;
        } else {
            ASSERT(exact->executions <= frequent_least(&own->table));
        }
    }
    return largest;
}

static void report(const struct unit *unit, struct statistics *statistics)
{
    const struct frequent *own = of(unit);
    const uint64_t largest = assert_all(own);

    statistics->number(statistics, "entries", own->table.size);
    statistics->number(statistics, "branches", own->table.counted);
    statistics->number(statistics, "addresses", own->exact.count);
    statistics->number(statistics, "replaced", own->replaced);
    statistics->number(statistics, "least", frequent_least(&own->table));
    statistics->number(statistics, "largest_error", largest);
    statistics->number(statistics, "error_bound", own->table.counted / own->table.size);
    report_thresholds(own, statistics);
    report_entries(own, statistics);
    finds_report(&own->finds, statistics);
}

/* Tags are compared all at once, and counts, for the least one; one entry counts at a time, and the sum of threshold and error
 * that its count is compared with was made when it was. */
static struct unit_cost cost(const struct unit *unit)
{
    const uint64_t entries = of(unit)->table.size;

    return (struct unit_cost){.storage_bits =
                                  entries * (ADDRESS_BITS + 2 * COUNT_BITS) + finds_storage_bits(1),
                              .comparators = entries + (entries - 1) + 1 + finds_comparators(),
                              .adders = 2};
}

static void on_orders(struct unit *unit)
{
    finds_ordered(&of(unit)->finds);
}

static void destroy(struct unit *unit)
{
    struct frequent *own = of(unit);

    finds_release(&own->finds);
    frequent_destroy(&own->table);
    keyed_destroy(&own->exact);
    free(own);
}

/* In the order of the table. */
enum { VALUE_ENTRIES, VALUE_THRESHOLD };

static struct unit *create(const uint64_t *values)
{
    struct frequent *own = calloc(1, sizeof *own);

    if (own == NULL) {
        return NULL;
    }
    const bool has_table = frequent_create(&own->table, (uint32_t)values[VALUE_ENTRIES]);
    if (!keyed_create(&own->exact) || !has_table) {
        destroy(&own->finds.unit);
        return NULL;
    }
    finds_start(&own->finds);
    own->threshold = values[VALUE_THRESHOLD];
    return &own->finds.unit;
}

_Static_assert(FREQUENT_ENTRIES_MAX == 65536, "the table below has the number");
static const struct unit_parameter parameters[] = {
    {"entries", 64, 1, 65536, "of the table"},
    {"threshold", 100, 1, 4294967295, "executions, for sure, that make a head a find"},
    {.name = NULL}};

const struct unit_kind frequent_unit = {
    .version = UNIT_VERSION,
    .name = "frequent",
    .meaning = "the most executed targets of backward branches, with a bound on the error",
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
