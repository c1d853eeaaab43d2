/* Tests how fragments are built: what is followed, where a plan ends, which exits a fragment has. */
#include "fragment_rig.h"

#include "translator/fragment/build.h"

static struct plan plan;

static void create_with(void (*change)(struct options *options))
{
    struct options options = rig_options();

    change(&options);
    rig_create(&rig, &options);
}

static void plan_from(guest_addr start)
{
    assert_true(build_plan(rig.threads[0].context, start, &plan));
}

static const struct step *last_step(void)
{
    return plan.end - 1;
}

static void jumps_and_calls_are_followed(void **state)
{
    (void)state;
    put(TOY_INC, R1, 0, 0);
    const guest_addr jump = put(TOY_JUMP32, 0, 0, 0);
    go(CODE + 0x100);
    asm_send(jump, here());
    const guest_addr call = put(TOY_CALL32, 0, 0, 0);
    go(CODE + 0x200);
    asm_send(call, here());
    put(TOY_INC, R2, 0, 0);
    put(TOY_RETURN, 0, 0, 0);
    plan_from(CODE);
    static const enum step_kind kinds[] = {STEP_COPY, STEP_JUMP, STEP_CALL, STEP_COPY, STEP_RETURN};
    assert_int_equal(plan.end - plan.steps, 5);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(plan.steps[i].kind, kinds[i]);
        assert_int_equal(plan.steps[i].flags, 0);
    }
    assert_int_equal(plan.instructions, 5);
    go(CODE + 0x105);
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(reg(R1) + reg(R2), 2);
}

static void do_not_follow(struct options *options)
{
    options->follow = false;
}

static void nothing_is_followed_where_that_is_not_wanted(void **state)
{
    (void)state;
    create_with(do_not_follow);
    put(TOY_INC, R1, 0, 0);
    const guest_addr jump = put_to(TOY_JUMP8, 0, CODE + 0x10);
    go(CODE + 0x10);
    const guest_addr call = put_to(TOY_CALL32, 0, CODE + 0x20);
    put(TOY_HALT, 0, 0, 0);
    go(CODE + 0x20);
    put(TOY_RETURN, 0, 0, 0);
    plan_from(CODE);
    assert_int_equal(last_step()->pc, jump);
    assert_int_equal(last_step()->flags, STEP_LEAVES);
    plan_from(CODE + 0x10);
    assert_int_equal(last_step()->pc, call);
    assert_int_equal(last_step()->flags, STEP_LEAVES);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(rig_find(&rig, CODE)->exits[0].target, CODE + 0x10);
    rig_destroy(&rig);
}

static void a_jump_backward_ends_a_plan(void **state)
{
    (void)state;
    put(TOY_INC, R1, 0, 0);
    const guest_addr jump = put_to(TOY_JUMP8, 0, CODE);
    plan_from(CODE);
    assert_int_equal(last_step()->pc, jump);
    assert_int_equal(last_step()->flags, STEP_LEAVES);
    const guest_addr itself = put_to(TOY_JUMP8, 0, here());
    plan_from(itself);
    assert_int_equal(last_step()->flags, STEP_LEAVES);
}

static void a_plan_has_no_more_instructions_than_it_may(void **state)
{
    (void)state;
    asm_nops(&rig.code, 2 * PLAN_INSTRUCTIONS + 10);
    put(TOY_HALT, 0, 0, 0);
    plan_from(CODE);
    assert_int_equal(plan.instructions, PLAN_INSTRUCTIONS);
    assert_int_equal(last_step()->kind, STEP_ON);
    assert_int_equal(last_step()->value, CODE + PLAN_INSTRUCTIONS);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_non_null(rig_find(&rig, CODE + PLAN_INSTRUCTIONS));
    assert_non_null(rig_find(&rig, CODE + 2 * PLAN_INSTRUCTIONS));
    assert_int_equal(rig.translator->statistics.fragments, 3);
}

static void a_plan_has_no_more_jumps_than_instructions(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PLAN_INSTRUCTIONS + 50; i++) {
        put_to(TOY_JUMP32, 0, here() + 7);
        go(here() + 2);
    }
    put(TOY_HALT, 0, 0, 0);
    plan_from(CODE);
    assert_int_equal(plan.instructions, PLAN_INSTRUCTIONS);
    assert_int_equal(plan.end - plan.steps, PLAN_INSTRUCTIONS + 1);
    assert_int_equal(last_step()->value, CODE + 7 * PLAN_INSTRUCTIONS);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
}

/* The longest code that there can be: it fits what is reserved for it. */
static void the_longest_fragment_fits(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PLAN_INSTRUCTIONS; i++) {
        put_to(TOY_LOAD_NEAR, R1, DATA);
    }
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
}

static void a_plan_ends_where_memory_does(void **state)
{
    (void)state;
    go(CODE_END - 20);
    asm_nops(&rig.code, 20);
    plan_from(CODE_END - 20);
    assert_int_equal(plan.instructions, 20);
    assert_int_equal(last_step()->kind, STEP_ON);
    assert_int_equal(last_step()->value, CODE_END);
    assert_int_equal(rig_run(&rig, CODE_END - 20), TOY_FAULTED);
    assert_int_equal(rig.threads[0].pc, CODE_END);
}

static void an_instruction_that_reaches_over_the_end_faults(void **state)
{
    (void)state;
    for (unsigned inside = 1; inside < 9; inside++) {
        go(CODE_END - inside - 3);
        const guest_addr start = put(TOY_CONST8, R1, 0, 5);
        put(TOY_INC, R1, 0, 0);
        *(uint8_t *)(uintptr_t)here() = 0x38; /* const of 9 bytes */
        rig_set_permissions(&rig, CODE, CODE_BYTES, HOST_READ | HOST_WRITE | HOST_EXECUTE);
        assert_int_equal(rig_run(&rig, start), TOY_FAULTED);
        assert_int_equal(rig.threads[0].pc, here());
        assert_int_equal(reg(R1), 6);
    }
}

static void an_instruction_may_stand_on_two_pages(void **state)
{
    (void)state;
    for (unsigned before = 1; before < 9; before++) {
        const guest_addr start = CODE + before * 4 * PAGE - before;
        go(start);
        put(TOY_CONST64, R1, 0, 0x123456789abcdef0);
        put(TOY_HALT, 0, 0, 0);
        assert_int_equal(rig_run(&rig, start), TOY_HALTED);
        assert_int_equal(reg(R1), 0x123456789abcdef0);
    }
}

static void an_instruction_may_stand_in_two_mappings(void **state)
{
    (void)state;
    for (unsigned before = 1; before < 9; before++) {
        const guest_addr page = CODE + before * 4 * PAGE;
        go(page - before);
        put(TOY_CONST64, R1, 0, 0x123456789abcdef0);
        put(TOY_HALT, 0, 0, 0);
        rig_set_permissions(&rig, page, PAGE, HOST_READ | HOST_EXECUTE);
        rig.translator->fetchable.count =
            before % 2; /* the second is known, or has to be looked up */
        assert_int_equal(rig_run(&rig, page - before), TOY_HALTED);
        assert_int_equal(reg(R1), 0x123456789abcdef0);
    }
}

static void what_is_not_executable_faults_when_it_is_reached(void **state)
{
    (void)state;
    const guest_addr start = put(TOY_CONST64, R1, 0, (int64_t)DATA);
    put(TOY_JUMP_REGISTER, 0, R1, 0);
    assert_int_equal(rig_run(&rig, start), TOY_FAULTED);
    assert_int_equal(rig.threads[0].pc, DATA);
    assert_null(rig_build(&rig, DATA));
    assert_null(rig_build(&rig, 0));
    assert_null(rig_build(&rig, CODE_END));
}

static void each_way_out_has_its_exit(void **state)
{
    static const struct {
        enum toy_op op;
        unsigned exits;
        enum exit_kind kind;
    } cases[] = {{TOY_BRANCH8, 2, EXIT_DIRECT},       {TOY_RETURN, 0, EXIT_DIRECT},
                 {TOY_JUMP_REGISTER, 0, EXIT_DIRECT}, {TOY_CALL_REGISTER, 0, EXIT_DIRECT},
                 {TOY_SYSTEM, 1, EXIT_SYSTEM_CALL},   {TOY_SYNC, 1, EXIT_CODE_CHANGED}};

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const guest_addr start = put(TOY_NOP, 0, 0, 0);
        put(cases[i].op, 0, 0, 0);
        const struct fragment *fragment = rig_build(&rig, start);
        assert_int_equal(fragment->exit_count, cases[i].exits);
        for (unsigned j = 0; j < cases[i].exits; j++) {
            assert_int_equal(fragment->exits[j].kind, cases[i].kind);
        }
        if (cases[i].exits == 1) {
            assert_int_equal(fragment->exits[0].target, here());
        }
    }
}

/* The way that closes a loop is the short one; of a branch forward it is the way on. */
static void branches_are_laid_out_by_where_they_go(void **state)
{
    (void)state;
    put(TOY_NOP, 0, 0, 0);
    put_to(TOY_BRANCH8, IF_ZERO, CODE);
    const struct fragment *backward = rig_build(&rig, CODE);
    assert_int_equal(backward->exits[0].target, CODE + 3);
    assert_int_equal(backward->exits[1].target, CODE);
    go(CODE + 0x100);
    put_to(TOY_BRANCH8, IF_ZERO, CODE + 0x110);
    const struct fragment *forward = rig_build(&rig, CODE + 0x100);
    assert_int_equal(forward->exits[0].target, CODE + 0x110);
    assert_int_equal(forward->exits[1].target, CODE + 0x102);
    plan_from(CODE + 0x100);
    assert_int_equal(last_step()->flags, STEP_TURNED);
}

/* Two sequences with a way out of the middle of each. */
static void ways_out_of_the_middle_come_behind_those_of_the_end(void **state)
{
    guest_addr sides[2];

    (void)state;
    const guest_addr start = put(TOY_CONST64, R5, 0, (int64_t)DATA);
    for (unsigned i = 0; i < 2; i++) {
        put(TOY_HOLD, R1, R5, 0);
        put(TOY_CMP8, R1, 0, 1);
        sides[i] = put(TOY_BRANCH8, IF_ZERO, 0, 0);
        put(TOY_INC, R1, 0, 0);
        put(TOY_KEEP, R1, R5, 0);
    }
    put_to(TOY_BRANCH8, IF_OTHER, start);
    put(TOY_HALT, 0, 0, 0);
    for (unsigned i = 0; i < 2; i++) {
        asm_send(sides[i], here());
        put(TOY_CONST8, R3, 0, 10 + i);
        put(TOY_HALT, 0, 0, 0);
    }
    const struct fragment *fragment = rig_build(&rig, start);
    assert_int_equal(fragment->exit_count, 4);
    assert_int_equal(fragment->exits[1].target, start);
    assert_int_equal(fragment->exits[2].target, here() - 6);
    assert_int_equal(fragment->exits[3].target, here() - 3);
    assert_int_equal(rig_run(&rig, start), TOY_HALTED); /* the first is 0, the second 1 */
    assert_int_equal(reg(R3), 11);
    assert_int_equal(*(uint64_t *)(uintptr_t)DATA, 1);
}

static void a_plan_has_no_more_sides_than_it_may(void **state)
{
    (void)state;
    put(TOY_CONST64, R5, 0, (int64_t)DATA);
    for (unsigned i = 0; i < TARGET_SIDES + 2; i++) {
        const guest_addr again = put(TOY_HOLD, R1, R5, 0);
        const guest_addr side = put(TOY_BRANCH8, IF_NEGATIVE, 0, 0);
        put(TOY_INC, R1, 0, 0);
        put(TOY_KEEP, R1, R5, 0);
        put(TOY_NOP, 0, 0, 0);
        asm_send(side, again);
    }
    put(TOY_HALT, 0, 0, 0);
    plan_from(CODE);
    assert_int_equal(plan.side_count, TARGET_SIDES);
    assert_int_equal(last_step()->kind, STEP_ON);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(*(uint64_t *)(uintptr_t)DATA, TARGET_SIDES + 2);
}

static void one_instruction_can_be_built_alone(void **state)
{
    static const enum toy_op ops[] = {TOY_PUSH, TOY_STORE_NEAR, TOY_CALL32, TOY_CALL_REGISTER};

    (void)state;
    for (unsigned i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        const guest_addr at = put(ops[i], R1, R2, 64);
        const uint64_t fragments = rig.translator->statistics.fragments;
        const uint8_t *code = build_alone(rig.threads[0].context, at);
        assert_true(code > rig.translator->cache.start && code < rig.translator->cache.end);
        assert_null(rig_find(&rig, at));
        assert_int_equal(rig.translator->statistics.fragments, fragments + 1);
        assert_int_equal(rig.translator->plan.instructions, 1);
    }
}

/* What a call does beside going elsewhere is done, and then it goes there, not behind the call. */
static void a_call_alone_leads_to_what_it_calls(void **state)
{
    (void)state;
    const guest_addr call = put_to(TOY_CALL32, 0, CODE + 0x40);
    build_alone(rig.threads[0].context, call);
    const struct step *last = rig.translator->plan.end - 1;
    assert_int_equal(last->kind, STEP_CALL);
    assert_int_equal(last->flags, STEP_LEAVES);
    assert_int_equal(last->value, CODE + 0x40);
}

static void statistics_say_what_was_built(void **state)
{
    (void)state;
    asm_nops(&rig.code, 9);
    put(TOY_HALT, 0, 0, 0);
    put(TOY_SYSTEM, 0, 0, 0);
    rig_build(&rig, CODE);
    rig_build(&rig, CODE + 5);
    assert_int_equal(rig.translator->statistics.fragments, 2);
    assert_int_equal(rig.translator->statistics.instructions_translated, 11 + 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(jumps_and_calls_are_followed),
        TEST_ALONE(nothing_is_followed_where_that_is_not_wanted),
        TEST(a_jump_backward_ends_a_plan),
        TEST(a_plan_has_no_more_instructions_than_it_may),
        TEST(a_plan_has_no_more_jumps_than_instructions),
        TEST(the_longest_fragment_fits),
        TEST(a_plan_ends_where_memory_does),
        TEST(an_instruction_that_reaches_over_the_end_faults),
        TEST(an_instruction_may_stand_on_two_pages),
        TEST(an_instruction_may_stand_in_two_mappings),
        TEST(what_is_not_executable_faults_when_it_is_reached),
        TEST(each_way_out_has_its_exit),
        TEST(branches_are_laid_out_by_where_they_go),
        TEST(ways_out_of_the_middle_come_behind_those_of_the_end),
        TEST(a_plan_has_no_more_sides_than_it_may),
        TEST(one_instruction_can_be_built_alone),
        TEST(a_call_alone_leads_to_what_it_calls),
        TEST(statistics_say_what_was_built),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
