/* Tests what is known of where the program may execute, and of where code was translated from. */
#include "fragment_rig.h"

#include "translator/fragment/build.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

static struct fetchable fetchable;

static void expect_range(unsigned number, guest_addr start, guest_addr end)
{
    assert_true(number < fetchable.count);
    assert_int_equal(fetchable.ranges[number].start, start);
    assert_int_equal(fetchable.ranges[number].end, end);
}

static void ranges_that_touch_become_one(void **state)
{
    (void)state;
    fetchable.count = 0;
    fetch_add(&fetchable, 10 * PAGE, 12 * PAGE);
    fetch_add(&fetchable, 20 * PAGE, 21 * PAGE);
    fetch_add(&fetchable, 5 * PAGE, 6 * PAGE);
    assert_int_equal(fetchable.count, 3);
    expect_range(0, 5 * PAGE, 6 * PAGE);
    fetch_add(&fetchable, 12 * PAGE, 13 * PAGE);
    expect_range(1, 10 * PAGE, 13 * PAGE);
    fetch_add(&fetchable, 9 * PAGE, 10 * PAGE);
    expect_range(1, 9 * PAGE, 13 * PAGE);
    fetch_add(&fetchable, 6 * PAGE, 20 * PAGE);
    assert_int_equal(fetchable.count, 1);
    expect_range(0, 5 * PAGE, 21 * PAGE);
    assert_int_equal(fetch_find(&fetchable, 21 * PAGE - 1).start, 5 * PAGE);
    assert_int_equal(fetch_find(&fetchable, 21 * PAGE).end, 0);
    assert_int_equal(fetch_find(&fetchable, 5 * PAGE - 1).end, 0);
}

static void what_is_taken_out_leaves_the_rest(void **state)
{
    (void)state;
    fetchable.count = 0;
    fetch_add(&fetchable, 10 * PAGE, 20 * PAGE);
    fetch_remove(&fetchable, 12 * PAGE + 5, 2 * PAGE); /* of pages that are touched, all */
    assert_int_equal(fetchable.count, 2);
    expect_range(0, 10 * PAGE, 12 * PAGE);
    expect_range(1, 15 * PAGE, 20 * PAGE);
    fetch_remove(&fetchable, 11 * PAGE, 5 * PAGE);
    expect_range(0, 10 * PAGE, 11 * PAGE);
    expect_range(1, 16 * PAGE, 20 * PAGE);
    assert_int_equal(fetch_find(&fetchable, 11 * PAGE).end, 0);
    assert_int_equal(fetch_find(&fetchable, 20 * PAGE).end, 0);
    fetch_remove(&fetchable, 30 * PAGE, PAGE);
    assert_int_equal(fetchable.count, 2);
    fetch_remove(&fetchable, 18 * PAGE, 2 * PAGE); /* up to its end */
    assert_int_equal(fetchable.count, 2);
    expect_range(1, 16 * PAGE, 18 * PAGE);
    fetch_remove(&fetchable, 0, UINT64_MAX);
    assert_int_equal(fetchable.count, 0);
}

static void too_many_ranges_are_forgotten(void **state)
{
    (void)state;
    fetchable.count = 0;
    for (unsigned i = 0; i < FETCH_RANGES; i++) {
        fetch_add(&fetchable, i * 2 * PAGE, (i * 2 + 1) * PAGE);
    }
    assert_int_equal(fetchable.count, FETCH_RANGES);
    fetch_add(&fetchable, 5000 * PAGE, 5001 * PAGE);
    assert_int_equal(fetchable.count, 1);
    expect_range(0, 5000 * PAGE, 5001 * PAGE);
}

static void the_kernel_is_asked_for_the_mapping_of_an_address(void **state)
{
    struct fetch_mapping mapping;

    (void)state;
    rig_set_permissions(&rig, CODE + PAGE, PAGE, HOST_READ | HOST_EXECUTE | TOY_SHARED);
    assert_true(fetch_ask(CODE + PAGE + 7, &mapping));
    assert_int_equal(mapping.range.start, CODE + PAGE);
    assert_int_equal(mapping.range.end, CODE + 2 * PAGE);
    assert_int_equal(mapping.permissions, HOST_READ | HOST_EXECUTE);
    assert_true(mapping.shared);
    assert_true(fetch_ask(STACK - 1, &mapping));
    assert_int_equal(mapping.range.start, DATA);
    assert_int_equal(mapping.permissions, HOST_READ | HOST_WRITE);
    assert_false(mapping.shared);
    assert_true(fetch_ask(CODE_END, &mapping));
    assert_int_equal(mapping.range.end, 0);
    rig.maps_readable = false;
    assert_false(fetch_ask(CODE, &mapping));
}

static void code_is_counted_up_to_the_end_of_its_mapping(void **state)
{
    struct translator *translator = rig.translator;

    (void)state;
    go(CODE_END - 100);
    asm_nops(&rig.code, 100);
    assert_int_equal(fetch_count(translator, CODE_END - 90), 90 / TARGET_LONGEST_INSTRUCTION);
    assert_int_equal(translator->window.end, CODE_END);
    assert_int_equal(fetch_count(translator, CODE_END - 1), 1); /* it has only one byte */
    *(uint8_t *)(uintptr_t)(CODE_END - 1) = 0x40;               /* now it has two */
    assert_int_equal(fetch_count(translator, CODE_END - 1), 0);
    assert_int_equal(fetch_count(translator, CODE_END), 0);
}

/* What nobody said is not executable is looked up; what somebody did is not. */
static void what_is_known_to_be_closed_is_not_looked_up(void **state)
{
    (void)state;
    fetch_add(&rig.translator->closed, CODE, CODE + PAGE);
    assert_null(rig_build(&rig, CODE));
    put(TOY_HALT, 0, 0, 0);
    fetch_remove(&rig.translator->closed, CODE, PAGE);
    assert_non_null(rig_build(&rig, CODE));
}

static void code_that_can_only_be_executed_becomes_readable(void **state)
{
    (void)state;
    put(TOY_HALT, 0, 0, 0);
    rig_set_permissions(&rig, CODE, PAGE, HOST_EXECUTE);
    rig.translator->fetchable.count = 0; /* as if it had been there from the beginning */
    assert_non_null(rig_build(&rig, CODE));
    assert_int_equal(rig.memory.pages[0], HOST_READ | HOST_EXECUTE);
    assert_int_equal(rig.memory.pages[1], HOST_READ | HOST_WRITE | HOST_EXECUTE);
}

static void without_a_list_of_mappings_any_page_may_be_executed(void **state)
{
    (void)state;
    rig.maps_readable = false;
    go(DATA);
    put(TOY_HALT, 0, 0, 0);
    assert_non_null(rig_build(&rig, DATA));
    assert_int_equal(fetch_find(&rig.translator->fetchable, DATA).end, DATA + PAGE);
}

static void a_stack_becomes_executable_as_a_whole(void **state)
{
    (void)state;
    go(STACK - 16);
    put(TOY_HALT, 0, 0, 0);
    assert_null(rig_build(&rig, STACK - 16));
    fetch_open_stack(STACK - 100);
    assert_non_null(rig_build(&rig, STACK - 16));
    assert_non_null(rig_build(&rig, DATA));
}

/* A page that the list of mappings has, but that is not there: the kernel may have given it back. */
static void take_fault(int number, siginfo_t *info, void *frame)
{
    struct context *context = rig.threads[0].context;

    (void)number;
    (void)frame;
    if (context->reading == 0) {
        abort();
    }
    context->spoiled = 1;
    context->unreadable = (uintptr_t)info->si_addr;
    /* It reads zeros, once. */
    mprotect((void *)((uintptr_t)info->si_addr & ~(PAGE - 1)), PAGE, PROT_READ | PROT_WRITE);
}

static void use_faults(void)
{
    const struct sigaction action = {.sa_sigaction = take_fault, .sa_flags = SA_SIGINFO};

    sigaction(SIGSEGV, &action, NULL); /* cmocka has its own, until the test is over */
}

static void code_that_cannot_be_read_ends_a_plan(void **state)
{
    const guest_addr bad = CODE + 4 * PAGE;
    static struct plan plan;

    (void)state;
    use_faults();
    go(bad - 20);
    asm_nops(&rig.code, 20);
    mprotect((void *)(uintptr_t)bad, PAGE, PROT_NONE);
    assert_true(build_plan(rig.threads[0].context, bad - 20, &plan));
    assert_int_equal(plan.end[-1].kind, STEP_ON);
    assert_int_equal(plan.end[-1].value, bad);
    assert_int_equal(plan.instructions, 20);
    assert_int_equal(rig.threads[0].context->spoiled, 0);
    assert_int_equal(rig.threads[0].context->reading, 0);
}

static void where_nothing_can_be_read_nothing_is_built(void **state)
{
    const guest_addr bad = CODE + 4 * PAGE;

    (void)state;
    use_faults();
    mprotect((void *)(uintptr_t)bad, PAGE, PROT_NONE);
    assert_null(rig_build(&rig, bad + 8));
    assert_int_equal(rig.translator->unreadable, 0);
    go(bad - PAGE);
    put(TOY_HALT, 0, 0, 0);
    assert_non_null(rig_build(&rig, bad - PAGE));
    go(bad + 8);
    put(TOY_HALT, 0, 0, 0);
    assert_non_null(rig_build(&rig, bad + 8)); /* it is there again */
}

static struct code_ranges code;

static void begin_code(void)
{
    code_ranges_forget(&code);
}

static void pages_of_code_are_known(void **state)
{
    (void)state;
    begin_code();
    assert_false(code_ranges_know(&code, CODE));
    code_ranges_add(&code, CODE + 10, CODE + 20);
    assert_true(code_ranges_know(&code, CODE));
    assert_true(code_ranges_know(&code, CODE + PAGE - 1));
    assert_false(code_ranges_know(&code, CODE + PAGE));
    code_ranges_add(&code, CODE + 2 * PAGE - 1, CODE + 2 * PAGE + 1);
    assert_true(code_ranges_know(&code, CODE + PAGE));
    assert_true(code_ranges_know(&code, CODE + 2 * PAGE));
}

static void what_overlaps_code_is_found(void **state)
{
    (void)state;
    begin_code();
    code_ranges_add(&code, CODE + PAGE + 10, CODE + PAGE + 20);
    assert_false(code_ranges_overlap(&code, CODE, PAGE));
    assert_true(code_ranges_overlap(&code, CODE, PAGE + 1));
    assert_true(code_ranges_overlap(&code, CODE + PAGE, 1));
    assert_true(code_ranges_overlap(&code, CODE + 2 * PAGE - 1, 1));
    assert_false(code_ranges_overlap(&code, CODE + 2 * PAGE, PAGE));
    assert_false(code_ranges_overlap(&code, CODE + PAGE, 0));
    assert_true(code_ranges_overlap(&code, CODE, UINT64_MAX));
    assert_false(code_ranges_overlap(&code, CODE + 2 * PAGE, UINT64_MAX));
}

static void too_many_pieces_of_code_become_fewer_and_none_is_lost(void **state)
{
    (void)state;
    begin_code();
    for (unsigned i = 0; i < 3 * CODE_RANGES; i++) {
        const guest_addr at = CODE + (i * 7 % (3 * CODE_RANGES)) * 4 * PAGE;
        code_ranges_add(&code, at, at + 1);
    }
    assert_int_equal(code.count, CODE_RANGES);
    for (unsigned i = 0; i < 3 * CODE_RANGES; i++) {
        assert_true(code_ranges_overlap(&code, CODE + i * 4 * PAGE, 1));
    }
    for (unsigned i = 1; i < code.count; i++) {
        assert_true(code.ranges[i - 1].end < code.ranges[i].start);
    }
}

static void pieces_that_grow_together_are_one(void **state)
{
    (void)state;
    begin_code();
    for (unsigned i = 0; i < 10; i++) {
        code_ranges_add(&code, CODE + 2 * i * PAGE, CODE + 2 * i * PAGE + 1);
    }
    assert_int_equal(code.count, 10);
    code_ranges_add(&code, CODE + PAGE, CODE + 18 * PAGE);
    assert_int_equal(code.count, 1);
    assert_int_equal(code.ranges[0].end, CODE + 19 * PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(ranges_that_touch_become_one),
        TEST_ALONE(what_is_taken_out_leaves_the_rest),
        TEST_ALONE(too_many_ranges_are_forgotten),
        TEST(the_kernel_is_asked_for_the_mapping_of_an_address),
        TEST(code_is_counted_up_to_the_end_of_its_mapping),
        TEST(what_is_known_to_be_closed_is_not_looked_up),
        TEST(code_that_can_only_be_executed_becomes_readable),
        TEST(without_a_list_of_mappings_any_page_may_be_executed),
        TEST(a_stack_becomes_executable_as_a_whole),
        TEST(code_that_cannot_be_read_ends_a_plan),
        TEST(where_nothing_can_be_read_nothing_is_built),
        TEST_ALONE(pages_of_code_are_known),
        TEST_ALONE(what_overlaps_code_is_found),
        TEST_ALONE(too_many_pieces_of_code_become_fewer_and_none_is_lost),
        TEST_ALONE(pieces_that_grow_together_are_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
