/* Reads configuration files: sections in brackets, NAME = VALUE, comments after # and ;.  Before the first section,
 * rest = default says that what the file does not give is meant to have its default. */
#include "machine/pipeline/parameters.h"

#include "base/beside.h"
#include "base/number.h"
#include "base/say.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER_IN_TREE "../configs"
#define FOLDER_INSTALLED "../share/strata/configs"

/* Defaults that a message names one by one. */
#define DEFAULTS_NAMED 3

#define KIB(n) (UINT64_C(n) << 10)
#define MIB(n) (UINT64_C(n) << 20)
#define GIB(n) (UINT64_C(n) << 30)

const struct parameter_row parameter_rows[] = {
#define NUMBER(section, name, value, lowest, highest, meaning)                                     \
    {#section, #name, value,   lowest,                                                             \
     highest,  NULL,  meaning, offsetof(struct parameters, section##_##name)},
#define CHOICE(section, name, value, words, meaning)                                               \
    {#section, #name, value, 0, 0, words, meaning, offsetof(struct parameters, section##_##name)},
#include "machine/pipeline/parameters.def"
#undef NUMBER
#undef CHOICE
};
const size_t parameter_count = sizeof parameter_rows / sizeof parameter_rows[0];

struct reader {
    struct parameters *parameters;
    struct parameters_given *given;
    const char *path;
    unsigned line; /* 0: it is no line of a file */
    char section[32];
    char *problem;
    unsigned
        lines[sizeof parameter_rows / sizeof parameter_rows[0]]; /* where each was set; 0: not */
};

static uint64_t *field(struct parameters *parameters, const struct parameter_row *row)
{
    return (uint64_t *)(void *)((char *)parameters + row->offset);
}

uint64_t parameter_get(const struct parameters *parameters, const struct parameter_row *row)
{
    uint64_t value;
    memcpy(&value, (const char *)parameters + row->offset, sizeof value);
    return value;
}

void parameters_set_defaults(struct parameters *parameters)
{
    for (size_t i = 0; i < parameter_count; i++) {
        *field(parameters, &parameter_rows[i]) = parameter_rows[i].value;
    }
}

/* The word at a place in a list of them; NULL behind the last. */
static const char *word_at(const char *words, uint64_t place, size_t *length)
{
    while (place-- > 0 && words != NULL) {
        words = strchr(words, ' ');
        words = words != NULL ? words + 1 : NULL;
    }
    *length = words != NULL ? strcspn(words, " ") : 0;
    return words;
}

static void print_number(FILE *file, uint64_t value)
{
    static const char suffixes[] = "GMK";
    for (unsigned i = 0; i < 3; i++) {
        const unsigned shift = 30 - 10 * i;
        if (value != 0 && value % (UINT64_C(1) << shift) == 0) {
            fprintf(file, "%" PRIu64 "%c", value >> shift, suffixes[i]);
            return;
        }
    }
    fprintf(file, "%" PRIu64, value);
}

void parameter_print(FILE *file, const struct parameters *parameters,
                     const struct parameter_row *row)
{
    const uint64_t value = parameter_get(parameters, row);
    if (row->words != NULL) {
        size_t length;
        const char *word = word_at(row->words, value, &length);
        fprintf(file, "%.*s", (int)length, word);
    } else {
        print_number(file, value);
    }
}

__attribute__((format(printf, 2, 3))) static bool wrong(struct reader *reader, const char *format,
                                                        ...)
{
    va_list arguments;
    const int used = reader->line == 0
                         ? snprintf(reader->problem, PARAMETERS_PROBLEM_BYTES, "%s: ", reader->path)
                         : snprintf(reader->problem, PARAMETERS_PROBLEM_BYTES,
                                    "%s:%u: ", reader->path, reader->line);
    va_start(arguments, format);
    if (used > 0 && used < PARAMETERS_PROBLEM_BYTES) {
        vsnprintf(reader->problem + used, PARAMETERS_PROBLEM_BYTES - (size_t)used, format,
                  arguments);
    }
    va_end(arguments);
    return false;
}

static const struct parameter_row *find(const char *section, const char *name)
{
    for (size_t i = 0; i < parameter_count; i++) {
        if (strcmp(parameter_rows[i].section, section) == 0 &&
            (name == NULL || strcmp(parameter_rows[i].name, name) == 0)) {
            return &parameter_rows[i];
        }
    }
    return NULL;
}

static bool set(struct reader *reader, const struct parameter_row *row, const char *text)
{
    uint64_t value = 0;
    const size_t place = (size_t)(row - parameter_rows);
    if (reader->lines[place] != 0) {
        return wrong(reader, "%s is set a second time, after line %u", row->name,
                     reader->lines[place]);
    }
    reader->lines[place] = reader->line;
    reader->given->rows[place] = true;
    if (row->words != NULL) {
        size_t length;
        const char *word;
        while ((word = word_at(row->words, value, &length)) != NULL) {
            if (strlen(text) == length && strncmp(word, text, length) == 0) {
                *field(reader->parameters, row) = value;
                return true;
            }
            value++;
        }
        return wrong(reader, "%s = %.40s: expected one of: %s", row->name, text, row->words);
    }
    if (!number_read(text, NUMBER_SIZE, row->lowest, row->highest, &value)) {
        char *range = NULL;
        size_t bytes = 0;
        FILE *file = open_memstream(&range, &bytes);
        if (file != NULL) {
            print_number(file, row->lowest);
            fputs(" to ", file);
            print_number(file, row->highest);
            fclose(file);
        }
        wrong(reader, "%s = %.40s: expected a number from %s", row->name, text,
              range != NULL ? range : "?");
        free(range);
        return false;
    }
    *field(reader->parameters, row) = value;
    return true;
}

/* Without the space around it. */
static char *trim(char *text)
{
    while (isspace((unsigned char)*text)) {
        text++;
    }
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) {
        end--;
    }
    *end = '\0';
    return text;
}

static bool read_line(struct reader *reader, char *line)
{
    line[strcspn(line, "#;")] = '\0';
    line = trim(line);
    const size_t length = strlen(line);
    if (length == 0) {
        return true;
    }
    if (line[0] == '[') {
        if (line[length - 1] != ']' || length - 2 >= sizeof reader->section) {
            return wrong(reader, "expected [section]: %.40s", line);
        }
        line[length - 1] = '\0';
        snprintf(reader->section, sizeof reader->section, "%s", trim(line + 1));
        return find(reader->section, NULL) != NULL ||
               wrong(reader, "there is no section [%s]", reader->section);
    }
    char *equals = strchr(line, '=');
    if (equals == NULL) {
        return wrong(reader, "expected NAME = VALUE: %.40s", line);
    }
    *equals = '\0';
    const char *name = trim(line);
    const struct parameter_row *row = find(reader->section, name);
    if (reader->section[0] == '\0' && strcmp(name, "rest") == 0) {
        reader->given->rest = strcmp(trim(equals + 1), "default") == 0;
        return reader->given->rest ||
               wrong(reader, "rest = %.40s: expected default", trim(equals + 1));
    }
    if (row == NULL) {
        return reader->section[0] == '\0'
                   ? wrong(reader, "%.40s stands before the first [section]", name)
                   : wrong(reader, "there is no %.40s in [%s]", name, reader->section);
    }
    return set(reader, row, trim(equals + 1));
}

/* The line that a parameter of a rule was set on; the last line if it has its default. */
static void point_at(struct reader *reader, const char *section, const char *name)
{
    const unsigned line = reader->lines[find(section, name) - parameter_rows];
    reader->line = line != 0 ? line : reader->line;
}

static bool is_power(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/* A cache needs a power of two of sets; a level that is not there is not looked at. */
static bool check_cache(struct reader *reader, const char *section, const char *size_name,
                        uint64_t size, uint64_t ways, uint64_t unit)
{
    if (size == 0) {
        return true;
    }
    point_at(reader, section, size_name);
    if (size % (ways * unit) != 0 || !is_power(size / (ways * unit))) {
        return wrong(reader,
                     "[%s] %s = %" PRIu64 " with %" PRIu64
                     " ways: the number of sets must be a power of two",
                     section, size_name, size, ways);
    }
    return true;
}

static bool check_line(struct reader *reader, const char *section, uint64_t line)
{
    point_at(reader, section, "line");
    return is_power(line) ||
           wrong(reader, "[%s] line = %" PRIu64 ": must be a power of two", section, line);
}

static bool check_whole(struct reader *reader)
{
    const struct parameters *p = reader->parameters;
#define CACHE(level)                                                                               \
    (check_line(reader, #level, p->level##_line) &&                                                \
     check_cache(reader, #level, "bytes", p->level##_bytes, p->level##_ways, p->level##_line))
    if (!CACHE(l1i) || !CACHE(l1d) || !CACHE(l2) || !CACHE(l3)) {
        return false;
    }
#undef CACHE
    if (!check_cache(reader, "itlb", "entries", p->itlb_entries, p->itlb_ways, 1) ||
        !check_cache(reader, "dtlb", "entries", p->dtlb_entries, p->dtlb_ways, 1) ||
        !check_cache(reader, "branch", "targets", p->branch_targets, p->branch_target_ways, 1)) {
        return false;
    }
    point_at(reader, "branch", "table");
    if (!is_power(p->branch_table)) {
        return wrong(reader, "[branch] table = %" PRIu64 ": must be a power of two",
                     p->branch_table);
    }
    point_at(reader, "l3", "bytes");
    if (p->l3_bytes != 0 && p->l2_bytes == 0) {
        return wrong(reader, "a third-level cache needs a second one: [l2] bytes is 0");
    }
    point_at(reader, "core", "reorder_buffer");
    if (p->core_reorder_buffer < p->core_contexts * 2) {
        return wrong(reader,
                     "[core] reorder_buffer = %" PRIu64 ": %" PRIu64
                     " contexts need at least two entries each",
                     p->core_reorder_buffer, p->core_contexts);
    }
    return true;
}

bool parameters_read(struct parameters *parameters, struct parameters_given *given,
                     const char *path, char problem[PARAMETERS_PROBLEM_BYTES])
{
    struct reader reader = {
        .parameters = parameters, .given = given, .path = path, .problem = problem};
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    if (file == NULL) {
        snprintf(problem, PARAMETERS_PROBLEM_BYTES, "%s: %s", path, strerror(errno));
        return false;
    }
    parameters_set_defaults(parameters);
    *given = (struct parameters_given){.rest = false};
    bool good = true;
    errno = 0;
    while (good && getline(&line, &room, file) >= 0) {
        reader.line++;
        good = read_line(&reader, line);
    }
    const int reading = errno;
    if (good && ferror(file)) {
        snprintf(problem, PARAMETERS_PROBLEM_BYTES, "%s: %s", path, strerror(reading));
        good = false;
    }
    free(line);
    fclose(file);
    return good && check_whole(&reader);
}

/* One of them, SECTION.NAME=VALUE. */
static bool assign(struct reader *reader, const char *assignment)
{
    const char *dot = strchr(assignment, '.'), *equals = strchr(assignment, '=');
    char *copy = strdup(assignment);
    reader->path = assignment;
    if (copy == NULL || dot == NULL || equals == NULL || dot > equals) {
        free(copy);
        return wrong(reader, "expected SECTION.NAME=VALUE");
    }
    copy[dot - assignment] = copy[equals - assignment] = '\0';
    const char *section = trim(copy), *name = trim(copy + (dot - assignment) + 1);
    const struct parameter_row *row = find(section, name);
    const bool good = row != NULL ? set(reader, row, trim(copy + (equals - assignment) + 1))
                      : find(section, NULL) == NULL
                          ? wrong(reader, "there is no section [%.40s]", section)
                          : wrong(reader, "there is no %.40s in [%s]", name, section);
    free(copy);
    return good;
}

bool parameters_assign(struct parameters *parameters, struct parameters_given *given,
                       const char *const *assignments, size_t count,
                       char problem[PARAMETERS_PROBLEM_BYTES])
{
    struct reader reader = {.parameters = parameters, .given = given, .problem = problem};
    for (size_t i = 0; i < count; i++) {
        if (!assign(&reader, assignments[i])) {
            return false;
        }
    }
    return count == 0 || check_whole(&reader);
}

void parameters_tell_defaults(const char *name, const struct parameters_given *given)
{
    size_t left = 0, named = 0;
    for (size_t i = 0; i < parameter_count; i++) {
        left += !given->rows[i];
    }
    if (left == 0 || given->rest) {
        return;
    }
    say(stderr, "strata: %s leaves %zu of %zu parameters to their defaults: ", name, left,
        parameter_count);
    for (size_t i = 0; i < parameter_count && named < DEFAULTS_NAMED; i++) {
        if (!given->rows[i]) {
            fprintf(stderr, "%s%s.%s", named == 0 ? "" : ", ", parameter_rows[i].section,
                    parameter_rows[i].name);
            named++;
        }
    }
    if (named < left) {
        fprintf(stderr, " and %zu more", left - named);
    }
    say(stderr, "; strata config %s prints all, rest = default in the file means it so\n", name);
}

bool parameters_is_name(const char *name)
{
    return strpbrk(name, "/.") == NULL;
}

char *parameters_folder(void)
{
    return beside_find(FOLDER_IN_TREE, FOLDER_INSTALLED);
}

char *parameters_find(const char *name)
{
    char *in_tree = NULL, *installed = NULL, *found = NULL;
    if (!parameters_is_name(name)) {
        return strdup(name);
    }
    if (asprintf(&in_tree, FOLDER_IN_TREE "/%s" PARAMETERS_ENDING, name) >= 0 &&
        asprintf(&installed, FOLDER_INSTALLED "/%s" PARAMETERS_ENDING, name) >= 0) {
        found = beside_find(in_tree, installed);
    }
    free(in_tree);
    free(installed);
    return found;
}
