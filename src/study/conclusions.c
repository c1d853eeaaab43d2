/* Whether what was concluded holds for what was measured: the `check` lines of an experiment. */
#include "study/conclusions.h"

#include "base/check.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

struct conclusion {
    struct pool *pool;
    const struct measured *measured;
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
    const size_t point = find_point(planned->experiment, name->at);
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

static void note(void *context, const char *text, size_t length, struct expression_value value)
{
    struct conclusion *conclusion = context;
    const enum value_unit unit = unit_of(conclusion->measured->planned->experiment, text, length);
    const bool whole = value.number == trunc(value.number);
    const char *figure = value.kind != EXPRESSION_NUMBER ? "not measured"
                         : unit == UNIT_PERCENT
                             ? pool_format(conclusion->pool, "%.2f %%", 100 * value.number)
                         : unit == UNIT_RATIO ? pool_format(conclusion->pool, "%.3f", value.number)
                         : whole              ? pool_format(conclusion->pool, "%.0f", value.number)
                                              : pool_format(conclusion->pool, "%.4g", value.number);
    const char *named = pool_format(conclusion->pool, "%.*s: %s", (int)length, text, figure);
    if (strstr(conclusion->figures, named) == NULL) { /* a range names its value twice */
        conclusion->figures = pool_format(conclusion->pool, "%s%s%s", conclusion->figures,
                                          conclusion->figures[0] != '\0' ? "; " : "", named);
    }
}

static json_t *draw(struct pool *pool, const struct measured *measured,
                    const struct experiment_check *check)
{
    struct conclusion conclusion = {
        .pool = pool, .measured = measured, .lists = json_array(), .figures = ""};
    const struct expression_scope scope = {.context = &conclusion, .find = find_name, .note = note};
    char problem[EXPRESSION_PROBLEM_BYTES];
    struct expression_value value;
    const bool read = expression_evaluate(check->expression, &scope, &value, problem);
    json_t *holds =
        !read || value.kind != EXPRESSION_NUMBER ? json_null() : json_boolean(value.number != 0);
    json_decref(conclusion.lists);
    return json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", check->name, "statement",
                     check->statement, "condition", check->expression, "measured",
                     conclusion.figures, "holds", holds);
}

json_t *conclusions_draw(struct pool *pool, const struct measured *measured)
{
    const struct experiment *experiment = measured->planned->experiment;
    json_t *checks = json_array();
    for (size_t i = 0; i < experiment->check_count; i++) {
        ASSERT(json_array_append_new(checks, draw(pool, measured, &experiment->checks[i])) == 0);
    }
    return checks;
}
