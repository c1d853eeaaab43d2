/* Tests the expressions of experiments: arithmetic, paths, functions over lists, and what is unknown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "study/expression.h"

static const char document[] =
    "{\"hw\": {\"machine\": {\"instructions\": 200, \"cycles\": null, \"real\": true},"
    "  \"thresholds\": [{\"threshold\": 4, \"reached\": 9}, {\"threshold\": 100, \"reached\": 3}],"
    "  \"loops\": [{\"head\": \"0x10\", \"source\": \"a.c:1\", \"executions\": 50},"
    "              {\"head\": \"0x20\", \"source\": null, \"executions\": 7},"
    "              {\"head\": \"0x30\", \"source\": \"a.c:2\", \"executions\": 3}],"
    "  \"profile\": [{\"pc\": \"0x20\", \"executions\": 100, \"turns\": 6},"
    "                {\"pc\": \"0x40\", \"executions\": 2, \"turns\": 2}],"
    "  \"empty\": [], \"text\": \"unlimited\"},"
    " \"a\": 6, \"list\": [3, 1, 2], \"same\": [30, 10, 20], \"back\": [1, 3, 2],"
    " \"holes\": [1, null], \"equal\": [1, 1, 1]}";

struct notes {
    json_t *root;
    char text[200];
    char paths[200];
};

/* `NAME of OF` is the member NAME_OF. */
static const char *find(void *context, const struct expression_name *name,
                        struct expression_value *value)
{
    const struct notes *notes = context;
    char key[2 * EXPRESSION_WORD_BYTES];
    snprintf(key, sizeof key, "%s%s%s", name->name, name->of[0] != '\0' ? "_" : "", name->of);
    const json_t *node = json_object_get(notes->root, key);
    *value = expression_of_json(node);
    return node == NULL && strcmp(name->name, "missing") != 0 ? "there is no" : NULL;
}

static void note(void *context, const char *text, size_t length, struct expression_value value)
{
    struct notes *notes = context;
    const size_t used = strlen(notes->text);
    snprintf(notes->text + used, sizeof notes->text - used, "[%.*s=%g]", (int)length, text,
             value.kind == EXPRESSION_NUMBER ? value.number : -1);
}

static void follow(void *context, const char *text, size_t length, enum expression_path path)
{
    static const char *const names[] = {"whole", "unknown", "part", "key"};
    struct notes *notes = context;
    const size_t used = strlen(notes->paths);
    snprintf(notes->paths + used, sizeof notes->paths - used, "[%.*s %s]", (int)length, text,
             names[path]);
}

static bool evaluate(const char *text, struct expression_value *value,
                     char problem[EXPRESSION_PROBLEM_BYTES], struct notes *notes)
{
    const struct expression_scope scope = {
        .context = notes, .find = find, .note = note, .follow = follow};
    notes->root = json_loads(document, 0, NULL);
    assert_non_null(notes->root);
    const bool read = expression_evaluate(text, &scope, value, problem);
    json_decref(notes->root);
    return read;
}

static void assert_number(const char *text, double expected)
{
    struct notes notes = {.root = NULL};
    struct expression_value value;
    char problem[EXPRESSION_PROBLEM_BYTES];
    if (!evaluate(text, &value, problem, &notes)) {
        fail_msg("%s: %s", text, problem);
    }
    if (value.kind != EXPRESSION_NUMBER || value.number != expected) {
        fail_msg("%s is %g, not %g", text, value.number, expected);
    }
}

static void assert_unknown(const char *text)
{
    struct notes notes = {.root = NULL};
    struct expression_value value;
    char problem[EXPRESSION_PROBLEM_BYTES];
    if (!evaluate(text, &value, problem, &notes)) {
        fail_msg("%s: %s", text, problem);
    }
    assert_int_equal(value.kind, EXPRESSION_UNKNOWN);
}

static void assert_wrong(const char *text, const char *expected)
{
    struct notes notes = {.root = NULL};
    struct expression_value value;
    char problem[EXPRESSION_PROBLEM_BYTES];
    assert_false(evaluate(text, &value, problem, &notes));
    if (strstr(problem, expected) == NULL) {
        fail_msg("%s: '%s' does not say '%s'", text, problem, expected);
    }
}

static void arithmetic(void **unused)
{
    (void)unused;
    assert_number("1", 1);
    assert_number(" 1 + 2 * 3 ", 7);
    assert_number("(1 + 2) * 3", 9);
    assert_number("10 - 3 - 2", 5);
    assert_number("100 / 10 / 2", 5);
    assert_number("-2 * -3", 6);
    assert_number("--2", 2);
    assert_number("7.5%", 0.075);
    assert_number("50 % * 4", 2);
    assert_number(".5", 0.5);
}

static void comparisons(void **unused)
{
    (void)unused;
    assert_number("1 < 2", 1);
    assert_number("2 < 2", 0);
    assert_number("2 <= 2", 1);
    assert_number("3 > 2", 1);
    assert_number("2 >= 3", 0);
    assert_number("2 = 1 + 1", 1);
    assert_number("1 < 2 and 2 < 3", 1);
    assert_number("1 > 2 or 2 > 3", 0);
    assert_number("1 or 0 and 0", 1);
    assert_number("(1 or 0) and 0", 0);
}

static void paths(void **unused)
{
    (void)unused;
    assert_number("hw.machine.instructions", 200);
    assert_number("hw.machine.real", 1);
    assert_number("hw.thresholds[100].reached", 3);
    assert_number("hw.thresholds[4].reached / hw.thresholds[100].reached", 3);
    assert_number("hw.loops[0x20].executions", 7);
    assert_number("a", 6);
}

/* Unknown is never 0, and only what another side decides is known all the same. */
static void unknown(void **unused)
{
    (void)unused;
    assert_unknown("hw.machine.cycles");
    assert_unknown("hw.machine.nothing.at.all");
    assert_unknown("hw.thresholds[5].reached");
    assert_unknown("hw.text");
    assert_unknown("missing + 1");
    assert_unknown("1 / 0");
    assert_unknown("-missing");
    assert_unknown("missing > 1");
    assert_unknown("min(1, missing)");
    assert_unknown("max(holes)");
    assert_unknown("count(holes, 0)");
    assert_unknown("max(hw.empty)");
    assert_unknown("mean(hw.empty)");
    assert_unknown("top(list, 4)");
    assert_unknown("top(list, 0)");
    assert_unknown("missing and 1");
    assert_number("missing and 0", 0);
    assert_number("1 or missing", 1);
    assert_unknown("0 or missing");
}

static void functions(void **unused)
{
    (void)unused;
    assert_number("min(3, 1, 2)", 1);
    assert_number("max(3, 1 + 4, 2)", 5);
    assert_number("min(list)", 1);
    assert_number("max(list)", 3);
    assert_number("sum(list)", 6);
    assert_number("mean(list)", 2);
    assert_number("top(list, 1)", 3);
    assert_number("top(list, 3)", 1);
    assert_number("quantile(list, 0.5)", 2);
    assert_number("quantile(list, 0)", 1);
    assert_number("quantile(list, 1)", 3);
    assert_number("count(list, 2)", 2);
    assert_number("count(hw.empty, 0)", 0);
    assert_number("sum(hw.loops)", 60);
    assert_number("count(hw.loops, 7)", 2);
    assert_number("quantile(hw.loops, 0.5)", 7);
    assert_number("count_own(hw.loops, 0)", 2);
    assert_number("count_own(hw.loops, 7)", 1);
    assert_unknown("count_own(holes, 0)");
    assert_number("agreement(list, same)", 1);
    assert_number("agreement(list, back)", -1);
    assert_unknown("agreement(list, equal)");
    assert_unknown("agreement(list, holes)");
}

/* A loop of a profile counts with its turns, and is the same as one with its address elsewhere. */
static void lists_of_two_runs(void **unused)
{
    (void)unused;
    assert_number("sum(hw.profile)", 8);
    assert_number("count_in(hw.profile, hw.loops, 1)", 1);
    assert_number("sum_in(hw.profile, hw.loops)", 6);
    assert_number("sum_in(hw.loops, hw.profile)", 7);
    assert_number("count_in(hw.loops, hw.empty, 0)", 0);
}

static void figures_are_noted(void **unused)
{
    struct notes notes = {.root = NULL};
    struct expression_value value;
    char problem[EXPRESSION_PROBLEM_BYTES];
    (void)unused;
    assert_true(evaluate("max(list) > a  and missing of gcc at 7 < 2", &value, problem, &notes));
    assert_string_equal(notes.text, "[max(list)=3][a=6][missing of gcc at 7=-1]");
}

static void mistakes(void **unused)
{
    char deep[200];
    (void)unused;
    assert_wrong("", "missing at the end");
    assert_wrong("1 +", "missing at the end");
    assert_wrong("1 2", "not understood: 2");
    assert_wrong("a offer", "not understood: offer"); /* neither a of fer, nor 1 or 2 */
    assert_wrong("1 or2", "not understood: or2");
    assert_wrong("1 android", "not understood: android");
    assert_wrong("(1", "')' is missing");
    assert_wrong("1)", "not understood: )");
    assert_wrong("hw.", "name is missing");
    assert_wrong("hw.thresholds[100", "']' is missing");
    assert_wrong("hw.thresholds[]", "name is missing");
    assert_wrong("nobody", "there is no: nobody");
    assert_wrong("nothing(1)", "no function nothing");
    assert_wrong("min()", "not understood");
    assert_wrong("count(list)", "so many arguments");
    assert_wrong("count(1, list)", "lists first");
    assert_wrong("sum(hw)", "lists first");
    assert_wrong("min(1,2,3,4,5,6,7,8,9)", "too many");
    assert_wrong("1.2.3", "not a number");
    assert_wrong("12x", "not a number");
    assert_wrong("1 < 2 < 3", "not understood: < 3");
    assert_wrong("$", "not understood: $");
    assert_wrong("list of", "name is missing");
    assert_wrong("hw.loops", "hw.loops is a list or an object, not a number");
    assert_wrong("hw.machine", "hw.machine is a list or an object, not a number");
    static const char *const operators[] = {"+", "-", "*", "/", "<", ">=", "=", "and", "or"};
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        char text[40];
        snprintf(text, sizeof text, "list %s 1", operators[i]);
        assert_wrong(text, "list is a list");
        snprintf(text, sizeof text, "1 %s list", operators[i]);
        assert_wrong(text, "list is a list");
    }
    assert_wrong("-list", "list is a list");
    assert_wrong("sum(list) + (same)", "same is a list");
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_wrong(deep, "nested too deeply");
    memset(deep, '-', sizeof deep - 1);
    assert_wrong(deep, "nested too deeply");
    memset(deep, 'x', sizeof deep - 1);
    assert_wrong(deep, "too long");
    memset(deep, '1', sizeof deep - 1);
    assert_wrong(deep, "too long");
}

static void numbers_as_json(void **unused)
{
    static const struct {
        double number;
        const char *text;
    } rows[] = {{3, "3"},
                {-2, "-2"},
                {0.5, "0.5"},
                {1e300, "1.0000000000000001e300"},
                {0x1p53 - 1, "9007199254740991"}};
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *json = expression_to_json(expression_number(rows[i].number));
        char text[64] = "";
        json_dumpb(json, text, sizeof text - 1, JSON_ENCODE_ANY);
        assert_string_equal(text, rows[i].text);
        json_decref(json);
    }
    json_t *json = expression_to_json(expression_number(1.0 / 0.0));
    assert_true(json_is_null(json));
}

static void assert_paths(const char *text, const char *paths)
{
    char problem[EXPRESSION_PROBLEM_BYTES];
    struct expression_value value;
    struct notes notes = {.text = ""};
    assert_true(evaluate(text, &value, problem, &notes));
    assert_string_equal(notes.paths, paths);
}

static void it_is_told_how_far_paths_lead(void **state)
{
    (void)state;
    assert_paths("hw.machine.instructions + a", "[hw.machine.instructions whole][a whole]");
    assert_paths("hw.machine.instructons", "[hw.machine.instructons key]");
    assert_paths("hw.machin.instructions.x", "[hw.machin.instructions.x part]");
    assert_paths("hw.machine.cycles", "[hw.machine.cycles unknown]");
    assert_paths("hw.machine.cycles.all", "[hw.machine.cycles.all unknown]");
    assert_paths("hw.machine.instructions.x", "[hw.machine.instructions.x key]");
    assert_paths("hw.thresholds.reached", "[hw.thresholds.reached key]");
    assert_paths("hw.thresholds[4].reached", "[hw.thresholds[4].reached whole]");
    assert_paths("hw.thresholds[4].reach", "[hw.thresholds[4].reach key]");
    assert_paths("hw.thresholds[5].reach", "[hw.thresholds[5].reach unknown]");
    assert_paths("sum(hw.loops)", "[hw.loops whole]");
    assert_paths("missing.x", "[missing.x unknown]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(paths),
        cmocka_unit_test(unknown),
        cmocka_unit_test(functions),
        cmocka_unit_test(lists_of_two_runs),
        cmocka_unit_test(figures_are_noted),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(numbers_as_json),
        cmocka_unit_test(it_is_told_how_far_paths_lead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
