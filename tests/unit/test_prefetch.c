/* Tests what the stride prefetcher learns of addresses, and which lines it then asks for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/pipeline/prefetch.h"

#define PC UINT64_C(0x10000)

static struct prefetcher prefetcher;
static uint64_t ahead[PREFETCH_DEGREE_MAX];

static int create(void **state)
{
    (void)state;
    struct parameters parameters;
    parameters_set_defaults(&parameters);
    parameters.prefetch_kind = PREFETCHER_stride;
    parameters.prefetch_entries = 4;
    parameters.prefetch_degree = 2;
    parameters.prefetch_distance = 4;
    parameters.l1d_line = 64;
    return prefetch_create(&prefetcher, &parameters) ? 0 : -1;
}

static int destroy(void **state)
{
    (void)state;
    prefetch_destroy(&prefetcher);
    return 0;
}

/* The number of lines asked for after the last of `count` addresses. */
static unsigned learn(uint64_t pc, uint64_t address, int64_t stride, unsigned count)
{
    unsigned asked = 0;
    for (unsigned i = 0; i < count; i++) {
        asked = prefetch_learn(&prefetcher, pc, address, ahead);
        address += (uint64_t)stride;
    }
    return asked;
}

static void stride_is_followed_when_seen_three_times(void **state)
{
    (void)state;
    assert_int_equal(learn(PC, 0x1000, 256, 3), 0);
    assert_int_equal(learn(PC, 0x1300, 256, 1), 2);
    assert_int_equal(ahead[0], 0x1300 + 4 * 256);
    assert_int_equal(ahead[1], 0x1300 + 5 * 256);
}

static void short_strides_ask_for_lines(void **state)
{
    (void)state;
    assert_int_equal(learn(PC, 0x1000, 8, 4), 2);
    assert_int_equal(ahead[0], 0x1018 + 32);
    assert_int_equal(ahead[1], 0x1018 + 32 + 64);
}

static void strides_go_down_too(void **state)
{
    (void)state;
    assert_int_equal(learn(PC, 0x9000, -8, 4), 2);
    assert_int_equal(ahead[0], 0x9000 - 24 - 32);
    assert_int_equal(ahead[1], 0x9000 - 24 - 32 - 64);
    assert_int_equal(learn(PC + 2, 0x9000, -4096, 4), 2);
    assert_int_equal(ahead[1], 0x9000 - 8 * 4096);
}

static void same_address_is_no_stride(void **state)
{
    (void)state;
    assert_int_equal(learn(PC, 0x1000, 0, 20), 0);
}

static void addresses_without_a_stride_ask_for_nothing(void **state)
{
    (void)state;
    uint64_t address = 1;
    for (unsigned i = 0; i < 1000; i++) {
        address = address * UINT64_C(6364136223846793005) + 1442695040888963407;
        assert_int_equal(prefetch_learn(&prefetcher, PC, address >> 30, ahead), 0);
    }
}

static void one_odd_address_does_not_make_it_forget(void **state)
{
    (void)state;
    assert_int_equal(learn(PC, 0x1000, 64, 10), 2);
    assert_int_equal(learn(PC, 0x8000, 64, 1), 0);
    assert_int_equal(learn(PC, 0x8040, 64, 1), 2);
}

static void another_stride_is_learned(void **state)
{
    (void)state;
    assert_int_equal(learn(PC, 0x1000, 64, 10), 2);
    assert_int_equal(learn(PC, 0x8000, 128, 10), 2);
    assert_int_equal(ahead[0], 0x8000 + 9 * 128 + 4 * 128);
}

static void loads_that_share_an_entry_disturb_each_other(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(learn(PC, 0x1000 + 64 * i, 0, 1), 0);
        assert_int_equal(learn(PC + 8, 0x5000 + 64 * i, 0, 1), 0); /* of four entries the same */
    }
    for (unsigned i = 0; i < 20; i++) {
        const unsigned asked = learn(PC, 0x1000 + 64 * i, 0, 1);
        assert_int_equal(asked, i < 3 ? 0 : 2);
        assert_int_equal(learn(PC + 2, 0x5000 + 64 * i, 0, 1), asked);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)
    const struct CMUnitTest tests[] = {
        TEST(stride_is_followed_when_seen_three_times),
        TEST(short_strides_ask_for_lines),
        TEST(strides_go_down_too),
        TEST(same_address_is_no_stride),
        TEST(addresses_without_a_stride_ask_for_nothing),
        TEST(one_odd_address_does_not_make_it_forget),
        TEST(another_stride_is_learned),
        TEST(loads_that_share_an_entry_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
