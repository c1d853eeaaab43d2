/* Tests what a terminal gets to see of names that hold anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/say.h"
#include "base/shown.h"

static void assert_shown(const char *text, size_t count, const char *expected)
{
    char all[256] = "";
    for (size_t at = 0; at < count;) {
        char shown[SHOWN_BYTES];
        const size_t taken = shown_take(text + at, count - at, shown);
        assert_in_range(taken, 1, count - at);
        at += taken;
        strcat(all, shown);
    }
    assert_string_equal(all, expected);
}

#define SHOWN(text, expected) assert_shown(text, sizeof(text) - 1, expected)

static void plain_text_stays(void **unused)
{
    (void)unused;
    SHOWN("", "");
    SHOWN("operator<<(a, b)::~c \\ \"x\" 100%", "operator<<(a, b)::~c \\ \"x\" 100%");
    SHOWN("\u03bb \u00e9 \u20ac \U0001f600", "\u03bb \u00e9 \u20ac \U0001f600");
}

static void control_characters_are_shown(void **unused)
{
    (void)unused;
    SHOWN("a\033[2Jb", "a\\x1b[2Jb");
    SHOWN("\a\b\t\n\r\177", "\\x07\\x08\\x09\\x0a\\x0d\\x7f");
    SHOWN("a\0b", "a\\x00b");
    SHOWN("\xc2\x9b"
          "31m",
          "\\u009b31m"); /* a terminal takes U+009B for escape and a bracket */
    SHOWN("\u202ecod.exe\u2066", "\\u202ecod.exe\\u2066");
    SHOWN("\u2028\u2029\ufeff\u200e", "\\u2028\\u2029\\ufeff\\u200e");
}

static void what_is_not_utf8_is_shown(void **unused)
{
    (void)unused;
    SHOWN("\x9b", "\\x9b");
    SHOWN("\xff\xfe", "\\xff\\xfe");
    SHOWN("\xc3", "\\xc3");                   /* cut off */
    SHOWN("\xc3(", "\\xc3(");                 /* not continued */
    SHOWN("\xc0\x8a", "\\xc0\\x8a");          /* a newline in two bytes */
    SHOWN("\xe0\x80\x8a", "\\xe0\\x80\\x8a"); /* and in three */
    SHOWN("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* half of a pair */
    SHOWN("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
    SHOWN("\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80");
}

#define SAID(expected, ...)                                                                        \
    do {                                                                                           \
        char *said = NULL;                                                                         \
        size_t count = 0;                                                                          \
        FILE *file = open_memstream(&said, &count);                                                \
        assert_non_null(file);                                                                     \
        say(file, __VA_ARGS__);                                                                    \
        assert_int_equal(fclose(file), 0);                                                         \
        assert_string_equal(said, expected);                                                       \
        free(said);                                                                                \
    } while (0)

static void newlines_of_the_format_stay(void **unused)
{
    (void)unused;
    SAID("strata: a: b\n", "strata: %s: %s\n", "a", "b");
    SAID("\n\n 7\n", "\n\n %d\n", 7);
    SAID("\n", "\n");
    SAID("a", "%s", "a");
}

static void newlines_of_values_are_shown(void **unused)
{
    (void)unused;
    SAID("strata: a\\x0astrata: b\\x0a\n", "strata: %s\n", "a\nstrata: b\n");
    SAID("\\x0a", "%s", "\n");
    SAID("\n\\x0a\n", "\n%s\n", "\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_stays),
        cmocka_unit_test(control_characters_are_shown),
        cmocka_unit_test(what_is_not_utf8_is_shown),
        cmocka_unit_test(newlines_of_the_format_stay),
        cmocka_unit_test(newlines_of_values_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
