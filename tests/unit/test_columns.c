/* Tests how text is made to fit into a column. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/columns.h"

#define COLUMNS 10

static const char *fit(const char *text)
{
    static char fitted[COLUMN_BYTES(COLUMNS)];
    columns_fit(fitted, text, COLUMNS);
    return fitted;
}

static void what_fits_stays_as_it_is(void **state)
{
    (void)state;
    assert_string_equal(fit(""), "");
    assert_string_equal(fit("main"), "main");
    assert_string_equal(fit("0123456789"), "0123456789");
}

static void the_middle_of_what_is_too_long_goes(void **state)
{
    (void)state;
    assert_string_equal(fit("0123456789a"), "0123...89a");
    assert_string_equal(fit("a_long_file_name.cc:120"), "a_lo...120");
}

static void characters_of_several_bytes_are_not_cut(void **state)
{
    (void)state;
    assert_string_equal(fit("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f"),
                        "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f");
    assert_string_equal(fit("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xf0\x9f\x99\x82 and more \xc3\xa9"),
                        "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f...e \xc3\xa9");
}

/* A symbol's name may be any bytes. */
static void bytes_that_are_no_characters_have_room(void **state)
{
    char text[400];

    (void)state;
    memset(text, 0x80, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(strlen(fit(text)), COLUMN_BYTES(COLUMNS) - 1);
    text[0] = text[5] = text[300] = 'x';
    assert_true(strlen(fit(text)) < COLUMN_BYTES(COLUMNS));
}

static void blanks_fill_by_characters(void **state)
{
    char filled[COLUMN_BYTES(COLUMNS)];

    (void)state;
    columns_fill(filled, "main", COLUMNS);
    assert_string_equal(filled, "main      ");
    columns_fill(filled,
                 "gr\xc3\xb6\xc3\x9f"
                 "e.c",
                 COLUMNS);
    assert_string_equal(filled, "gr\xc3\xb6\xc3\x9f"
                                "e.c   ");
    columns_fill(filled, "0123456789a", COLUMNS);
    assert_string_equal(filled, "0123...89a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_stays_as_it_is),
        cmocka_unit_test(the_middle_of_what_is_too_long_goes),
        cmocka_unit_test(characters_of_several_bytes_are_not_cut),
        cmocka_unit_test(bytes_that_are_no_characters_have_room),
        cmocka_unit_test(blanks_fill_by_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
