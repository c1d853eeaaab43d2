/* Tests how options are read from a table, and how numbers are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "cli/command.h"

struct taken {
    const char *value;
    unsigned flags;
    unsigned calls;
};

static const char *take_value(void *settings, const char *value)
{
    struct taken *taken = settings;
    taken->calls++;
    taken->value = value;
    return strcmp(value, "bad") == 0 ? "expected something else:" : NULL;
}

static const char *take_flag(void *settings, const char *value)
{
    struct taken *taken = settings;
    assert_null(value);
    taken->flags++;
    return NULL;
}

static const struct command_option options[] = {
    {"--value", "THING", "takes a thing", take_value},
    {"--flag", NULL, "takes nothing", take_flag},
    {"--secret", "X", NULL, take_value},
};

static const struct command_description description = {
    .name = "try",
    .usage = "[OPTIONS] WORD",
    .purpose = "Tries.",
    .epilogue = "The end.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};

#define MAX_WORDS 8
static struct taken taken;
static int status;
static char printed[4096]; /* standard output and error of the last call */

/* Reads the words, up to NULL, after the command's name. */
static int read_words(const char *const *words)
{
    char *arguments[MAX_WORDS + 2] = {(char *)(uintptr_t) "try"};
    int count = 1;
    for (; words[count - 1] != NULL; count++) {
        arguments[count] = (char *)(uintptr_t)words[count - 1];
    }
    memset(&taken, 0, sizeof taken);
    status = -1;

    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    const int out = dup(1), error = dup(2);
    dup2(fileno(file), 1);
    dup2(fileno(file), 2);
    const int first = command_read_options(&description, &taken, count, arguments, &status);
    fflush(stdout);
    dup2(out, 1);
    dup2(error, 2);
    close(out);
    close(error);
    rewind(file);
    printed[fread(printed, 1, sizeof printed - 1, file)] = '\0';
    fclose(file);
    return first;
}

#define READ(...) read_words((const char *const[]){__VA_ARGS__, NULL})

static void assert_refused(const char *words)
{
    assert_int_equal(status, EXIT_STRATA_FAILED);
    assert_non_null(strstr(printed, words));
    assert_non_null(strstr(printed, "; see strata try --help\n"));
    assert_int_equal(strncmp(printed, "strata: try: ", 13), 0);
    assert_ptr_equal(strchr(printed, '\n'), printed + strlen(printed) - 1);
}

static void words_begin_after_the_options(void **unused)
{
    (void)unused;
    assert_int_equal(read_words((const char *const[]){NULL}), 1);
    assert_int_equal(READ("word"), 1);
    assert_int_equal(READ("--flag", "word"), 2);
    assert_int_equal(READ("--value", "x", "word", "--flag"), 3);
    assert_int_equal(taken.flags, 0); /* the program's own */
    assert_int_equal(READ("--flag", "--flag"), 3);
    assert_int_equal(taken.flags, 2);
    assert_string_equal(printed, "");
}

static void two_dashes_end_the_options(void **unused)
{
    (void)unused;
    assert_int_equal(READ("--flag", "--", "--value", "x"), 3);
    assert_int_equal(taken.calls, 0);
    assert_int_equal(READ("--"), 2);
    assert_int_equal(READ("--value", "--", "word"), 3); /* a value, if one is missing */
    assert_string_equal(taken.value, "--");
}

static void one_dash_is_a_word(void **unused)
{
    (void)unused;
    assert_int_equal(READ("-", "--flag"), 1);
}

static void values_stand_behind_or_after_an_equals_sign(void **unused)
{
    (void)unused;
    assert_int_equal(READ("--value", "x"), 3);
    assert_string_equal(taken.value, "x");
    assert_int_equal(READ("--value=y=z"), 2);
    assert_string_equal(taken.value, "y=z");
    assert_int_equal(READ("--value="), 2);
    assert_string_equal(taken.value, "");
    assert_int_equal(READ("--value", "1", "--value", "2"), 5);
    assert_string_equal(taken.value, "2");
    assert_int_equal(READ("--value", "--flag"), 3);
    assert_string_equal(taken.value, "--flag");
}

static void wrong_options_are_refused(void **unused)
{
    (void)unused;
    assert_true(READ("--other", "word") < 0);
    assert_refused("there is no option --other");
    assert_true(READ("--val", "x") < 0); /* no abbreviations */
    assert_refused("--val");
    assert_true(READ("--values=x") < 0);
    assert_refused("--values=x");
    assert_true(READ("-v") < 0);
    assert_refused("-v");
    assert_true(READ("--flag=1") < 0);
    assert_refused("takes no value: --flag");
    assert_true(READ("--flag", "--value") < 0);
    assert_refused("a value is missing after --value");
    assert_true(READ("--value", "bad") < 0);
    assert_refused("expected something else: --value bad");
}

static void long_values_are_refused_in_one_line(void **unused)
{
    static char word[5000];
    (void)unused;
    memset(word, 'x', sizeof word - 1);
    memcpy(word, "--", 2);
    assert_true(READ(word) < 0);
    assert_int_equal(status, EXIT_STRATA_FAILED);
}

static void help_lists_what_is_not_secret(void **unused)
{
    (void)unused;
    assert_true(READ("--flag", "--help") < 0);
    assert_int_equal(status, 0);
    assert_non_null(strstr(printed, "Usage: strata try [OPTIONS] WORD"));
    assert_non_null(strstr(printed, "--value THING"));
    assert_non_null(strstr(printed, "takes nothing"));
    assert_non_null(strstr(printed, "The end."));
    assert_null(strstr(printed, "--secret"));
    assert_int_equal(READ("--secret", "x"), 3);
}

static void numbers_are_whole_and_unsigned(void **unused)
{
    static const char *const wrong[] = {"",
                                        "-1",
                                        "+1",
                                        " 1",
                                        "1 ",
                                        "1x",
                                        "x",
                                        "0x",
                                        "1.5",
                                        "18446744073709551616",
                                        "0x10000000000000000",
                                        "\t1"};
    uint64_t value = 7;
    (void)unused;
    assert_true(command_parse_number("0", &value));
    assert_int_equal(value, 0);
    assert_true(command_parse_number("18446744073709551615", &value));
    assert_int_equal(value, UINT64_MAX);
    assert_true(command_parse_number("0x1F", &value));
    assert_int_equal(value, 31);
    assert_true(command_parse_number("010", &value)); /* decimal */
    assert_int_equal(value, 10);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (command_parse_number(wrong[i], &value)) {
            fail_msg("\"%s\" was taken for %llu", wrong[i], (unsigned long long)value);
        }
    }
}

static void hexadecimal_needs_no_prefix(void **unused)
{
    uint64_t value;
    (void)unused;
    assert_true(command_parse_hex("1f", &value));
    assert_int_equal(value, 31);
    assert_true(command_parse_hex("0x1f", &value));
    assert_int_equal(value, 31);
    assert_false(command_parse_hex("1g", &value));
    assert_false(command_parse_hex("", &value));
    assert_false(command_parse_hex("-1", &value));
    assert_false(command_parse_hex("\v1", &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_begin_after_the_options),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(one_dash_is_a_word),
        cmocka_unit_test(values_stand_behind_or_after_an_equals_sign),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(long_values_are_refused_in_one_line),
        cmocka_unit_test(help_lists_what_is_not_secret),
        cmocka_unit_test(numbers_are_whole_and_unsigned),
        cmocka_unit_test(hexadecimal_needs_no_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
