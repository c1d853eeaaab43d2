/* Tests what a loop touches ahead: which address, how many turns before it is loaded from, and with what. */
#include "ops_check.h"

#include "target_facts.h"
#include "translator/passes/prefetch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define SEEDS 20
#define TURNS 3

static struct ops ops;
static struct place place;
static struct arranged arranged;
static struct ops_seen seen;

static int begin(void **state)
{
    (void)state;
    ops_begin(&ops);
    ops.passes |= 1u << PASS_PREFETCH;
    ops.loops = true;
    memset(&seen, 0, sizeof seen);
    return 0;
}

#define ANY_LOAD UINT64_MAX

static void arrange(uint64_t pc, unsigned turns, uint32_t spares)
{
    const struct prefetch_wish wishes[] = {{.pc = 1000, .turns = 1}, {.pc = pc, .turns = turns}};
    const bool any = pc == ANY_LOAD;

    assert_true(number_run(&ops));
    prefetch_find(&ops, any ? NULL : wishes, any ? 0 : 2, any ? turns : 0);
    assert_true(place_run(&place, &ops, spares, &arranged));
}

/* The trace still does what it did, and touches so many lines in a turn; the last of them is *touched in the first. */
static void check_with(uint64_t pc, unsigned turns, uint32_t spares, unsigned touches,
                       const uint64_t registers[OPS_REGISTERS], uint64_t *touched)
{
    struct ops_seen first = {0};

    arrange(pc, turns, spares);
    assert_int_equal(arranged.touches, touches);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const char *problem = ops_check(&ops, &arranged, seed, registers, TURNS, true, &seen);
        if (problem != NULL) {
            ops_print(&ops);
            ops_print_items(&arranged);
            fail_msg("%s", problem);
        }
    }
    assert_null(ops_check(&ops, &arranged, 1, registers, 1, false, &first));
    assert_int_equal(first.touches, touches);
    *touched = first.touched;
}

#define AT(reg) (OPS_AREA + 0x1000u * (reg))

static uint64_t check(unsigned turns, unsigned touches)
{
    uint64_t registers[OPS_REGISTERS], touched;

    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        registers[reg] = AT(reg);
    }
    check_with(ANY_LOAD, turns, 0, touches, registers, &touched);
    return touched;
}

static void an_address_that_grows_is_touched_some_turns_ahead(void **state)
{
    (void)state;
    ops_load(&ops, 5, 10, 0, 8, true);
    ops_add(&ops, 10, 10, 8);
    ops_end(&ops, 0);
    assert_int_equal(check(4, 1), AT(10) + 4 * 8);
    assert_int_equal(seen.added, 0);
}

static void one_that_falls_too(void **state)
{
    (void)state;
    ops_add(&ops, 10, 10, -16);
    ops_load(&ops, 5, 10, 0, 8, true);
    ops_end(&ops, 0);
    assert_int_equal(check(3, 1), AT(10) - 16 - 3 * 16);
}

static void far_ahead_is_a_sum(void **state)
{
    uint64_t registers[OPS_REGISTERS], touched;

    (void)state;
    ops_load(&ops, 5, 10, 8, 8, true);
    ops_add(&ops, 10, 10, 56);
    ops_end(&ops, 0);
    assert_int_equal(check(40, 1), AT(10) + 8 + 40 * 56);
    assert_int_equal(arranged.before_count, 0);
    /* With a register to spare, what is added is there before the loop. */
    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        registers[reg] = AT(reg);
    }
    check_with(ANY_LOAD, 40, TARGET_KEPT_REGISTERS, 1, registers, &touched);
    assert_int_equal(touched, AT(10) + 8 + 40 * 56);
    assert_int_equal(arranged.before_count, 1);
}

/* A power of two times the step is added. */
static void what_a_register_says_is_a_step_too(void **state)
{
    (void)state;
    ops_load(&ops, 5, 10, 8, 8, true);
    ops_computed(&ops, WORD_ADD, 10, 10, 12);
    ops_load(&ops, 6, 10, 16, 8, true);
    ops_computed(&ops, WORD_ADD, 10, 10, 12);
    ops_end(&ops, 0);
    assert_int_equal(check(3, 2), AT(10) + 16 + 5 * AT(12)); /* 2 steps in a turn, 3 turns */
    assert_int_equal(check(2, 2), AT(10) + 16 + 5 * AT(12));
    assert_int_equal(check(4, 2), AT(10) + 16 + 9 * AT(12));
}

static void but_no_two_different_ones(void **state)
{
    (void)state;
    ops_load(&ops, 5, 10, 8, 8, true);
    ops_computed(&ops, WORD_ADD, 10, 10, 12);
    ops_computed(&ops, WORD_ADD, 10, 10, 13);
    ops_end(&ops, 0);
    check(3, 0);
    begin(NULL);
    ops_load(&ops, 5, 10, 8, 8, true);
    ops_computed(&ops, WORD_ADD, 10, 10, 12);
    ops_add(&ops, 12, 12, 8);
    ops_end(&ops, 0);
    check(3, 0);
}

/* As a loop over records of which each nth is looked at, and what they lead to. */
static void an_index_may_move_by_a_register(void **state)
{
    (void)state;
    ops_load(&ops, 5, 10, 8, 8, true);
    ops_load(&ops, 6, 5, 0, 8, true);
    ops_computed(&ops, WORD_ADD, 10, 10, 12);
    ops_end(&ops, 0);
    check(4, 2);
    assert_int_equal(ops.ahead_count, 2);
    assert_true(ops.ahead[1].indirect && ops.ahead[1].moves_by_value);
    assert_int_equal(ops.ahead[1].shift, 2);
    assert_int_equal(ops.ahead[0].shift, 3);
}

static void what_is_computed_from_what_grows_grows(void **state)
{
    (void)state;
    struct op *shifted = ops_computed(&ops, WORD_ADD, 5, 11, 11);
    ops_computed(&ops, WORD_ADD, 6, 5, 12);
    ops_computed(&ops, WORD_ADD_32, 7, 11, 0);
    ops_computed(&ops, WORD_SUB, 6, 6, 7);
    ops_load(&ops, 8, 6, 0, 8, true);
    ops_add(&ops, 11, 11, 8);
    ops_end(&ops, 0);
    assert_int_equal(shifted->kind, OP_COMPUTE);
    const uint64_t now = 2 * AT(11) + AT(12) - (uint64_t)(int64_t)(int32_t)AT(11);
    assert_int_equal(check(3, 1), now + UINT64_C(3) * 8);
}

/* As code has it that is not optimized. */
static void what_is_counted_in_memory_grows(void **state)
{
    uint64_t registers[OPS_REGISTERS], touched;

    (void)state;
    ops_load(&ops, 5, 2, 8, 8, true);
    ops_load(&ops, 6, 5, 16, 8, true);
    ops_load(&ops, 7, 2, 8, 8, true);
    ops_add(&ops, 7, 7, 8);
    ops_store(&ops, 7, 2, 8, 8);
    ops_end(&ops, 0);
    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        registers[reg] = AT(reg);
    }
    check_with(1, 5, 0, 1, registers, &touched);
    assert_int_equal(ops.ahead[0].at, 1);
    assert_int_equal(ops.ahead[0].address.root, ops.list[0].out.root);
    assert_int_equal(ops.ahead[0].address.offset, 16 + 5 * 8);
}

static void nor_a_place_that_something_else_is_stored_to(void **state)
{
    (void)state;
    ops_load(&ops, 5, 2, 8, 8, true);
    ops_load(&ops, 6, 5, 16, 8, true);
    ops_store(&ops, 6, 2, 8, 8);
    ops_end(&ops, 0);
    check(5, 0);
}

static void lines_that_are_near_are_touched_once(void **state)
{
    (void)state;
    ops_load(&ops, 5, 10, 16, 8, true);
    ops_load(&ops, 6, 10, 0, 8, true);
    ops_load(&ops, 7, 10, 40, 8, true);
    ops_add(&ops, 10, 10, 48);
    ops_end(&ops, 0);
    assert_int_equal(check(2, 1), AT(10) + 40 + 2 * 48); /* the one that comes first */
}

static void but_each_line_of_a_wide_step_is(void **state)
{
    (void)state;
    ops_load(&ops, 5, 10, 0, 8, true);
    ops_load(&ops, 6, 10, 56, 8, true);
    ops_add(&ops, 11, 10, 48);
    ops_load(&ops, 7, 11, 16, 8, true);
    ops_add(&ops, 11, 11, 48);
    ops_add(&ops, 10, 11, 32);
    ops_end(&ops, 0);
    assert_int_equal(check(2, 2), AT(10) + 64 + 2 * 128);
}

static void other_streams_are_touched_on_their_own(void **state)
{
    (void)state;
    ops_load(&ops, 5, 10, 0, 8, true);
    ops_load(&ops, 6, 12, 0, 8, true);
    ops_add(&ops, 10, 10, 8);
    ops_add(&ops, 12, 12, 8);
    ops_end(&ops, 0);
    assert_int_equal(check(2, 2), AT(12) + 16);
}

/* a[b[i]] */
static void add_indirect(void)
{
    ops_load(&ops, 5, 10, 0, 1, false);
    ops_computed(&ops, WORD_ADD, 6, 5, 12);
    ops_load(&ops, 7, 6, 8, 8, true);
    ops_add(&ops, 10, 10, 4);
    ops_end(&ops, 0);
}

static void what_an_index_leads_to_is_touched(void **state)
{
    uint64_t registers[OPS_REGISTERS], touched;

    (void)state;
    add_indirect();
    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        registers[reg] = AT(reg);
    }
    check_with(2, 3, 0, 1, registers, &touched);
    assert_true(seen.added >= SEEDS * TURNS);
    assert_int_equal(ops.ahead_count, 1);
    assert_true(ops.ahead[0].indirect);
    assert_int_equal(ops.ahead[0].load, 0);
    assert_int_equal(ops.ahead[0].address.root, 10);
    assert_int_equal(ops.ahead[0].address.offset, 3 * 4);
    assert_int_equal(ops.ahead[0].chain_count, 1);
    assert_true(touched - AT(12) < 256 + 8);
}

static void the_index_is_touched_earlier(void **state)
{
    (void)state;
    add_indirect();
    check(3, 2);
    assert_int_equal(ops.ahead[0].at, 0);
    assert_int_equal(ops.ahead[0].address.offset, 2 * 3 * 4);
    assert_int_equal(ops.ahead[1].at, 2);
    assert_int_equal(ops.ahead[1].address.offset, 3 * 4);
}

/* Whatever load of the line comes first, and misses. */
static void so_is_what_is_in_the_same_line(void **state)
{
    (void)state;
    ops_load(&ops, 8, 10, 16, 8, true);
    add_indirect();
    check(3, 2);
    assert_int_equal(ops.ahead[0].at, 0);
    assert_int_equal(ops.ahead[0].address.offset, 16 + 2 * 3 * 4);
    assert_true(ops.ahead[1].indirect);
}

static void without_a_load_where_none_may_be_added(void **state)
{
    (void)state;
    add_indirect();
    ops.adds_loads = false;
    assert_int_equal(check(3, 1), AT(10) + 8); /* 12, in lines of 8 */
    assert_int_equal(seen.added, 0);
}

static void what_is_in_no_register_any_more_is_not_computed_with(void **state)
{
    (void)state;
    ops_load(&ops, 5, 10, 0, 8, true);
    ops_computed(&ops, WORD_XOR, 8, 12, 11);
    ops_computed(&ops, WORD_XOR, 6, 5, 8);
    ops_other(&ops, 8, NO_REGISTER, NO_REGISTER);
    ops_load(&ops, 7, 6, 0, 8, true);
    ops_add(&ops, 10, 10, 4);
    ops_end(&ops, 0);
    assert_int_equal(check(3, 1), AT(10) + UINT64_C(2) * 3 * 4);
    assert_int_equal(ops.ahead_count, 2);
}

static void long_ways_are_not_gone(void **state)
{
    (void)state;
    for (unsigned length = 1; length <= AHEAD_CHAIN + 1; length++) {
        begin(NULL);
        ops_load(&ops, 5, 10, 0, 8, true);
        for (unsigned i = 0; i < length; i++) {
            ops_computed(&ops, WORD_XOR, 5, 5, 12 + i);
        }
        ops_load(&ops, 7, 5, 0, 8, true);
        ops_add(&ops, 10, 10, 4);
        ops_end(&ops, 0);
        check(3, length <= AHEAD_CHAIN ? 2 : 1);
    }
}

static void nor_are_two_that_meet(void **state)
{
    (void)state;
    ops_load(&ops, 5, 10, 0, 8, true);
    ops_load(&ops, 6, 11, 0, 8, true);
    ops_computed(&ops, WORD_XOR, 5, 5, 6);
    ops_load(&ops, 7, 5, 0, 8, true);
    ops_add(&ops, 10, 10, 8);
    ops_add(&ops, 11, 11, 8);
    ops_end(&ops, 0);
    check(3, 2);
}

static void what_cannot_be_foreseen_is_not_touched(void **state)
{
    (void)state;
    ops_load(&ops, 10, 10, 0, 8, true); /* a list */
    ops_load(&ops, 5, 11, 0, 8, true);  /* the same in each turn */
    ops_computed(&ops, WORD_MUL, 12, 12, 13);
    ops_load(&ops, 6, 12, 0, 8, true);
    ops_step(&ops, UINT32_C(1) << 14);
    ops_load(&ops, 6, 14, 0, 8, true);
    ops_computed(&ops, WORD_XOR, 15, 16, 17); /* not alike for all numbers */
    ops_load(&ops, 6, 15, 0, 8, true);
    ops_add(&ops, 16, 16, 8);
    ops_end(&ops, 0);
    check(3, 0);
}

static void only_loads_that_were_asked_for(void **state)
{
    uint64_t registers[OPS_REGISTERS], touched;

    (void)state;
    ops_load(&ops, 5, 10, 0, 8, true);
    ops_load(&ops, 6, 12, 0, 8, true);
    ops_add(&ops, 10, 10, 8);
    ops_add(&ops, 12, 12, 8);
    ops_end(&ops, 0);
    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        registers[reg] = AT(reg);
    }
    check_with(1, 4, 0, 1, registers, &touched);
    assert_int_equal(touched, AT(12) + 32);
    check_with(7, 4, 0, 0, registers, &touched);
    ops.passes = PASSES_ALL;
    check_with(1, 4, 0, 0, registers, &touched);
    ops.passes |= 1u << PASS_PREFETCH;
    ops.loops = false;
    check_with(1, 4, 0, 0, registers, &touched);
}

static void what_is_known_already_is_not_loaded_nor_touched(void **state)
{
    (void)state;
    ops_store(&ops, 11, 10, 0, 8);
    ops_load(&ops, 5, 10, 0, 8, true);
    ops_add(&ops, 10, 10, 8);
    ops_end(&ops, 0);
    check(4, 0);
    assert_int_equal(ops.ahead_count, 0);
}

static void no_more_than_there_is_room_for(void **state)
{
    (void)state;
    for (unsigned i = 0; i <= AHEAD_MOST; i++) {
        ops_load(&ops, 5, 10 + i, 0, 8, true);
        ops_add(&ops, 10 + i, 10 + i, 8);
    }
    ops_end(&ops, 0);
    check(4, AHEAD_MOST);
}

static void ahead_is_no_part_of_what_passes_are_judged_by(void **state)
{
    (void)state;
    ops_load(&ops, 5, 10, 0, 8, true);
    ops_add(&ops, 10, 10, 8);
    ops_end(&ops, 0);
    check(4, 1);
    assert_int_equal(arranged.executed, arranged.plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_address_that_grows_is_touched_some_turns_ahead, begin),
        cmocka_unit_test_setup(one_that_falls_too, begin),
        cmocka_unit_test_setup(far_ahead_is_a_sum, begin),
        cmocka_unit_test_setup(what_a_register_says_is_a_step_too, begin),
        cmocka_unit_test_setup(but_no_two_different_ones, begin),
        cmocka_unit_test_setup(an_index_may_move_by_a_register, begin),
        cmocka_unit_test_setup(what_is_computed_from_what_grows_grows, begin),
        cmocka_unit_test_setup(what_is_counted_in_memory_grows, begin),
        cmocka_unit_test_setup(nor_a_place_that_something_else_is_stored_to, begin),
        cmocka_unit_test_setup(lines_that_are_near_are_touched_once, begin),
        cmocka_unit_test_setup(but_each_line_of_a_wide_step_is, begin),
        cmocka_unit_test_setup(other_streams_are_touched_on_their_own, begin),
        cmocka_unit_test_setup(what_an_index_leads_to_is_touched, begin),
        cmocka_unit_test_setup(the_index_is_touched_earlier, begin),
        cmocka_unit_test_setup(so_is_what_is_in_the_same_line, begin),
        cmocka_unit_test_setup(without_a_load_where_none_may_be_added, begin),
        cmocka_unit_test_setup(what_is_in_no_register_any_more_is_not_computed_with, begin),
        cmocka_unit_test_setup(long_ways_are_not_gone, begin),
        cmocka_unit_test_setup(nor_are_two_that_meet, begin),
        cmocka_unit_test_setup(what_cannot_be_foreseen_is_not_touched, begin),
        cmocka_unit_test_setup(only_loads_that_were_asked_for, begin),
        cmocka_unit_test_setup(what_is_known_already_is_not_loaded_nor_touched, begin),
        cmocka_unit_test_setup(no_more_than_there_is_room_for, begin),
        cmocka_unit_test_setup(ahead_is_no_part_of_what_passes_are_judged_by, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
