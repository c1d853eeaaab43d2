/* The slices of a run as a person reads them: where they start, for which load, and whether that helped. */
#include "report/slices_report.h"

#include "base/say.h"
#include "machine/helpers/helpers.h"
#include "report/places.h"

#include <inttypes.h>
#include <stdio.h>

#define SUMMARY_SLICES 10
#define SOURCE_COLUMNS 18
#define NAME_COLUMNS 48

/* Lines that nobody has asked for so far, and that are still there or on their way. */
static uint64_t unused_lines(const struct slice_ledger *ledger)
{
    return ledger->lines - ledger->timely - ledger->late - ledger->evicted;
}

static void report_place(struct places *places, struct statistics *s, const char *key,
                         const struct slice_place *place)
{
    s->begin(s, key);
    places_report_address(s, "pc", place->pc);
    places_report(places, s, place->pc);
    s->text(s, "owner", places_owner(place->owner));
    s->end(s);
}

static void report_slice(struct places *places, struct statistics *s,
                         const struct slice_account *slice)
{
    const struct slice_ledger *ledger = &slice->ledger;
    s->begin(s, NULL);
    report_place(places, s, "trigger", &slice->trigger);
    report_place(places, s, "load", &slice->target);
    s->text(s, "kind", slice->chaining ? "chaining" : "basic");
    s->number(s, "length", slice->length);
    s->number(s, "live_ins", slice->live_ins);
    s->truth(s, "removed", slice->removed);
#define KEY(name) s->number(s, #name, ledger->name);
    SLICE_LEDGER(KEY)
#undef KEY
    s->number(s, "unused", unused_lines(ledger));
    s->end(s);
}

void slices_report(struct process *process, struct statistics *s)
{
    struct slice_account slice;
    const struct helpers *helpers = process->machine.helpers;
    if (helpers == NULL) {
        return;
    }
    struct places *places = places_open(process);
    s->begin_list(s, "slices");
    for (unsigned i = 1; helpers_account(helpers, i, &slice); i++) {
        report_slice(places, s, &slice);
    }
    s->end(s);
    s->number(s, "slices_refused", helpers_refused(helpers));
    places_close(places);
}

void slices_report_print(struct process *process)
{
    struct slice_account slice;
    const struct helpers *helpers = process->machine.helpers;
    if (helpers == NULL) {
        return;
    }
    if (!helpers_account(helpers, 1, &slice)) {
        fprintf(stderr, "  slices                       0   (no delinquent loads that one could be "
                        "made for)\n");
        return;
    }
    struct places *places = places_open(process);
    fprintf(stderr, "\n%15s %10s %10s %7s %7s %7s  %-14s %-*s %s\n", "slices started", "chained",
            "lines", "timely", "late", "evicted", "for the load", SOURCE_COLUMNS, "source",
            "function");
    for (unsigned i = 1; i <= SUMMARY_SLICES && helpers_account(helpers, i, &slice); i++) {
        const struct slice_ledger *ledger = &slice.ledger;
        const double lines = ledger->lines > 0 ? (double)ledger->lines / 100 : 1;
        char name[COLUMN_BYTES(NAME_COLUMNS)], source[COLUMN_BYTES(SOURCE_COLUMNS)];
        struct place place;
        places_find(places, slice.target.pc, &place);
        places_name(&place, name, NAME_COLUMNS);
        places_source(&place, source, SOURCE_COLUMNS);
        say(stderr,
            "%15" PRIu64 " %10" PRIu64 " %10" PRIu64 " %6.1f%% %6.1f%% %6.1f%%  0x%-12" PRIx64
            " %-*s %s\n",
            ledger->started, ledger->chained, ledger->lines, (double)ledger->timely / lines,
            (double)ledger->late / lines, (double)ledger->evicted / lines, slice.target.pc,
            SOURCE_COLUMNS, source, name);
    }
    places_close(places);
}
