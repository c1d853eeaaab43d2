/* Whether what was concluded holds for what was measured: the `check` lines of an experiment. */
#include "study/conclusions.h"

#include "base/check.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

struct conclusion {
    struct pool *pool;
    const struct measured *measured;
    size_t point;        /* of the axis, for what does not say at which */
    bool at_point;       /* something did not say */
    json_t *lists;       /* keeps those that the expression is about */
    const char *figures; /* what went into it, for the reader */
};

static size_t find_point(const struct experiment *experiment, const char *label)
{
    size_t i = 0;
    while (i < experiment->axis_count && strcmp(experiment->axis_values[i].label, label) != 0) {
        i++;
    }
    return experiment->axis == NULL ? 0 : i;
}

/* Unknown if the program is not there. */
static struct expression_value value_of(const struct measured *measured, size_t value,
                                        const char *program, size_t point)
{
    const struct planned *planned = measured->planned;
    for (size_t i = 0; i < planned->program_count; i++) {
        if (strcmp(planned->programs[i]->name, program) == 0) {
            return measured_value(measured, value, i, point);
        }
    }
    return (struct expression_value){.kind = EXPRESSION_UNKNOWN};
}

/* A value of one program, or the list of it for all: those that are not built are in it as
 * unknown, since a statement about all is not tested without them. */
static const char *find_name(void *context, const struct expression_name *name,
                             struct expression_value *result)
{
    struct conclusion *conclusion = context;
    const struct measured *measured = conclusion->measured;
    const struct planned *planned = measured->planned;
    const size_t value = experiment_find_value(planned->experiment, name->name);
    const bool says = name->at[0] != '\0' || planned->experiment->axis == NULL;
    const size_t point = says ? find_point(planned->experiment, name->at) : conclusion->point;
    conclusion->at_point = conclusion->at_point || !says;
    if (value == planned->experiment->value_count ||
        point == experiment_points(planned->experiment)) {
        return "there is no such value";
    }
    if (name->of[0] != '\0') {
        *result = value_of(measured, value, name->of, point);
        return NULL;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < planned->names.count; i++) {
        const struct expression_value one =
            value_of(measured, value, planned->names.words[i], point);
        ASSERT(json_array_append_new(list, expression_to_json(one)) == 0);
    }
    ASSERT(json_array_append_new(conclusion->lists, list) == 0);
    *result = expression_of_json(list);
    return NULL;
}

/* The unit of a figure is that of the value that it is drawn from, unless it is a number of
 * programs or a coefficient. */
static enum value_unit unit_of(const struct experiment *experiment, const char *text, size_t length)
{
    const bool counted = strncmp(text, "count", 5) == 0 || strncmp(text, "agreement", 9) == 0;
    for (size_t i = 0; !counted && i < experiment->value_count; i++) {
        const size_t bytes = strlen(experiment->values[i].name);
        for (size_t at = 0; at + bytes <= length; at++) {
            const bool begins =
                at == 0 || !(isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_');
            const bool ends = at + bytes == length || !(isalnum((unsigned char)text[at + bytes]) ||
                                                        text[at + bytes] == '_');
            if (begins && ends && strncmp(text + at, experiment->values[i].name, bytes) == 0) {
                return experiment->values[i].unit;
            }
        }
    }
    return UNIT_NUMBER;
}

/* As it stands in a sentence: three digits are enough to read. */
static const char *format_read(const struct conclusion *conclusion, const char *text,
                               struct expression_value value)
{
    const enum value_unit unit =
        unit_of(conclusion->measured->planned->experiment, text, strlen(text));
    if (value.kind != EXPRESSION_NUMBER) {
        return "(not measured)";
    }
    const double number = unit == UNIT_PERCENT ? 100 * value.number : value.number;
    const bool whole = fabs(number) >= 100 || (unit == UNIT_NUMBER && number == trunc(number));
    return pool_format(conclusion->pool, "%.*f%s",
                       whole                ? 0
                       : fabs(number) >= 10 ? 1
                                            : 2,
                       number, unit == UNIT_PERCENT ? " %" : "");
}

/* `text` is the expression that it is the value of. */
static const char *format_figure(const struct conclusion *conclusion, const char *text,
                                 size_t length, struct expression_value value)
{
    const enum value_unit unit = unit_of(conclusion->measured->planned->experiment, text, length);
    if (value.kind != EXPRESSION_NUMBER) {
        return "not measured";
    }
    if (unit == UNIT_PERCENT) {
        return pool_format(conclusion->pool, "%.2f %%", 100 * value.number);
    }
    const char *format = unit == UNIT_RATIO ? "%.3f"
                         : value.number == trunc(value.number) || fabs(value.number) >= 1000
                             ? "%.0f"
                             : "%.4g";
    return pool_format(conclusion->pool, format, value.number);
}

static void note(void *context, const char *text, size_t length, struct expression_value value)
{
    struct conclusion *conclusion = context;
    const char *figure = format_figure(conclusion, text, length, value);
    const char *named = pool_format(conclusion->pool, "%.*s: %s", (int)length, text, figure);
    if (strstr(conclusion->figures, named) == NULL) { /* a range names its value twice */
        conclusion->figures = pool_format(conclusion->pool, "%s%s%s", conclusion->figures,
                                          conclusion->figures[0] != '\0' ? "; " : "", named);
    }
}

static bool applies(const struct experiment_reason *reason, const json_t *holds)
{
    return reason->when == REASON_ALWAYS ||
           (reason->when == REASON_IF_HOLDS && json_is_true(holds)) ||
           (reason->when == REASON_IF_FAILS && json_is_false(holds));
}

/* A text with its figures. */
static const char *fill(struct conclusion *conclusion, const char *text)
{
    const struct expression_scope scope = {.context = conclusion, .find = find_name};
    const char *filled = "";
    struct reason_piece piece;
    while (experiment_next_piece(conclusion->pool, &text, &piece)) {
        const char *figure = "";
        if (piece.expression != NULL) {
            char problem[EXPRESSION_PROBLEM_BYTES];
            struct expression_value value = {.kind = EXPRESSION_UNKNOWN};
            expression_evaluate(piece.expression, &scope, &value, problem);
            figure = format_read(conclusion, piece.expression, value);
        }
        filled = pool_format(conclusion->pool, "%s%s%s", filled, piece.text, figure);
    }
    return filled;
}

/* The reasons for this outcome, with their figures; NULL if the experiment gives none. */
static const char *explain(struct conclusion *conclusion, const char *check, const json_t *holds)
{
    const struct experiment *experiment = conclusion->measured->planned->experiment;
    const char *why = NULL;
    for (size_t i = 0; i < experiment->reason_count; i++) {
        const struct experiment_reason *reason = &experiment->reasons[i];
        if (applies(reason, holds) && strcmp(reason->check, check) == 0) {
            why = pool_format(conclusion->pool, "%s%s%s", why != NULL ? why : "",
                              why != NULL ? " " : "", fill(conclusion, reason->text));
        }
    }
    return why;
}

/* `again`: it is one of several, for each point of the axis. */
static json_t *draw(struct pool *pool, const struct measured *measured,
                    const struct experiment_check *check, size_t point, bool *again)
{
    const struct experiment *experiment = measured->planned->experiment;
    struct conclusion conclusion = {
        .pool = pool, .measured = measured, .point = point, .lists = json_array(), .figures = ""};
    const struct expression_scope scope = {.context = &conclusion, .find = find_name, .note = note};
    char problem[EXPRESSION_PROBLEM_BYTES];
    struct expression_value value;
    const bool read = expression_evaluate(check->expression, &scope, &value, problem);
    json_t *holds =
        !read || value.kind != EXPRESSION_NUMBER ? json_null() : json_boolean(value.number != 0);
    *again = conclusion.at_point;
    const char *label = *again ? experiment->axis_values[point].label : NULL;
    const char *statement =
        *again ? pool_format(pool, "%s (%s %s)", check->statement, experiment->axis, label)
               : check->statement;
    const char *why = explain(&conclusion, check->name, holds);
    json_decref(conclusion.lists);
    return json_pack("{s:s, s:s?, s:s, s:b, s:s, s:s, s:o, s:s?}", "name", check->name, "at", label,
                     "statement", statement, "stated", check->stated, "condition",
                     check->expression, "measured", conclusion.figures, "holds", holds, "why", why);
}

json_t *conclusions_draw(struct pool *pool, const struct measured *measured)
{
    const struct experiment *experiment = measured->planned->experiment;
    json_t *checks = json_array();
    for (size_t i = 0; i < experiment->check_count; i++) {
        bool again = true;
        for (size_t point = 0; again && point < experiment_points(experiment); point++) {
            ASSERT(json_array_append_new(
                       checks, draw(pool, measured, &experiment->checks[i], point, &again)) == 0);
        }
    }
    return checks;
}

json_t *conclusions_compare(struct pool *pool, const struct measured *measured)
{
    const struct experiment *experiment = measured->planned->experiment;
    json_t *rows = json_array();
    for (size_t i = 0; i < experiment->published_count; i++) {
        const struct experiment_published *published = &experiment->published[i];
        struct conclusion conclusion = {.pool = pool, .measured = measured, .lists = json_array()};
        const struct expression_scope scope = {.context = &conclusion, .find = find_name};
        char problem[EXPRESSION_PROBLEM_BYTES];
        struct expression_value value = {.kind = EXPRESSION_UNKNOWN};
        expression_evaluate(published->expression, &scope, &value, problem);
        ASSERT(json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:f, s:o}", "name",
                                                     published->name, "what", published->what,
                                                     "unit", value_unit_names[published->unit],
                                                     "published", published->number, "measured",
                                                     expression_to_json(value))) == 0);
        json_decref(conclusion.lists);
    }
    return rows;
}

/* What a check came to: that of its first point, which is the only one of a statement. */
static const json_t *outcome_of(const json_t *checks, const char *name)
{
    size_t i;
    const json_t *check;
    json_array_foreach(checks, i, check)
    {
        if (strcmp(json_string_value(json_object_get(check, "name")), name) == 0) {
            return json_object_get(check, "holds");
        }
    }
    return NULL;
}

const char *conclusions_learn(struct pool *pool, const struct measured *measured,
                              const json_t *checks)
{
    const struct experiment *experiment = measured->planned->experiment;
    for (size_t i = 0; i < experiment->lesson_count; i++) {
        const struct experiment_reason *lesson = &experiment->lessons[i];
        const json_t *holds = outcome_of(checks, lesson->check);
        if (holds != NULL && !json_is_null(holds) && applies(lesson, holds)) {
            struct conclusion conclusion = {
                .pool = pool, .measured = measured, .lists = json_array()};
            const char *learned = fill(&conclusion, lesson->text);
            json_decref(conclusion.lists);
            return learned;
        }
    }
    return NULL;
}
