/* Tests what is concluded from made-up results: each statement of the experiments in the tree, once with results by which it
 * holds and once with results, as near as can be, by which it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/conclusions.h"

#define FOLDER "experiments"

/* Results are lists of `VALUE [of PROGRAM] [at POINT] NUMBER[%]`, separated by commas: a later one overrides an earlier one,
 * and one that names no program or no point is for all.  `fails` changes what `holds` has. */
static const struct made_up {
    const char *experiment;
    const char *statement;
    const char *holds;
    const char *fails;
} made_up[] = {
    {"readings", "in_range", "taken_0 1.5%, taken_0 of mcf 7.5%", "taken_0 of mcf at strict 7.6%"},
    {"readings", "in_range", "taken_0 1.5%, taken_0 at any 90%", "taken_0 of vpr at strict 1.4%"},
    {"readings", "up_to_12", "taken_0 1.5%, taken_0 of bzip at strict 12%",
     "taken_0 of bzip at strict 12.1%"},
    {"readings", "up_to_12", "taken_0 1.5%, taken_0 of bzip at strict 12%",
     "taken_0 of bzip at strict 7.5%"},
    {"readings", "who_pays",
     "taken_0 2%, taken_0 of parser 7%, taken_0 of twolf 6%, taken_0 of mcf 5%",
     "taken_0 of bzip at strict 5.1%"},
    {"readings", "parser_first", "taken_0 of parser 7%, taken_0 of twolf 6%, taken_0 of mcf 5%",
     "taken_0 of twolf at strict 7%"},
    {"readings", "gcc_less", "taken_0 of parser 7%, taken_0 of gcc 3.5%",
     "taken_0 of gcc at strict 3.6%"},
    {"readings", "bzip_gzip", "taken_0 of bzip 4%, taken_0 of gzip 6%",
     "taken_0 of gzip at strict 6.1%"},
    {"readings", "bzip_gzip", "taken_0 of bzip 4%, taken_0 of gzip 6%",
     "taken_0 of bzip at strict 3.9%"},
    {"instructions", "code_length", "per_turn 25, per_turn of gcc 30", "per_turn of gcc 30.1"},
    {"instructions", "code_length", "per_turn 25, per_turn of gcc 30", "per_turn of vpr 24.9"},
    {"instructions", "much_lower", "ratio_off 2, ratio_off at default 1",
     "ratio_off of bzip at builder 1.9"},
    /* Three, neither two nor more; in programs with 64 of them the table has no room for another. */
    {"counters", "three_few",
     "addresses 64, addresses of bzip 63, addresses of gzip 20, addresses of vortex 40",
     "addresses of vortex at paper 64"},
    {"counters", "three_few",
     "addresses 64, addresses of bzip 63, addresses of gzip 20, addresses of vortex 40",
     "addresses of mcf at paper 63"},
    {"counters", "three_few",
     "addresses 64, addresses of bzip 63, addresses of gzip 20, addresses of vortex 40",
     "addresses at paper 500"},
    {"counters", "which_few",
     "addresses 90, addresses of bzip 89, addresses of gzip 20, addresses of vortex 40",
     "addresses of mcf at paper 88"},
    {"counters", "which_many", "addresses 90, addresses of gcc 400, addresses of parser 91",
     "addresses of vpr at paper 92"},
    {"counters", "hot_at_100", "addresses 100, reach_100 51", "reach_100 of gzip at paper 50"},
    {"evictions", "at_1000", "rule_1000 0, rule_1000 of gcc 60%, rule_1000 of parser 80%",
     "rule_1000 of gcc at 64 59%"},
    {"evictions", "at_1000", "rule_1000 0, rule_1000 of gcc 60%, rule_1000 of parser 80%",
     "rule_1000 of parser at 64 81%"},
    {"evictions", "rises",
     "rule_addresses 65, rule_addresses of mcf 64, rule_4 0, rule_10 1%, rule_100 1%, rule_1000 "
     "20%, rule_10000 30%, "
     "rule_100000 95%, rule_4 of mcf 1%, rule_10 of mcf 0",
     "rule_100000 of vpr at 64 29%"},
    {"evictions", "often_95",
     "rule_addresses 65, rule_addresses of bzip 64, rule_addresses of gzip 64, rule_addresses of "
     "vortex 64, "
     "rule_100000 0, rule_100000 of gcc 95%, rule_100000 of parser 100%, rule_100000 of mcf 96%",
     "rule_100000 of mcf at 64 94%"},
    {"evictions", "live_to_100", "rule_100 49%, rule_100 at 16 90%", "rule_100 of gcc at 64 50%"},
    {"savings", "always", "saved_rule 1%", "saved_rule of vortex at builder 0"},
    {"scatter", "gcc_dense",
     "under_10 1%, to_100 30%, to_1000 31%, to_10000 20%, to_100000 17%, over 1%",
     "to_10000 of gcc 32%"},
    {"scatter", "gcc_most", "to_1000 30%, to_10000 21%", "to_10000 of gcc 20%"},
    {"scatter", "parser_two", "to_100 17%, to_1000 17%, to_10000 17%", "to_100 of parser 16%"},
    {"scatter", "parser_two", "to_100 17%, to_1000 17%, to_10000 17%", "to_1000 of parser 16%"},
    {"scatter", "parser_even",
     "under_10 0, to_100 30%, to_1000 20%, to_10000 20%, to_100000 20%, over 10%, to_1000 of gcc "
     "31%",
     "to_10000 of parser 31%"},
    {"mean-executions", "bzip_gzip", "mean 100, mean of bzip 101, mean of gzip 102",
     "mean of mcf 103"},
    {"mean-executions", "gcc_least", "mean 100, mean of gcc 99", "mean of vpr 98"},
    {"mean-executions", "twolf_mcf", "mean of parser 5, mean of twolf 6, mean of mcf 6",
     "mean of twolf 5"},
    {"mean-executions", "high", "mean 10000", "mean of gcc 9999"},
    {"break-even", "four_pays", "pays_4 51%", "pays_4 of gzip 50%"},
    {"indirect", "gcc_worst", "indirect 1, indirect of gcc 2", "indirect of parser 2.1"},
    {"indirect", "bzip_least", "indirect 1, indirect of bzip 0.9", "indirect of gzip 0.8"},
    {"indirect", "dominated", "dominates 51%", "dominates of bzip 50%"},
    {"cycles", "cycles", "saved_rule 1%, saved_rule at instructions 0",
     "saved_rule of vpr at cycles 0"},
    {"cycles-counters", "data", "data_rule 1%", "data_rule of bzip 0"},
    {"optimizer", "average", "needed 25%", "needed of gcc at traces 26%"},
    {"delinquent", "few", "top_10 50%", "top_10 of art at dsp 49%"},
    {"delinquent", "few", "top_10 50%", "top_10 of art at sp 49%"},
    /* Counting costs something in each program; what the optimizer gains decides. */
    {"hot-spots", "hurts", "gain 5%, gain at procedure -1%", "gain at procedure 0%"},
    {"hot-spots", "started",
     "hit 90%, gain 5%, gain at procedure 2%, gain at counted-procedure 3%, hit at "
     "counted-procedure 81%",
     "hit at counted-procedure 80%"},
    {"hot-spots", "started",
     "hit 90%, gain 5%, gain at procedure 2%, gain at counted-procedure 3%, hit at "
     "counted-procedure 81%",
     "gain at counted-procedure 2%"},
    {"hot-spots", "framed",
     "hit 90%, gain 5%, gain at frames 2%, gain at counted-frames 3%, hit at counted-frames 81%",
     "hit at counted-frames 80%"},
    {"hot-spots", "framed",
     "hit 90%, gain 5%, gain at frames 2%, gain at counted-frames 3%, hit at counted-frames 81%",
     "gain at counted-frames 2%"},
    {"hot-spots-long", "short",
     "found 90%, found of turn-300 at bbb 51%, found of turn-1000 at bbb 0%",
     "found of turn-300 at bbb 50%"},
    {"hot-spots-long", "short",
     "found 90%, found of turn-300 at bbb 51%, found of turn-1000 at bbb 0%",
     "found of turn-1000 at bbb 1%"},
    {"hot-spots-long", "never", "found 90%, found at bbb 0%", "found of turn-3000 at bbb 1%"},
    {"hot-spots-long", "never", "found 90%, found at bbb 0%", "found of turn-10000 at bbb 1%"},
    {"hot-spots-long", "counter", "found 51%", "found of turn-10000 at counters 50%"},
    {"hot-spots-long", "counter", "found 51%", "found of turn-10 at counters 50%"},
    {"hot-spots-software", "large", "cost 26%", "cost of vpr at procedure-exact 25%"},
};

struct results {
    struct pool pool;
    struct planned planned;
    struct measured measured;
    bool *assigned; /* as `measured.values`: what was made up is not computed */
};

static size_t place_of(const struct results *results, size_t value, size_t program, size_t point)
{
    return (value * results->planned.program_count + program) *
               experiment_points(results->planned.experiment) +
           point;
}

static const struct experiment *read_experiment(struct pool *pool, const char *name)
{
    struct script script;
    assert_true(script_open(&script, pool, pool_format(pool, FOLDER "/%s.exp", name)));
    const struct experiment *experiment = experiment_read(&script);
    if (experiment == NULL) {
        fail_msg("%s", script.problem);
    }
    return experiment;
}

/* The programs of the experiment's suite, and no results at all. */
static void begin(struct results *results, const char *name)
{
    struct script script;
    *results = (struct results){.planned = {.experiment = NULL}};
    struct pool *pool = &results->pool;
    struct planned *planned = &results->planned;
    struct catalogue catalogue = {.pool = pool, .folder = "", .size = "test"};
    script = (struct script){.pool = pool};
    assert_true(catalogue_read_suites(&catalogue, &script, FOLDER "/suites.list", "."));
    planned->experiment = read_experiment(pool, name);
    const struct suite *suite = catalogue_find_suite(&catalogue, planned->experiment->suite);
    assert_non_null(suite);
    planned->names = suite->programs;
    for (size_t i = 0; i < suite->programs.count; i++) {
        struct program *program = pool_take(pool, sizeof *program);
        program->name = suite->programs.words[i];
        *POOL_ADD(pool, planned->programs, planned->program_count) = program;
    }
    const size_t count = planned->experiment->value_count * planned->program_count *
                         experiment_points(planned->experiment);
    results->measured.planned = planned;
    results->measured.values = pool_take(pool, count * sizeof *results->measured.values);
    results->assigned = pool_take(pool, count * sizeof *results->assigned);
    for (size_t i = 0; i < count; i++) {
        results->measured.values[i] = (struct expression_value){.kind = EXPRESSION_UNKNOWN};
    }
}

/* VALUE [of PROGRAM] [at POINT] NUMBER[%] */
static void assign(struct results *results, char *text)
{
    const struct experiment *experiment = results->planned.experiment;
    char *rest = NULL, *end = NULL;
    const char *name = strtok_r(text, " ", &rest), *of = NULL, *at = NULL;
    const char *word = strtok_r(NULL, " ", &rest);
    while (word != NULL && (strcmp(word, "of") == 0 || strcmp(word, "at") == 0)) {
        *(word[0] == 'o' ? &of : &at) = strtok_r(NULL, " ", &rest);
        word = strtok_r(NULL, " ", &rest);
    }
    const size_t value = name != NULL ? experiment_find_value(experiment, name) : 0;
    if (word == NULL || value == experiment->value_count) {
        fail_msg("%s has no value %s", experiment->name, name != NULL ? name : "");
    }
    const double number = strtod(word, &end) / (strchr(word, '%') != NULL ? 100 : 1);
    assert_true(end != word);
    bool found = false;
    for (size_t i = 0; i < results->planned.program_count; i++) {
        for (size_t j = 0; j < experiment_points(experiment); j++) {
            if ((of == NULL || strcmp(of, results->planned.programs[i]->name) == 0) &&
                (at == NULL || strcmp(at, experiment->axis_values[j].label) == 0)) {
                const size_t place = place_of(results, value, i, j);
                results->measured.values[place] = expression_number(number);
                results->assigned[place] = found = true;
            }
        }
    }
    if (!found) {
        fail_msg("nothing is %s%s%s%s%s", name, of ? " of " : "", of ? of : "", at ? " at " : "",
                 at ? at : "");
    }
}

static void assign_all(struct results *results, const char *text)
{
    char *copy = pool_format(&results->pool, "%s", text), *rest = NULL;
    for (char *one = strtok_r(copy, ",", &rest); one != NULL; one = strtok_r(NULL, ",", &rest)) {
        assign(results, one);
    }
}

struct computed {
    const struct results *results;
    size_t program, point, value;
};

static const char *find_earlier(void *context, const struct expression_name *name,
                                struct expression_value *value)
{
    const struct computed *computed = context;
    const struct experiment *experiment = computed->results->planned.experiment;
    const size_t earlier = experiment_find_value(experiment, name->name);
    *value = (struct expression_value){
        .kind = EXPRESSION_UNKNOWN}; /* of a run, which there is none of */
    if (earlier < computed->value) {
        *value = measured_value(&computed->results->measured, earlier, computed->program,
                                computed->point);
    }
    return NULL;
}

/* Values that are drawn from other values follow from those. */
static void compute_rest(struct results *results)
{
    const struct experiment *experiment = results->planned.experiment;
    struct computed computed = {.results = results};
    const struct expression_scope scope = {.context = &computed, .find = find_earlier};
    for (size_t value = 0; value < experiment->value_count; value++) {
        for (size_t i = 0; i < results->planned.program_count; i++) {
            for (size_t j = 0; j < experiment_points(experiment); j++) {
                const size_t place = place_of(results, value, i, j);
                char problem[EXPRESSION_PROBLEM_BYTES];
                if (!results->assigned[place] && experiment->values[value].expression != NULL) {
                    computed = (struct computed){results, i, j, value};
                    expression_evaluate(experiment_fill(&results->pool, experiment, j,
                                                        experiment->values[value].expression),
                                        &scope, &results->measured.values[place], problem);
                }
            }
        }
    }
}

/* What a statement came to; it is there once. */
static const json_t *find_check(const json_t *checks, const char *name)
{
    const json_t *check, *found = NULL;
    size_t i;
    json_array_foreach(checks, i, check)
    {
        if (strcmp(json_string_value(json_object_get(check, "name")), name) == 0) {
            assert_null(found);
            found = check;
        }
    }
    assert_non_null(found);
    return found;
}

static void expect(const struct made_up *row, const char *changes, bool holds)
{
    struct results results;
    begin(&results, row->experiment);
    assign_all(&results, row->holds);
    assign_all(&results, changes);
    compute_rest(&results);
    json_t *checks = conclusions_draw(&results.pool, &results.measured);
    const json_t *check = find_check(checks, row->statement);
    const json_t *outcome = json_object_get(check, "holds");
    if (!json_is_boolean(outcome) || json_is_true(outcome) != holds) {
        fail_msg("%s: %s should%s hold with %s, %s: %s", row->experiment, row->statement,
                 holds ? "" : " not", row->holds, changes,
                 json_string_value(json_object_get(check, "measured")));
    }
    assert_true(json_is_true(json_object_get(check, "stated")));
    assert_true(json_is_null(json_object_get(check, "at")));
    json_decref(checks);
    pool_free(&results.pool);
}

static void each_statement_can_hold_and_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof made_up / sizeof made_up[0]; i++) {
        expect(&made_up[i], "", true);
        expect(&made_up[i], made_up[i].fails, false);
    }
}

static bool is_made_up(const char *experiment, const char *statement)
{
    for (size_t i = 0; i < sizeof made_up / sizeof made_up[0]; i++) {
        if (strcmp(made_up[i].experiment, experiment) == 0 &&
            strcmp(made_up[i].statement, statement) == 0) {
            return true;
        }
    }
    return false;
}

/* No statement is left out above, and none is in two experiments. */
static void statements_are_there_once(void **state)
{
    (void)state;
    struct pool pool = {.pieces = NULL};
    const char **seen = NULL;
    size_t seen_count = 0;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 4, ".exp") != 0) {
            continue;
        }
        const struct experiment *experiment =
            read_experiment(&pool, pool_copy(&pool, entry->d_name, length - 4));
        for (size_t i = 0; i < experiment->check_count; i++) {
            const struct experiment_check *check = &experiment->checks[i];
            if (!check->stated) {
                continue;
            }
            if (!is_made_up(experiment->name, check->name)) {
                fail_msg("%s: %s has no made-up results", experiment->name, check->name);
            }
            for (size_t j = 0; j < seen_count; j++) {
                assert_string_not_equal(seen[j], check->statement);
            }
            *POOL_ADD(&pool, seen, seen_count) = check->statement;
        }
    }
    closedir(folder);
    assert_true(seen_count > 20);
    pool_free(&pool);
}

/* What was not measured decides nothing. */
static void gaps_are_not_verdicts(void **state)
{
    (void)state;
    struct results results;
    begin(&results, "readings");
    assign_all(&results, "taken_0 of mcf 9%");
    compute_rest(&results);
    json_t *checks = conclusions_draw(&results.pool, &results.measured);
    assert_true(json_is_null(json_object_get(find_check(checks, "in_range"), "holds")));
    assert_null(conclusions_learn(&results.pool, &results.measured, checks));
    json_decref(checks);
    pool_free(&results.pool);
}

static const char *learn(struct results *results, const char *text)
{
    begin(results, "readings");
    assign_all(results, text);
    compute_rest(results);
    json_t *checks = conclusions_draw(&results->pool, &results->measured);
    const char *learned = conclusions_learn(&results->pool, &results->measured, checks);
    json_decref(checks);
    assert_non_null(learned);
    return learned;
}

/* The sentence that a study leads with says what came out, in its figures. */
static void what_is_learned_follows_from_the_results(void **state)
{
    (void)state;
    struct results results;
    assert_non_null(strstr(learn(&results, "taken_0 3%, hw_over_off 0.1%"), "as it says"));
    pool_free(&results.pool);
    const char *learned = learn(&results, "taken_0 8%, taken_0 of bzip 91%, hw_over_off 0.1%");
    assert_non_null(strstr(learned, "8.00 % to 91.0 % more"));
    assert_null(strstr(learned, "as it says"));
    pool_free(&results.pool);
}

/* A published figure stands beside what was measured, in numbers, whatever these are. */
static void published_figures_have_no_verdict(void **state)
{
    (void)state;
    struct results results;
    begin(&results, "dsp");
    assign_all(
        &results,
        "faster_memory 1, faster_memory of mcf 2, faster_memory of mst 2, faster_simple 1.1, "
        "faster_simple of mcf 1.3, faster_optimized 3");
    compute_rest(&results);
    json_t *rows = conclusions_compare(&results.pool, &results.measured);
    assert_int_equal(json_array_size(rows), 2);
    const json_t *simple = json_array_get(rows, 0);
    assert_float_equal(json_number_value(json_object_get(simple, "published")), 1.14, 1e-9);
    assert_float_equal(json_number_value(json_object_get(simple, "measured")), 1.2, 1e-9);
    assert_null(json_object_get(simple, "holds"));
    json_decref(rows);
    pool_free(&results.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_statement_can_hold_and_fail),
        cmocka_unit_test(statements_are_there_once),
        cmocka_unit_test(gaps_are_not_verdicts),
        cmocka_unit_test(what_is_learned_follows_from_the_results),
        cmocka_unit_test(published_figures_have_no_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
