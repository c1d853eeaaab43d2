/* Reads experiment files: one line, one thing. */
#include "study/experiment.h"

#include "base/number.h"
#include "study/experiment_check.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const value_unit_names[] = {"number", "percent", "ratio", NULL};
const char *const chart_kind_names[] = {"bars",    "lines",   "ladder", "multiples",
                                        "ranking", "scatter", "table",  NULL};

/* The position of `name` in a list that ends with NULL; -1 if it is not there. */
static int find_name(const char *const *names, const char *name)
{
    for (int i = 0; name != NULL && names[i] != NULL; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static void add_word(struct script *script, struct words *words, const char *word)
{
    words->line = script->line;
    *POOL_ADD(script->pool, words->words, words->count) = word;
}

static void take_words(struct script *script, struct words *words)
{
    const char *word;
    while ((word = script_take_word(script)) != NULL) {
        add_word(script, words, word);
    }
}

/* Names stand in expressions, so they are made of what these read as one word. */
static const char *take_name(struct script *script, const char *what)
{
    const char *name = script_take_word(script);
    if (name == NULL) {
        script_wrong(script, "the name of the %s is missing", what);
        return NULL;
    }
    bool usable = isalpha((unsigned char)name[0]) && strlen(name) < 48;
    for (const char *at = name; *at != '\0'; at++) {
        usable = usable && (isalnum((unsigned char)*at) || *at == '_');
    }
    if (!usable) {
        script_wrong(script, "%.60s is no name for a %s: letters, digits and _ only", name, what);
        return NULL;
    }
    return name;
}

static bool take_text(struct script *script, const char **text, const char *directive)
{
    if (*text != NULL) {
        return script_wrong(script, "there is a second %s", directive);
    }
    const char *quoted = script_take_quoted(script);
    *text = quoted != NULL ? quoted : script_take_raw(script);
    return *text != NULL || script_wrong(script, "%s what?", directive);
}

static bool read_title(struct script *script, struct experiment *experiment)
{
    return take_text(script, &experiment->title, "title");
}

static bool read_figure(struct script *script, struct experiment *experiment)
{
    return take_text(script, &experiment->figure, "figure");
}

static bool read_source(struct script *script, struct experiment *experiment)
{
    return take_text(script, &experiment->source, "source");
}

static bool read_paper(struct script *script, struct experiment *experiment)
{
    const char *text = NULL;
    if (!take_text(script, &text, "paper")) {
        return false;
    }
    add_word(script, &experiment->papers, text);
    return true;
}

static bool read_suite(struct script *script, struct experiment *experiment)
{
    if (experiment->suite != NULL || experiment->programs.count > 0) {
        return script_wrong(script, "the programs are named already");
    }
    experiment->suite_line = script->line;
    experiment->suite = script_take_word(script);
    return experiment->suite != NULL || script_wrong(script, "which suite?");
}

static bool read_programs(struct script *script, struct experiment *experiment)
{
    if (experiment->suite != NULL || experiment->programs.count > 0) {
        return script_wrong(script, "the programs are named already");
    }
    take_words(script, &experiment->programs);
    return experiment->programs.count > 0 || script_wrong(script, "which programs?");
}

/* A program's name becomes part of file names. */
static bool is_program_name(const char *name)
{
    for (const char *at = name; *at != '\0'; at++) {
        if (!isalnum((unsigned char)*at) && strchr("_-+.", *at) == NULL) {
            return false;
        }
    }
    return name[0] != '.' && name[0] != '-' && strlen(name) < 48;
}

bool experiment_read_program(struct script *script, struct own_program *program)
{
    const char *word;
    program->name = script_take_word(script);
    if (program->name == NULL || !is_program_name(program->name)) {
        return script_wrong(script, "a program needs a name of letters, digits, _, -, + and .");
    }
    while ((word = script_take_word(script)) != NULL) {
        const bool begins = program->command.count == 0;
        if (begins && program->folder == NULL && strcmp(word, "in") == 0) {
            program->folder = script_take_word(script);
        } else if (begins && program->size == NULL && strcmp(word, "at") == 0) {
            program->size = script_take_word(script);
        } else if (word[0] == '<' && word[1] != '\0') {
            program->input = word + 1;
        } else {
            add_word(script, &program->command, word);
        }
    }
    program->command.line = script->line;
    return program->command.count > 0 ||
           script_wrong(script, "what is the command of %s?", program->name);
}

static bool read_program(struct script *script, struct experiment *experiment)
{
    struct own_program program = {.name = NULL};
    if (!experiment_read_program(script, &program)) {
        return false;
    }
    if (program.size != NULL) {
        return script_wrong(script,
                            "a program of its own is the same at all sizes: at %.60s is "
                            "for lists of suites",
                            program.size);
    }
    for (size_t i = 0; i < experiment->own_program_count; i++) {
        if (strcmp(experiment->own_programs[i].name, program.name) == 0) {
            return script_wrong(script, "there is a second program %s", program.name);
        }
    }
    *POOL_ADD(script->pool, experiment->own_programs, experiment->own_program_count) = program;
    return true;
}

/* vary NAME VALUE...; a value may be LABEL=TEXT. */
static bool read_vary(struct script *script, struct experiment *experiment)
{
    const char *word;
    if (experiment->axis != NULL) {
        return script_wrong(script, "there is a second vary");
    }
    experiment->axis_line = script->line;
    experiment->axis = take_name(script, "axis");
    while (experiment->axis != NULL && (word = script_take_word(script)) != NULL) {
        const char *equals = strchr(word, '=');
        struct axis_value *value =
            POOL_ADD(script->pool, experiment->axis_values, experiment->axis_count);
        value->label =
            equals != NULL ? pool_copy(script->pool, word, (size_t)(equals - word)) : word;
        value->text = equals != NULL ? equals + 1 : word;
        if (!is_program_name(value->label) || value->label[0] == '\0') {
            return script_wrong(script, "%.60s is no label: letters, digits, _, -, + and . only",
                                value->label);
        }
        for (size_t i = 0; i + 1 < experiment->axis_count; i++) {
            if (strcmp(experiment->axis_values[i].label, value->label) == 0) {
                return script_wrong(script, "%s is there twice", value->label);
            }
        }
    }
    return experiment->axis == NULL || experiment->axis_count > 0 ||
           script_wrong(script, "vary %s over what?", experiment->axis);
}

static bool read_run(struct script *script, struct experiment *experiment)
{
    const char *name = take_name(script, "run");
    if (name == NULL) {
        return false;
    }
    if (experiment_find_run(experiment, name) < experiment->run_count) {
        return script_wrong(script, "there is a second run %s", name);
    }
    struct experiment_run *run = POOL_ADD(script->pool, experiment->runs, experiment->run_count);
    run->name = name;
    take_words(script, &run->command);
    if (run->command.count == 0 ||
        (strcmp(run->command.words[0], "run") != 0 && strcmp(run->command.words[0], "sim") != 0)) {
        return script_wrong(script, "run %s needs a command: run or sim, and options", name);
    }
    return true;
}

/* at SIZE OPTION... */
static bool read_at(struct script *script, struct experiment *experiment)
{
    struct size_options at = {.size = script_take_word(script)};
    if (at.size != NULL && experiment_size_options(experiment, at.size) != NULL) {
        return script_wrong(script, "there is a second at %.60s", at.size);
    }
    take_words(script, &at.options);
    if (at.options.count == 0) {
        return script_wrong(script, "at which size, and with which options?");
    }
    *POOL_ADD(script->pool, experiment->sizes, experiment->size_count) = at;
    return true;
}

static struct experiment_value *add_value(struct script *script, struct experiment *experiment)
{
    const char *name = take_name(script, "value");
    if (name == NULL) {
        return NULL;
    }
    if (experiment_find_value(experiment, name) < experiment->value_count ||
        experiment_find_run(experiment, name) < experiment->run_count) {
        script_wrong(script, "there is a second %s", name);
        return NULL;
    }
    struct experiment_value *value =
        POOL_ADD(script->pool, experiment->values, experiment->value_count);
    *value = (struct experiment_value){.name = name, .label = name, .line = script->line};
    return value;
}

static bool take_unit(struct script *script, enum value_unit *unit)
{
    const char *word = script_take_word(script);
    const int found = find_name(value_unit_names, word);
    if (word != NULL && found < 0) {
        return script_wrong(script, "there is no unit %.60s: number, percent or ratio", word);
    }
    *unit = found < 0 ? UNIT_NUMBER : (enum value_unit)found;
    return true;
}

static bool read_value(struct script *script, struct experiment *experiment)
{
    struct experiment_value *value = add_value(script, experiment);
    if (value == NULL) {
        return false;
    }
    value->expression = script_take_raw(script);
    if (value->expression == NULL) {
        return script_wrong(script, "value %s needs an expression", value->name);
    }
    const char *label = script_take_quoted(script);
    value->label = label != NULL ? label : value->name;
    return label == NULL || take_unit(script, &value->unit);
}

/* given NAME PROGRAM=NUMBER... ["LABEL" [UNIT]] */
static bool read_given(struct script *script, struct experiment *experiment)
{
    const char *word;
    struct experiment_value *value = add_value(script, experiment);
    if (value == NULL) {
        return false;
    }
    while (!script_line_is_over(script)) {
        const char *label = script_take_quoted(script);
        if (label != NULL) {
            value->label = label;
            return take_unit(script, &value->unit);
        }
        word = script_take_word(script);
        const char *equals = word != NULL ? strchr(word, '=') : NULL;
        char *end = NULL;
        const double number = equals != NULL ? strtod(equals + 1, &end) : 0;
        if (equals == NULL || end == equals + 1 || *end != '\0' || !isfinite(number)) {
            return script_wrong(script, "expected PROGRAM=NUMBER: %.60s", word != NULL ? word : "");
        }
        *POOL_ADD(script->pool, value->given, value->given_count) =
            (struct given){pool_copy(script->pool, word, (size_t)(equals - word)), number};
    }
    return true;
}

/* rank NAME VALUE ["LABEL"] */
static bool read_rank(struct script *script, struct experiment *experiment)
{
    struct experiment_value *value = add_value(script, experiment);
    if (value == NULL) {
        return false;
    }
    value->ranked = script_take_word(script);
    const char *label = script_take_quoted(script);
    value->label = label != NULL ? label : value->name;
    return value->ranked != NULL || script_wrong(script, "the rank by which value?");
}

static bool read_loops(struct script *script, struct experiment *experiment)
{
    const char *word;
    if (experiment->loops_run != NULL) {
        return script_wrong(script, "there is a second table of loops");
    }
    experiment->loops_line = script->line;
    experiment->loops_run = script_take_word(script);
    if (experiment->loops_run == NULL) {
        return script_wrong(script, "the loops of which run?");
    }
    while ((word = script_take_word(script)) != NULL) {
        const char *equals = strchr(word, '=');
        struct experiment_column *column =
            POOL_ADD(script->pool, experiment->columns, experiment->column_count);
        column->name =
            equals != NULL ? pool_copy(script->pool, word, (size_t)(equals - word)) : word;
        column->expression = equals != NULL ? equals + 1 : NULL;
    }
    return experiment->column_count > 0 || script_wrong(script, "which columns?");
}

static bool take_shown_run(struct script *script, struct shown_run *shown, const char *what)
{
    if (shown->name != NULL) {
        return script_wrong(script, "there is a second run whose %s are shown", what);
    }
    shown->line = script->line;
    shown->name = script_take_word(script);
    return shown->name != NULL || script_wrong(script, "the %s of which run?", what);
}

/* cycles RUN */
static bool read_cycles(struct script *script, struct experiment *experiment)
{
    return take_shown_run(script, &experiment->cycles, "cycles");
}

/* slices RUN */
static bool read_slices(struct script *script, struct experiment *experiment)
{
    return take_shown_run(script, &experiment->slices, "slices");
}

/* chart KIND NAME... [by program|AXIS] [log] ["TITLE"] */
static bool read_chart(struct script *script, struct experiment *experiment)
{
    const char *word = script_take_word(script);
    const int kind = find_name(chart_kind_names, word);
    if (kind < 0) {
        return script_wrong(
            script,
            "there is no chart %.60s: bars, lines, ladder, multiples, ranking, scatter or table",
            word != NULL ? word : "without a kind");
    }
    struct experiment_chart *chart =
        POOL_ADD(script->pool, experiment->charts, experiment->chart_count);
    chart->kind = (enum chart_kind)kind;
    while (!script_line_is_over(script) && script->problem[0] == '\0') {
        chart->axis_title = script_take_quoted(script);
        if (chart->axis_title != NULL) {
            break;
        }
        word = script_take_word(script);
        if (word == NULL) {
            break;
        }
        if (strcmp(word, "log") == 0) {
            chart->log = true;
        } else if (strcmp(word, "by") == 0) {
            chart->by = script_take_word(script);
            if (chart->by == NULL) {
                return script_wrong(script, "charts are by what?");
            }
            chart->by = strcmp(chart->by, "program") != 0 ? chart->by : NULL;
        } else {
            add_word(script, &chart->values, word);
        }
    }
    return chart->values.count > 0 || script_wrong(script, "a chart of what?");
}

static bool add_check(struct script *script, struct experiment *experiment, bool stated)
{
    const char *name = take_name(script, "check");
    if (name == NULL) {
        return false;
    }
    if (experiment_find_check(experiment, name) < experiment->check_count) {
        return script_wrong(script, "there is a second check %s", name);
    }
    struct experiment_check *check =
        POOL_ADD(script->pool, experiment->checks, experiment->check_count);
    *check = (struct experiment_check){.name = name, .stated = stated, .line = script->line};
    check->expression = script_take_raw(script);
    check->statement = script_take_quoted(script);
    if (check->expression == NULL || check->statement == NULL) {
        return script_wrong(script, "check %s needs a condition and a \"statement\"", name);
    }
    return true;
}

/* states NAME CONDITION "STATEMENT" */
static bool read_states(struct script *script, struct experiment *experiment)
{
    return add_check(script, experiment, true);
}

/* check NAME CONDITION "STATEMENT" */
static bool read_check(struct script *script, struct experiment *experiment)
{
    return add_check(script, experiment, false);
}

/* CHECK [holds|fails] "TEXT" */
static bool take_reason(struct script *script, struct experiment_reason *reason,
                        const char *directive)
{
    static const char *const whens[] = {"always", "holds", "fails", NULL};
    *reason = (struct experiment_reason){.line = script->line};
    reason->check = script_take_word(script);
    reason->text = script_take_quoted(script);
    if (reason->check != NULL && reason->text == NULL) {
        const char *word = script_take_word(script);
        const int when = find_name(whens, word);
        if (when < 0) {
            return script_wrong(script, "%s %s needs a \"reason\"", directive, reason->check);
        }
        reason->when = (enum reason_when)when;
        reason->text = script_take_quoted(script);
    }
    return (reason->check != NULL && reason->text != NULL) ||
           script_wrong(script, "%s needs a check and a \"reason\"", directive);
}

static bool read_why(struct script *script, struct experiment *experiment)
{
    struct experiment_reason reason;
    if (!take_reason(script, &reason, "why")) {
        return false;
    }
    *POOL_ADD(script->pool, experiment->reasons, experiment->reason_count) = reason;
    return true;
}

static bool read_learned(struct script *script, struct experiment *experiment)
{
    struct experiment_reason lesson;
    if (!take_reason(script, &lesson, "learned")) {
        return false;
    }
    *POOL_ADD(script->pool, experiment->lessons, experiment->lesson_count) = lesson;
    return true;
}

/* published NAME NUMBER EXPRESSION "WHAT" [UNIT] */
static bool read_published(struct script *script, struct experiment *experiment)
{
    const char *name = take_name(script, "figure");
    if (name == NULL) {
        return false;
    }
    const char *word = script_take_word(script);
    char *end = NULL;
    const double number = word != NULL ? strtod(word, &end) : 0;
    if (word == NULL || end == word || *end != '\0' || !isfinite(number)) {
        return script_wrong(script, "which number was published? %.60s", word != NULL ? word : "");
    }
    struct experiment_published published = {.name = name, .number = number, .line = script->line};
    published.expression = script_take_raw(script);
    published.what = script_take_quoted(script);
    if (published.expression == NULL || published.what == NULL) {
        return script_wrong(script, "published %s needs an expression and \"what it is\"", name);
    }
    *POOL_ADD(script->pool, experiment->published, experiment->published_count) = published;
    return take_unit(script, &experiment->published[experiment->published_count - 1].unit);
}

static const struct {
    const char *name;
    bool (*read)(struct script *script, struct experiment *experiment);
} directives[] = {
    {"title", read_title},   {"figure", read_figure},     {"paper", read_paper},
    {"suite", read_suite},   {"programs", read_programs}, {"program", read_program},
    {"vary", read_vary},     {"run", read_run},           {"value", read_value},
    {"given", read_given},   {"loops", read_loops},       {"chart", read_chart},
    {"check", read_check},   {"rank", read_rank},         {"why", read_why},
    {"cycles", read_cycles}, {"slices", read_slices},     {"at", read_at},
    {"states", read_states}, {"learned", read_learned},   {"published", read_published},
    {"source", read_source},
};

static bool read_line(struct script *script, struct experiment *experiment)
{
    const char *word = script_take_word(script);
    for (size_t i = 0; word != NULL && i < sizeof directives / sizeof directives[0]; i++) {
        if (strcmp(directives[i].name, word) == 0) {
            return directives[i].read(script, experiment) && script->problem[0] == '\0' &&
                   (script_line_is_over(script) ||
                    script_wrong(script, "nothing more is expected: %.60s", script->next));
        }
    }
    return script_wrong(script, "there is no %.60s in an experiment", word != NULL ? word : "\"");
}

/* The file's name without folder and ending. */
static const char *name_of_file(struct pool *pool, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return pool_copy(pool, name, dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name));
}

struct experiment *experiment_read(struct script *script)
{
    struct experiment *experiment = pool_take(script->pool, sizeof *experiment);
    experiment->path = script->path;
    experiment->name = name_of_file(script->pool, script->path);
    while (script_next_line(script)) {
        if (!read_line(script, experiment)) {
            return NULL;
        }
    }
    if (script->problem[0] != '\0' || !experiment_check(script, experiment)) {
        return NULL;
    }
    return experiment;
}

size_t experiment_points(const struct experiment *experiment)
{
    return experiment->axis != NULL ? experiment->axis_count : 1;
}

const char *experiment_fill(struct pool *pool, const struct experiment *experiment, size_t point,
                            const char *text)
{
    const char *open = experiment->axis != NULL ? strchr(text, '{') : NULL;
    const char *close = open != NULL ? strchr(open, '}') : NULL;
    if (close == NULL) {
        return text;
    }
    /* What was put in is not looked at again. */
    const char *rest = experiment_fill(pool, experiment, point, close + 1);
    return pool_format(pool, "%.*s%s%s", (int)(open - text), text,
                       experiment->axis_values[point].text, rest);
}

bool experiment_next_piece(struct pool *pool, const char **next, struct reason_piece *piece)
{
    const char *text = *next;
    if (*text == '\0') {
        return false;
    }
    const size_t before = strcspn(text, "{");
    *piece = (struct reason_piece){.text = pool_copy(pool, text, before)};
    *next = text + before;
    if (text[before] == '{') {
        const char *open = text + before + 1;
        const size_t inside = strcspn(open, "}");
        piece->expression = pool_copy(pool, open, inside);
        piece->unclosed = open[inside] == '\0';
        *next = open + inside + !piece->unclosed;
    }
    return true;
}

const struct words *experiment_size_options(const struct experiment *experiment, const char *size)
{
    for (size_t i = 0; i < experiment->size_count; i++) {
        if (strcmp(experiment->sizes[i].size, size) == 0) {
            return &experiment->sizes[i].options;
        }
    }
    return NULL;
}

bool experiment_is_addresses(const char *word)
{
    return word[0] == '@';
}

bool experiment_read_addresses(struct pool *pool, const struct experiment *experiment,
                               const char *word, struct addresses *addresses)
{
    const char *dot = strchr(word, '.'), *colon = strrchr(word, ':');
    uint64_t count;
    if (!experiment_is_addresses(word) || dot == NULL || colon == NULL || colon <= dot + 1 ||
        !number_read(colon + 1, NUMBER_COUNT, 1, SIZE_MAX, &count)) {
        return false;
    }
    addresses->word = word;
    addresses->run =
        experiment_find_run(experiment, pool_copy(pool, word + 1, (size_t)(dot - word) - 1));
    addresses->path = pool_copy(pool, dot + 1, (size_t)(colon - dot) - 1);
    addresses->count = count;
    return true;
}

size_t experiment_find_run(const struct experiment *experiment, const char *name)
{
    size_t i = 0;
    while (i < experiment->run_count && strcmp(experiment->runs[i].name, name) != 0) {
        i++;
    }
    return i;
}

size_t experiment_find_value(const struct experiment *experiment, const char *name)
{
    size_t i = 0;
    while (i < experiment->value_count && strcmp(experiment->values[i].name, name) != 0) {
        i++;
    }
    return i;
}

size_t experiment_find_check(const struct experiment *experiment, const char *name)
{
    size_t i = 0;
    while (i < experiment->check_count && strcmp(experiment->checks[i].name, name) != 0) {
        i++;
    }
    return i;
}

bool words_have(const struct words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++) {
        if (strcmp(words->words[i], word) == 0) {
            return true;
        }
    }
    return false;
}
