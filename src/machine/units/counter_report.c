/* What the counter table tells at the end: of each loop, of the paper's thresholds, and what it would cost. */
#include "machine/units/counter_table_state.h"

#include "base/check.h"
#include "machine/state/statistics.h"

#include <stdlib.h>

/* The paper's thresholds, for which reports say how many counters reach them. */
static const uint64_t thresholds[] = {4, 10, 100, 1000, 10000, 100000};
#define THRESHOLDS (sizeof thresholds / sizeof thresholds[0])

static const struct loop *first_loop(const struct counter_table *table)
{
    return (const struct loop *)(const void *)table->loops.first;
}

static const struct loop *next_loop(const struct loop *loop)
{
    return (const struct loop *)(const void *)loop->keyed.next;
}

struct counter_totals counter_table_totals(const struct counter_table *table)
{
    struct counter_totals totals = table->totals;
    totals.addresses = table->loops.count;
    for (const struct keyed *at = table->tags.first; at != NULL; at = at->next) {
        totals.live += ((const struct monitored *)(const void *)at)->live;
    }
    for (const struct loop *loop = first_loop(table); loop != NULL; loop = next_loop(loop)) {
        totals.executions += executions_of(loop);
    }
    return totals;
}

static int by_executions(const void *a, const void *b)
{
    const struct counter_summary *left = a, *right = b;
    if (left->executions != right->executions) {
        return left->executions < right->executions ? 1 : -1;
    }
    return left->tag < right->tag ? -1 : left->tag > right->tag;
}

struct counter_summary *counter_table_summaries(const struct counter_table *table)
{
    struct counter_summary *summaries = calloc(table->loops.count + 1, sizeof *summaries);
    ASSERT(summaries != NULL);
    size_t count = 0;
    for (const struct loop *loop = first_loop(table); loop != NULL; loop = next_loop(loop)) {
        summaries[count++] = (struct counter_summary){.tag = loop->keyed.key,
                                                      .executions = executions_of(loop),
                                                      .callback_taken = loop->callback_taken,
                                                      .evicted = loop->evicted};
    }
    qsort(summaries, count, sizeof *summaries, by_executions);
    return summaries;
}

/* The largest count that the entries of this loop have had. */
static uint64_t best_of(const struct loop *loop)
{
    uint64_t best = loop->best;
    for (const struct monitored *at = loop->tags; at != NULL; at = at->next_of_loop) {
        if (at->live && known_of(at) > best) {
            best = known_of(at);
        }
    }
    return best;
}

static void report_thresholds(const struct counter_table *table, struct statistics *statistics)
{
    statistics->begin_list(statistics, "thresholds");
    for (size_t i = 0; i < THRESHOLDS; i++) {
        uint64_t reached = 0, premature = 0;
        for (const struct loop *loop = first_loop(table); loop != NULL; loop = next_loop(loop)) {
            if (executions_of(loop) >= thresholds[i]) {
                reached++;
                premature += loop->evicted && best_of(loop) < thresholds[i];
            }
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

void counter_table_report(const struct unit *unit, struct statistics *statistics)
{
    const struct counter_table *table = (const struct counter_table *)(const void *)unit;
    const struct counter_totals totals = counter_table_totals(table);
    if (table->size == COUNTER_UNLIMITED) {
        statistics->text(statistics, "entries", "unlimited");
    } else {
        statistics->number(statistics, "entries", table->size);
    }
    statistics->text(statistics, "replacement", table->replacement->name);
    statistics->number(statistics, "created", totals.created);
    statistics->number(statistics, "evicted", totals.evicted);
    statistics->number(statistics, "evictions_told", totals.told);
    statistics->number(statistics, "evictions_untold", totals.untold);
    statistics->number(statistics, "dropped", totals.dropped);
    statistics->number(statistics, "callbacks", totals.callbacks);
    statistics->number(statistics, "live", totals.live);
    statistics->number(statistics, "addresses", totals.addresses);
    report_thresholds(table, statistics);
    statistics->ratio(statistics, "mean_executions",
                      totals.addresses == 0 ? 0.0
                                            : (double)totals.executions / (double)totals.addresses);
    const struct unit_cost cost = counter_table_cost(table);
    statistics->number(statistics, "storage_bits", cost.storage_bits);
    statistics->number(statistics, "comparators", cost.comparators);
    statistics->number(statistics, "adders", cost.adders);
}
