/* Tests the table of the processor's parameters, and what is said of configuration files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "machine/pipeline/direction.h"
#include "machine/pipeline/parameters.h"
#include "machine/pipeline/prefetch.h"

static char path[32];
static struct parameters parameters;
static struct parameters_given given;
static char problem[PARAMETERS_PROBLEM_BYTES];

static int create(void **state)
{
    (void)state;
    strcpy(path, "/tmp/strata-parameters-XXXXXX");
    const int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int destroy(void **state)
{
    (void)state;
    return unlink(path);
}

static bool reads(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    memset(&parameters, 0xff, sizeof parameters);
    problem[0] = '\0';
    return parameters_read(&parameters, &given, path, problem);
}

/* The file is refused, and the message begins with its name and the line, and says `words`. */
static void refused(const char *text, unsigned line, const char *words)
{
    char begin[64];
    assert_false(reads(text));
    snprintf(begin, sizeof begin, "%s:%u: ", path, line);
    assert_memory_equal(problem, begin, strlen(begin));
    if (strstr(problem, words) == NULL) {
        fail_msg("no \"%s\" in: %s", words, problem);
    }
    assert_null(strchr(problem, '\n'));
}

static const struct parameter_row *row_of(const char *section, const char *name)
{
    for (size_t i = 0; i < parameter_count; i++) {
        if (strcmp(parameter_rows[i].section, section) == 0 &&
            strcmp(parameter_rows[i].name, name) == 0) {
            return &parameter_rows[i];
        }
    }
    fail_msg("there is no %s.%s", section, name);
    return NULL;
}

static void printed(const char *section, const char *name, const char *expected)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    parameter_print(file, &parameters, row_of(section, name));
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, expected);
    free(text);
}

static void rows_are_unique_and_defaults_in_range(void **state)
{
    (void)state;
    parameters_set_defaults(&parameters);
    for (size_t i = 0; i < parameter_count; i++) {
        const struct parameter_row *row = &parameter_rows[i];
        assert_ptr_equal(row_of(row->section, row->name), row);
        assert_int_equal(parameter_get(&parameters, row), row->value);
        assert_true(row->words != NULL ||
                    (row->lowest <= row->value && row->value <= row->highest));
        assert_true(row->meaning[0] != '\0');
    }
}

static void an_empty_file_has_the_defaults(void **state)
{
    (void)state;
    struct parameters defaults;
    parameters_set_defaults(&defaults);
    assert_true(reads(""));
    assert_memory_equal(&parameters, &defaults, sizeof defaults);
    assert_true(reads("# nothing\n\n   ; nothing\n[core]\n"));
    assert_memory_equal(&parameters, &defaults, sizeof defaults);
}

static void values_are_set_and_printed_as_written(void **state)
{
    (void)state;
    assert_true(reads("[core]\n order=in # comment\ncontexts = 4;\n\n[ l2 ]\n\tbytes = 1M\n"
                      "ways = 16\n[core]\nreorder_buffer=48"));
    assert_int_equal(parameters.core_order, ORDER_IN);
    assert_int_equal(parameters.core_contexts, 4);
    assert_int_equal(parameters.l2_bytes, 1 << 20);
    assert_int_equal(parameters.l2_ways, 16);
    assert_int_equal(parameters.core_reorder_buffer, 48);
    printed("core", "order", "in");
    printed("l2", "bytes", "1M");
    printed("l1d", "bytes", "16K");
    printed("core", "contexts", "4");
    printed("l3", "bytes", "0");
}

static void ends_of_ranges_are_in_them(void **state)
{
    (void)state;
    assert_true(reads("[core]\ncontexts = 8\nreorder_buffer = 1024\n"));
    assert_true(reads("[core]\ncontexts = 1\nreorder_buffer = 4\n"));
    refused("[core]\nreorder_buffer = 3\n", 2, "from 4 to 1K");
    refused("[core]\nreorder_buffer = 1025\n", 2, "reorder_buffer = 1025: expected a number from");
}

static void what_is_not_there_is_named(void **state)
{
    (void)state;
    refused("[core]\n[kernel]\n", 2, "there is no section [kernel]");
    refused("[core]\nbytes = 1\n", 2, "there is no bytes in [core]");
    refused("bytes = 1\n", 1, "before the first [section]");
    refused("[core\n", 1, "expected [section]");
    refused("[a name that is longer than any section could be]\n", 1, "expected [section]");
    refused("[]\n", 1, "there is no section []");
    refused("[core]\ncontexts 4\n", 2, "expected NAME = VALUE: contexts 4");
}

static void what_was_given_is_told_apart(void **state)
{
    (void)state;
    assert_true(reads(""));
    assert_false(given.rest);
    for (size_t i = 0; i < parameter_count; i++) {
        assert_false(given.rows[i]);
    }
    assert_true(reads("rest = default\n[core]\norder = in\n"));
    assert_true(given.rest);
    const char *const assignments[] = {"l2.ways=4"};
    assert_true(parameters_assign(&parameters, &given, assignments, 1, problem));
    for (size_t i = 0; i < parameter_count; i++) {
        const struct parameter_row *row = &parameter_rows[i];
        assert_int_equal(given.rows[i],
                         row == row_of("core", "order") || row == row_of("l2", "ways"));
    }
    refused("rest = zero\n", 1, "rest = zero: expected default");
    refused("[core]\nrest = default\n", 2, "there is no rest in [core]");
}

static void what_is_no_value_is_refused(void **state)
{
    (void)state;
    refused("[l2]\nbytes = many\n", 2, "bytes = many: expected a number from 0 to 64M");
    refused("[l2]\nbytes = \n", 2, "expected a number from 0 to 64M");
    refused("[l2]\nbytes = +1\n", 2, "expected a number from 0 to 64M");
    refused("[l2]\nbytes = 1KB\n", 2, "expected a number from 0 to 64M");
    refused("[l2]\nbytes = 0x100g\n", 2, "expected a number from 0 to 64M");
    refused("[l2]\nbytes = 18446744073709551616\n", 2, "expected a number from 0 to 64M");
    refused("[l2]\nbytes = 18014398509481985K\n", 2, "expected a number from 0 to 64M");
    refused("[core]\norder = inout\n", 2, "order = inout: expected one of: in out");
    refused("[core]\norder = i\n", 2, "expected one of: in out");
    refused("[core]\norder =\n", 2, "expected one of: in out");
}

static void a_second_value_is_refused(void **state)
{
    (void)state;
    refused("[l2]\nways = 4\n\n[l2]\nways = 4\n", 5, "ways is set a second time, after line 2");
    assert_true(reads("[l2]\nways = 4\n[l1d]\nways = 4\n"));
}

static void a_whole_that_cannot_be_built_is_refused(void **state)
{
    (void)state;
    refused("[l1d]\nmshrs = 0\n", 2, "mshrs = 0: expected a number from 1 to 256");
    refused("[l1d]\nline = 32\nbytes = 24K\n\n", 3, "sets must be a power of two");
    refused("[core]\n[l1d]\nways = 3\n", 3, "sets must be a power of two");
    refused("[l1i]\nbytes = 64\nline = 64\nways = 2\n", 2, "sets must be a power of two");
    refused("[l3]\nline = 100\n", 2, "[l3] line = 100: must be a power of two");
    refused("[itlb]\nentries = 48\n", 2, "sets must be a power of two");
    refused("[branch]\ntargets = 48\n", 2, "sets must be a power of two");
    refused("[branch]\ntable = 3\n", 2, "[branch] table = 3: must be a power of two");
    refused("[l2]\nbytes = 0\n[l3]\nbytes = 3M\n", 4, "needs a second one");
    refused("[core]\ncontexts = 4\nreorder_buffer = 7\n", 3, "at least two entries each");
    refused("[core]\ncontexts = 8\n\n[core]\nreorder_buffer = 15\n", 5, "at least two entries");
    assert_true(reads("[l1d]\nbytes = 48K\nways = 12\nline = 64\n"));
}

static bool assigns(const char *first, const char *second)
{
    const char *const assignments[] = {first, second};
    problem[0] = '\0';
    return parameters_assign(&parameters, &given, assignments, second != NULL ? 2 : 1, problem);
}

static void single_parameters_are_set(void **state)
{
    (void)state;
    assert_true(reads("[core]\ncontexts = 8\n[l1d]\nbytes = 16K\nways = 4\nline = 64\n"
                      "[core]\nreorder_buffer = 128\n"));
    assert_true(assigns("core.contexts=2", "prefetch.kind=stride"));
    assert_int_equal(parameters.core_contexts, 2);
    assert_int_equal(parameters.prefetch_kind, PREFETCHER_stride);
    assert_int_equal(parameters.core_reorder_buffer, 128);
    /* The last of two holds, and only the whole must be one that can be built. */
    assert_true(assigns("core.contexts=4", "core.contexts = 1"));
    assert_int_equal(parameters.core_contexts, 1);
    assert_true(assigns("l1d.bytes=48K", "l1d.ways=12"));
    assert_int_equal(parameters.l1d_bytes, 48 << 10);
    assert_true(parameters_assign(&parameters, &given, NULL, 0, problem));
}

static void what_cannot_be_set_is_refused(void **state)
{
    static const struct {
        const char *assignment, *problem;
    } cases[] = {
        {"core.contexts=9", "core.contexts=9: contexts = 9: expected a number from 1 to 8"},
        {"core.order=up", "core.order=up: order = up: expected one of: in out"},
        {"core.cores=2", "core.cores=2: there is no cores in [core]"},
        {"chip.contexts=2", "chip.contexts=2: there is no section [chip]"},
        {"contexts=2", "contexts=2: expected SECTION.NAME=VALUE"},
        {"contexts=2.5", "contexts=2.5: expected SECTION.NAME=VALUE"},
        {"core.contexts", "core.contexts: expected SECTION.NAME=VALUE"},
        {"", ": expected SECTION.NAME=VALUE"},
        {"core.contexts=", "core.contexts=: contexts = : expected a number from 1 to 8"},
        {"l1d.line=48", "l1d.line=48: [l1d] line = 48: must be a power of two"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(reads(""));
        assert_false(assigns(cases[i].assignment, NULL));
        assert_string_equal(problem, cases[i].problem);
    }
}

static void files_that_cannot_be_read_say_why(void **state)
{
    (void)state;
    assert_false(parameters_read(&parameters, &given, "/nonexistent/x.ini", problem));
    assert_string_equal(problem, "/nonexistent/x.ini: No such file or directory");
    assert_false(parameters_read(&parameters, &given, "/", problem));
    assert_string_equal(problem, "/: Is a directory");
}

static void long_lines_and_names_are_cut_in_messages(void **state)
{
    (void)state;
    char text[3000] = "[core]\n";
    memset(text + 7, 'x', sizeof text - 8);
    text[sizeof text - 1] = '\0';
    refused(text, 2, "expected NAME = VALUE: xxxx");
    text[2000] = '=';
    refused(text, 2, "there is no xxxx");
    assert_true(strlen(problem) < 120);
}

static const char *words_of(const char *section, const char *name)
{
    for (size_t i = 0; i < parameter_count; i++) {
        if (strcmp(parameter_rows[i].section, section) == 0 &&
            strcmp(parameter_rows[i].name, name) == 0) {
            return parameter_rows[i].words;
        }
    }
    return NULL;
}

static void add_word(char *text, size_t size, const char *word)
{
    snprintf(text + strlen(text), size - strlen(text), "%s%s", text[0] != '\0' ? " " : "", word);
}

/* A word chooses a part by its number: both tables must have the same order. */
static void parts_are_chosen_by_their_names(void **state)
{
    char directions[256] = "", prefetchers[256] = "";

    (void)state;
    for (unsigned i = 0; i < DIRECTIONS; i++) {
        add_word(directions, sizeof directions, direction_kinds[i]->name);
    }
    assert_string_equal(directions, words_of("branch", "predictor"));
    for (unsigned i = 0; i < PREFETCHERS; i++) {
        add_word(prefetchers, sizeof prefetchers,
                 i == PREFETCHER_none ? "none" : prefetch_kinds[i]->name);
    }
    assert_string_equal(prefetchers, words_of("prefetch", "kind"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_chosen_by_their_names),
        cmocka_unit_test(rows_are_unique_and_defaults_in_range),
        TEST(an_empty_file_has_the_defaults),
        TEST(values_are_set_and_printed_as_written),
        TEST(ends_of_ranges_are_in_them),
        TEST(what_is_not_there_is_named),
        TEST(what_was_given_is_told_apart),
        TEST(what_is_no_value_is_refused),
        TEST(a_second_value_is_refused),
        TEST(a_whole_that_cannot_be_built_is_refused),
        TEST(single_parameters_are_set),
        TEST(what_cannot_be_set_is_refused),
        TEST(files_that_cannot_be_read_say_why),
        TEST(long_lines_and_names_are_cut_in_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
