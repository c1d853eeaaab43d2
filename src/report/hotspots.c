/* The loops of a run that were counted, whoever counted them, as a person reads them. */
#include "report/hotspots.h"

#include "base/check.h"
#include "base/say.h"
#include "machine/units/counter_table.h"
#include "report/places.h"
#include "report/translator_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SUMMARY_LOOPS 12

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
                                             .evicted = summaries[i].evicted};
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

static double share_of(const struct hotspots *hotspots, const struct hotspot *loop)
{
    return hotspots->executions == 0 ? 0.0
                                     : (double)loop->executions / (double)hotspots->executions;
}

static void report_loop(const struct hotspots *hotspots, const struct hotspot *loop,
                        struct places *places, struct statistics *s)
{
    s->begin(s, NULL);
    places_report_address(s, "head", loop->head);
    places_report(places, s, loop->head);
    s->number(s, "executions", loop->executions);
    s->ratio(s, "share", share_of(hotspots, loop));
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
    struct symbol_place place = {0};
    char source[64] = "-";
    places_find(places, loop->head, &place);
    if (place.file != NULL) {
        snprintf(source, sizeof source, "%s:%u", place.file, place.line);
    }
    say(stderr, "%15" PRIu64 " %5.1f%%  %-28s %-24s 0x%" PRIx64 "%s\n", loop->executions,
        100 * share_of(hotspots, loop), place.function != NULL ? place.function : "-", source,
        loop->head, loop->evicted ? "  evicted" : "");
}

void hotspots_print(const struct hotspots *hotspots, struct process *process)
{
    if (hotspots->count == 0) {
        return;
    }
    struct places *places = places_open(process);
    fprintf(stderr, "\n%15s %6s  %-28s %-24s %s\n", "executions", "share", "function", "source",
            "head");
    for (size_t i = 0; i < hotspots->count && i < SUMMARY_LOOPS; i++) {
        print_loop(hotspots, &hotspots->loops[i], places);
    }
    if (hotspots->count > SUMMARY_LOOPS) {
        fprintf(stderr, "%15s and %zu more (--stats FILE lists all)\n", "...",
                hotspots->count - SUMMARY_LOOPS);
    }
    places_close(places);
}
