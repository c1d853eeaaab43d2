/* Arithmetic over the statistics of runs, as experiment files write it.
 *
 *     condition   both { "or" both }
 *     both        comparison { "and" comparison }
 *     comparison  sum [ ("<" | ">" | "<=" | ">=" | "=") sum ]
 *     sum         product { ("+" | "-") product }
 *     product     factor { ("*" | "/") factor }
 *     factor      "-" factor | NUMBER ["%"] | "(" condition ")" | NAME "(" condition { "," condition } ")"
 *               | NAME { "." NAME | "[" WORD "]" } [ "of" WORD ] [ "at" WORD ]
 *
 * It is evaluated while it is read: each is short, and evaluated a few times only. */
#include "study/expression.h"

#include "study/lists.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nobody writes more, and the stack is not endless. */
#define DEPTH_MAX 50
/* Characters of a reference that a message repeats. */
#define TOLD_MAX 80

struct reader {
    const char *next;
    const struct expression_scope *scope;
    char *problem;    /* empty while nothing is wrong */
    const char *node; /* the text of the last list or object that was named; or NULL */
    int node_length;
    unsigned depth;
};

static const struct expression_value unknown = {.kind = EXPRESSION_UNKNOWN};

static struct expression_value read_condition(struct reader *reader);

struct expression_value expression_number(double number)
{
    const struct expression_value value = {.kind = EXPRESSION_NUMBER, .number = number};
    return isfinite(number) ? value : unknown;
}

struct expression_value expression_of_json(const json_t *node)
{
    if (json_is_number(node)) {
        return expression_number(json_number_value(node));
    }
    if (json_is_boolean(node)) {
        return expression_number(json_is_true(node));
    }
    if (json_is_array(node) || json_is_object(node)) {
        return (struct expression_value){.kind = EXPRESSION_NODE, .node = node};
    }
    return unknown;
}

json_t *expression_to_json(struct expression_value value)
{
    if (value.kind != EXPRESSION_NUMBER) {
        return json_null();
    }
    const bool whole = trunc(value.number) == value.number && fabs(value.number) < 0x1p53;
    return whole ? json_integer((json_int_t)value.number) : json_real(value.number);
}

/* The first problem is the one that is told; always unknown. */
__attribute__((format(printf, 2, 3))) static struct expression_value wrong(struct reader *reader,
                                                                           const char *format, ...)
{
    if (reader->problem[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(reader->problem, EXPRESSION_PROBLEM_BYTES, format, arguments);
        va_end(arguments);
    }
    return unknown;
}

static void skip_space(struct reader *reader)
{
    while (isspace((unsigned char)*reader->next)) {
        reader->next++;
    }
}

static bool is_word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool take(struct reader *reader, const char *symbol)
{
    skip_space(reader);
    const size_t length = strlen(symbol);
    if (strncmp(reader->next, symbol, length) != 0 ||
        (isalpha((unsigned char)symbol[0]) && is_word_character(reader->next[length]))) {
        return false;
    }
    reader->next += length;
    return true;
}

/* `more`: characters that may stand in it besides letters, digits and underscores. */
static bool take_word(struct reader *reader, const char *more, char word[EXPRESSION_WORD_BYTES])
{
    skip_space(reader);
    size_t length = 0;
    while (reader->next[length] != '\0' && (is_word_character(reader->next[length]) ||
                                            strchr(more, reader->next[length]) != NULL)) {
        length++;
    }
    if (length == 0 || length >= EXPRESSION_WORD_BYTES) {
        wrong(reader,
              length == 0 ? "a name is missing before '%.20s'" : "a name is too long: %.20s",
              reader->next);
        return false;
    }
    memcpy(word, reader->next, length);
    word[length] = '\0';
    reader->next += length;
    return true;
}

/* Numbers and lists have no members at all. */
static bool lacks(struct expression_value value, const char *key)
{
    return value.kind == EXPRESSION_NUMBER ||
           (value.kind == EXPRESSION_NODE && json_object_get(value.node, key) == NULL);
}

/* What arithmetic takes: a list or an object is a mistake, and would leave the result unknown without a word. */
static struct expression_value as_number(struct reader *reader, struct expression_value value)
{
    if (value.kind != EXPRESSION_NODE) {
        return value;
    }
    return reader->node != NULL ? wrong(reader, "%.*s is a list or an object, not a number",
                                        reader->node_length, reader->node)
                                : wrong(reader, "a list or an object is not a number");
}

static struct expression_value member(struct expression_value value, const char *key)
{
    return value.kind == EXPRESSION_NODE ? expression_of_json(json_object_get(value.node, key))
                                         : unknown;
}

static struct expression_value element(struct expression_value value, const char *key)
{
    return value.kind == EXPRESSION_NODE ? expression_of_json(lists_element(value.node, key))
                                         : unknown;
}

static struct expression_value follow_path(struct reader *reader, const char *path,
                                           struct expression_value value,
                                           enum expression_path *followed)
{
    char word[EXPRESSION_WORD_BYTES];
    struct reader steps = {.next = path, .scope = reader->scope, .problem = reader->problem};
    bool first = true, lacking = false;
    while (steps.next < reader->next && reader->problem[0] == '\0') {
        if (take(&steps, ".") && take_word(&steps, "", word)) {
            if (!lacking && lacks(value, word)) {
                lacking = true;
                *followed = first ? PATH_LACKS_PART : PATH_LACKS_KEY;
            }
            value = member(value, word);
        } else if (take(&steps, "[") && take_word(&steps, "", word) && take(&steps, "]")) {
            value = element(value, word);
        }
        first = false;
    }
    if (!lacking) {
        *followed = value.kind == EXPRESSION_UNKNOWN ? PATH_UNKNOWN : PATH_WHOLE;
    }
    return value;
}

/* A path is read twice: what its name stands for depends on the words behind it. */
static void skip_path(struct reader *reader)
{
    char word[EXPRESSION_WORD_BYTES];
    while (reader->problem[0] == '\0' && (*reader->next == '.' || *reader->next == '[')) {
        const bool bracket = *reader->next == '[';
        reader->next++;
        if (take_word(reader, "", word) && bracket && !take(reader, "]")) {
            wrong(reader, "']' is missing before '%.20s'", reader->next);
        }
    }
}

static struct expression_value read_reference(struct reader *reader, const char *start,
                                              const char *first_word)
{
    struct expression_name name = {.of = ""};
    struct expression_value value = unknown;
    snprintf(name.name, sizeof name.name, "%s", first_word);
    const char *path = start + strlen(first_word);
    skip_path(reader);
    const char *path_end = reader->next;
    while (path_end > path && isspace((unsigned char)path_end[-1])) {
        path_end--;
    }
    if (take(reader, "of")) {
        take_word(reader, "-.+", name.of);
    }
    const char *end = name.of[0] != '\0' ? reader->next : path_end;
    if (take(reader, "at")) {
        take_word(reader, "-.+", name.at);
        end = reader->next;
    }
    if (reader->problem[0] != '\0') {
        return unknown;
    }
    const char *reason = reader->scope->find(reader->scope->context, &name, &value);
    if (reason != NULL) {
        return wrong(reader, "%s: %s", reason, name.name);
    }
    struct reader to_path = *reader;
    to_path.next = path_end;
    enum expression_path followed;
    value = follow_path(&to_path, path, value, &followed);
    if (reader->scope->follow != NULL) {
        reader->scope->follow(reader->scope->context, start, (size_t)(path_end - start), followed);
    }
    if (value.kind != EXPRESSION_NODE && reader->scope->note != NULL) {
        reader->scope->note(reader->scope->context, start, (size_t)(end - start), value);
    }
    if (value.kind == EXPRESSION_NODE) {
        reader->node = start;
        reader->node_length = (int)(end - start < TOLD_MAX ? end - start : TOLD_MAX);
    }
    return value;
}

static struct expression_value read_call(struct reader *reader, const char *start, const char *name)
{
    struct expression_value arguments[LISTS_ARGUMENTS_MAX], result = unknown;
    unsigned count = 0;
    bool figure = false;
    const struct lists_function *function = lists_find(name);
    if (function == NULL) {
        return wrong(reader, "there is no function %s", name);
    }
    do {
        if (count == LISTS_ARGUMENTS_MAX) {
            return wrong(reader, "too many arguments of %s", name);
        }
        arguments[count++] = read_condition(reader);
    } while (reader->problem[0] == '\0' && take(reader, ","));
    if (!take(reader, ")")) {
        return wrong(reader, "')' is missing before '%.20s'", reader->next);
    }
    const char *reason = lists_apply(function, arguments, count, &result, &figure);
    if (reason != NULL) {
        return wrong(reader, "%s %s", name, reason);
    }
    if (figure && reader->scope->note != NULL) {
        reader->scope->note(reader->scope->context, start, (size_t)(reader->next - start), result);
    }
    return result;
}

static struct expression_value read_number(struct reader *reader)
{
    char *end;
    char digits[EXPRESSION_WORD_BYTES];
    const size_t length = strspn(reader->next, "0123456789.");
    if (length >= sizeof digits) {
        return wrong(reader, "a number is too long: %.20s", reader->next);
    }
    memcpy(digits, reader->next, length);
    digits[length] = '\0';
    const double number = strtod(digits, &end);
    if (*end != '\0' || is_word_character(reader->next[length])) {
        return wrong(reader, "is not a number: %.20s", reader->next);
    }
    reader->next += length;
    return expression_number(take(reader, "%") ? number / 100 : number);
}

static struct expression_value read_factor(struct reader *reader)
{
    char word[EXPRESSION_WORD_BYTES];
    struct expression_value value;
    skip_space(reader);
    const char *start = reader->next;
    if (++reader->depth > DEPTH_MAX) {
        value = wrong(reader, "it is nested too deeply");
    } else if (take(reader, "-")) {
        value = as_number(reader, read_factor(reader));
        value = value.kind == EXPRESSION_NUMBER ? expression_number(-value.number) : unknown;
    } else if (take(reader, "(")) {
        value = read_condition(reader);
        if (!take(reader, ")")) {
            value = wrong(reader, "')' is missing before '%.20s'", reader->next);
        }
    } else if (isdigit((unsigned char)*start) || *start == '.') {
        value = read_number(reader);
    } else if (*start == '\0') {
        value = wrong(reader, "something is missing at the end");
    } else if (!isalpha((unsigned char)*start) || !take_word(reader, "", word)) {
        value = wrong(reader, "this is not understood: %.20s", start);
    } else {
        value = take(reader, "(") ? read_call(reader, start, word)
                                  : read_reference(reader, start, word);
    }
    reader->depth--;
    return value;
}

static struct expression_value combine(struct expression_value left, char operation,
                                       struct expression_value right)
{
    if (left.kind != EXPRESSION_NUMBER || right.kind != EXPRESSION_NUMBER) {
        return unknown;
    }
    const double a = left.number, b = right.number;
    switch (operation) {
    case '+':
        return expression_number(a + b);
    case '-':
        return expression_number(a - b);
    case '*':
        return expression_number(a * b);
    default:
        return expression_number(a / b);
    }
}

static struct expression_value read_product(struct reader *reader)
{
    struct expression_value value = read_factor(reader);
    while (reader->problem[0] == '\0') {
        if (take(reader, "*")) {
            value = as_number(reader, value);
            value = combine(value, '*', as_number(reader, read_factor(reader)));
        } else if (take(reader, "/")) {
            value = as_number(reader, value);
            value = combine(value, '/', as_number(reader, read_factor(reader)));
        } else {
            break;
        }
    }
    return value;
}

static struct expression_value read_sum(struct reader *reader)
{
    struct expression_value value = read_product(reader);
    while (reader->problem[0] == '\0') {
        if (take(reader, "+")) {
            value = as_number(reader, value);
            value = combine(value, '+', as_number(reader, read_product(reader)));
        } else if (take(reader, "-")) {
            value = as_number(reader, value);
            value = combine(value, '-', as_number(reader, read_product(reader)));
        } else {
            break;
        }
    }
    return value;
}

static struct expression_value read_comparison(struct reader *reader)
{
    /* The longer ones first: "<" is the beginning of "<=". */
    static const char *const signs[] = {"<=", ">=", "<", ">", "="};
    struct expression_value left = read_sum(reader);
    for (unsigned i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (!take(reader, signs[i])) {
            continue;
        }
        left = as_number(reader, left);
        const struct expression_value right = as_number(reader, read_sum(reader));
        if (left.kind != EXPRESSION_NUMBER || right.kind != EXPRESSION_NUMBER) {
            return unknown;
        }
        const double a = left.number, b = right.number;
        const bool results[] = {a <= b, a >= b, a<b, a> b, a == b};
        return expression_number(results[i]);
    }
    return left;
}

/* `decides`: the truth of one side that makes the other's unimportant, even if that is unknown. */
static struct expression_value join(struct expression_value left, struct expression_value right,
                                    bool decides)
{
    const struct expression_value sides[] = {left, right};
    bool known = true;
    for (unsigned i = 0; i < 2; i++) {
        if (sides[i].kind != EXPRESSION_NUMBER) {
            known = false;
        } else if ((sides[i].number != 0) == decides) {
            return expression_number(decides);
        }
    }
    return known ? expression_number(!decides) : unknown;
}

static struct expression_value read_both(struct reader *reader)
{
    struct expression_value value = read_comparison(reader);
    while (reader->problem[0] == '\0' && take(reader, "and")) {
        value = as_number(reader, value);
        value = join(value, as_number(reader, read_comparison(reader)), false);
    }
    return value;
}

static struct expression_value read_condition(struct reader *reader)
{
    struct expression_value value = read_both(reader);
    while (reader->problem[0] == '\0' && take(reader, "or")) {
        value = as_number(reader, value);
        value = join(value, as_number(reader, read_both(reader)), true);
    }
    return value;
}

bool expression_evaluate(const char *text, const struct expression_scope *scope,
                         struct expression_value *result, char problem[EXPRESSION_PROBLEM_BYTES])
{
    struct reader reader = {.next = text, .scope = scope, .problem = problem};
    problem[0] = '\0';
    *result = read_condition(&reader);
    skip_space(&reader);
    if (*reader.next != '\0') {
        wrong(&reader, "this is not understood: %.20s", reader.next);
    }
    *result = as_number(&reader, *result);
    return problem[0] == '\0';
}
