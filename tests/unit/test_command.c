/* Tests how options are read from a table. */
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
    {"--value", "THING", "takes a thing", take_value}, {"--flag", NULL, "takes nothing", take_flag},
    {"--flags", NULL, "takes nothing", take_flag},     {"--secret", "X", NULL, take_value},
    {"--values-secret", "X", NULL, take_value},        {"-o", "THING", "takes a thing", take_value},
    {"-q", NULL, "takes nothing", take_flag},
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
    assert_true(READ("--values=x") < 0);
    assert_refused("--values=x");
    assert_true(READ("-v") < 0);
    assert_refused("-v");
    assert_true(READ("--help=1") < 0);
    assert_refused("takes no value: --help");
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
    assert_null(strstr(printed, "secret"));
    assert_true(READ("-h") < 0);
    assert_int_equal(status, 0);
    assert_non_null(strstr(printed, "Usage: strata try [OPTIONS] WORD"));
    assert_int_equal(READ("--secret", "x"), 3);
}

static void names_may_be_abbreviated_while_one_fits(void **unused)
{
    (void)unused;
    assert_int_equal(READ("--val", "x"), 3);
    assert_string_equal(taken.value, "x");
    assert_int_equal(READ("--v=y", "word"), 2);
    assert_string_equal(taken.value, "y");
    assert_true(READ("--f") < 0);
    assert_refused("several options begin with --f: --flag --flags");
    assert_int_equal(READ("--flag"), 2); /* a whole name, though another begins with it */
    assert_int_equal(taken.flags, 1);
    assert_true(READ("--he") < 0);
    assert_int_equal(status, 0);
}

static void secret_options_have_no_abbreviations(void **unused)
{
    (void)unused;
    assert_true(READ("--secr", "x") < 0);
    assert_refused("there is no option --secr");
    assert_int_equal(READ("--values-secret=x"), 2);
    assert_int_equal(READ("--valu", "x"), 3); /* not that one: nobody else needs to know of it */
}

static void letters_take_values_with_and_without_a_space(void **unused)
{
    (void)unused;
    assert_int_equal(READ("-o", "x", "word"), 3);
    assert_string_equal(taken.value, "x");
    assert_int_equal(READ("-ox", "word"), 2);
    assert_string_equal(taken.value, "x");
    assert_int_equal(READ("-q", "-q"), 3);
    assert_int_equal(taken.flags, 2);
    assert_int_equal(READ("-qqox"), 2);
    assert_int_equal(taken.flags, 2);
    assert_string_equal(taken.value, "x");
    assert_true(READ("-o=x") < 0);
    assert_refused("without =: -o=x");
    assert_true(READ("-o") < 0);
    assert_refused("a value is missing after -o");
    assert_true(READ("-qx") < 0);
    assert_refused("there is no option -qx");
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
        cmocka_unit_test(names_may_be_abbreviated_while_one_fits),
        cmocka_unit_test(secret_options_have_no_abbreviations),
        cmocka_unit_test(letters_take_values_with_and_without_a_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
