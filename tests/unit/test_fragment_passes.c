/* Tests the passes over traces, one by one: what they know of the results of ops, and what they must not say. */
#include "ops_check.h"

#include "target_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define BIT(pass) (1u << PASS_##pass)

static struct ops ops;

static int begin(void **state)
{
    (void)state;
    ops_begin(&ops);
    return 0;
}

static void number_with(unsigned passes)
{
    ops.passes = passes;
    for (unsigned i = 0; i < ops.count; i++) {
        ops.list[i].flags &= (uint8_t)~OP_KNOWN;
    }
    assert_true(number_run(&ops));
}

/* The op's result is a value that was there before, and `pass` knows that. */
static void expect_older(const struct op *op, enum pass pass, unsigned root, int64_t offset)
{
    assert_true(op->older);
    assert_int_equal(op->pass, pass);
    assert_int_equal(op->out.root, root);
    assert_int_equal(op->out.offset, offset);
}

static void expect_constant(const struct op *op, enum pass pass, int64_t constant)
{
    expect_older(op, pass, 0, constant);
}

static void expect_same(const struct op *op, enum pass pass, const struct op *as)
{
    expect_older(op, pass, as->out.root, as->out.offset);
}

static void expect_new(const struct op *op)
{
    assert_false(op->older);
    assert_int_equal(op->out.offset, 0);
    assert_true(op->out.root >= OPS_REGISTERS);
}

/* values */

static void constants_copies_and_addresses_are_known(void **state)
{
    (void)state;
    struct op *constant = ops_constant(&ops, 5, -7);
    struct op *copy = ops_add(&ops, 6, 10, 0);
    struct op *address = ops_add(&ops, 7, 6, 24);
    struct op *back = ops_add(&ops, 8, 7, -24);
    struct op *sum = ops_add(&ops, 5, 5, 3);
    number_with(BIT(VALUES));
    expect_constant(constant, PASS_VALUES, -7);
    expect_older(copy, PASS_VALUES, 10, 0);
    expect_older(address, PASS_VALUES, 10, 24);
    expect_older(back, PASS_VALUES, 10, 0);
    expect_constant(sum, PASS_VALUES, -4);
    number_with(PASSES_ALL & ~BIT(VALUES));
    expect_new(constant);
    expect_new(copy);
    expect_new(address);
}

static void what_is_computed_from_constants_is_known(void **state)
{
    (void)state;
    ops_constant(&ops, 5, 1000);
    ops_constant(&ops, 6, 24);
    struct op *difference = ops_computed(&ops, WORD_SUB, 7, 5, 6);
    struct op *byte = ops_computed(&ops, WORD_BYTE, 8, 5, 0);
    struct op *unknown = ops_computed(&ops, WORD_MUL, 9, 5, 6);
    struct op *mixed = ops_computed(&ops, WORD_SUB, 18, 5, 10);
    number_with(BIT(VALUES));
    expect_constant(difference, PASS_VALUES, 976);
    expect_constant(byte, PASS_VALUES, 1000 & 0xff);
    expect_new(unknown);
    expect_new(mixed);
}

static void a_sum_with_a_constant_is_an_address(void **state)
{
    (void)state;
    ops_constant(&ops, 5, 1 << 20);
    struct op *one = ops_computed(&ops, WORD_ADD, 6, 5, 10);
    struct op *other = ops_computed(&ops, WORD_ADD, 7, 10, 5);
    struct op *both = ops_computed(&ops, WORD_ADD, 8, 10, 11);
    struct op *less = ops_computed(&ops, WORD_SUB, 9, 10, 5);
    number_with(BIT(VALUES));
    expect_older(one, PASS_VALUES, 10, 1 << 20);
    expect_older(other, PASS_VALUES, 10, 1 << 20);
    expect_new(both);
    expect_new(less);
}

static void what_is_32_bits_already_is_not_extended_again(void **state)
{
    (void)state;
    struct op *word = ops_computed(&ops, WORD_ADD_32, 5, 10, 11);
    struct op *again = ops_computed(&ops, WORD_EXTEND, 6, 5, 0);
    struct op *loaded = ops_load(&ops, 7, 10, 0, 4, true);
    struct op *of_loaded = ops_computed(&ops, WORD_EXTEND, 8, 7, 0);
    ops_load(&ops, 9, 10, 8, 4, false);
    struct op *of_unsigned = ops_computed(&ops, WORD_EXTEND, 9, 9, 0);
    ops_add(&ops, 18, 5, 4);
    struct op *of_sum = ops_computed(&ops, WORD_EXTEND, 18, 18, 0);
    struct op *of_any = ops_computed(&ops, WORD_EXTEND, 19, 11, 0);
    ops_constant(&ops, 20, INT64_C(1) << 31);
    struct op *of_large = ops_computed(&ops, WORD_EXTEND, 20, 20, 0);
    number_with(BIT(VALUES));
    expect_same(again, PASS_VALUES, word);
    expect_same(of_loaded, PASS_VALUES, loaded);
    expect_new(of_unsigned);
    expect_new(of_sum);
    expect_new(of_any);
    expect_constant(of_large, PASS_VALUES, INT32_MIN);
}

static void what_is_computed_bit_by_bit_is_as_small_as_its_operands(void **state)
{
    (void)state;
    ops_load(&ops, 5, 10, 0, 4, true);
    ops_load(&ops, 6, 10, 4, 4, true);
    ops_load(&ops, 7, 10, 8, 1, false);
    struct op *word = ops_computed(&ops, WORD_XOR, 8, 5, 6);
    struct op *extended = ops_computed(&ops, WORD_EXTEND, 9, 8, 0);
    ops_computed(&ops, WORD_XOR, 8, 5, 10);
    struct op *other = ops_computed(&ops, WORD_EXTEND, 9, 8, 0);
    ops_computed(&ops, WORD_XOR, 8, 10, 5);
    struct op *another = ops_computed(&ops, WORD_EXTEND, 9, 8, 0);
    ops_constant(&ops, 11, 200);
    struct op *byte = ops_computed(&ops, WORD_XOR, 8, 7, 11);
    ops_store(&ops, 8, 10, 16, 1);
    struct op *back = ops_load(&ops, 9, 10, 16, 1, false);
    struct op *no_byte = ops_computed(&ops, WORD_XOR, 8, 7, 6);
    ops_store(&ops, 8, 10, 16, 1);
    struct op *low = ops_load(&ops, 9, 10, 16, 1, false);
    number_with(BIT(VALUES) | BIT(LOADS));
    expect_same(extended, PASS_VALUES, word);
    expect_new(other);
    expect_new(another);
    expect_same(back, PASS_LOADS, byte);
    expect_new(no_byte);
    expect_new(low);
}

/* loads */

#define LOADS (BIT(VALUES) | BIT(LOADS))

static void a_load_of_the_same_bytes_is_known(void **state)
{
    (void)state;
    struct op *first = ops_load(&ops, 5, 10, 8, 4, true);
    ops_add(&ops, 11, 10, 4);
    struct op *same = ops_load(&ops, 6, 11, 4, 4, true);
    struct op *other_extension = ops_load(&ops, 7, 10, 8, 4, false);
    struct op *fewer = ops_load(&ops, 8, 10, 8, 2, true);
    struct op *elsewhere = ops_load(&ops, 9, 10, 12, 4, true);
    struct op *other_root = ops_load(&ops, 18, 12, 8, 4, true);
    number_with(LOADS);
    expect_new(first);
    expect_same(same, PASS_LOADS, first);
    expect_new(other_extension);
    expect_new(fewer);
    expect_new(elsewhere);
    expect_new(other_root);
    number_with(BIT(VALUES));
    expect_new(same);
}

static void a_stored_value_is_loaded_as_it_was(void **state)
{
    (void)state;
    ops_add(&ops, 7, 11, 16);
    ops_store(&ops, 7, 10, 0, 8);
    struct op *all = ops_load(&ops, 5, 10, 0, 8, true);
    ops_store(&ops, 11, 10, 8, 4);
    struct op *half = ops_load(&ops, 6, 10, 8, 4, true);
    number_with(LOADS);
    expect_older(all, PASS_LOADS, 11, 16);
    expect_new(half); /* the upper half of what was stored is not known */
}

static void less_than_8_bytes_are_known_if_the_value_is_small(void **state)
{
    (void)state;
    struct op *word = ops_computed(&ops, WORD_ADD_32, 5, 11, 12);
    struct op *byte = ops_computed(&ops, WORD_BYTE, 6, 11, 0);
    ops_store(&ops, 5, 10, 0, 4);
    struct op *word_back = ops_load(&ops, 7, 10, 0, 4, true);
    struct op *word_unsigned = ops_load(&ops, 8, 10, 0, 4, false);
    ops_store(&ops, 6, 10, 8, 1);
    struct op *byte_back = ops_load(&ops, 9, 10, 8, 1, false);
    struct op *byte_signed = ops_load(&ops, 18, 10, 8, 1, true);
    ops_store(&ops, 5, 10, 16, 1);
    struct op *low = ops_load(&ops, 19, 10, 16, 1, false);
    ops_add(&ops, 20, 5, 1);
    ops_store(&ops, 20, 10, 24, 4);
    struct op *of_sum = ops_load(&ops, 21, 10, 24, 4, true);
    number_with(LOADS);
    expect_same(word_back, PASS_LOADS, word);
    expect_new(word_unsigned);
    expect_same(byte_back, PASS_LOADS, byte);
    expect_new(byte_signed);
    expect_new(low);
    expect_new(of_sum);
}

static void a_byte_is_loaded_back_from_more_bytes(void **state)
{
    (void)state;
    struct op *byte = ops_computed(&ops, WORD_BYTE, 6, 11, 0);
    ops_store(&ops, 6, 10, 0, 4);
    struct op *back = ops_load(&ops, 7, 10, 0, 4, false);
    ops_store(&ops, 6, 10, 8, 2);
    struct op *half = ops_load(&ops, 8, 10, 8, 2, true);
    number_with(LOADS);
    expect_same(back, PASS_LOADS, byte);
    expect_same(half, PASS_LOADS, byte);
}

static void a_stored_constant_is_loaded_with_its_extension(void **state)
{
    (void)state;
    ops_constant(&ops, 5, 0x12345f8fe);
    ops_store(&ops, 5, 10, 0, 1);
    struct op *signed_byte = ops_load(&ops, 6, 10, 0, 1, true);
    struct op *byte = ops_load(&ops, 7, 10, 0, 1, false);
    ops_store(&ops, 5, 10, 8, 2);
    struct op *signed_half = ops_load(&ops, 6, 10, 8, 2, true);
    ops_store(&ops, 5, 10, 16, 4);
    struct op *word = ops_load(&ops, 7, 10, 16, 4, false);
    ops_store(&ops, 0, 10, 24, 8);
    struct op *zero = ops_load(&ops, 8, 10, 24, 8, true);
    number_with(LOADS);
    expect_constant(signed_byte, PASS_LOADS, -2);
    expect_constant(byte, PASS_LOADS, 0xfe);
    expect_constant(signed_half, PASS_LOADS, (int16_t)0xf8fe);
    expect_constant(word, PASS_LOADS, 0x2345f8fe);
    expect_constant(zero, PASS_LOADS, 0);
}

static void only_stores_that_are_certainly_apart_leave_it(void **state)
{
    static const struct {
        int64_t offset;
        unsigned bytes;
        bool apart;
    } stores[] = {{12, 4, true},  {16, 8, true},  {0, 8, true},  {7, 1, true},
                  {8, 1, false},  {11, 1, false}, {4, 8, false}, {6, 4, false},
                  {10, 8, false}, {8, 4, false},  {-8, 8, true}};

    (void)state;
    for (unsigned i = 0; i < sizeof stores / sizeof stores[0]; i++) {
        ops_begin(&ops);
        struct op *first = ops_load(&ops, 5, 10, 8, 4, true);
        ops_store(&ops, 12, 10, stores[i].offset, stores[i].bytes);
        struct op *again = ops_load(&ops, 6, 10, 8, 4, true);
        number_with(LOADS);
        if (stores[i].apart) {
            expect_same(again, PASS_LOADS, first);
        } else {
            expect_new(again);
        }
    }
}

static void at_the_ends_of_the_address_space_too(void **state)
{
    (void)state;
    struct op *first = ops_load(&ops, 5, 0, -4, 4, true);
    ops_store(&ops, 12, 0, 0, 8);
    struct op *again = ops_load(&ops, 6, 0, -4, 4, true);
    ops_store(&ops, 12, 0, -6, 8);
    struct op *behind = ops_load(&ops, 7, 0, -4, 4, true);
    struct op *around = ops_load(&ops, 8, 0, 0, 8, true);
    number_with(LOADS);
    expect_same(again, PASS_LOADS, first);
    expect_new(behind);
    expect_new(around);
}

static void other_roots_barriers_and_steps_kill(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) {
        ops_begin(&ops);
        struct op *first = ops_load(&ops, 5, 10, 8, 8, true);
        if (kind == 0) {
            ops_store(&ops, 12, 11, 512, 1);
        } else if (kind == 1) {
            ops_barrier(&ops, NO_REGISTER, NO_REGISTER, NO_REGISTER);
        } else if (kind == 2) {
            ops_step(&ops, 0);
        } else { /* nothing else does */
            ops_other(&ops, 7, 12, NO_REGISTER);
            ops_guard(&ops, WORD_IF_EQUAL, 12, 11);
            ops_plain(&ops, OP_BLOCK);
            ops_load(&ops, 8, 11, 0, 8, true);
        }
        struct op *again = ops_load(&ops, 6, 10, 8, 8, true);
        number_with(LOADS);
        if (kind == 3) {
            expect_same(again, PASS_LOADS, first);
        } else {
            expect_new(again);
        }
    }
}

static void floats_are_not_known_but_kill(void **state)
{
    (void)state;
    struct op *first = ops_load(&ops, 5, 10, 0, 8, true);
    struct op *floating = ops_store(&ops, NO_REGISTER, 10, 0, 8);
    floating->flags = OP_FLOATS;
    struct op *again = ops_load(&ops, 6, 10, 0, 8, true);
    struct op *loaded = ops_load(&ops, NO_REGISTER, 10, 8, 8, true);
    loaded->flags = OP_FLOATS;
    struct op *behind = ops_load(&ops, 7, 10, 8, 8, true);
    number_with(LOADS);
    expect_new(first);
    expect_new(again);
    expect_new(behind);
}

/* What one place holds must not go backwards: a load from it that is executed in between could see something newer. */
static void with_others_a_load_from_what_may_be_the_same_kills(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) {
        ops_begin(&ops);
        ops.alone = false;
        struct op *first = ops_load(&ops, 5, 10, 8, 8, true);
        if (kind == 0) {
            ops_load(&ops, 6, 11, 0, 8, true);
        } else if (kind == 1) {
            ops_load(&ops, 6, 10, 12, 4, true);
        } else if (kind == 2) {
            ops_load(&ops, 6, 10, 16, 8, true);
        } else {
            ops_load(&ops, 0, 11, 0, 8, true);
        }
        struct op *again = ops_load(&ops, 7, 10, 8, 8, true);
        number_with(LOADS);
        if (kind == 2) {
            expect_same(again, PASS_LOADS, first);
        } else {
            expect_new(again);
        }
    }
}

/* What is in no register any more may have to be loaded after all, and is another value then. */
static void with_others_only_what_a_register_holds_is_known(void **state)
{
    (void)state;
    for (unsigned alone = 0; alone < 2; alone++) {
        ops_begin(&ops);
        ops.alone = alone != 0;
        struct op *first = ops_load(&ops, 5, 10, 8, 8, true);
        struct op *same = ops_load(&ops, 6, 10, 8, 8, true);
        ops_add(&ops, 5, 5, 8);
        ops_other(&ops, 6, 11, NO_REGISTER);
        struct op *again = ops_load(&ops, 7, 10, 8, 8, true);
        number_with(LOADS);
        expect_same(same, PASS_LOADS, first);
        if (alone) {
            expect_same(again, PASS_LOADS, first);
        } else {
            expect_new(again);
        }
    }
}

static void more_places_than_are_kept_are_forgotten(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 2 * MEMORY_FACTS; i++) {
        ops_load(&ops, 5, 10, 8 * i, 8, true);
    }
    struct op *first = ops_load(&ops, 6, 10, 0, 8, true);
    struct op *last = ops_load(&ops, 7, 10, 8 * (2 * MEMORY_FACTS - 1), 8, true);
    number_with(LOADS);
    expect_new(first);
    expect_same(last, PASS_LOADS, &ops.list[2 * MEMORY_FACTS - 1]);
}

/* common */

static void what_was_computed_from_the_same_is_known(void **state)
{
    (void)state;
    struct op *first = ops_computed(&ops, WORD_XOR, 5, 10, 11);
    struct op *same = ops_computed(&ops, WORD_XOR, 6, 10, 11);
    struct op *other_word = ops_computed(&ops, WORD_SUB, 7, 10, 11);
    struct op *other_order = ops_computed(&ops, WORD_XOR, 8, 11, 10);
    ops_add(&ops, 11, 11, 1);
    struct op *other_value = ops_computed(&ops, WORD_XOR, 9, 10, 11);
    number_with(BIT(VALUES) | BIT(COMMON));
    expect_new(first);
    expect_same(same, PASS_COMMON, first);
    expect_new(other_word);
    expect_new(other_order);
    expect_new(other_value);
    number_with(PASSES_ALL & ~BIT(COMMON));
    expect_new(same);
}

static void what_has_more_effects_is_not_common(void **state)
{
    (void)state;
    struct op *first = ops_other(&ops, 5, 10, 11);
    struct op *same = ops_other(&ops, 6, 10, 11);
    struct op *barrier = ops_barrier(&ops, 7, 10, 11);
    struct op *another = ops_barrier(&ops, 8, 10, 11);
    number_with(PASSES_ALL);
    expect_new(first);
    expect_new(same);
    expect_new(barrier);
    expect_new(another);
}

/* guards */

static bool is_known(const struct op *op)
{
    return (op->flags & OP_KNOWN) != 0;
}

static void guards_of_constants_are_known(void **state)
{
    (void)state;
    ops_constant(&ops, 5, 4);
    ops_constant(&ops, 6, -4);
    struct op *holds = ops_guard(&ops, WORD_IF_EQUAL, 5, 6);
    struct op *leaves = ops_guard(&ops, WORD_IF_OTHER, 5, 6);
    struct op *with_zero = ops_guard(&ops, WORD_IF_LESS, 5, 0);
    struct op *open = ops_guard(&ops, WORD_IF_EQUAL, 5, 10);
    struct op *target = ops_target(&ops, 5, 4);
    struct op *other_target = ops_target(&ops, 5, 5);
    number_with(BIT(VALUES) | BIT(GUARDS));
    assert_true(is_known(holds));
    assert_false(is_known(leaves));
    assert_true(is_known(with_zero));
    assert_false(is_known(open));
    assert_true(is_known(target));
    assert_false(is_known(other_target));
    number_with(PASSES_ALL & ~BIT(GUARDS));
    assert_false(is_known(holds));
    assert_false(is_known(target));
}

static void a_guard_is_not_repeated(void **state)
{
    (void)state;
    struct op *first = ops_guard(&ops, WORD_IF_LESS, 10, 11);
    ops_add(&ops, 12, 10, 0);
    struct op *same = ops_guard(&ops, WORD_IF_LESS, 12, 11);
    struct op *turned = ops_guard(&ops, WORD_IF_LESS, 11, 10);
    struct op *other_word = ops_guard(&ops, WORD_IF_NOT_LESS, 10, 11);
    ops_add(&ops, 10, 10, 1);
    struct op *other_value = ops_guard(&ops, WORD_IF_LESS, 10, 11);
    number_with(BIT(VALUES) | BIT(GUARDS));
    assert_false(is_known(first));
    assert_true(is_known(same));
    assert_false(is_known(turned));
    assert_false(is_known(other_word));
    assert_false(is_known(other_value));
}

static void guards_that_are_long_ago_are_forgotten(void **state)
{
    (void)state;
    ops_guard(&ops, WORD_IF_LESS, 10, 11);
    for (unsigned i = 0; i < GUARDS_KEPT; i++) {
        ops_add(&ops, 12, 12, 1);
        ops_guard(&ops, WORD_IF_LESS, 12, 11);
    }
    struct op *first = ops_guard(&ops, WORD_IF_LESS, 10, 11);
    struct op *last = ops_guard(&ops, WORD_IF_LESS, 12, 11);
    number_with(BIT(VALUES) | BIT(GUARDS));
    assert_false(is_known(first));
    assert_true(is_known(last));
}

static void a_target_is_a_constant_behind_its_guard(void **state)
{
    (void)state;
    for (unsigned alone = 0; alone < 2; alone++) {
        ops_begin(&ops);
        ops.alone = alone != 0;
        ops_add(&ops, 5, 10, 8);
        ops_target(&ops, 10, 1000);
        struct op *copy = ops_add(&ops, 6, 10, 0);
        struct op *near = ops_add(&ops, 7, 5, 0);
        struct op *again = ops_target(&ops, 10, 1000);
        number_with(BIT(VALUES) | BIT(GUARDS));
        if (alone) {
            expect_constant(copy, PASS_VALUES, 1000);
            expect_constant(near, PASS_VALUES, 1008);
        } else {
            expect_older(copy, PASS_VALUES, 10, 0);
            expect_older(near, PASS_VALUES, 10, 8);
        }
        assert_int_equal(is_known(again), alone);
    }
}

/* Limits. */

static void too_many_roots_are_refused(void **state)
{
    (void)state;
    for (unsigned i = 0; i < (ROOTS_MAX - OPS_REGISTERS) / 28; i++) {
        ops_step(&ops, ~(UINT32_C(1) | TARGET_OWN_REGISTERS) & ~UINT32_C(2));
    }
    assert_true(number_run(&ops));
    ops_step(&ops, ~(UINT32_C(1) | TARGET_OWN_REGISTERS));
    assert_false(number_run(&ops));
    while (ops.count < OPS_MAX) {
        ops_step(&ops, UINT32_MAX & ~UINT32_C(1));
    }
    assert_false(number_run(&ops));
}

static void as_many_ops_as_there_may_be(void **state)
{
    (void)state;
    while (ops.count < OPS_MAX) {
        ops_other(&ops, 5, 10, 11);
    }
    assert_true(number_run(&ops));
    expect_new(&ops.list[OPS_MAX - 1]);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(constants_copies_and_addresses_are_known),
        TEST(what_is_computed_from_constants_is_known),
        TEST(a_sum_with_a_constant_is_an_address),
        TEST(what_is_32_bits_already_is_not_extended_again),
        TEST(a_load_of_the_same_bytes_is_known),
        TEST(a_stored_value_is_loaded_as_it_was),
        TEST(less_than_8_bytes_are_known_if_the_value_is_small),
        TEST(a_byte_is_loaded_back_from_more_bytes),
        TEST(what_is_computed_bit_by_bit_is_as_small_as_its_operands),
        TEST(a_stored_constant_is_loaded_with_its_extension),
        TEST(only_stores_that_are_certainly_apart_leave_it),
        TEST(at_the_ends_of_the_address_space_too),
        TEST(other_roots_barriers_and_steps_kill),
        TEST(floats_are_not_known_but_kill),
        TEST(with_others_a_load_from_what_may_be_the_same_kills),
        TEST(with_others_only_what_a_register_holds_is_known),
        TEST(more_places_than_are_kept_are_forgotten),
        TEST(what_was_computed_from_the_same_is_known),
        TEST(what_has_more_effects_is_not_common),
        TEST(guards_of_constants_are_known),
        TEST(a_guard_is_not_repeated),
        TEST(guards_that_are_long_ago_are_forgotten),
        TEST(a_target_is_a_constant_behind_its_guard),
        TEST(too_many_roots_are_refused),
        TEST(as_many_ops_as_there_may_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
