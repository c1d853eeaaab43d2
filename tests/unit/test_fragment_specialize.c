/* Tests the pass `specialize`: which registers are taken for constants, what follows from that, and when it is left. */
#include "ops_check.h"

#include "target_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define BIT(reg) (UINT32_C(1) << (reg))
#define ALL UINT32_MAX
#define TURNS 3

static struct ops ops;
static struct place place;
static struct arranged arranged;
static struct ops_seen seen;
static uint64_t values[OPS_REGISTERS];

static int begin(void **state)
{
    (void)state;
    ops_begin(&ops);
    for (unsigned reg = 1; reg < OPS_REGISTERS; reg++) {
        values[reg] = ops_mix(1, reg);
    }
    return 0;
}

static void end(void)
{
    ops_end(&ops, 0);
    ops.loops = true;
}

/* Whether registers of `same` are taken for constants; what is arranged then does the same, for several turns. */
static bool specialize(uint32_t same, uint32_t spares)
{
    ops.passes = PASSES_EACH;
    ops.assumed = 0;
    assert_true(number_run(&ops));
    if (!specialize_run(&ops, same, values)) {
        return false;
    }
    assert_true(place_run(&place, &ops, spares, &arranged));
    assert_int_equal(arranged.compared, ops.assumed);
    const char *problem = ops_check(&ops, &arranged, 1, values, TURNS, true, &seen);
    if (problem != NULL) {
        ops_print_items(&arranged);
        fail_msg("%s", problem);
    }
    return true;
}

static void expect_special(const struct op *op)
{
    assert_true(op->older);
    assert_int_equal(op->pass, PASS_SPECIALIZE);
}

static void what_is_computed_of_constants_is_one(void **state)
{
    (void)state;
    values[10] = 6;
    values[11] = 7;
    struct op *sum = ops_computed(&ops, WORD_XOR, 5, 10, 11);
    end();
    assert_true(specialize(ALL, 0));
    expect_special(sum);
    assert_int_equal(sum->out.root, 0);
    assert_int_equal(sum->out.offset, 6 ^ 7);
    assert_int_equal(ops.assumed, BIT(10) | BIT(11));
    assert_int_equal(arranged.taken_out[PASS_SPECIALIZE], 1);
}

static void a_guard_of_constants_holds(void **state)
{
    (void)state;
    struct op *target = ops_target(&ops, 10, (int64_t)values[10]);
    end();
    assert_true(specialize(ALL, 0));
    assert_true((target->flags & OP_KNOWN) != 0);
    assert_int_equal(target->pass, PASS_SPECIALIZE);
    assert_int_equal(ops.assumed, BIT(10));
}

/* And one that would not is no less a guard. */
static void a_guard_that_fails_stays(void **state)
{
    (void)state;
    ops_target(&ops, 10, (int64_t)values[10] + 1);
    end();
    assert_false(specialize(ALL, 0));
}

static void what_others_hold_is_not_compared(void **state)
{
    (void)state;
    ops_computed(&ops, WORD_XOR, 5, 10, 11);
    ops_load(&ops, 6, 12, 0, 8, false);
    ops_load(&ops, 7, 13, 0, 8, false);
    end();
    assert_true(specialize(ALL, 0));
    assert_int_equal(ops.assumed, BIT(10) | BIT(11));
}

/* What came from there is known anyway. */
static void without_news_nothing_is_compared(void **state)
{
    (void)state;
    ops_add(&ops, 5, 10, 8);
    ops_load(&ops, 6, 5, 0, 8, false);
    end();
    assert_false(specialize(ALL, 0));
}

static void only_what_was_the_same_is_taken(void **state)
{
    (void)state;
    ops_computed(&ops, WORD_XOR, 5, 10, 11);
    end();
    assert_false(specialize(~BIT(10), 0));
    assert_false(specialize(0, 0));
    assert_true(specialize(BIT(10) | BIT(11), 0));
}

static void what_is_another_in_the_next_turn_is_not_taken(void **state)
{
    (void)state;
    struct op *sum = ops_computed(&ops, WORD_XOR, 5, 10, 11);
    ops_add(&ops, 10, 10, 1);
    end();
    assert_false(specialize(ALL, 0));
    assert_false(sum->older);
}

/* One that is no constant any more may make another one none. */
static void what_depends_on_that_is_not_taken_either(void **state)
{
    (void)state;
    values[12] = values[10];
    ops_computed(&ops, WORD_XOR, 5, 10, 11);
    ops_add(&ops, 10, 12, 0);
    ops_add(&ops, 12, 13, 0);
    ops_load(&ops, 13, 14, 0, 8, false);
    end();
    values[13] = values[10];
    assert_false(specialize(ALL, 0));
}

static void what_comes_back_is_taken(void **state)
{
    (void)state;
    ops_store(&ops, 10, 2, 8, 8);
    ops_constant(&ops, 10, 3);
    ops_load(&ops, 10, 2, 8, 8, false);
    struct op *sum = ops_computed(&ops, WORD_XOR, 5, 10, 11);
    end();
    assert_true(specialize(ALL, 0));
    expect_special(sum);
    assert_int_equal(ops.assumed, BIT(10) | BIT(11));
}

static void what_is_the_same_constant_in_each_turn_is_taken(void **state)
{
    (void)state;
    values[10] = 40;
    struct op *sum = ops_computed(&ops, WORD_XOR, 5, 10, 11);
    ops_constant(&ops, 10, 40);
    end();
    assert_true(specialize(ALL, 0));
    expect_special(sum);
    values[10] = 41;
    assert_false(specialize(ALL, 0));
}

/* Two places are known to be apart: the load gives what was stored before both. */
static void places_at_constants_are_known_to_be_apart(void **state)
{
    (void)state;
    values[10] = 0x1000;
    values[11] = 0x2000;
    ops_load(&ops, 5, 10, 0, 8, false);
    ops_store(&ops, 12, 11, 0, 8);
    struct op *again = ops_load(&ops, 6, 10, 0, 8, false);
    end();
    assert_true(specialize(ALL, 0));
    expect_special(again);
    assert_int_equal(ops.assumed, BIT(10) | BIT(11));
    values[11] = 0x1004;
    assert_false(specialize(ALL, 0));
}

/* Nothing else comes to where it is: its constant may not fit into an instruction. */
static void what_was_compared_stays_where_it_is(void **state)
{
    (void)state;
    ops_computed(&ops, WORD_XOR, 5, 10, 11);
    struct op *load = ops_load(&ops, 6, 10, 0, 8, false);
    ops_computed(&ops, WORD_XOR, 7, 10, 6);
    ops_add(&ops, 8, 6, 0);
    ops_load(&ops, 6, 6, 0, 8, false);
    end();
    assert_true(specialize(ALL, 0));
    assert_false(load->older);
    for (unsigned i = 0; i < arranged.item_count; i++) {
        const struct item *item = &arranged.items[i];
        assert_true(item->kind == ITEM_NOTE || (item->dst != 10 && item->dst != 11));
    }
}

/* It is there before the loop, and what it is computed with as well. */
static void what_was_compared_is_there_before_the_loop(void **state)
{
    (void)state;
    ops_computed(&ops, WORD_XOR, 5, 10, 11);
    ops_computed(&ops, WORD_SUB, 6, 10, 12);
    ops_add(&ops, 12, 12, 0);
    end();
    assert_true(specialize(BIT(10) | BIT(11), TARGET_KEPT_REGISTERS));
    ops_begin(&ops);
    ops_computed(&ops, WORD_XOR, 5, 10, 11);
    ops_computed(&ops, WORD_SUB, 6, 10, 12);
    end();
    assert_true(specialize(BIT(10) | BIT(11), TARGET_KEPT_REGISTERS));
    assert_int_equal(arranged.before_count, 1);
    assert_int_equal(arranged.before[0].src[0], 10);
}

static void not_among_others_nor_without_a_loop(void **state)
{
    (void)state;
    ops_computed(&ops, WORD_XOR, 5, 10, 11);
    end();
    ops.alone = false;
    assert_false(specialize(ALL, 0));
    ops.alone = true;
    ops.loops = false;
    assert_false(specialize(ALL, 0));
    ops.loops = true;
    assert_true(specialize(ALL, 0));
    ops.assumed = 0;
    ops.passes = PASSES_ALL;
    assert_true(number_run(&ops));
    assert_false(specialize_run(&ops, ALL, values));
}

/* What was known with constants is not known any more without. */
static void numbered_anew_nothing_is_left_of_it(void **state)
{
    (void)state;
    struct op *target = ops_target(&ops, 10, (int64_t)values[10]);
    struct op *sum = ops_computed(&ops, WORD_XOR, 5, 10, 11);
    end();
    assert_true(specialize(ALL, 0));
    ops.assumed = 0;
    ops.passes = PASSES_EACH & ~(1u << PASS_GUARDS);
    assert_true(number_run(&ops));
    assert_false(sum->older);
    assert_int_equal(target->flags & OP_KNOWN, 0);
    assert_true(place_run(&place, &ops, 0, &arranged));
    assert_int_equal(arranged.compared, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_computed_of_constants_is_one),
        TEST(a_guard_of_constants_holds),
        TEST(a_guard_that_fails_stays),
        TEST(what_others_hold_is_not_compared),
        TEST(without_news_nothing_is_compared),
        TEST(only_what_was_the_same_is_taken),
        TEST(what_is_another_in_the_next_turn_is_not_taken),
        TEST(what_depends_on_that_is_not_taken_either),
        TEST(what_comes_back_is_taken),
        TEST(what_is_the_same_constant_in_each_turn_is_taken),
        TEST(places_at_constants_are_known_to_be_apart),
        TEST(what_was_compared_stays_where_it_is),
        TEST(what_was_compared_is_there_before_the_loop),
        TEST(not_among_others_nor_without_a_loop),
        TEST(numbered_anew_nothing_is_left_of_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
