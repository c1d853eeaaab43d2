/* Tests the pass `strength`: which ops become simpler, which are no ops at all, and what that saves of constants. */
#include "ops_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define BIT(pass) (1u << PASS_##pass)
#define BOTH (BIT(VALUES) | BIT(STRENGTH))

static struct ops ops;
static struct place place;
static struct arranged arranged;
static struct ops_seen seen;

static int begin(void **state)
{
    (void)state;
    ops_begin(&ops);
    return 0;
}

/* Arranges the list, and does it with some registers. */
static void check(unsigned passes)
{
    uint64_t registers[OPS_REGISTERS];

    ops.passes = passes;
    assert_true(number_run(&ops));
    assert_true(place_run(&place, &ops, 0, &arranged));
    for (uint64_t seed = 0; seed < 20; seed++) {
        for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
            registers[reg] = ops_mix(seed, reg) >> (seed & 1 ? 0 : 60);
        }
        const char *problem = ops_check(&ops, &arranged, seed, registers, 1, true, &seen);
        if (problem != NULL) {
            ops_print_items(&arranged);
            fail_msg("%s", problem);
        }
    }
}

static void expect_sum(const struct op *op, unsigned root, int64_t offset)
{
    assert_true(op->older);
    assert_int_equal(op->pass, PASS_STRENGTH);
    assert_int_equal(op->out.root, root);
    assert_int_equal(op->out.offset, offset);
}

static void expect_form(const struct op *op, uint32_t word, unsigned rs)
{
    assert_false(op->older);
    assert_int_equal(op->form.word, word);
    assert_int_equal(op->form.rs[0], rs);
    assert_int_equal(op->form.rs[1], NO_REGISTER);
}

static void expect_as_it_is(const struct op *op)
{
    assert_false(op->older);
    assert_int_equal(op->form.word, op->word);
    assert_memory_equal(op->form.rs, op->rs, sizeof op->rs);
}

static void a_constant_goes_into_the_instruction(void **state)
{
    (void)state;
    ops_constant(&ops, 5, 300);
    struct op *second = ops_computed(&ops, WORD_XOR, 6, 10, 5);
    struct op *first = ops_computed(&ops, WORD_XOR, 7, 5, 11);
    struct op *less = ops_computed(&ops, WORD_LESS, 8, 10, 5);
    struct op *greater = ops_computed(&ops, WORD_LESS, 9, 5, 10);
    ops_end(&ops, 0);
    check(BOTH);
    expect_form(second, ops_word_with(WORD_XOR_WITH, 300), 10);
    expect_form(first, ops_word_with(WORD_XOR_WITH, 300), 11);
    expect_form(less, ops_word_with(WORD_LESS_WITH, 300), 10);
    expect_as_it_is(greater);
    check(BIT(VALUES));
    expect_as_it_is(second);
    expect_as_it_is(less);
}

static void without_values_constants_are_not_known(void **state)
{
    (void)state;
    ops_constant(&ops, 5, 300);
    struct op *op = ops_computed(&ops, WORD_XOR, 6, 10, 5);
    struct op *zero = ops_computed(&ops, WORD_XOR, 7, 10, 0);
    ops_end(&ops, 0);
    check(BIT(STRENGTH));
    expect_as_it_is(op);
    expect_sum(zero, 10, 0);
}

static void what_does_not_fit_stays(void **state)
{
    (void)state;
    ops_constant(&ops, 5, WORD_CONSTANT_LIMIT);
    struct op *op = ops_computed(&ops, WORD_XOR, 6, 10, 5);
    ops_end(&ops, 0);
    check(BOTH);
    expect_as_it_is(op);
}

static void what_adds_nothing_is_a_copy(void **state)
{
    (void)state;
    ops_constant(&ops, 5, 40);
    struct op *difference = ops_computed(&ops, WORD_SUB, 6, 10, 5);
    struct op *copy = ops_computed(&ops, WORD_XOR, 7, 0, 10);
    struct op *nothing = ops_computed(&ops, WORD_MUL, 8, 0, 11);
    ops_end(&ops, 0);
    check(BOTH);
    expect_sum(difference, 10, -40);
    expect_sum(copy, 10, 0);
    expect_sum(nothing, 0, 0);
    assert_int_equal(arranged.taken_out[PASS_STRENGTH], 3);
}

static void multiplications_become_shifts(void **state)
{
    (void)state;
    ops_constant(&ops, 5, 4);
    struct op *shift = ops_computed(&ops, WORD_MUL, 6, 5, 10);
    struct op *high = ops_computed(&ops, WORD_MUL, 7, 10, 0);
    struct op *stays = ops_computed(&ops, WORD_MUL, 8, 10, 5);
    ops_end(&ops, 0);
    check(BOTH);
    expect_form(shift, ops_word_with(WORD_SHIFT, 2), 10);
    expect_form(high, ops_word_with(WORD_HIGH, 0), 10);
    expect_as_it_is(stays);
}

static void operands_that_are_the_same_tell_the_result(void **state)
{
    (void)state;
    ops_add(&ops, 5, 10, 24);
    struct op *difference = ops_computed(&ops, WORD_SUB, 6, 5, 10);
    struct op *nothing = ops_computed(&ops, WORD_XOR, 7, 10, 10);
    struct op *something = ops_computed(&ops, WORD_XOR, 8, 5, 10);
    ops_end(&ops, 0);
    check(BOTH);
    expect_sum(difference, 0, 24);
    expect_sum(nothing, 0, 0);
    expect_as_it_is(something);
}

static void a_byte_stays_one(void **state)
{
    (void)state;
    ops_load(&ops, 5, 10, 0, 1, false);
    struct op *again = ops_computed(&ops, WORD_BYTE, 6, 5, 5);
    ops_add(&ops, 5, 5, 1);
    struct op *other = ops_computed(&ops, WORD_BYTE, 7, 5, 5);
    ops_end(&ops, 0);
    check(BOTH);
    expect_sum(again, ops.list[0].out.root, 0);
    expect_as_it_is(other);
}

/* The sum with zero is the low 32 bits, and those of such a value are the value. */
static void the_simpler_form_is_asked_for_its_result(void **state)
{
    (void)state;
    ops_computed(&ops, WORD_ADD_32, 5, 10, 11);
    struct op *known = ops_computed(&ops, WORD_ADD_32, 6, 5, 0);
    struct op *extended = ops_computed(&ops, WORD_ADD_32, 7, 0, 10);
    ops_end(&ops, 0);
    check(BOTH);
    expect_sum(known, ops.list[0].out.root, 0);
    expect_form(extended, WORD_EXTEND, 10);
}

static void equal_forms_are_common(void **state)
{
    (void)state;
    ops_constant(&ops, 5, 7);
    struct op *one = ops_computed(&ops, WORD_XOR, 6, 5, 10);
    struct op *other = ops_computed(&ops, WORD_XOR, 7, 10, 5);
    ops_end(&ops, 0);
    check(BOTH | BIT(COMMON));
    assert_true(other->older);
    assert_int_equal(other->pass, PASS_COMMON);
    assert_int_equal(other->out.root, one->out.root);
}

/* Whose the constant is that nobody makes: once. */
static void a_constant_that_is_not_made_is_saved_by_strength(void **state)
{
    unsigned taken = 0;

    (void)state;
    ops_constant(&ops, 5, 300);
    ops_computed(&ops, WORD_XOR, 6, 10, 5);
    ops_computed(&ops, WORD_XOR, 7, 11, 5);
    ops_constant(&ops, 5, 0);
    ops_end(&ops, 0);
    check(BOTH);
    for (unsigned i = 0; i < arranged.item_count; i++) {
        const struct item *item = &arranged.items[i];
        if (item->kind == ITEM_NOTE && item->pass != NO_PASS) {
            assert_int_equal(item->pass, PASS_STRENGTH);
            assert_int_equal(item->before, PASS_VALUES);
            assert_int_equal(item->constant, 300);
            taken++;
        }
    }
    assert_int_equal(taken, 1);
    assert_int_equal(arranged.plain, 5);
    assert_int_equal(arranged.executed, 4); /* two computed, the last constant, the end */
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_constant_goes_into_the_instruction),
        TEST(without_values_constants_are_not_known),
        TEST(what_does_not_fit_stays),
        TEST(what_adds_nothing_is_a_copy),
        TEST(multiplications_become_shifts),
        TEST(operands_that_are_the_same_tell_the_result),
        TEST(a_byte_stays_one),
        TEST(the_simpler_form_is_asked_for_its_result),
        TEST(equal_forms_are_common),
        TEST(a_constant_that_is_not_made_is_saved_by_strength),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
