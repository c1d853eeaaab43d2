/* Tests caches, their MSHRs, the bus to memory and translations by themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/pipeline/cache.h"

#define LINE 64
#define FIRST_CYCLES 2
#define SECOND_CYCLES 10
#define MEMORY_CYCLES 100
#define CHUNK 8
#define CHUNK_CYCLES 2
#define LINE_CYCLES (LINE / CHUNK * CHUNK_CYCLES)
/* From the first level to memory and back, with all of the line. */
#define FIRST_MISS (FIRST_CYCLES + MEMORY_CYCLES + LINE_CYCLES - CHUNK_CYCLES)
#define BOTH_MISS (FIRST_MISS + SECOND_CYCLES)

static struct cache first, second;
static struct memory_bus bus;

static int create_with(uint64_t mshrs, bool two)
{
    bus = (struct memory_bus){
        .latency = MEMORY_CYCLES, .chunk_bytes = CHUNK, .chunk_cycles = CHUNK_CYCLES};
    /* Four sets of two ways, and of four. */
    const bool good = cache_create(&first, LEVEL_L1, 8 * LINE, 2, LINE, FIRST_CYCLES, mshrs) &&
                      cache_create(&second, LEVEL_L2, 16 * LINE, 4, LINE, SECOND_CYCLES, mshrs);
    first.next = two ? &second : NULL;
    first.bus = second.bus = &bus;
    return good ? 0 : -1;
}

static int create_one(void **state)
{
    (void)state;
    return create_with(4, false);
}

static int create_two(void **state)
{
    (void)state;
    return create_with(4, true);
}

static int destroy(void **state)
{
    (void)state;
    cache_destroy(&first);
    cache_destroy(&second);
    return 0;
}

static struct access last;

static uint64_t ask(uint64_t address, uint64_t now, enum access_kind kind)
{
    last = (struct access){.line = address, .now = now, .kind = kind};
    return cache_access(&first, &last);
}

static uint64_t read_at(uint64_t address, uint64_t now)
{
    return ask(address, now, ACCESS_READ);
}

/* The address of a line of set 0 in both levels. */
static uint64_t line_of(unsigned number)
{
    return (uint64_t)number * 4 * LINE;
}

static void a_miss_goes_to_memory_and_then_hits(void **state)
{
    (void)state;
    assert_int_equal(read_at(0, 1000), 1000 + FIRST_MISS);
    assert_int_equal(last.level, LEVEL_MEMORY);
    assert_false(last.merged);
    assert_int_equal(read_at(LINE - 1, 2000), 2000 + FIRST_CYCLES);
    assert_int_equal(last.level, LEVEL_L1);
    assert_int_equal(first.statistics.accesses, 2);
    assert_int_equal(first.statistics.misses, 1);
    assert_int_equal(first.statistics.miss_cycles, FIRST_MISS);
    assert_int_equal(bus.transfers, 1);
    assert_int_equal(bus.busy_cycles, LINE_CYCLES);
}

static void each_level_adds_its_latency(void **state)
{
    (void)state;
    assert_int_equal(read_at(0, 0), BOTH_MISS);
    assert_int_equal(last.level, LEVEL_MEMORY);
    /* Two more lines put it out of the first level. */
    read_at(line_of(1), 1000);
    read_at(line_of(2), 2000);
    assert_int_equal(read_at(0, 3000), 3000 + FIRST_CYCLES + SECOND_CYCLES);
    assert_int_equal(last.level, LEVEL_L2);
    assert_int_equal(second.statistics.accesses, 4);
    assert_int_equal(second.statistics.misses, 3);
}

static void an_access_to_a_line_on_its_way_waits_for_it(void **state)
{
    (void)state;
    const uint64_t ready = read_at(0, 10);
    assert_int_equal(read_at(8, 11), ready);
    assert_true(last.merged);
    assert_int_equal(last.level, LEVEL_MEMORY);
    /* When it comes in the same cycle as a hit would, it is one. */
    assert_int_equal(read_at(16, ready - FIRST_CYCLES), ready);
    assert_false(last.merged);
    assert_int_equal(first.statistics.misses, 2);
    assert_int_equal(first.statistics.merged, 1);
    assert_int_equal(bus.transfers, 1);
}

static void the_line_that_was_not_used_for_longest_goes(void **state)
{
    (void)state;
    read_at(line_of(0), 0);
    read_at(line_of(1), 1000);
    read_at(line_of(0), 2000);
    read_at(line_of(2), 3000);
    assert_true(cache_holds(&first, line_of(0)));
    assert_false(cache_holds(&first, line_of(1)));
    assert_true(cache_holds(&first, line_of(2)));
    /* Other sets have their own. */
    read_at(line_of(0) + LINE, 4000);
    read_at(line_of(1) + LINE, 5000);
    assert_true(cache_holds(&first, line_of(0)));
    assert_true(cache_holds(&first, line_of(2)));
}

static void mshrs_bound_the_misses_under_way(void **state)
{
    (void)state;
    uint64_t ready[4];
    for (unsigned i = 0; i < 4; i++) {
        ready[i] = read_at((uint64_t)i * LINE, 0);
        /* One after the other on the bus. */
        assert_int_equal(ready[i], FIRST_MISS + i * LINE_CYCLES);
    }
    assert_true(read_at(4 * LINE, 1) == CACHE_BUSY);
    assert_int_equal(first.statistics.busy, 1);
    assert_int_equal(first.statistics.misses, 4);
    /* The same access again is not another. */
    last = (struct access){.line = 4 * LINE, .now = 2, .kind = ACCESS_READ, .again = true};
    assert_true(cache_access(&first, &last) == CACHE_BUSY);
    assert_int_equal(first.statistics.busy, 1);
    /* Hits and merges need none. */
    assert_int_equal(read_at(3 * LINE, 3), ready[3]);
    assert_int_equal(cache_next_fill(&first, 3), ready[0]);
    assert_true(read_at(4 * LINE, ready[0] - 1) == CACHE_BUSY);
    assert_true(read_at(4 * LINE, ready[0]) != CACHE_BUSY);
    assert_int_equal(cache_next_fill(&first, ready[0]), ready[1]);
    assert_true(cache_next_fill(&first, 100000) == UINT64_MAX);
}

static void an_access_of_the_future_frees_no_mshr_for_others(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        read_at((uint64_t)i * LINE, 0);
    }
    assert_true(read_at(4 * LINE, FIRST_MISS + 50) != CACHE_BUSY);
    assert_true(read_at(5 * LINE, 1) == CACHE_BUSY);
}

static void a_busy_second_level_leaves_the_first_as_it_was(void **state)
{
    (void)state;
    second.mshrs = 1;
    const uint64_t ready = read_at(0, 0);
    assert_true(read_at(LINE, 0) == CACHE_BUSY);
    assert_false(cache_holds(&first, LINE));
    assert_int_equal(first.statistics.busy, 0);
    assert_int_equal(second.statistics.busy, 1);
    /* It comes to the second level some cycles later than to the first. */
    assert_true(read_at(LINE, ready - FIRST_CYCLES - 1) == CACHE_BUSY);
    assert_true(read_at(LINE, ready - FIRST_CYCLES) != CACHE_BUSY);
}

static void what_was_written_is_written_back(void **state)
{
    (void)state;
    ask(line_of(0), 0, ACCESS_WRITE);
    read_at(line_of(1), 1000);
    read_at(line_of(2), 2000);
    assert_int_equal(first.statistics.writebacks, 1);
    assert_int_equal(bus.transfers, 4);
    /* What was only read is not. */
    read_at(line_of(3), 3000);
    assert_int_equal(first.statistics.writebacks, 1);
    /* A write that hits makes a line dirty too. */
    ask(line_of(3), 4000, ACCESS_WRITE);
    read_at(line_of(4), 5000);
    read_at(line_of(5), 6000);
    assert_int_equal(first.statistics.writebacks, 2);
}

static void the_second_level_takes_what_the_first_writes_back(void **state)
{
    (void)state;
    ask(line_of(0), 0, ACCESS_WRITE);
    for (unsigned i = 1; i < 4; i++) {
        read_at(line_of(i), i * UINT64_C(1000));
    }
    assert_int_equal(first.statistics.writebacks, 1);
    assert_int_equal(second.statistics.writebacks, 0);
    assert_int_equal(bus.transfers, 4);
    read_at(line_of(4), 4000); /* the fifth of its four ways */
    assert_int_equal(second.statistics.writebacks, 1);
    assert_int_equal(bus.transfers, 6);
}

static void a_line_that_the_second_level_lost_is_found_by_its_address(void **state)
{
    (void)state;
    cache_destroy(&second);
    /* Lines of twice the size, in one set of two. */
    assert_true(cache_create(&second, LEVEL_L2, 4 * LINE, 2, 2 * LINE, SECOND_CYCLES, 4));
    second.bus = &bus;
    struct cache third;
    assert_true(cache_create(&third, LEVEL_L3, 64 * LINE, 4, 4 * LINE, 30, 4));
    third.bus = &bus;
    second.next = &third;
    const uint64_t written = 6 * LINE;
    ask(written, 0, ACCESS_WRITE);
    read_at(1 * 4 * LINE, 1000);
    read_at(2 * 4 * LINE, 2000);
    read_at(written, 3000);
    read_at(3 * 4 * LINE, 4000);
    assert_false(cache_holds(&second, written));
    assert_true(cache_holds(&first, written));
    read_at(10 * LINE, 5000);
    read_at(14 * LINE, 6000);
    assert_false(cache_holds(&first, written));
    assert_int_equal(first.statistics.writebacks, 1);
    assert_int_equal(second.statistics.writebacks, 1);
    assert_int_equal(third.statistics.writebacks, 0);
    unsigned dirty = 0;
    for (unsigned i = 0; i < 16; i++) {
        dirty += third.lines[i].dirty;
        assert_true(!third.lines[i].dirty || third.lines[i].tag == written / (4 * LINE) + 1);
    }
    assert_int_equal(dirty, 1);
    cache_destroy(&third);
}

static void prefetches_are_counted_by_themselves(void **state)
{
    (void)state;
    const uint64_t ready = ask(0, 0, ACCESS_PREFETCH);
    ask(LINE, 0, ACCESS_PREFETCH);
    assert_int_equal(first.statistics.accesses, 0);
    assert_int_equal(first.statistics.misses, 0);
    assert_int_equal(first.statistics.prefetches, 2);
    assert_int_equal(read_at(0, 50), ready);
    assert_int_equal(first.statistics.prefetches_used, 1);
    assert_int_equal(first.statistics.prefetches_late, 1);
    assert_int_equal(read_at(LINE, 1000), 1000 + FIRST_CYCLES);
    assert_int_equal(first.statistics.prefetches_used, 2);
    assert_int_equal(first.statistics.prefetches_late, 1);
    read_at(LINE, 2000);
    assert_int_equal(first.statistics.prefetches_used, 2);
}

static void the_bus_carries_one_line_after_the_other(void **state)
{
    (void)state;
    assert_int_equal(read_at(0, 0), FIRST_MISS);
    assert_int_equal(read_at(LINE, 0), FIRST_MISS + LINE_CYCLES);
    /* Free again when both have passed. */
    assert_int_equal(read_at(2 * LINE, 2 * LINE_CYCLES), 2 * LINE_CYCLES + FIRST_MISS);
    assert_int_equal(bus.busy_cycles, 3 * LINE_CYCLES);
}

static void a_cache_of_no_bytes_always_hits(void **state)
{
    (void)state;
    struct cache none;
    assert_true(cache_create(&none, LEVEL_L1, 0, 2, LINE, 3, 1));
    struct access access = {.line = 12345, .now = 7, .kind = ACCESS_READ};
    assert_int_equal(cache_access(&none, &access), 10);
    assert_int_equal(access.level, LEVEL_L1);
    assert_true(cache_holds(&none, 99));
    assert_true(cache_translate(&none, 99, 0));
    assert_true(cache_next_fill(&none, 0) == UINT64_MAX);
    assert_int_equal(none.statistics.misses, 0);
    cache_destroy(&none);
}

static void translations_are_kept_by_use(void **state)
{
    (void)state;
    struct cache buffer;
    assert_true(cache_create(&buffer, LEVEL_L1, 2, 2, 1, 0, 1));
    assert_false(cache_translate(&buffer, 5, 0));
    assert_true(cache_translate(&buffer, 5, 1));
    assert_false(cache_translate(&buffer, 6, 2));
    assert_true(cache_translate(&buffer, 5, 3));
    assert_false(cache_translate(&buffer, 7, 4));
    assert_true(cache_translate(&buffer, 5, 5));
    assert_false(cache_translate(&buffer, 6, 6));
    assert_int_equal(buffer.statistics.accesses, 7);
    assert_int_equal(buffer.statistics.misses, 4);
    cache_destroy(&buffer);
}

int main(void)
{
#define ONE(name) cmocka_unit_test_setup_teardown(name, create_one, destroy)
#define TWO(name) cmocka_unit_test_setup_teardown(name, create_two, destroy)
    const struct CMUnitTest tests[] = {
        ONE(a_miss_goes_to_memory_and_then_hits),
        TWO(each_level_adds_its_latency),
        ONE(an_access_to_a_line_on_its_way_waits_for_it),
        ONE(the_line_that_was_not_used_for_longest_goes),
        ONE(mshrs_bound_the_misses_under_way),
        ONE(an_access_of_the_future_frees_no_mshr_for_others),
        TWO(a_busy_second_level_leaves_the_first_as_it_was),
        ONE(what_was_written_is_written_back),
        TWO(the_second_level_takes_what_the_first_writes_back),
        TWO(a_line_that_the_second_level_lost_is_found_by_its_address),
        ONE(prefetches_are_counted_by_themselves),
        ONE(the_bus_carries_one_line_after_the_other),
        ONE(a_cache_of_no_bytes_always_hits),
        ONE(translations_are_kept_by_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
