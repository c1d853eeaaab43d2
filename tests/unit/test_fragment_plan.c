/* Tests plans: what a scan makes of the program's code, and what can be said of a plan without a cache. */
#include "fragment_rig.h"

static struct plan plan, other;

/* Only what the target reads: nothing decides what becomes of it. */
static void scan(struct plan *to, guest_addr start, uint64_t limit)
{
    plan_begin(to, start);
    target_scan(to, limit);
}

static void expect_step(unsigned number, enum step_kind kind, guest_addr pc, unsigned bytes)
{
    assert_true(plan.steps + number < plan.end);
    assert_int_equal(plan.steps[number].kind, kind);
    assert_int_equal(plan.steps[number].pc, pc);
    assert_int_equal(plan.steps[number].bytes, bytes);
}

static void expect_steps(unsigned count)
{
    assert_int_equal(plan.end - plan.steps, count);
}

static void plain_instructions_are_one_step(void **state)
{
    (void)state;
    put(TOY_ADD, R1, R2, 0);
    put(TOY_NOP, 0, 0, 0);
    put(TOY_CONST64, R1, 0, 1);
    put_to(TOY_BRANCH8, IF_ZERO, CODE);
    scan(&plan, CODE, 100);
    expect_steps(2);
    expect_step(0, STEP_COPY, CODE, 2 + 1 + 9);
    expect_step(1, STEP_BRANCH, CODE + 12, 2);
    assert_int_equal(plan.steps[1].value, CODE);
    assert_int_equal(plan.instructions, 4);
    assert_int_equal(plan.pc, CODE + 14);
    assert_int_equal(plan.code_end - plan.code, 14);
    assert_memory_equal(plan.code, (void *)(uintptr_t)CODE, 14);
}

static void a_scan_ends_with_what_transfers_control(void **state)
{
    static const struct {
        enum toy_op op;
        enum step_kind kind;
    } ends[] = {
        {TOY_BRANCH8, STEP_BRANCH},     {TOY_BRANCH32, STEP_BRANCH},
        {TOY_JUMP8, STEP_JUMP},         {TOY_JUMP32, STEP_JUMP},
        {TOY_CALL32, STEP_CALL},        {TOY_JUMP_REGISTER, STEP_INDIRECT_JUMP},
        {TOY_RETURN, STEP_RETURN},      {TOY_CALL_REGISTER, STEP_INDIRECT_CALL},
        {TOY_SYSTEM, STEP_SYSTEM_CALL}, {TOY_SYNC, STEP_SYNC},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const guest_addr start = put(TOY_NOP, 0, 0, 0);
        const guest_addr last = put(ends[i].op, 0, 0, 0);
        put(TOY_NOP, 0, 0, 0);
        scan(&plan, start, 100);
        expect_steps(2);
        expect_step(1, ends[i].kind, last, (unsigned)(here() - 1 - last));
        assert_int_equal(plan.instructions, 2);
    }
}

static void a_scan_goes_no_further_than_its_limit(void **state)
{
    (void)state;
    asm_nops(&rig.code, 10);
    for (unsigned limit = 1; limit <= 10; limit++) {
        scan(&plan, CODE, limit);
        expect_steps(1);
        expect_step(0, STEP_COPY, CODE, limit);
        assert_int_equal(plan.instructions, limit);
    }
}

static void a_scan_that_goes_on_makes_one_step_of_one_run(void **state)
{
    (void)state;
    asm_nops(&rig.code, 10);
    scan(&plan, CODE, 10);
    plan_begin(&other, CODE);
    target_scan(&other, 3);
    target_scan(&other, 1);
    target_scan(&other, 6);
    assert_true(plan_equals(&plan, &other));
}

static void what_depends_on_its_place_is_a_step_by_itself(void **state)
{
    (void)state;
    put(TOY_NOP, 0, 0, 0);
    put_to(TOY_LEA, R3, CODE + 100);
    put_to(TOY_LOAD_NEAR, R3, CODE + 200);
    put(TOY_OWN_JUMP, 0, 0, 0);
    scan(&plan, CODE, 4);
    expect_steps(4);
    expect_step(1, STEP_CONSTANT, CODE + 1, 6);
    assert_int_equal(plan.steps[1].value, CODE + 100);
    expect_step(2, STEP_REWRITE, CODE + 7, 6);
    assert_int_equal(plan.steps[2].value, CODE + 200);
    expect_step(3, STEP_REWRITE, CODE + 13, 3);
}

/* hold; compare; branch out; add; keep: 14 bytes. */
static guest_addr put_whole(void)
{
    const guest_addr start = put(TOY_HOLD, R1, R5, 0);
    put(TOY_CMP8, R1, 0, 5);
    const guest_addr side = put(TOY_BRANCH8, IF_ZERO, 0, 0);
    put(TOY_ADD8, R1, 0, 1);
    put(TOY_KEEP, R1, R5, 0);
    asm_send(side, here() + 20);
    return start;
}

static void a_whole_is_one_step_with_its_sides_behind_it(void **state)
{
    (void)state;
    put(TOY_NOP, 0, 0, 0);
    put_whole();
    put(TOY_NOP, 0, 0, 0);
    scan(&plan, CODE, 7);
    expect_steps(4);
    expect_step(0, STEP_COPY, CODE, 1);
    expect_step(1, STEP_WHOLE, CODE + 1, 12);
    expect_step(2, STEP_SIDE, CODE + 6, 0);
    assert_int_equal(plan.steps[2].value, CODE + 13 + 20);
    expect_step(3, STEP_COPY, CODE + 13, 1);
    assert_int_equal(plan.instructions, 7);
    assert_int_equal(plan.side_count, 1);
}

static void a_whole_that_does_not_fit_waits_for_the_next_plan(void **state)
{
    (void)state;
    put(TOY_NOP, 0, 0, 0);
    const guest_addr whole = put_whole();
    scan(&plan, CODE, 5);
    expect_steps(1);
    assert_int_equal(plan.pc, whole);
    scan(&plan, whole, 5);
    expect_step(0, STEP_WHOLE, whole, 12);
}

static void a_whole_that_fits_nowhere_is_copied(void **state)
{
    (void)state;
    const guest_addr whole = put_whole();
    scan(&plan, whole, 3);
    expect_step(0, STEP_COPY, whole, 5);
    expect_step(1, STEP_BRANCH, whole + 5, 2);
}

static void a_careful_scan_takes_one_instruction_and_says_whether_it_stores(void **state)
{
    static const struct {
        enum toy_op op;
        bool stores;
    } cases[] = {{TOY_ADD, false},       {TOY_LOAD8, false}, {TOY_STORE8, true},
                 {TOY_PUSH, true},       {TOY_POP, false},   {TOY_STORE_NEAR, true},
                 {TOY_LOAD_NEAR, false}, {TOY_CALL32, true}, {TOY_BRANCH8, false}};

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const guest_addr start = put(cases[i].op, R1, R2, 0);
        asm_nops(&rig.code, 3);
        plan_begin(&plan, start);
        plan.careful = true;
        target_scan(&plan, 3);
        expect_steps(1);
        assert_int_equal(plan.instructions, 1);
        assert_int_equal((plan.steps[0].flags & STEP_STORES) != 0, cases[i].stores);
    }
}

static void a_careful_scan_keeps_a_whole_whole(void **state)
{
    (void)state;
    const guest_addr start = put_whole();
    plan_begin(&plan, start);
    plan.careful = true;
    target_scan(&plan, 20);
    expect_steps(2);
    expect_step(0, STEP_WHOLE, start, 12);
    assert_int_equal(plan.instructions, 5);
    assert_true((plan.end[-1].flags & STEP_STORES) != 0);
}

static void equal_plans_are_equal(void **state)
{
    (void)state;
    put(TOY_ADD, R1, R2, 0);
    put_to(TOY_BRANCH8, IF_ZERO, CODE);
    scan(&plan, CODE, 10);
    scan(&other, CODE, 10);
    memset(other.code_end, 1, 8); /* what is not used does not count */
    assert_true(plan_equals(&plan, &other));
    assert_true(plan_equals(&other, &plan));
}

static void plans_differ_by_each_of_their_parts(void **state)
{
    (void)state;
    put(TOY_ADD, R1, R2, 0);
    put_to(TOY_BRANCH8, IF_ZERO, CODE);
    scan(&plan, CODE, 10);
    for (unsigned part = 0; part < 10; part++) {
        scan(&other, CODE, 10);
        struct step *last = other.end - 1;
        switch (part) {
        case 0:
            other.start++;
            break;
        case 1:
            other.pc++;
            break;
        case 2:
            other.end--;
            break;
        case 3:
            other.code_end--;
            break;
        case 4:
            other.instructions++;
            break;
        case 5:
            last->kind = STEP_JUMP;
            break;
        case 6:
            last->flags = STEP_TURNED;
            break;
        case 7:
            last->detail++;
            break;
        case 8:
            last->value++;
            break;
        case 9:
            other.code[1]++;
            break;
        }
        assert_false(plan_equals(&plan, &other));
    }
}

static void each_kind_of_step_has_a_name_and_exits(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < STEP_KINDS; kind++) {
        assert_non_null(step_name((enum step_kind)kind));
    }
    plan_begin(&plan, CODE);
    struct step *step = plan_add(&plan, STEP_BRANCH, CODE, 2);
    assert_int_equal(step_exits(step), 2);
    assert_true(step_ends(step));
    assert_int_equal(step_end(step), CODE + 2);
    step = plan_add(&plan, STEP_CALL, CODE, 5);
    assert_int_equal(step_exits(step), 0);
    assert_false(step_ends(step));
    step->flags = STEP_LEAVES;
    assert_int_equal(step_exits(step), 1);
    assert_true(step_ends(step));
    assert_false(step_ends(plan_add(&plan, STEP_COPY, CODE, 5)));
    assert_true(step_ends(plan_add(&plan, STEP_RETURN, CODE, 5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(plain_instructions_are_one_step),
        TEST(a_scan_ends_with_what_transfers_control),
        TEST(a_scan_goes_no_further_than_its_limit),
        TEST(a_scan_that_goes_on_makes_one_step_of_one_run),
        TEST(what_depends_on_its_place_is_a_step_by_itself),
        TEST(a_whole_is_one_step_with_its_sides_behind_it),
        TEST(a_whole_that_does_not_fit_waits_for_the_next_plan),
        TEST(a_whole_that_fits_nowhere_is_copied),
        TEST(a_careful_scan_takes_one_instruction_and_says_whether_it_stores),
        TEST(a_careful_scan_keeps_a_whole_whole),
        TEST(equal_plans_are_equal),
        TEST(plans_differ_by_each_of_their_parts),
        TEST(each_kind_of_step_has_a_name_and_exits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
