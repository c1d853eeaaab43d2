/* The functions of expressions: over numbers, and over lists of loops or programs.
 *
 * An element of a list counts as a number: itself, or the turns of a loop in a profile, or the
 * executions of one elsewhere.  Its first member
 * says which it is, so that lists of two runs can be compared. */
#include "study/lists.h"

#include "base/check.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct expression_value unknown = {.kind = EXPRESSION_UNKNOWN};

/* The text of what identifies an element; NULL if nothing does. */
static const char *element_key(const json_t *element, char number[24])
{
    const json_t *first = json_object_iter_value(json_object_iter((json_t *)(uintptr_t)element));
    if (json_is_string(first)) {
        return json_string_value(first);
    }
    if (json_is_integer(first)) {
        snprintf(number, 24, "%" JSON_INTEGER_FORMAT, json_integer_value(first));
        return number;
    }
    return NULL;
}

const json_t *lists_element(const json_t *list, const char *key)
{
    size_t index;
    const json_t *element;
    char number[24];
    json_array_foreach(list, index, element)
    {
        const char *own = element_key(element, number);
        if (own != NULL && strcmp(own, key) == 0) {
            return element;
        }
    }
    return NULL;
}

static struct expression_value element_value(const json_t *element)
{
    const json_t *turns = json_object_get(element, "turns");
    return expression_of_json(!json_is_object(element) ? element
                              : turns != NULL          ? turns
                                                       : json_object_get(element, "executions"));
}

/* The numbers of all elements, malloc'ed; NULL if one is not known. */
static double *take_numbers(const json_t *list)
{
    const size_t count = json_array_size(list);
    double *numbers = calloc(count + 1, sizeof *numbers);
    ASSERT(numbers != NULL);
    for (size_t i = 0; i < count; i++) {
        const struct expression_value value = element_value(json_array_get(list, i));
        if (value.kind != EXPRESSION_NUMBER) {
            free(numbers);
            return NULL;
        }
        numbers[i] = value.number;
    }
    return numbers;
}

/* How many elements are at least `least`, and their sum; of those that `other` has, too, if it is
 * not NULL. */
struct gathered {
    double count, sum;
};

static bool gather(const json_t *list, const json_t *other, double least, struct gathered *gathered)
{
    char key[24];
    double *numbers = take_numbers(list);
    *gathered = (struct gathered){0};
    for (size_t i = 0; numbers != NULL && i < json_array_size(list); i++) {
        const char *own = other != NULL ? element_key(json_array_get(list, i), key) : NULL;
        const bool counted = other == NULL || (own != NULL && lists_element(other, own) != NULL);
        if (counted && numbers[i] >= least) {
            gathered->count += 1;
            gathered->sum += numbers[i];
        }
    }
    free(numbers);
    return numbers != NULL;
}

static int compare_downward(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

/* The element at `place` from the largest on, 0 being that. */
static struct expression_value at_place(const json_t *list, double place)
{
    const size_t count = json_array_size(list);
    double *numbers = take_numbers(list);
    struct expression_value result = unknown;
    if (numbers != NULL && place >= 0 && place < (double)count) {
        qsort(numbers, count, sizeof *numbers, compare_downward);
        result = expression_number(numbers[(size_t)place]);
    }
    free(numbers);
    return result;
}

static struct expression_value apply_count(const json_t *const *lists, const double *numbers)
{
    struct gathered gathered;
    return gather(lists[0], NULL, numbers[0], &gathered) ? expression_number(gathered.count)
                                                         : unknown;
}

/* Loops whose source line is known: not those of a library that was built without them. */
static struct expression_value apply_count_own(const json_t *const *lists, const double *numbers)
{
    size_t index;
    const json_t *element;
    double count = 0;
    json_array_foreach(lists[0], index, element)
    {
        const struct expression_value value = element_value(element);
        if (value.kind != EXPRESSION_NUMBER) {
            return unknown;
        }
        count += json_is_string(json_object_get(element, "source")) && value.number >= numbers[0];
    }
    return expression_number(count);
}

static struct expression_value apply_sum(const json_t *const *lists, const double *numbers)
{
    struct gathered gathered;
    (void)numbers;
    return gather(lists[0], NULL, -INFINITY, &gathered) ? expression_number(gathered.sum) : unknown;
}

static struct expression_value apply_mean(const json_t *const *lists, const double *numbers)
{
    struct gathered gathered;
    (void)numbers;
    return gather(lists[0], NULL, -INFINITY, &gathered)
               ? expression_number(gathered.sum / gathered.count)
               : unknown;
}

static struct expression_value apply_count_in(const json_t *const *lists, const double *numbers)
{
    struct gathered gathered;
    return gather(lists[0], lists[1], numbers[0], &gathered) ? expression_number(gathered.count)
                                                             : unknown;
}

static struct expression_value apply_sum_in(const json_t *const *lists, const double *numbers)
{
    struct gathered gathered;
    (void)numbers;
    return gather(lists[0], lists[1], -INFINITY, &gathered) ? expression_number(gathered.sum)
                                                            : unknown;
}

static struct expression_value apply_top(const json_t *const *lists, const double *numbers)
{
    return at_place(lists[0], numbers[0] - 1);
}

/* quantile(list, 0.5) is the median: the lower of two in the middle. */
static struct expression_value apply_quantile(const json_t *const *lists, const double *numbers)
{
    const double last = (double)json_array_size(lists[0]) - 1;
    return at_place(lists[0], ceil(last * (1 - numbers[0])));
}

static struct expression_value apply_max(const json_t *const *lists, const double *numbers)
{
    (void)numbers;
    return at_place(lists[0], 0);
}

static struct expression_value apply_min(const json_t *const *lists, const double *numbers)
{
    (void)numbers;
    return at_place(lists[0], (double)json_array_size(lists[0]) - 1);
}

/* The place of numbers[i] from the smallest on; equal ones share the middle of theirs. */
static double rank_of(const double *numbers, size_t count, size_t i)
{
    size_t below = 0, equal = 0;
    for (size_t j = 0; j < count; j++) {
        below += numbers[j] < numbers[i];
        equal += numbers[j] == numbers[i];
    }
    return (double)below + (double)(equal - 1) / 2;
}

/* Spearman's coefficient: 1 if both lists have the same order, -1 if the opposite. */
static struct expression_value apply_agreement(const json_t *const *lists, const double *unused)
{
    const size_t count = json_array_size(lists[0]);
    double *left = take_numbers(lists[0]), *right = take_numbers(lists[1]);
    struct expression_value result = unknown;
    (void)unused;
    if (left != NULL && right != NULL && json_array_size(lists[1]) == count) {
        const double middle = ((double)count - 1) / 2;
        double both = 0, lefts = 0, rights = 0;
        for (size_t i = 0; i < count; i++) {
            const double a = rank_of(left, count, i) - middle;
            const double b = rank_of(right, count, i) - middle;
            both += a * b;
            lefts += a * a;
            rights += b * b;
        }
        result = expression_number(both / sqrt(lefts * rights));
    }
    free(left);
    free(right);
    return result;
}

/* Lists come first, then numbers. */
static const struct lists_function {
    const char *name;
    unsigned lists, numbers;
    struct expression_value (*apply)(const json_t *const *lists, const double *numbers);
    double (*fold)(double left, double right); /* if all arguments are numbers; or NULL */
} functions[] = {
    {"count", 1, 1, apply_count, NULL},
    {"sum", 1, 0, apply_sum, NULL},
    {"mean", 1, 0, apply_mean, NULL},
    {"top", 1, 1, apply_top, NULL},
    {"quantile", 1, 1, apply_quantile, NULL},
    {"count_in", 2, 1, apply_count_in, NULL},
    {"sum_in", 2, 0, apply_sum_in, NULL},
    {"max", 1, 0, apply_max, fmax},
    {"min", 1, 0, apply_min, fmin},
    {"agreement", 2, 0, apply_agreement, NULL},
    {"count_own", 1, 1, apply_count_own, NULL},
};

const struct lists_function *lists_find(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return &functions[i];
        }
    }
    return NULL;
}

static struct expression_value fold(const struct lists_function *function,
                                    const struct expression_value *arguments, unsigned count)
{
    double number = arguments[0].number;
    for (unsigned i = 1; i < count; i++) {
        number = function->fold(number, arguments[i].number);
    }
    return expression_number(number);
}

const char *lists_apply(const struct lists_function *function,
                        const struct expression_value *arguments, unsigned count,
                        struct expression_value *result, bool *figure)
{
    const json_t *lists[LISTS_ARGUMENTS_MAX] = {NULL};
    double numbers[LISTS_ARGUMENTS_MAX] = {0};
    unsigned list_count = 0, number_count = 0, unknown_count = 0;
    *result = unknown;
    for (unsigned i = 0; i < count; i++) {
        if (arguments[i].kind == EXPRESSION_NODE && json_is_array(arguments[i].node) &&
            number_count == 0) {
            lists[list_count++] = arguments[i].node;
        } else if (arguments[i].kind == EXPRESSION_NUMBER) {
            numbers[number_count++] = arguments[i].number;
        } else if (arguments[i].kind == EXPRESSION_UNKNOWN) {
            unknown_count++;
        } else {
            return "takes lists first, then numbers";
        }
    }
    *figure = list_count > 0;
    const bool folds = function->fold != NULL && list_count == 0 && count > 0;
    if (!folds && count != function->lists + function->numbers) {
        return "does not take so many arguments";
    }
    if (unknown_count > 0) {
        return NULL;
    }
    if (!folds && list_count != function->lists) {
        return "takes lists first, then numbers";
    }
    *result = folds ? fold(function, arguments, count) : function->apply(lists, numbers);
    return NULL;
}
