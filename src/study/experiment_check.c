/* Whether the lines of an experiment fit together: names that exist, expressions that can be read. */
#include "study/experiment_check.h"

#include "study/expression.h"

#include <string.h>

/* The keys of hotspots.loops, and whether they are numbers. */
static const struct {
    const char *name;
    bool number;
} loop_keys[] = {
    {"head", false}, {"function", false},      {"source", false}, {"executions", true},
    {"share", true}, {"callback_taken", true}, {"evicted", true},
};

struct checked {
    const struct experiment *experiment;
    size_t values_before; /* a value may use those before it */
    bool once;            /* of one point of the axis, which must be named */
    const json_t *list;   /* stands for the values of all programs before any is known */
};

static const char *find_in_value(void *context, const struct expression_name *name,
                                 struct expression_value *value)
{
    const struct checked *checked = context;
    *value = (struct expression_value){.kind = EXPRESSION_UNKNOWN};
    if (name->of[0] != '\0' || name->at[0] != '\0') {
        return "a value is of one program and one point of the axis";
    }
    const size_t earlier = experiment_find_value(checked->experiment, name->name);
    if (earlier < checked->values_before && checked->experiment->values[earlier].ranked != NULL) {
        return "ranks are known only when all values are";
    }
    if (experiment_find_run(checked->experiment, name->name) < checked->experiment->run_count ||
        earlier < checked->values_before) {
        return NULL;
    }
    return "there is no run and no value before it with the name";
}

/* A suite may be exchanged for another, whose programs the experiment does not know. */
static bool may_be_program(const struct experiment *experiment, const char *name)
{
    bool found = experiment->suite != NULL || words_have(&experiment->programs, name);
    for (size_t i = 0; i < experiment->own_program_count; i++) {
        found = found || strcmp(experiment->own_programs[i].name, name) == 0;
    }
    return found;
}

static const char *find_in_check(void *context, const struct expression_name *name,
                                 struct expression_value *value)
{
    const struct checked *checked = context;
    const struct experiment *experiment = checked->experiment;
    *value = name->of[0] == '\0' ? expression_of_json(checked->list)
                                 : (struct expression_value){.kind = EXPRESSION_UNKNOWN};
    const size_t found = experiment_find_value(experiment, name->name);
    if (found == experiment->value_count) {
        return "there is no value";
    }
    if (name->of[0] != '\0' && !may_be_program(experiment, name->of)) {
        return "it is `of` a program that the experiment does not have";
    }
    if (checked->once && experiment->axis != NULL && name->at[0] == '\0') {
        return "it is judged once: say `at` which point of the axis";
    }
    bool on_axis = false;
    for (size_t i = 0; i < experiment->axis_count; i++) {
        on_axis = on_axis || strcmp(experiment->axis_values[i].label, name->at) == 0;
    }
    return name->at[0] == '\0' || on_axis ? NULL : "the axis has no such point";
}

static const char *find_in_loop(void *context, const struct expression_name *name,
                                struct expression_value *value)
{
    (void)context;
    *value = (struct expression_value){.kind = EXPRESSION_UNKNOWN};
    for (size_t i = 0; i < sizeof loop_keys / sizeof loop_keys[0]; i++) {
        if (loop_keys[i].number && strcmp(loop_keys[i].name, name->name) == 0) {
            return NULL;
        }
    }
    return "a loop has no such number";
}

static bool check_braces(struct script *script, const struct experiment *experiment,
                         const char *text)
{
    for (const char *open = strchr(text, '{'); open != NULL; open = strchr(open + 1, '{')) {
        const size_t length = strcspn(open + 1, "}");
        if (experiment->axis == NULL || open[1 + length] == '\0' ||
            length != strlen(experiment->axis) ||
            strncmp(open + 1, experiment->axis, length) != 0) {
            return script_wrong(script, "nothing is varied that could stand for %.60s", open);
        }
    }
    return true;
}

static bool check_expression(struct script *script, struct checked *checked,
                             const struct expression_scope *scope, const char *text)
{
    char problem[EXPRESSION_PROBLEM_BYTES];
    struct expression_value value;
    if (!check_braces(script, checked->experiment, text)) {
        return false;
    }
    for (size_t point = 0; point < experiment_points(checked->experiment); point++) {
        const char *filled = experiment_fill(script->pool, checked->experiment, point, text);
        if (!expression_evaluate(filled, scope, &value, problem)) {
            return script_wrong(script, "%s", problem);
        }
    }
    return true;
}

/* What a file of addresses is made from must be there before. */
static bool check_addresses(struct script *script, const struct experiment *experiment, size_t run,
                            const char *word)
{
    struct addresses addresses;
    for (size_t point = 0; point < experiment_points(experiment); point++) {
        const char *filled = experiment_fill(script->pool, experiment, point, word);
        if (!experiment_read_addresses(script->pool, experiment, filled, &addresses)) {
            return script_wrong(script, "expected @RUN.KEY.KEY:N, the first N of a list: %.60s",
                                filled);
        }
        if (addresses.run >= run) {
            return script_wrong(script, "there is no run before it that %.60s could be of", filled);
        }
    }
    return true;
}

/* Whether a word names an option, in full or abbreviated, with a value behind '=' or without. */
static bool names_option(const char *word, const char *option)
{
    const size_t length = strcspn(word, "=");
    return strcmp(word, option) == 0 || (length > 2 && strncmp(word, option, length) == 0);
}

static bool check_option(struct script *script, const char *word)
{
    /* What the study itself gives, and the end of the options. */
    static const char *const reserved[] = {"--stats", "--", "-h", "--help", "--trace", "--summary"};
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (names_option(word, reserved[i])) {
            return script_wrong(script, "%s is not for experiments", reserved[i]);
        }
    }
    /* The study looks for it: a run is of the processor that it names. */
    return strcmp(word, MACHINE_OPTION) == 0 || !names_option(word, MACHINE_OPTION) ||
           script_wrong(script, "in experiments it is written " MACHINE_OPTION " NAME: %.60s",
                        word);
}

static bool check_runs(struct script *script, const struct experiment *experiment)
{
    for (size_t i = 0; i < experiment->run_count; i++) {
        const struct words *command = &experiment->runs[i].command;
        size_t files = 0;
        script->line = command->line;
        for (size_t j = 0; j < command->count; j++) {
            if (!check_option(script, command->words[j])) {
                return false;
            }
            if (!check_braces(script, experiment, command->words[j])) {
                return false;
            }
            if (!experiment_is_addresses(command->words[j])) {
                continue;
            }
            if (!check_addresses(script, experiment, i, command->words[j])) {
                return false;
            }
            if (files++ > 0) {
                return script_wrong(script, "one file of addresses is enough: %.60s",
                                    command->words[j]);
            }
        }
    }
    return true;
}

static bool check_reason(struct script *script, struct checked *checked,
                         const struct expression_scope *scope,
                         const struct experiment_reason *reason)
{
    const struct experiment *experiment = checked->experiment;
    char problem[EXPRESSION_PROBLEM_BYTES];
    struct expression_value value;
    struct reason_piece piece;
    const char *at = reason->text;
    const size_t check = experiment_find_check(experiment, reason->check);
    script->line = reason->line;
    if (check == experiment->check_count) {
        return script_wrong(script, "there is no check %.60s", reason->check);
    }
    checked->once = checked->once || experiment->checks[check].stated;
    while (experiment_next_piece(script->pool, &at, &piece)) {
        if (piece.unclosed) {
            return script_wrong(script, "'}' is missing");
        }
        if (piece.expression != NULL &&
            !expression_evaluate(piece.expression, scope, &value, problem)) {
            return script_wrong(script, "%s", problem);
        }
    }
    return true;
}

static bool check_expressions(struct script *script, const struct experiment *experiment,
                              const json_t *list)
{
    struct checked checked = {.experiment = experiment, .list = list};
    const struct expression_scope values = {.context = &checked, .find = find_in_value};
    const struct expression_scope conclusions = {.context = &checked, .find = find_in_check};
    for (size_t i = 0; i < experiment->value_count; i++) {
        checked.values_before = i;
        script->line = experiment->values[i].line;
        const char *expression = experiment->values[i].expression;
        const char *ranked = experiment->values[i].ranked;
        if (expression != NULL && !check_expression(script, &checked, &values, expression)) {
            return false;
        }
        if (ranked != NULL && experiment_find_value(experiment, ranked) >= i) {
            return script_wrong(script, "there is no value before it with the name: %s", ranked);
        }
    }
    for (size_t i = 0; i < experiment->check_count; i++) {
        script->line = experiment->checks[i].line;
        checked.once = experiment->checks[i].stated;
        if (!check_expression(script, &checked, &conclusions, experiment->checks[i].expression)) {
            return false;
        }
    }
    for (size_t i = 0; i < experiment->published_count; i++) {
        script->line = experiment->published[i].line;
        checked.once = true;
        if (!check_expression(script, &checked, &conclusions,
                              experiment->published[i].expression)) {
            return false;
        }
    }
    for (size_t i = 0; i < experiment->reason_count; i++) {
        checked.once = false;
        if (!check_reason(script, &checked, &conclusions, &experiment->reasons[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < experiment->lesson_count; i++) {
        checked.once = true;
        if (!check_reason(script, &checked, &conclusions, &experiment->lessons[i])) {
            return false;
        }
    }
    return true;
}

static bool check_values(struct script *script, const struct experiment *experiment)
{
    json_t *list = json_array();
    const bool right = check_expressions(script, experiment, list);
    json_decref(list);
    return right;
}

static bool is_loop_key(const char *name)
{
    for (size_t i = 0; i < sizeof loop_keys / sizeof loop_keys[0]; i++) {
        if (strcmp(loop_keys[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_loops(struct script *script, const struct experiment *experiment)
{
    struct checked checked = {.experiment = experiment};
    const struct expression_scope scope = {.context = &checked, .find = find_in_loop};
    if (experiment->loops_run == NULL) {
        return true;
    }
    script->line = experiment->loops_line;
    if (experiment->axis != NULL) {
        return script_wrong(script, "loops are of one run: nothing may be varied");
    }
    if (experiment_find_run(experiment, experiment->loops_run) == experiment->run_count) {
        return script_wrong(script, "there is no run %.60s", experiment->loops_run);
    }
    for (size_t i = 0; i < experiment->column_count; i++) {
        const struct experiment_column *column = &experiment->columns[i];
        if (column->expression == NULL && !is_loop_key(column->name)) {
            return script_wrong(script, "loops have no %.60s", column->name);
        }
        if (column->expression != NULL &&
            !check_expression(script, &checked, &scope, column->expression)) {
            return false;
        }
    }
    return true;
}

static bool has_column(const struct experiment *experiment, const char *name)
{
    for (size_t i = 0; i < experiment->column_count; i++) {
        if (strcmp(experiment->columns[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Any chart can be by program; lines, which go along the axis then, also by the axis. */
static bool check_by(struct script *script, const struct experiment *experiment,
                     const struct experiment_chart *chart)
{
    const bool can = chart->by == NULL ||
                     (chart->kind == CHART_LINES && strcmp(chart->by, experiment->axis) == 0);

    return can ||
           script_wrong(script, "charts are by program, and lines by what is varied: not by %.60s",
                        chart->by);
}

static bool check_charts(struct script *script, const struct experiment *experiment)
{
    for (size_t i = 0; i < experiment->chart_count; i++) {
        const struct experiment_chart *chart = &experiment->charts[i];
        script->line = chart->values.line;
        const bool of_points = chart->kind == CHART_LINES || chart->kind == CHART_MULTIPLES ||
                               chart->kind == CHART_RANKING;
        if (of_points && experiment->axis == NULL) {
            return script_wrong(script, "%s need something that is varied",
                                chart_kind_names[chart->kind]);
        }
        if (!check_by(script, experiment, chart)) {
            return false;
        }
        for (size_t j = 0; j < chart->values.count; j++) {
            const char *name = chart->values.words[j];
            const bool there =
                chart->kind == CHART_SCATTER
                    ? has_column(experiment, name)
                    : experiment_find_value(experiment, name) < experiment->value_count;
            if (!there) {
                return script_wrong(script, "there is no %s %.60s",
                                    chart->kind == CHART_SCATTER ? "column" : "value", name);
            }
        }
    }
    return true;
}

static bool check_shown_run(struct script *script, const struct experiment *experiment,
                            const struct shown_run *shown)
{
    script->line = shown->line;
    return shown->name == NULL ||
           experiment_find_run(experiment, shown->name) < experiment->run_count ||
           script_wrong(script, "there is no run %.60s", shown->name);
}

bool experiment_check(struct script *script, const struct experiment *experiment)
{
    const char *missing = experiment->title == NULL      ? "a title"
                          : experiment->run_count == 0   ? "a run"
                          : experiment->value_count == 0 ? "a value"
                          : experiment->suite == NULL && experiment->programs.count == 0 &&
                                  experiment->own_program_count == 0
                              ? "a suite or programs"
                              : NULL;
    if (missing != NULL) {
        script->line = script->line == 0 ? 1 : script->line;
        return script_wrong(script, "the experiment ends without %s", missing);
    }
    return check_shown_run(script, experiment, &experiment->cycles) &&
           check_shown_run(script, experiment, &experiment->slices) &&
           check_runs(script, experiment) && check_values(script, experiment) &&
           check_loops(script, experiment) && check_charts(script, experiment);
}
