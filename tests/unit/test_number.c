/* Tests how numbers of options and files are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/number.h"

#define ANY 0, UINT64_MAX

static void assert_reads(const char *text, enum number_scale scale, uint64_t expected)
{
    uint64_t value = 7;
    if (!number_read(text, scale, ANY, &value) || value != expected) {
        fail_msg("\"%s\" was not taken for %llu", text, (unsigned long long)expected);
    }
}

static void assert_refuses(const char *text, enum number_scale scale)
{
    uint64_t value = 7;
    if (number_read(text, scale, ANY, &value)) {
        fail_msg("\"%s\" was taken for %llu", text, (unsigned long long)value);
    }
    assert_int_equal(value, 7); /* what is refused changes nothing */
}

static void numbers_are_whole_and_unsigned(void **unused)
{
    static const char *const wrong[] = {
        "",
        "-1",
        "+1",
        " 1",
        "1 ",
        "1x",
        "x",
        "0x",
        "1.5",
        "\t1",
        "0x1g",
        "K",
        "1KK",
        "1k",
        "18446744073709551616",
        "0x10000000000000000",
        "99999999999999999999999999",
    };
    (void)unused;
    assert_reads("0", NUMBER_PLAIN, 0);
    assert_reads("18446744073709551615", NUMBER_PLAIN, UINT64_MAX);
    assert_reads("0x1F", NUMBER_PLAIN, 31);
    assert_reads("0XffffffffFFFFFFFF", NUMBER_PLAIN, UINT64_MAX);
    assert_reads("010", NUMBER_PLAIN, 10); /* decimal */
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_refuses(wrong[i], NUMBER_PLAIN);
        assert_refuses(wrong[i], NUMBER_COUNT);
        assert_refuses(wrong[i], NUMBER_SIZE);
    }
}

static void letters_stand_for_thousands_of_either_kind(void **unused)
{
    (void)unused;
    assert_reads("15M", NUMBER_COUNT, 15000000);
    assert_reads("2K", NUMBER_COUNT, 2000);
    assert_reads("1G", NUMBER_COUNT, 1000000000);
    assert_reads("2K", NUMBER_SIZE, 2048);
    assert_reads("16M", NUMBER_SIZE, 16 << 20);
    assert_reads("1G", NUMBER_SIZE, 1 << 30);
    assert_reads("0G", NUMBER_SIZE, 0);
    assert_refuses("1K", NUMBER_PLAIN);
    assert_refuses("1T", NUMBER_COUNT);
    assert_refuses("0x1K", NUMBER_COUNT);
}

static void letters_do_not_overflow(void **unused)
{
    (void)unused;
    assert_reads("18446744073G", NUMBER_COUNT, UINT64_C(18446744073000000000));
    assert_refuses("18446744074G", NUMBER_COUNT);
    assert_reads("17179869183G", NUMBER_SIZE, UINT64_C(17179869183) << 30);
    assert_refuses("17179869184G", NUMBER_SIZE);
}

static void both_limits_belong_to_the_range(void **unused)
{
    uint64_t value = 7;
    (void)unused;
    assert_false(number_read("1", NUMBER_PLAIN, 2, 4, &value));
    assert_false(number_read("5", NUMBER_PLAIN, 2, 4, &value));
    assert_int_equal(value, 7);
    assert_true(number_read("2", NUMBER_PLAIN, 2, 4, &value));
    assert_true(number_read("4", NUMBER_PLAIN, 2, 4, &value));
    assert_int_equal(value, 4);
}

static void a_number_may_be_the_beginning(void **unused)
{
    uint64_t value;
    const char *text = "10K,5";
    (void)unused;
    const char *rest = number_take(text, NUMBER_COUNT, &value);
    assert_ptr_equal(rest, text + 3);
    assert_int_equal(value, 10000);
    assert_null(number_take(",5", NUMBER_COUNT, &value));
}

static void hexadecimal_needs_no_prefix(void **unused)
{
    uint64_t value;
    (void)unused;
    assert_true(number_read_hex("1f", &value));
    assert_int_equal(value, 31);
    assert_true(number_read_hex("0x1f", &value));
    assert_int_equal(value, 31);
    assert_false(number_read_hex("1g", &value));
    assert_false(number_read_hex("", &value));
    assert_false(number_read_hex("0x", &value));
    assert_false(number_read_hex("-1", &value));
    assert_false(number_read_hex("\v1", &value));
    assert_false(number_read_hex("10000000000000000", &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_whole_and_unsigned),
        cmocka_unit_test(letters_stand_for_thousands_of_either_kind),
        cmocka_unit_test(letters_do_not_overflow),
        cmocka_unit_test(both_limits_belong_to_the_range),
        cmocka_unit_test(a_number_may_be_the_beginning),
        cmocka_unit_test(hexadecimal_needs_no_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
