/* Adds up the translator's ledger, and prints it. */
#include "report/ledger_report.h"

#include "base/check.h"
#include "report/places.h"
#include "report/profile_report.h"
#include "report/translator_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#define PRINTED_ROWS 8

struct row {
    guest_addr head;
    bool is_loop; /* not only where traces are left to */
    uint64_t executions, before, after, cost;
};

struct rows {
    size_t count;
    struct row *rows; /* those that gained most come first */
    struct row sum;
};

static uint64_t number_of(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static int64_t gain_of(const struct row *row)
{
    return (int64_t)(row->before - row->after - row->cost);
}

static int by_gain(const void *a, const void *b)
{
    const int64_t left = gain_of(a), right = gain_of(b);

    return left < right ? 1 : left > right ? -1 : 0;
}

static struct rows take_rows(const json_t *ledger)
{
    const json_t *loops = json_object_get(ledger, "loops");
    struct rows rows = {.count = json_array_size(loops)};

    rows.rows = calloc(rows.count + 1, sizeof *rows.rows);
    ASSERT(rows.rows != NULL);
    for (size_t i = 0; i < rows.count; i++) {
        const json_t *loop = json_array_get(loops, i);
        struct row *row = &rows.rows[i];
        *row = (struct row){.head = number_of(loop, "head"),
                            .is_loop = json_is_true(json_object_get(loop, "is_loop")),
                            .executions = number_of(loop, "executions"),
                            .before = number_of(loop, "before"),
                            .after = number_of(loop, "after"),
                            .cost = number_of(loop, "cost")};
        rows.sum.executions += row->executions;
        rows.sum.before += row->before;
        rows.sum.after += row->after;
    }
    rows.sum.cost = number_of(ledger, "spent"); /* also on loops that got no trace */
    qsort(rows.rows, rows.count, sizeof *rows.rows, by_gain);
    return rows;
}

/* Executions after which a trace has brought what it cost: x with (T_old - T_new) x = T_opt.  0 if that never comes. */
static uint64_t break_even(const struct row *row)
{
    const uint64_t saved = row->before > row->after ? row->before - row->after : 0;

    return saved == 0 ? 0
                      : (uint64_t)((double)row->cost * (double)row->executions / (double)saved + 1);
}

static void put_row(struct statistics *s, const struct row *row)
{
    s->number(s, "executions", row->executions);
    s->number(s, "before", row->before);
    s->number(s, "after", row->after);
    s->number(s, "cost", row->cost);
    s->ratio(s, "gain", (double)gain_of(row));
    s->number(s, "break_even", break_even(row));
}

void ledger_report_statistics(const struct run_description *run, struct process *process,
                              struct statistics *s)
{
    const json_t *ledger = translator_report_object(run->translator, "ledger");

    if (ledger == NULL) {
        return;
    }
    struct rows rows = take_rows(ledger);
    struct places *places = places_open(process);
    s->begin(s, "ledger");
    put_row(s, &rows.sum);
    s->begin_list(s, "loops");
    for (size_t i = 0; i < rows.count; i++) {
        struct place place;
        const bool known = profile_report_place(run->profile, places, rows.rows[i].head, &place);
        s->begin(s, NULL);
        places_report_address(s, "head", rows.rows[i].head);
        places_report_place(s, known ? &place : NULL);
        s->truth(s, "is_loop", rows.rows[i].is_loop);
        put_row(s, &rows.rows[i]);
        s->end(s);
    }
    s->end(s);
    s->end(s);
    places_close(places);
    free(rows.rows);
}

static void print_row(const struct row *row, const char *name)
{
    fprintf(stderr, "  %13" PRIu64 " %12.1f %12.1f %11" PRIu64 " %13" PRId64 "  %s\n",
            row->executions,
            row->executions == 0 ? 0.0 : (double)row->before / (double)row->executions,
            row->executions == 0 ? 0.0 : (double)row->after / (double)row->executions, row->cost,
            gain_of(row), name);
}

void ledger_report_print(const struct run_description *run)
{
    const json_t *ledger = translator_report_object(run->translator, "ledger");

    if (ledger == NULL) {
        return;
    }
    struct rows rows = take_rows(ledger);
    if (rows.count != 0) {
        fprintf(stderr,
                "\n     executions        T_old        T_new       T_opt          gain  trace\n");
    }
    for (size_t i = 0; i < rows.count && i < PRINTED_ROWS; i++) {
        char name[40];
        snprintf(name, sizeof name, "0x%" PRIx64 "%s", rows.rows[i].head,
                 rows.rows[i].is_loop ? "" : ", of an exit");
        print_row(&rows.rows[i], name);
    }
    if (rows.count > PRINTED_ROWS) {
        fprintf(stderr, "            ... and %zu more (--stats FILE lists all)\n",
                rows.count - PRINTED_ROWS);
    }
    if (rows.count != 0) {
        print_row(&rows.sum, "all");
    }
    free(rows.rows);
}
