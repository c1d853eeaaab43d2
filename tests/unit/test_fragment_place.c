/* Tests what of a trace is executed, and in which registers: each list is executed as it is written and as it is arranged
 * (tests/toy/ops_check.c), with a few registers and memories.  Then it is looked at what was left out. */
#include "ops_check.h"

#include "target_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define BIT(reg) (UINT32_C(1) << (reg))
#define TURNS 3
#define SEEDS 20

static struct ops ops;
static struct place place;
static struct arranged arranged;
static struct ops_seen seen;

static int begin(void **state)
{
    (void)state;
    ops_begin(&ops);
    memset(&seen, 0, sizeof seen);
    return 0;
}

static bool arrange(uint32_t spares)
{
    for (unsigned i = 0; i < ops.count; i++) {
        ops.list[i].flags &= (uint8_t)~OP_KNOWN;
    }
    return number_run(&ops) && place_run(&place, &ops, spares, &arranged);
}

/* It is arranged, and does the same. */
static void check(uint32_t spares)
{
    uint64_t registers[OPS_REGISTERS];

    if (!arrange(spares)) {
        ops_print(&ops);
        fail_msg("not arranged");
    }
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
            registers[reg] = ops_mix(seed, reg) % 3 == 0 ? OPS_AREA + reg * 8 : ops_mix(seed, reg);
        }
        const char *problem =
            ops_check(&ops, &arranged, seed, registers, ops.loops ? TURNS : 1, true, &seen);
        if (problem != NULL) {
            ops_print(&ops);
            ops_print_items(&arranged);
            fail_msg("%s", problem);
        }
    }
}

/* How many items of the op take code. */
static unsigned executed(const struct op *op)
{
    unsigned count = 0;

    for (unsigned i = 0; i < arranged.item_count; i++) {
        count += &ops.list[arranged.items[i].op] == op &&
                 (arranged.items[i].kind == ITEM_OP || arranged.items[i].kind == ITEM_ADD ||
                  arranged.items[i].kind == ITEM_CONSTANT);
    }
    return count;
}

static void what_is_known_takes_no_code(void **state)
{
    (void)state;
    struct op *copy = ops_add(&ops, 5, 10, 0);
    struct op *address = ops_add(&ops, 6, 5, 16);
    struct op *stored = ops_store(&ops, 11, 6, 8, 8);
    struct op *loaded = ops_load(&ops, 7, 10, 24, 8, true);
    struct op *guard = ops_guard(&ops, WORD_IF_EQUAL, 0, 10);
    struct op *repeated = ops_guard(&ops, WORD_IF_EQUAL, 0, 5);
    ops_end(&ops, 0);
    check(0);
    assert_int_equal(executed(copy), 0);
    assert_int_equal(executed(address), 0);
    assert_int_equal(executed(stored), 1);
    assert_int_equal(executed(loaded), 0);
    assert_int_equal(executed(guard), 1);
    assert_int_equal(executed(repeated), 0);
    assert_int_equal(executed(&ops.list[ops.count - 1]), 4);
    assert_int_equal(arranged.taken_out[PASS_VALUES], 2);
    assert_int_equal(arranged.taken_out[PASS_LOADS], 1);
    assert_int_equal(arranged.taken_out[PASS_GUARDS], 1);
    assert_int_equal(arranged.plain, 7);
    assert_int_equal(arranged.executed, 6);
}

static void without_passes_all_is_executed(void **state)
{
    (void)state;
    ops.passes = 0;
    ops.loops = true;
    ops_add(&ops, 5, 10, 0);
    ops_constant(&ops, 6, 3);
    ops_store(&ops, 11, 10, 8, 8);
    ops_load(&ops, 7, 10, 8, 8, true);
    ops_computed(&ops, WORD_XOR, 8, 10, 11);
    ops_computed(&ops, WORD_XOR, 9, 10, 11);
    ops_guard(&ops, WORD_IF_EQUAL, 0, 10);
    ops_guard(&ops, WORD_IF_EQUAL, 0, 10);
    ops_end(&ops, 0);
    check(TARGET_KEPT_REGISTERS);
    for (unsigned i = 0; i < ops.count; i++) {
        assert_int_equal(executed(&ops.list[i]), 1);
    }
    assert_int_equal(arranged.executed, arranged.plain);
}

static void what_a_register_alone_tells_goes_elsewhere_first(void **state)
{
    (void)state;
    ops_add(&ops, 5, 10, 8);
    struct op *over = ops_other(&ops, 10, 11, NO_REGISTER);
    ops_guard(&ops, WORD_IF_EQUAL, 5, 11);
    ops_end(&ops, 0);
    check(0);
    assert_int_equal(executed(over), 1); /* x5, which nobody wants, takes it */
}

static void a_copy_goes_the_long_way_when_others_wait(void **state)
{
    (void)state;
    /* Each register tells the next. */
    ops_add(&ops, 5, 6, 1);
    ops_add(&ops, 6, 7, 1);
    ops_add(&ops, 7, 8, 1);
    ops_other(&ops, 8, 9, NO_REGISTER);
    ops_guard(&ops, WORD_IF_OTHER, 5, 5);
    ops_end(&ops, 0);
    check(0);
}

/* x5, x6 and x7 become each other, two ways. */
static void rotate(void)
{
    ops_add(&ops, 9, 5, 0);
    ops_add(&ops, 5, 6, 0);
    ops_add(&ops, 6, 7, 4);
    ops_add(&ops, 7, 9, 0);
    ops_add(&ops, 9, 0, 0);
}

static void registers_that_are_swapped_go_through_the_scratch_register(void **state)
{
    (void)state;
    ops.loops = true;
    rotate();
    ops_add(&ops, 9, 18, 0);
    ops_add(&ops, 18, 19, -1);
    ops_add(&ops, 19, 9, 0);
    ops_add(&ops, 9, 5, 0);
    ops_guard(&ops, WORD_IF_OTHER, 10, 10);
    ops_end(&ops, 0);
    check(0);
    assert_true(seen.cycles >= 2 * SEEDS);
    /* Twice each: at the guard and at the end. */
    assert_int_equal(arranged.items[arranged.item_count - 1].kind, ITEM_OP);
    unsigned scratch = 0;
    for (unsigned i = 0; i < arranged.item_count; i++) {
        scratch += arranged.items[i].dst == PLACE_SCRATCH && arranged.items[i].kind == ITEM_ADD;
    }
    assert_int_equal(scratch, 2);
}

static void several_read_what_a_cycle_moves(void **state)
{
    (void)state;
    rotate();
    ops_add(&ops, 8, 5, 0);
    ops_add(&ops, 9, 6, 1);
    ops_add(&ops, 18, 7, 2);
    ops_step(&ops, BIT(19));
    rotate();
    ops_end(&ops, 0);
    check(0);
    assert_true(seen.turns == SEEDS);
}

static void spare_registers_hold_what_is_in_the_way(void **state)
{
    (void)state;
    ops.loops = true;
    ops_add(&ops, 5, 10, 8);
    ops_add(&ops, 6, 11, 8);
    struct op *first = ops_other(&ops, 10, 12, NO_REGISTER);
    struct op *second = ops_other(&ops, 11, 12, NO_REGISTER);
    ops_guard(&ops, WORD_IF_OTHER, 5, 5);
    ops_end(&ops, 0);
    check(BIT(20) | BIT(21) | BIT(12));
    assert_int_equal(arranged.spares & ~(BIT(20) | BIT(21)), 0);
    assert_true(executed(first) + executed(second) <= 4);
}

static void a_wanted_value_gets_a_spare_register(void **state)
{
    (void)state;
    ops.loops = true;
    ops_load(&ops, 5, 10, 0, 8, true);
    ops_other(&ops, 5, 12, NO_REGISTER);
    struct op *again = ops_load(&ops, 6, 10, 0, 8, true);
    ops_end(&ops, 0);
    check(BIT(20));
    assert_int_equal(executed(again), 0);
    assert_int_equal(arranged.spares, BIT(20));
    check(0);
}

static void invariants_are_computed_before_the_loop(void **state)
{
    (void)state;
    ops.loops = true;
    struct op *product = ops_computed(&ops, WORD_MUL, 5, 10, 11);
    struct op *more = ops_computed(&ops, WORD_XOR, 6, 5, 10);
    struct op *changes = ops_computed(&ops, WORD_MUL, 7, 12, 10);
    ops_constant(&ops, 13, 1 << 20);
    struct op *guard = ops_guard(&ops, WORD_IF_EQUAL, 13, 12);
    ops_other(&ops, 12, 7, NO_REGISTER);
    ops_end(&ops, 0);
    check(TARGET_KEPT_REGISTERS);
    assert_int_equal(arranged.before_count, 3);
    assert_int_equal(executed(product), 0);
    assert_int_equal(executed(more), 0);
    assert_int_equal(executed(changes), 1);
    assert_int_equal(executed(guard), 1);
    assert_int_equal(arranged.taken_out[PASS_INVARIANT], 2);
    check(BIT(20)); /* not enough for all */
    assert_int_equal(arranged.before_count, 1);
    ops.loops = false;
    check(TARGET_KEPT_REGISTERS);
    assert_int_equal(arranged.before_count, 0);
    ops.loops = true;
    ops.passes &= ~(1u << PASS_INVARIANT);
    check(TARGET_KEPT_REGISTERS);
    assert_int_equal(arranged.before_count, 0);
}

static void what_a_step_writes_is_no_invariant(void **state)
{
    (void)state;
    ops.loops = true;
    struct op *product = ops_computed(&ops, WORD_MUL, 5, 10, 11);
    ops_step(&ops, BIT(11) | BIT(13));
    ops_add(&ops, 14, 13, 8);
    ops_end(&ops, 0);
    check(TARGET_KEPT_REGISTERS);
    assert_int_equal(executed(product), 1);
}

static void all_is_home_at_a_step(void **state)
{
    (void)state;
    ops_add(&ops, 5, 10, 8);
    ops_constant(&ops, 6, 77777);
    struct op *step = ops_step(&ops, BIT(7) | BIT(5));
    struct op *behind = ops_add(&ops, 8, 6, 0);
    ops_end(&ops, 0);
    check(0);
    assert_int_equal(executed(step), 3);
    assert_int_equal(executed(behind), 0);
}

static void addresses_take_in_what_is_added(void **state)
{
    (void)state;
    struct op *added = ops_add(&ops, 10, 10, 16);
    struct op *loaded = ops_load(&ops, 5, 10, 24, 8, true);
    struct op *far = ops_load(&ops, 6, 10, 56, 8, true); /* 72 is too far from x10 */
    ops_constant(&ops, 7, 0x12345);
    struct op *absolute = ops_store(&ops, 5, 7, 3, 4);
    ops_end(&ops, 0);
    check(0);
    assert_int_equal(executed(added), 0);
    assert_int_equal(executed(loaded), 1);
    assert_int_equal(executed(far), 2);
    assert_int_equal(executed(absolute), 2);
}

static void what_is_a_constant_from_a_target_is_one_behind_it(void **state)
{
    (void)state;
    for (unsigned alone = 0; alone < 2; alone++) {
        begin(NULL);
        ops.alone = alone != 0;
        ops_add(&ops, 5, 10, 8);
        ops_target(&ops, 10, (int64_t)OPS_AREA + 80);
        ops_other(&ops, 10, 11, NO_REGISTER);
        ops_guard(&ops, WORD_IF_OTHER, 5, 5);
        ops_end(&ops, 0);
        check(0);
    }
}

/* Where others write, a load that is executed after all gives something new: nothing may be taken for computed from it. */
static void with_others_a_load_again_is_another_value(void **state)
{
    (void)state;
    ops.alone = false;
    ops_load(&ops, 5, 10, 0, 8, true);
    ops_computed(&ops, WORD_XOR, 6, 5, 11);
    ops_other(&ops, 5, 11, NO_REGISTER);
    ops_load(&ops, 5, 10, 0, 8, true);
    ops_computed(&ops, WORD_XOR, 7, 5, 11);
    ops_end(&ops, 0);
    check(0);
}

/* Limits: what does not fit is refused, and nothing is written behind what there is. */

static void expect_refused(uint32_t spares)
{
    static struct {
        uint8_t before[64];
        struct arranged to;
        uint8_t behind[64];
    } fenced;

    memset(fenced.before, 0xa5, sizeof fenced.before);
    memset(fenced.behind, 0xa5, sizeof fenced.behind);
    assert_true(number_run(&ops));
    assert_false(place_run(&place, &ops, spares, &fenced.to));
    for (unsigned i = 0; i < sizeof fenced.before; i++) {
        assert_int_equal(fenced.before[i], 0xa5);
        assert_int_equal(fenced.behind[i], 0xa5);
    }
}

static void too_many_items_are_refused(void **state)
{
    (void)state;
    while (ops.count < OPS_MAX - 4) {
        ops_constant(&ops, 5 + ops.count % 2, (int64_t)ops.count << 20);
        ops_constant(&ops, 9, (int64_t)ops.count << 20);
        ops_step(&ops, BIT(7) | BIT(8) | BIT(18));
    }
    ops_end(&ops, 0);
    expect_refused(0);
}

static void too_many_moves_are_refused(void **state)
{
    (void)state;
    for (unsigned reg = 5; reg < OPS_REGISTERS; reg++) {
        ops_constant(&ops, reg, (int64_t)reg << 20);
    }
    while (ops.count < OPS_MAX - 1) {
        ops_guard(&ops, WORD_IF_EQUAL, 0, 1);
    }
    ops.passes &= ~(1u << PASS_GUARDS);
    ops_end(&ops, 0);
    expect_refused(0);
}

static void no_more_is_done_before_than_there_is_room_for(void **state)
{
    (void)state;
    ops.loops = true;
    for (unsigned i = 0; i < 2 * BEFORE_MAX; i++) {
        ops_constant(&ops, 5, (int64_t)i << 20);
        ops_guard(&ops, WORD_IF_EQUAL, 5, 1);
    }
    ops_end(&ops, 0);
    check(~(UINT32_C(0xff) | TARGET_OWN_REGISTERS));
    assert_int_equal(arranged.before_count, BEFORE_MAX);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_known_takes_no_code),
        TEST(without_passes_all_is_executed),
        TEST(what_a_register_alone_tells_goes_elsewhere_first),
        TEST(a_copy_goes_the_long_way_when_others_wait),
        TEST(registers_that_are_swapped_go_through_the_scratch_register),
        TEST(several_read_what_a_cycle_moves),
        TEST(spare_registers_hold_what_is_in_the_way),
        TEST(a_wanted_value_gets_a_spare_register),
        TEST(invariants_are_computed_before_the_loop),
        TEST(what_a_step_writes_is_no_invariant),
        TEST(all_is_home_at_a_step),
        TEST(addresses_take_in_what_is_added),
        TEST(what_is_a_constant_from_a_target_is_one_behind_it),
        TEST(with_others_a_load_again_is_another_value),
        TEST(too_many_items_are_refused),
        TEST(too_many_moves_are_refused),
        TEST(no_more_is_done_before_than_there_is_room_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
