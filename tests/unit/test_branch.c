/* Tests the branch predictor by itself: directions, targets and returns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/pipeline/branch.h"

#define PC UINT64_C(0x10000)
#define TARGET UINT64_C(0x20000)

static struct branch_predictor predictor;
static struct parameters parameters;

static int prepare(void **state)
{
    (void)state;
    parameters_set_defaults(&parameters);
    return 0;
}

static int destroy(void **state)
{
    (void)state;
    branch_destroy(&predictor);
    return 0;
}

static void create(void)
{
    assert_true(branch_create(&predictor, &parameters));
}

static bool predicted(unsigned context, const struct branch_site *site, guest_addr actual)
{
    return branch_fetch(&predictor, context, site, actual) == FETCH_PREDICTED;
}

static bool branch_at(guest_addr pc, bool taken)
{
    const struct branch_site site = {
        .pc = pc, .next = pc + 4, .target = TARGET, .kind = BRANCH_CONDITIONAL};
    return predicted(0, &site, taken ? TARGET : pc + 4);
}

static bool jump_at(guest_addr pc, guest_addr actual)
{
    const struct branch_site site = {.pc = pc, .next = pc + 4, .kind = BRANCH_INDIRECT};
    return predicted(0, &site, actual);
}

static void call_from(unsigned context, guest_addr pc)
{
    const struct branch_site site = {
        .pc = pc, .next = pc + 4, .target = TARGET, .kind = BRANCH_CALL};
    assert_int_not_equal(branch_fetch(&predictor, context, &site, TARGET), FETCH_MISPREDICTED);
}

static bool return_to(unsigned context, guest_addr actual)
{
    const struct branch_site site = {.pc = TARGET, .next = TARGET + 4, .kind = BRANCH_RETURN};
    return predicted(context, &site, actual);
}

static void two_bits_change_their_mind_after_two(void **state)
{
    (void)state;
    create();
    assert_false(branch_at(PC, true)); /* weakly not taken at first */
    assert_true(branch_at(PC, true));
    assert_true(branch_at(PC, true));
    assert_false(branch_at(PC, false));
    assert_true(branch_at(PC, true));
    assert_false(branch_at(PC, false));
    assert_false(branch_at(PC, false));
    assert_true(branch_at(PC, false));
    assert_int_equal(predictor.statistics.conditional, 8);
    assert_int_equal(predictor.statistics.conditional_wrong, 4);
}

static void counters_are_shared_by_addresses_that_far_apart(void **state)
{
    (void)state;
    create();
    branch_at(PC, true);
    branch_at(PC, true);
    branch_at(PC + 2 * parameters.branch_table, true);
    branch_at(PC + 2, true); /* its neighbour has its own */
    assert_int_equal(predictor.statistics.conditional_wrong, 2);
}

static void history_tells_the_times_apart(void **state)
{
    (void)state;
    parameters.branch_predictor = DIRECTION_gshare;
    parameters.branch_history = 4;
    create();
    unsigned wrong = 0;
    for (unsigned i = 0; i < 100; i++) {
        wrong += !branch_at(PC, i % 3 == 0) && i >= 30;
    }
    assert_int_equal(wrong, 0);
}

static void without_history_it_is_a_table(void **state)
{
    (void)state;
    parameters.branch_predictor = DIRECTION_gshare;
    parameters.branch_history = 0;
    create();
    unsigned wrong = 0;
    for (unsigned i = 0; i < 100; i++) {
        wrong += !branch_at(PC, i % 2 == 0);
    }
    assert_int_equal(wrong, 100);
}

static void taken_is_always_taken(void **state)
{
    (void)state;
    parameters.branch_predictor = DIRECTION_taken;
    create();
    branch_at(PC, true); /* its target */
    for (unsigned i = 0; i < 4; i++) {
        assert_true(branch_at(PC, true));
        assert_false(branch_at(PC + 8, false));
    }
}

static void histories_are_of_one_context(void **state)
{
    (void)state;
    parameters.core_contexts = 2;
    parameters.branch_predictor = DIRECTION_gshare;
    create();
    branch_at(PC, true);
    branch_at(PC, true);
    assert_int_equal(predictor.stacks[0].history, 3);
    assert_int_equal(predictor.stacks[1].history, 0);
}

static void targets_are_where_it_went_last(void **state)
{
    (void)state;
    create();
    assert_false(jump_at(PC, TARGET));
    assert_true(jump_at(PC, TARGET));
    assert_false(jump_at(PC, TARGET + 8));
    assert_true(jump_at(PC, TARGET + 8));
    assert_int_equal(predictor.statistics.indirect, 4);
    assert_int_equal(predictor.statistics.indirect_wrong, 2);
}

static void the_target_that_was_not_used_for_longest_goes(void **state)
{
    (void)state;
    parameters.branch_targets = 4; /* one set of two, and another */
    parameters.branch_target_ways = 2;
    create();
    jump_at(PC, TARGET);
    jump_at(PC + 4, TARGET);
    assert_true(jump_at(PC, TARGET));
    jump_at(PC + 8, TARGET);
    assert_true(jump_at(PC, TARGET));
    assert_false(jump_at(PC + 4, TARGET));
    jump_at(PC + 2, TARGET); /* of the other set */
    assert_true(jump_at(PC, TARGET));
    assert_true(jump_at(PC + 4, TARGET));
}

static void returns_go_to_the_last_call(void **state)
{
    (void)state;
    create();
    call_from(0, PC);
    call_from(0, PC + 100);
    assert_true(return_to(0, PC + 104));
    assert_true(return_to(0, PC + 4));
    assert_int_equal(predictor.statistics.returns, 2);
    assert_int_equal(predictor.statistics.returns_wrong, 0);
}

static void a_full_stack_loses_the_oldest(void **state)
{
    (void)state;
    parameters.branch_return_stack = 2;
    create();
    for (unsigned i = 0; i < 3; i++) {
        call_from(0, PC + i * 100);
    }
    assert_true(return_to(0, PC + 204));
    assert_true(return_to(0, PC + 104));
    assert_false(return_to(0, PC + 4));
}

static void no_stack_knows_no_return(void **state)
{
    (void)state;
    parameters.branch_return_stack = 0;
    create();
    call_from(0, PC);
    assert_false(return_to(0, PC + 4));
}

static void stacks_are_of_one_context(void **state)
{
    (void)state;
    parameters.core_contexts = 2;
    create();
    call_from(0, PC);
    call_from(1, PC + 100);
    assert_true(return_to(0, PC + 4));
    assert_true(return_to(1, PC + 104));
}

static void calls_through_registers_are_jumps_that_return(void **state)
{
    (void)state;
    const struct branch_site site = {.pc = PC, .next = PC + 2, .kind = BRANCH_CALL};
    create();
    assert_false(predicted(0, &site, TARGET));
    assert_true(predicted(0, &site, TARGET));
    assert_true(return_to(0, PC + 2));
    assert_true(return_to(0, PC + 2));
    assert_int_equal(predictor.statistics.indirect, 2);
}

static enum fetch_outcome direct(enum branch_kind kind, guest_addr pc, guest_addr actual)
{
    const struct branch_site site = {.pc = pc, .next = pc + 4, .target = TARGET, .kind = kind};
    return branch_fetch(&predictor, 0, &site, actual);
}

static void targets_of_direct_jumps_are_learned(void **state)
{
    (void)state;
    create();
    assert_int_equal(direct(BRANCH_JUMP, PC, TARGET), FETCH_MISFETCHED);
    assert_int_equal(direct(BRANCH_JUMP, PC, TARGET), FETCH_PREDICTED);
    assert_int_equal(direct(BRANCH_CALL, PC + 4, TARGET), FETCH_MISFETCHED);
    assert_int_equal(direct(BRANCH_CALL, PC + 4, TARGET), FETCH_PREDICTED);
    assert_int_equal(predictor.statistics.misfetched, 2);
    assert_int_equal(branch_counts(&predictor.statistics).wrong, 0);
}

static void only_a_branch_that_is_taken_needs_a_target(void **state)
{
    (void)state;
    create();
    assert_int_equal(direct(BRANCH_CONDITIONAL, PC, PC + 4), FETCH_PREDICTED);
    assert_int_equal(predictor.statistics.misfetched, 0);
    assert_int_equal(direct(BRANCH_CONDITIONAL, PC + 4, TARGET), FETCH_MISPREDICTED);
    assert_int_equal(direct(BRANCH_CONDITIONAL, PC + 4, TARGET), FETCH_PREDICTED);
    assert_int_equal(predictor.statistics.misfetched, 0); /* it was learned the first time */
    assert_int_equal(direct(BRANCH_CONDITIONAL, PC + 4 + 2 * parameters.branch_table, TARGET),
                     FETCH_MISFETCHED); /* the same counter, but another address */
    assert_int_equal(predictor.statistics.misfetched, 1);
}

static void the_target_of_changed_code_is_not_known(void **state)
{
    (void)state;
    const struct branch_site other = {
        .pc = PC, .next = PC + 4, .target = TARGET + 8, .kind = BRANCH_JUMP};
    create();
    direct(BRANCH_JUMP, PC, TARGET);
    assert_int_equal(branch_fetch(&predictor, 0, &other, TARGET + 8), FETCH_MISFETCHED);
}

static void without_a_buffer_all_targets_are_known(void **state)
{
    (void)state;
    parameters.branch_targets = 0;
    create();
    assert_int_equal(direct(BRANCH_JUMP, PC, TARGET), FETCH_PREDICTED);
    assert_true(jump_at(PC, TARGET));
    assert_true(jump_at(PC, TARGET + 8));
}

static void nothing_predicts_a_callback(void **state)
{
    (void)state;
    static const enum branch_kind kinds[] = {BRANCH_CONDITIONAL, BRANCH_JUMP, BRANCH_CALL,
                                             BRANCH_NONE};
    parameters.branch_predictor = DIRECTION_taken;
    create();
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        direct(kinds[i], PC, TARGET);
        assert_int_equal(direct(kinds[i], PC, TARGET + 8), FETCH_MISPREDICTED);
    }
    assert_int_equal(predictor.stacks[0].history, 1); /* of the one that went where it can */
    assert_int_equal(predictor.statistics.conditional, 2);
    assert_int_equal(predictor.statistics.conditional_wrong, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, destroy)
    const struct CMUnitTest tests[] = {
        TEST(two_bits_change_their_mind_after_two),
        TEST(counters_are_shared_by_addresses_that_far_apart),
        TEST(history_tells_the_times_apart),
        TEST(without_history_it_is_a_table),
        TEST(taken_is_always_taken),
        TEST(histories_are_of_one_context),
        TEST(targets_are_where_it_went_last),
        TEST(the_target_that_was_not_used_for_longest_goes),
        TEST(returns_go_to_the_last_call),
        TEST(a_full_stack_loses_the_oldest),
        TEST(no_stack_knows_no_return),
        TEST(stacks_are_of_one_context),
        TEST(calls_through_registers_are_jumps_that_return),
        TEST(targets_of_direct_jumps_are_learned),
        TEST(only_a_branch_that_is_taken_needs_a_target),
        TEST(the_target_of_changed_code_is_not_known),
        TEST(without_a_buffer_all_targets_are_known),
        TEST(nothing_predicts_a_callback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
