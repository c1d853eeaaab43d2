/* The loops of a run that were counted, whoever counted them, as a person reads them. */
#include "report/hotspots.h"

#include "base/check.h"
#include "machine/units/counter_table.h"
#include "report/places.h"
#include "report/translator_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SUMMARY_LOOPS 12
#define SOURCE_COLUMNS 22
#define NAME_COLUMNS 68

/* The machine goes on counting what its table has evicted, for statistics: these counts are complete. */
static struct hotspots take_from_machine(const struct process *process)
{
    const struct counter_table *table = process->machine.counters;
    const struct counter_totals totals = counter_table_totals(table);
    struct counter_summary *summaries = counter_table_summaries(table);
    struct hotspots hotspots = {.created = totals.created,
                                .evicted = totals.evicted,
                                .dropped = totals.dropped,
                                .callbacks = totals.callbacks,
                                .executions = totals.executions,
                                .count = totals.addresses};
    hotspots.loops = calloc(hotspots.count + 1, sizeof *hotspots.loops);
    ASSERT(hotspots.loops != NULL);
    for (size_t i = 0; i < hotspots.count; i++) {
        hotspots.loops[i] = (struct hotspot){.head = summaries[i].tag,
                                             .executions = summaries[i].executions,
                                             .callback_taken = summaries[i].callback_taken,
                                             .evicted = summaries[i].evicted,
                                             .complete = true};
    }
    free(summaries);
    return hotspots;
}

struct hotspots hotspots_take(const struct process *process, const struct translator_report *report)
{
    if (report == NULL) {
        return take_from_machine(process);
    }
    struct hotspots hotspots = translator_report_hotspots(report);
    hotspots.dropped = counter_table_totals(process->machine.counters).dropped;
    return hotspots;
}

void hotspots_free(struct hotspots *hotspots)
{
    free(hotspots->loops);
}

/* Unknown where a count is not complete: then the whole is not known either. */
static bool share_known(const struct hotspots *hotspots)
{
    return hotspots->incomplete == 0 && hotspots->executions > 0;
}

static double share_of(const struct hotspots *hotspots, const struct hotspot *loop)
{
    return (double)loop->executions / (double)hotspots->executions;
}

static void report_loop(const struct hotspots *hotspots, const struct hotspot *loop,
                        struct places *places, struct statistics *s)
{
    s->begin(s, NULL);
    places_report_address(s, "head", loop->head);
    places_report(places, s, loop->head);
    s->number(s, "executions", loop->executions);
    s->truth(s, "complete", loop->complete);
    if (share_known(hotspots)) {
        s->ratio(s, "share", share_of(hotspots, loop));
    } else {
        s->nothing(s, "share");
    }
    s->truth(s, "callback_taken", loop->callback_taken);
    s->truth(s, "evicted", loop->evicted);
    s->end(s);
}

void hotspots_report(const struct hotspots *hotspots, struct process *process, struct statistics *s)
{
    struct places *places = places_open(process);
    s->begin(s, "hotspots");
    s->number(s, "counters_created", hotspots->created);
    s->number(s, "evicted", hotspots->evicted);
    s->number(s, "dropped", hotspots->dropped);
    s->number(s, "callbacks", hotspots->callbacks);
    s->number(s, "incomplete", hotspots->incomplete);
    s->begin_list(s, "loops");
    for (size_t i = 0; i < hotspots->count; i++) {
        report_loop(hotspots, &hotspots->loops[i], places, s);
    }
    s->end(s);
    s->end(s);
    places_close(places);
}

static void print_loop(const struct hotspots *hotspots, const struct hotspot *loop,
                       struct places *places)
{
    struct place place;
    char name[COLUMN_BYTES(NAME_COLUMNS)], source[COLUMN_BYTES(SOURCE_COLUMNS)];
    char executions[32], share[16] = "-";
    places_find(places, loop->head, &place);
    places_name(&place, name, NAME_COLUMNS);
    places_source(&place, source, SOURCE_COLUMNS);
    snprintf(executions, sizeof executions, "%s%" PRIu64,
             loop->complete ? "" : ">= ", loop->executions);
    if (share_known(hotspots)) {
        snprintf(share, sizeof share, "%.1f%%", 100 * share_of(hotspots, loop));
    }
    fprintf(stderr, "%15s %6s  0x%-12" PRIx64 " %-*s %s%s\n", executions, share, loop->head,
            SOURCE_COLUMNS, source, name, loop->evicted ? "  (evicted)" : "");
}

/* What is wrong with the counts, and how to have them whole. */
static void print_incomplete(const struct hotspots *hotspots, const struct process *process)
{
    if (hotspots->incomplete == 0) {
        return;
    }
    fprintf(stderr, "  incomplete     %15zu   of %zu loops (>=): ", hotspots->incomplete,
            hotspots->count);
    if (hotspots->evicted > 0) {
        fprintf(stderr, "a table of %" PRIu64 " evicts; --counter-entries unlimited keeps all\n",
                process->machine.options.counter_entries);
    } else {
        fprintf(stderr, "software gave up counting them; --counters sw-exact counts on\n");
    }
}

void hotspots_print_counters(const struct hotspots *hotspots, const struct process *process)
{
    fprintf(stderr, "  counters       %15" PRIu64 "   evicted %" PRIu64 ", callbacks %" PRIu64 "\n",
            hotspots->created, hotspots->evicted, hotspots->callbacks);
    print_incomplete(hotspots, process);
}

void hotspots_print(const struct hotspots *hotspots, struct process *process)
{
    if (hotspots->count == 0) {
        return;
    }
    struct places *places = places_open(process);
    fprintf(stderr, "\n%15s %6s  %-14s %-*s %s\n", "executions", "share", "head", SOURCE_COLUMNS,
            "source", "function");
    for (size_t i = 0; i < hotspots->count && i < SUMMARY_LOOPS; i++) {
        print_loop(hotspots, &hotspots->loops[i], places);
    }
    if (hotspots->count > SUMMARY_LOOPS) {
        fprintf(stderr, "%15s and %zu more (--stats FILE lists all)\n", "...",
                hotspots->count - SUMMARY_LOOPS);
    }
    places_close(places);
}
