/* Tests which ways through the program get a counter at their target, under each policy. */
#include "fragment_rig.h"

#include "translator/fragment/build.h"

static void create_with(enum placement placement, enum counters counters)
{
    struct options options = rig_options();

    options.counters = counters;
    options.placement = placement;
    options.threshold = 1000;
    rig_create_with_counters(&rig, &options, counters == COUNTERS_HW ? TOY_COUNTERS_MAX : 0);
}

static bool has_counter(guest_addr head)
{
    const struct fragment *fragment = rig_find(&rig, head);

    return fragment != NULL && fragment->loop != NULL;
}

/* A program with each kind of way; all are gone ten times. */
static struct {
    guest_addr branch_head; /* closed by a branch, and fallen into */
    guest_addr
        built_head; /* closed by a branch that is built when a fragment begins at the head already */
    guest_addr jump_head; /* closed by a jump */
    guest_addr forward;   /* the target of a branch forward */
    guest_addr called;    /* a function, called directly */
    guest_addr called_by_register;
} ways;

static guest_addr write_ways(void)
{
    go(CODE + 0x200);
    ways.called = put(TOY_INC, R1, 0, 0);
    put(TOY_RETURN, 0, 0, 0);
    go(CODE + 0x240);
    ways.called_by_register = put(TOY_INC, R1, 0, 0);
    put(TOY_RETURN, 0, 0, 0);
    go(CODE);
    put(TOY_CONST8, R4, 0, 10);
    ways.branch_head = put(TOY_NOP, 0, 0, 0);
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH8, IF_OTHER, ways.branch_head);

    put(TOY_CONST8, R4, 0, 10);
    const guest_addr enter = put(TOY_BRANCH8, IF_ZERO, 0, 0); /* always: flags are those of `dec` */
    asm_nops(&rig.code, 3);
    asm_send(enter, here());
    ways.built_head = put(TOY_MOV, R2, R4, 0);
    put(TOY_CMP8, R2, 0, 100);
    const guest_addr over = put(TOY_BRANCH8, IF_ZERO, 0, 0); /* never */
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH8, IF_OTHER, ways.built_head);
    asm_send(over, here());

    put(TOY_CONST8, R4, 0, 10);
    ways.jump_head = put(TOY_NOP, 0, 0, 0);
    put_to(TOY_CALL32, 0, ways.called);
    put(TOY_CONST64, R2, 0, (int64_t)ways.called_by_register);
    put(TOY_CALL_REGISTER, 0, R2, 0);
    put(TOY_CMP, R4, R4, 0);
    const guest_addr forward = put(TOY_BRANCH8, IF_ZERO, 0, 0);
    asm_nops(&rig.code, 3);
    asm_send(forward, here());
    ways.forward = put(TOY_DEC, R4, 0, 0);
    const guest_addr out = put(TOY_BRANCH8, IF_ZERO, 0, 0);
    put_to(TOY_JUMP32, 0, ways.jump_head);
    asm_send(out, here());
    put(TOY_HALT, 0, 0, 0);
    return CODE;
}

static const enum counters kinds[] = {COUNTERS_SW_EXACT, COUNTERS_HW, COUNTERS_SW_PAPER};

static void expect_exact(guest_addr head)
{
    assert_int_equal(rig_executions(&rig, head), rig_counted(&rig, head));
}

static void backward_counts_what_closes_loops(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        create_with(PLACEMENT_BACKWARD, kinds[i]);
        assert_int_equal(rig_run(&rig, write_ways()), TOY_HALTED);
        assert_true(has_counter(ways.branch_head));
        assert_true(has_counter(ways.built_head));
        assert_true(has_counter(ways.jump_head));
        assert_false(has_counter(ways.forward));
        assert_false(has_counter(ways.called));
        assert_false(has_counter(ways.called_by_register));
        assert_int_equal(rig_executions(&rig, ways.branch_head), 8);
        expect_exact(ways.built_head);
        expect_exact(ways.jump_head);
        rig_destroy(&rig);
    }
}

static void paper_counts_branches_whose_target_was_there(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        create_with(PLACEMENT_PAPER, kinds[i]);
        assert_int_equal(rig_run(&rig, write_ways()), TOY_HALTED);
        assert_true(has_counter(ways.built_head));
        assert_false(has_counter(ways.jump_head));
        assert_false(has_counter(ways.forward));
        assert_false(has_counter(ways.called));
        expect_exact(ways.built_head);
        rig_destroy(&rig);
    }
}

/* A head that is fallen into is built only when the branch back to it is taken, and is there already. */
static void paper_counts_loops_that_are_one_fragment(void **state)
{
    (void)state;
    create_with(PLACEMENT_PAPER, COUNTERS_SW_EXACT);
    write_ways();
    const struct fragment *entered = rig_build(&rig, CODE);
    assert_false(entered->exits[1].counts);
    const struct fragment *head = rig_build(&rig, ways.branch_head);
    assert_true(head->exits[1].counts); /* its target is itself */
    rig_destroy(&rig);
}

static void strictly_the_fragment_that_is_being_built_is_not_built(void **state)
{
    (void)state;
    create_with(PLACEMENT_PAPER_STRICT, COUNTERS_SW_EXACT);
    assert_int_equal(rig_run(&rig, write_ways()), TOY_HALTED);
    const struct fragment *head = rig_find(&rig, ways.branch_head);
    assert_non_null(head);
    assert_false(head->exits[1].counts); /* its target is itself */
    assert_false(has_counter(ways.branch_head));
    assert_true(has_counter(ways.built_head));
    expect_exact(ways.built_head);
    rig_destroy(&rig);
}

static void function_counts_calls(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        create_with(PLACEMENT_FUNCTION, kinds[i]);
        assert_int_equal(rig_run(&rig, write_ways()), TOY_HALTED);
        assert_true(has_counter(ways.called));
        assert_true(has_counter(ways.called_by_register));
        assert_false(has_counter(ways.branch_head));
        assert_false(has_counter(ways.jump_head));
        assert_int_equal(rig_executions(&rig, ways.called), 9);
        assert_int_equal(rig_executions(&rig, ways.called_by_register), 9);
        expect_exact(ways.called);
        expect_exact(ways.called_by_register);
        rig_destroy(&rig);
    }
}

/* Though a jump has found the function before, each kind of lookup tells of the first calls. */
static void function_counts_calls_of_what_jumps_have_found(void **state)
{
    (void)state;
    for (unsigned indirect = INDIRECT_SIEVE; indirect <= INDIRECT_BUILDER; indirect++) {
        struct options options = rig_options();
        options.counters = COUNTERS_SW_EXACT;
        options.placement = PLACEMENT_FUNCTION;
        options.indirect = (enum indirect)indirect;
        rig_create(&rig, &options);
        go(CODE + 0x100);
        const guest_addr function = put(TOY_INC, R1, 0, 0);
        put(TOY_RETURN, 0, 0, 0);
        go(CODE);
        put(TOY_CONST64, R2, 0, (int64_t)function);
        const guest_addr after = put(TOY_LEA, R3, 0, 0);
        put(TOY_PUSH, R3, 0, 0);
        put(TOY_JUMP_REGISTER, 0, R2, 0);
        asm_send(after, here());
        put(TOY_CONST8, R4, 0, 20);
        const guest_addr loop = put(TOY_CALL_REGISTER, 0, R2, 0);
        put(TOY_DEC, R4, 0, 0);
        put_to(TOY_BRANCH8, IF_OTHER, loop);
        put(TOY_HALT, 0, 0, 0);
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_int_equal(rig_executions(&rig, function), 20);
        expect_exact(function);
        rig_destroy(&rig);
    }
}

static void head_counts_each_fragment_from_the_beginning(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        create_with(PLACEMENT_HEAD, kinds[i]);
        assert_int_equal(rig_run(&rig, write_ways()), TOY_HALTED);
        assert_true(has_counter(CODE));
        assert_true(has_counter(ways.forward));
        assert_int_equal(rig_executions(&rig, CODE), 1);
        assert_int_equal(rig_executions(&rig, ways.branch_head), 9);
        for (unsigned j = 0; j < rig.head_count; j++) {
            expect_exact(rig.heads[j].head);
        }
        assert_int_equal(rig.head_count, rig.translator->statistics.fragments);
        rig_destroy(&rig);
    }
}

/* The last step of the plan that begins with a jump to `target` or with a call of it. */
static enum step_kind last_kind(enum toy_op op, guest_addr target)
{
    struct plan plan;

    go(CODE + 0x80);
    put_to(op, 0, target);
    assert_true(build_plan(rig.threads[0].context, CODE + 0x80, &plan));
    return plan.end[-1].kind;
}

/* So that what counters cost can be compared, the policies do not differ in what they follow, but for calls. */
static void policies_end_plans_at_what_they_count(void **state)
{
    (void)state;
    for (unsigned placement = PLACEMENT_BACKWARD; placement < PLACEMENTS; placement++) {
        for (unsigned counted = 0; counted < 2; counted++) {
            create_with((enum placement)placement, counted ? COUNTERS_SW : COUNTERS_OFF);
            const bool ends_with_calls = counted && placement == PLACEMENT_FUNCTION;
            go(CODE);
            put(TOY_HALT, 0, 0, 0);
            go(CODE + 0x100);
            put(TOY_HALT, 0, 0, 0);
            const enum step_kind halt = last_kind(TOY_JUMP32, CODE + 0x100);
            assert_int_not_equal(halt, STEP_JUMP);
            assert_int_equal(last_kind(TOY_JUMP32, CODE), STEP_JUMP);
            assert_int_equal(last_kind(TOY_CALL32, CODE + 0x100),
                             ends_with_calls ? STEP_CALL : halt);
            assert_int_equal(last_kind(TOY_CALL32, CODE), ends_with_calls ? STEP_CALL : halt);
            rig_destroy(&rig);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(backward_counts_what_closes_loops),
        TEST_ALONE(paper_counts_branches_whose_target_was_there),
        TEST_ALONE(paper_counts_loops_that_are_one_fragment),
        TEST_ALONE(strictly_the_fragment_that_is_being_built_is_not_built),
        TEST_ALONE(function_counts_calls),
        TEST_ALONE(function_counts_calls_of_what_jumps_have_found),
        TEST_ALONE(head_counts_each_fragment_from_the_beginning),
        TEST_ALONE(policies_end_plans_at_what_they_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
