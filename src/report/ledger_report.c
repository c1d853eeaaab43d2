/* Adds up the translator's ledger, and prints it. */
#include "report/ledger_report.h"

#include "base/check.h"
#include "report/places.h"
#include "report/profile_report.h"
#include "report/trace_code.h"
#include "report/trace_listing.h"
#include "report/translator_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#define PRINTED_ROWS 8
/* So many of those that gained most have their code in the statistics. */
#define CODE_LOOPS 4

/* Passes and what else has a share: straightening comes first, and what was added for passes last. */
#define SHARES_MAX 32

struct shares {
    int64_t of[SHARES_MAX];
};

struct row {
    guest_addr head;
    bool is_loop;             /* not only where traces are left to */
    bool optimized, put_away; /* passes have changed a trace of it, and keep registers elsewhere */
    uint64_t executions, before, after, cost;
    uint64_t made, undone, again; /* traces; how often one was taken away; and led to again */
    uint64_t needs;               /* executions, by --threshold float */
    uint64_t effort;              /* in thousandths of the most */
    struct shares shares;         /* of before - after */
    bool before_timed, after_timed, cost_timed; /* these of `cycles` are known */
    struct {
        uint64_t before, after, cost;
    } cycles;
};

struct rows {
    const char *names[SHARES_MAX]; /* of shares */
    size_t share_count;            /* 0: nothing was counted */
    size_t count;
    struct row *rows; /* those that gained most come first */
    struct row sum;
    struct trace_code *code; /* to be freed with `rows` */
    bool timed;              /* the run has cycles, from its beginning to its end */
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

/* The names of what has a share.  A translator that names no passes, or counts nothing, has none. */
static void take_names(struct rows *rows, const json_t *ledger)
{
    const json_t *passes = json_object_get(ledger, "passes");

    if (!json_is_array(passes) || json_is_false(json_object_get(ledger, "counted"))) {
        return;
    }
    rows->names[rows->share_count++] = "traces";
    for (size_t i = 0; i < json_array_size(passes) && rows->share_count < SHARES_MAX - 1; i++) {
        const char *name = json_string_value(json_array_get(passes, i));
        rows->names[rows->share_count++] = name != NULL ? name : "?";
    }
    rows->names[rows->share_count++] = "placing";
}

/* What passes have left out, less what was added for them; the rest of what was gained is what traces bring that do all
 * that the program does. */
static void take_shares(struct row *row, size_t share_count, const json_t *loop)
{
    const json_t *left_out = json_object_get(loop, "left_out");
    int64_t rest = (int64_t)(row->before - row->after);

    for (size_t i = 1; i < share_count; i++) {
        row->shares.of[i] = i + 1 < share_count
                                ? (int64_t)json_integer_value(json_array_get(left_out, i - 1))
                                : -(int64_t)json_integer_value(json_object_get(loop, "added"));
        rest -= row->shares.of[i];
    }
    row->shares.of[0] = rest;
}

/* Traces that are gone have taken their cycles with them: then there is no number for all that the loop has had. */
static void take_cycles(struct row *row, const json_t *loop, const struct trace_code *code)
{
    const struct trace_cycles cycles = trace_code_cycles(code, row->head);
    const bool all_there = json_object_get(loop, "executions_gone") == NULL;

    row->before_timed = all_there && cycles.before_known;
    row->after_timed = all_there && cycles.after_known;
    row->cost_timed = true;
    row->cycles.before = cycles.before;
    row->cycles.after = cycles.after;
    row->cycles.cost = number_of(loop, "cost_cycles");
}

/* The sum of rows is known if each of them is that has something to say. */
static void add_cycles(struct row *sum, const struct row *row)
{
    sum->before_timed = sum->before_timed && (row->before_timed || row->executions == 0);
    sum->after_timed = sum->after_timed && (row->after_timed || row->executions == 0);
    sum->cycles.before += row->cycles.before;
    sum->cycles.after += row->cycles.after;
    sum->cycles.cost += row->cycles.cost;
}

static bool is_timed(const struct machine *machine)
{
    return machine->pipeline != NULL && !machine->phases.planned;
}

static struct rows take_rows(const json_t *ledger, const struct machine *machine)
{
    const json_t *loops = json_object_get(ledger, "loops");
    struct rows rows = {.count = json_array_size(loops), .timed = is_timed(machine)};
    take_names(&rows, ledger);
    rows.code = trace_code_take(machine, number_of(ledger, "traces"));
    rows.sum.before_timed = rows.sum.after_timed = rows.sum.cost_timed = rows.timed;

    rows.rows = calloc(rows.count + 1, sizeof *rows.rows);
    ASSERT(rows.rows != NULL);
    for (size_t i = 0; i < rows.count; i++) {
        const json_t *loop = json_array_get(loops, i);
        struct row *row = &rows.rows[i];
        *row = (struct row){.head = number_of(loop, "head"),
                            .is_loop = json_is_true(json_object_get(loop, "is_loop")),
                            .optimized = json_is_true(json_object_get(loop, "optimized")),
                            .put_away = json_is_true(json_object_get(loop, "put_away")),
                            .executions = number_of(loop, "executions"),
                            .before = number_of(loop, "before"),
                            .after = number_of(loop, "after"),
                            .cost = number_of(loop, "cost"),
                            .made = number_of(loop, "made"),
                            .undone = number_of(loop, "undone"),
                            .again = number_of(loop, "again"),
                            .needs = number_of(loop, "needs"),
                            .effort = number_of(loop, "effort")};
        take_shares(row, rows.share_count, loop);
        for (size_t k = 0; k < rows.share_count; k++) {
            rows.sum.shares.of[k] += row->shares.of[k];
        }
        rows.sum.optimized |= row->optimized;
        rows.sum.executions += row->executions;
        rows.sum.before += row->before;
        rows.sum.after += row->after;
        if (rows.timed) {
            take_cycles(row, loop, rows.code);
            add_cycles(&rows.sum, row);
        }
    }
    rows.sum.cost = number_of(ledger, "spent"); /* also on loops that got no trace */
    qsort(rows.rows, rows.count, sizeof *rows.rows, by_gain);
    return rows;
}

static void free_rows(struct rows *rows)
{
    trace_code_free(rows->code);
    free(rows->rows);
}

/* Executions after which a trace has brought what it cost: x with (T_old - T_new) x = T_opt.  0 if that never comes. */
static uint64_t break_even(const struct row *row)
{
    const uint64_t saved = row->before > row->after ? row->before - row->after : 0;

    return saved == 0 ? 0
                      : (uint64_t)((double)row->cost * (double)row->executions / (double)saved + 1);
}

static void put_cycles(struct statistics *s, const char *key, bool known, uint64_t cycles)
{
    if (known) {
        s->number(s, key, cycles);
    } else {
        s->nothing(s, key);
    }
}

static void put_row(struct statistics *s, const struct row *row, bool timed)
{
    s->number(s, "executions", row->executions);
    s->number(s, "before", row->before);
    s->number(s, "after", row->after);
    s->number(s, "cost", row->cost);
    s->ratio(s, "gain", (double)gain_of(row));
    s->number(s, "break_even", break_even(row));
    if (timed) {
        put_cycles(s, "cycles_before", row->before_timed, row->cycles.before);
        put_cycles(s, "cycles_after", row->after_timed, row->cycles.after);
        put_cycles(s, "cycles_cost", row->cost_timed, row->cycles.cost);
    }
}

/* A share of the gain; there is none if nothing was gained. */
static void put_share(struct statistics *s, const struct row *row, int64_t instructions)
{
    const int64_t gained = (int64_t)(row->before - row->after);

    if (gained > 0) {
        s->ratio(s, "share", (double)instructions / (double)gained);
    } else {
        s->nothing(s, "share");
    }
}

static void put_shares(struct statistics *s, const struct rows *rows, const struct row *row)
{
    s->begin_list(s, "passes");
    for (size_t i = 0; i < rows->share_count; i++) {
        s->begin(s, NULL);
        s->text(s, "name", rows->names[i]);
        s->ratio(s, "instructions", (double)row->shares.of[i]);
        put_share(s, row, row->shares.of[i]);
        s->end(s);
    }
    s->end(s);
}

void ledger_report_statistics(const struct run_description *run, struct process *process,
                              struct statistics *s)
{
    const json_t *ledger = translator_report_object(run->translator, "ledger");

    if (ledger == NULL) {
        return;
    }
    struct rows rows = take_rows(ledger, &process->machine);
    struct places *places = places_open(process);
    s->begin(s, "ledger");
    put_row(s, &rows.sum, rows.timed);
    put_shares(s, &rows, &rows.sum);
    s->begin_list(s, "loops");
    for (size_t i = 0; i < rows.count; i++) {
        struct place place;
        const bool known = profile_report_place(run->profile, places, rows.rows[i].head, &place);
        s->begin(s, NULL);
        places_report_address(s, "head", rows.rows[i].head);
        places_report_place(s, known ? &place : NULL);
        s->truth(s, "is_loop", rows.rows[i].is_loop);
        put_row(s, &rows.rows[i], rows.timed);
        s->number(s, "made", rows.rows[i].made);
        s->number(s, "undone", rows.rows[i].undone);
        s->number(s, "again", rows.rows[i].again);
        s->number(s, "needs", rows.rows[i].needs);
        s->ratio(s, "effort", (double)rows.rows[i].effort / 1000);
        s->truth(s, "optimized", rows.rows[i].optimized);
        s->truth(s, "put_away", rows.rows[i].put_away);
        put_shares(s, &rows, &rows.rows[i]);
        if (i < CODE_LOOPS && rows.rows[i].executions != 0) {
            trace_listing_report(rows.code, rows.rows[i].head, s);
        }
        s->end(s);
    }
    s->end(s);
    s->end(s);
    places_close(places);
    free_rows(&rows);
}

/* Of one execution in the mean. */
static double mean_of(const struct row *row, uint64_t sum)
{
    return row->executions == 0 ? 0.0 : (double)sum / (double)row->executions;
}

static void print_mean(const struct row *row, bool known, uint64_t cycles)
{
    if (known) {
        fprintf(stderr, " %10.1f", mean_of(row, cycles));
    } else {
        fprintf(stderr, " %10s", "-");
    }
}

static void print_row(const struct row *row, const char *name, bool timed)
{
    fprintf(stderr, "  %13" PRIu64 " %12.1f %12.1f %11" PRIu64 " %13" PRId64, row->executions,
            mean_of(row, row->before), mean_of(row, row->after), row->cost, gain_of(row));
    if (timed) {
        print_mean(row, row->before_timed, row->cycles.before);
        print_mean(row, row->after_timed, row->cycles.after);
        fprintf(stderr, " %10" PRIu64, row->cycles.cost);
    }
    fprintf(stderr, "  %s\n", name);
}

static void print_titles(bool timed)
{
    if (timed) {
        fprintf(stderr, "\n%15s %50s  %32s\n", "", "instructions", "cycles");
    }
    fprintf(stderr,
            "%s     executions        T_old        T_new       T_opt          gain%s  trace\n",
            timed ? "" : "\n", timed ? "      T_old      T_new      T_opt" : "");
}

/* One line for each that left something out, or added it. */
static void print_shares(const struct rows *rows)
{
    const struct row *sum = &rows->sum;
    const int64_t gained = (int64_t)(sum->before - sum->after);

    if (!sum->optimized) {
        return;
    }
    fprintf(stderr, "\n  fewer instructions  share  by\n");
    for (size_t i = 0; i < rows->share_count; i++) {
        const int64_t instructions = sum->shares.of[i];
        if (instructions == 0) {
            continue;
        }
        fprintf(stderr, "  %18" PRId64, instructions);
        if (gained > 0) {
            fprintf(stderr, " %5.1f%%", 100.0 * (double)instructions / (double)gained);
        } else {
            fprintf(stderr, " %6s", "-");
        }
        fprintf(stderr, "  %s\n", rows->names[i]);
    }
}

void ledger_report_print(const struct run_description *run, const struct machine *machine)
{
    const json_t *ledger = translator_report_object(run->translator, "ledger");

    if (ledger == NULL) {
        return;
    }
    struct rows rows = take_rows(ledger, machine);
    if (rows.count != 0) {
        print_titles(rows.timed);
    }
    for (size_t i = 0; i < rows.count && i < PRINTED_ROWS; i++) {
        char name[40];
        snprintf(name, sizeof name, "0x%" PRIx64 "%s", rows.rows[i].head,
                 rows.rows[i].is_loop ? "" : ", of an exit");
        print_row(&rows.rows[i], name, rows.timed);
    }
    if (rows.count > PRINTED_ROWS) {
        fprintf(stderr, "            ... and %zu more (--stats FILE lists all)\n",
                rows.count - PRINTED_ROWS);
    }
    if (rows.count != 0) {
        print_row(&rows.sum, "all", rows.timed);
    }
    print_shares(&rows);
    free_rows(&rows);
}
