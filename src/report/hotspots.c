/* The loops of a run that were counted, whoever counted them, as a person reads them. */
#include "report/hotspots.h"

#include "base/check.h"
#include "base/say.h"
#include "machine/units/counter_table.h"
#include "report/places.h"
#include "report/profile_report.h"
#include "report/translator_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

struct hotspots hotspots_take(const struct process *process, const struct translator_report *report,
                              const struct profile_report *profile)
{
    struct hotspots hotspots =
        report != NULL ? translator_report_hotspots(report) : take_from_machine(process);
    hotspots.profile = profile;
    hotspots.dropped = counter_table_totals(process->machine.counters).dropped;
    for (size_t i = 0; i < hotspots.count; i++) {
        hotspots.loops[i].share = profile_report_share(profile, hotspots.loops[i].head);
    }
    return hotspots;
}

void hotspots_free(struct hotspots *hotspots)
{
    free(hotspots->detector);
    free(hotspots->loops);
}

/* Beside a count that is not complete nothing stands that looks as if it were. */
static bool share_shown(const struct hotspot *loop)
{
    return loop->complete && loop->share >= 0;
}

static void report_loop(const struct hotspots *hotspots, const struct hotspot *loop,
                        struct places *places, struct statistics *s)
{
    struct place place;
    const bool known = profile_report_place(hotspots->profile, places, loop->head, &place);
    s->begin(s, NULL);
    places_report_address(s, "head", loop->head);
    places_report_place(s, known ? &place : NULL);
    s->number(s, "executions", loop->executions);
    s->truth(s, "complete", loop->complete);
    if (share_shown(loop)) {
        s->ratio(s, "share", loop->share);
    } else {
        s->nothing(s, "share");
    }
    s->truth(s, "callback_taken", loop->callback_taken);
    s->truth(s, "evicted", loop->evicted);
    s->end(s);
}

static struct unit_cost add_costs(struct unit_cost a, struct unit_cost b)
{
    return (struct unit_cost){.storage_bits = a.storage_bits + b.storage_bits,
                              .comparators = a.comparators + b.comparators,
                              .adders = a.adders + b.adders};
}

/* What found hot spots, and what its hardware would cost; that of a table that is unlimited, nobody knows. */
static void report_detector(const struct hotspots *hotspots, const struct machine *machine,
                            struct statistics *s)
{
    const bool counts = hotspots->detector_counts && machine->counters != NULL;
    const bool known = !counts || counter_table_entries(machine->counters) != COUNTER_UNLIMITED;
    struct unit_cost cost = {.storage_bits = 0};
    if (machine->finder != NULL && machine->finder->kind->cost != NULL) {
        cost = machine->finder->kind->cost(machine->finder);
    }
    if (counts && known) {
        cost = add_costs(cost, counter_table_cost(machine->counters));
    }
    s->begin(s, "detector");
    s->text(s, "name", hotspots->detector);
    if (known) {
        s->number(s, "storage_bits", cost.storage_bits);
        s->number(s, "comparators", cost.comparators);
        s->number(s, "adders", cost.adders);
    } else {
        s->nothing(s, "storage_bits");
        s->nothing(s, "comparators");
        s->nothing(s, "adders");
    }
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
    if (hotspots->detector != NULL) {
        report_detector(hotspots, &process->machine, s);
    }
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
    profile_report_place(hotspots->profile, places, loop->head, &place);
    profile_report_name(hotspots->profile, loop->head, &place, name, NAME_COLUMNS);
    places_source(&place, source, SOURCE_COLUMNS);
    snprintf(executions, sizeof executions, "%s%" PRIu64,
             loop->complete ? "" : ">= ", loop->executions);
    if (share_shown(loop)) {
        snprintf(share, sizeof share, "%.1f%%", 100 * loop->share);
    }
    say(stderr, "%15s %6s  0x%-12" PRIx64 " %s %s%s\n", executions, share, loop->head, source, name,
        loop->evicted ? "  (evicted)" : "");
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

static int by_share(const void *a, const void *b)
{
    const struct hotspot *left = a, *right = b;
    if (left->share != right->share) {
        return left->share < right->share ? 1 : -1;
    }
    if (left->executions != right->executions) {
        return left->executions < right->executions ? 1 : -1;
    }
    return left->head < right->head ? -1 : left->head > right->head;
}

void hotspots_print(const struct hotspots *hotspots, struct process *process)
{
    if (hotspots->count == 0) {
        return;
    }
    struct places *places = places_open(process);
    struct hotspot *sorted = calloc(hotspots->count, sizeof *sorted);
    ASSERT(sorted != NULL);
    memcpy(sorted, hotspots->loops, hotspots->count * sizeof *sorted);
    qsort(sorted, hotspots->count, sizeof *sorted, by_share);
    say(stderr, "\n%15s %6s  %-14s %-*s %s\n", "executions", "share", "head", SOURCE_COLUMNS,
        "source", "function");
    for (size_t i = 0; i < hotspots->count && i < SUMMARY_LOOPS; i++) {
        print_loop(hotspots, &sorted[i], places);
    }
    if (hotspots->count > SUMMARY_LOOPS) {
        say(stderr, "%15s and %zu more (--stats FILE lists all)\n", "...",
            hotspots->count - SUMMARY_LOOPS);
    }
    free(sorted);
    places_close(places);
}
