/* Tests the shadow cache by itself, and beside a slow one that is plainly right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/pipeline/shadow.h"

static void first_accesses_are_neither_hits_nor_capacity_misses(void **state)
{
    (void)state;
    struct shadow *shadow = shadow_create(4);
    for (uint64_t line = 0; line < 100; line++) {
        assert_int_equal(shadow_access(shadow, line), SHADOW_FIRST);
        assert_int_equal(shadow_access(shadow, line), SHADOW_HIT);
    }
    shadow_destroy(shadow);
}

static void least_recently_used_line_leaves(void **state)
{
    (void)state;
    struct shadow *shadow = shadow_create(3);
    shadow_access(shadow, 1);
    shadow_access(shadow, 2);
    shadow_access(shadow, 3);
    assert_int_equal(shadow_access(shadow, 1), SHADOW_HIT);
    assert_int_equal(shadow_access(shadow, 4), SHADOW_FIRST); /* 2 leaves */
    assert_int_equal(shadow_access(shadow, 3), SHADOW_HIT);
    assert_int_equal(shadow_access(shadow, 1), SHADOW_HIT);
    assert_int_equal(shadow_access(shadow, 2), SHADOW_CAPACITY); /* 4 leaves */
    assert_int_equal(shadow_access(shadow, 3), SHADOW_HIT);
    assert_int_equal(shadow_access(shadow, 4), SHADOW_CAPACITY);
    shadow_destroy(shadow);
}

static void one_line_is_enough(void **state)
{
    (void)state;
    struct shadow *shadow = shadow_create(1);
    assert_int_equal(shadow_access(shadow, 7), SHADOW_FIRST);
    assert_int_equal(shadow_access(shadow, 7), SHADOW_HIT);
    assert_int_equal(shadow_access(shadow, UINT64_MAX), SHADOW_FIRST);
    assert_int_equal(shadow_access(shadow, 7), SHADOW_CAPACITY);
    assert_int_equal(shadow_access(shadow, UINT64_MAX), SHADOW_CAPACITY);
    shadow_destroy(shadow);
}

#define LINES 32
#define DIFFERENT 100

/* The lines in the order of their last access, and which were ever accessed. */
struct slow {
    uint64_t lines[LINES];
    unsigned count;
    bool seen[DIFFERENT];
};

static enum shadow_answer slow_access(struct slow *slow, uint64_t line)
{
    unsigned place = 0;
    while (place < slow->count && slow->lines[place] != line) {
        place++;
    }
    const bool hit = place < slow->count;
    const bool seen = slow->seen[line];
    if (!hit) {
        slow->count += slow->count < LINES;
        place = slow->count - 1;
    }
    memmove(slow->lines + 1, slow->lines, place * sizeof slow->lines[0]);
    slow->lines[0] = line;
    slow->seen[line] = true;
    return hit ? SHADOW_HIT : seen ? SHADOW_CAPACITY : SHADOW_FIRST;
}

static void answers_are_those_of_a_slow_one(void **state)
{
    (void)state;
    struct shadow *shadow = shadow_create(LINES);
    struct slow slow = {.count = 0};
    uint64_t random = 1;
    for (unsigned i = 0; i < 200000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1;
        const uint64_t wide = random >> 33, line = wide % (i % 3 == 0 ? DIFFERENT : 2 * LINES / 3);
        assert_int_equal(shadow_access(shadow, line), slow_access(&slow, line));
    }
    shadow_destroy(shadow);
}

static void table_grows_with_the_lines(void **state)
{
    (void)state;
    const uint64_t lines = 100000;
    struct shadow *shadow = shadow_create(lines);
    for (uint64_t line = 0; line < lines; line++) {
        assert_int_equal(shadow_access(shadow, line << 20), SHADOW_FIRST);
    }
    for (uint64_t line = 0; line < lines; line++) {
        assert_int_equal(shadow_access(shadow, line << 20), SHADOW_HIT);
    }
    assert_int_equal(shadow_access(shadow, 1), SHADOW_FIRST);
    assert_int_equal(shadow_access(shadow, 0), SHADOW_CAPACITY);
    shadow_destroy(shadow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_accesses_are_neither_hits_nor_capacity_misses),
        cmocka_unit_test(least_recently_used_line_leaves),
        cmocka_unit_test(one_line_is_enough),
        cmocka_unit_test(answers_are_those_of_a_slow_one),
        cmocka_unit_test(table_grows_with_the_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
