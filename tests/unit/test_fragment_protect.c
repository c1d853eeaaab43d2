/* Tests changes of code that nobody tells of: pages that are watched, opened, guarded, torn and mended. */
#include "fragment_rig.h"

#include "translator/fragment/build.h"
#include "translator/fragment/flush.h"
#include "translator/fragment/protect.h"

#define ALL (HOST_READ | HOST_WRITE | HOST_EXECUTE)

static int create(void **state)
{
    struct options options = rig_options();

    (void)state;
    options.code_changes = CHANGES_PROTECT;
    rig_create(&rig, &options);
    return 0;
}

#define TEST_PROTECT(name) cmocka_unit_test_setup_teardown(name, create, destroy)

static struct code_page *page_of(guest_addr address)
{
    return originals_find_page(rig.translator->changes.originals, address);
}

static void expect_state(guest_addr address, enum page_state state)
{
    assert_non_null(page_of(address));
    assert_int_equal(page_of(address)->state, state);
}

static unsigned permissions_of(guest_addr address)
{
    return rig.memory.pages[(address - CODE) / PAGE];
}

/* At `start`: the byte in R1 goes to `to`, then what is at `then` is executed. */
static void write_store(guest_addr start, guest_addr to, guest_addr then)
{
    go(start);
    put(TOY_CONST64, R2, 0, (int64_t)to);
    put(TOY_STORE_BYTE, R1, R2, 0);
    put_to(TOY_JUMP32, 0, then);
}

static const uint8_t *bytes_of(guest_addr address)
{
    return (const uint8_t *)(uintptr_t)address;
}

static void code_that_was_translated_is_watched(void **state)
{
    (void)state;
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    expect_state(CODE, PAGE_WATCHED);
    assert_int_equal(permissions_of(CODE), HOST_READ | HOST_EXECUTE);
    assert_int_equal(permissions_of(CODE + PAGE), ALL);
    assert_int_equal(permissions_of(DATA), HOST_READ | HOST_WRITE);
    assert_true(protect_watches(rig.translator));
    assert_true(protect_owns(rig.translator, CODE + 100));
    assert_false(protect_owns(rig.translator, CODE + PAGE));
}

/* A function that is called, changed by a store, and called again. */
#define FUNCTION (CODE + 4 * PAGE)

static void write_function(void)
{
    go(FUNCTION);
    put(TOY_CONST8, R3, 0, 1);
    put(TOY_ADD, R4, R3, 0);
    put(TOY_RETURN, 0, 0, 0);
}

static guest_addr write_changes(unsigned times)
{
    write_function();
    go(CODE);
    for (unsigned i = 0; i < times; i++) {
        put_to(TOY_CALL32, 0, FUNCTION);
        put(TOY_CONST64, R2, 0, (int64_t)(FUNCTION + 1));
        put(TOY_CONST8, R1, 0, (int64_t)(10 + i));
        put(TOY_STORE_BYTE, R1, R2, 0);
    }
    put_to(TOY_CALL32, 0, FUNCTION);
    put(TOY_HALT, 0, 0, 0);
    return CODE;
}

static void a_store_to_code_changes_what_is_executed(void **state)
{
    (void)state;
    assert_int_equal(rig_run(&rig, write_changes(1)), TOY_HALTED);
    assert_int_equal(reg(R4), 1 + 10);
    assert_int_equal(rig.translator->statistics.code_syncs, 1);
    /* Both callers were followed into it, the one with the store, too. */
    assert_int_equal(rig.translator->statistics.fragments_changed, 2);
    assert_int_equal(page_of(FUNCTION)->writes, 1);
    expect_state(FUNCTION, PAGE_WATCHED); /* again */
}

static void a_page_that_is_written_often_is_guarded(void **state)
{
    (void)state;
    assert_int_equal(rig_run(&rig, write_changes(10)), TOY_HALTED);
    assert_int_equal(reg(R4), 1 + 145);
    expect_state(FUNCTION, PAGE_GUARDED);
    expect_state(CODE, PAGE_WATCHED);
    assert_int_equal(permissions_of(FUNCTION), ALL);
    const struct fragment *fragment = rig_find(&rig, FUNCTION);
    assert_true(fragment->guarded);
    assert_null(fragment->incoming); /* nothing leads there but dispatch */
    assert_non_null(fragment->original->copy);
}

/* Not before the fourth write. */
static void a_page_that_is_written_a_few_times_is_watched_again(void **state)
{
    (void)state;
    for (unsigned writes = 3; writes <= 4; writes++) {
        create(state);
        assert_int_equal(rig_run(&rig, write_changes(writes)), TOY_HALTED);
        assert_int_equal(page_of(FUNCTION)->writes, writes);
        expect_state(FUNCTION, writes == 3 ? PAGE_WATCHED : PAGE_GUARDED);
        rig_destroy(&rig);
    }
}

/* Its last byte alone is on the guarded page. */
static void an_instruction_that_reaches_into_a_guarded_page_is_guarded(void **state)
{
    const guest_addr end = CODE + PAGE;

    (void)state;
    protect_never(rig.translator, end);
    go(end - 1);
    put(TOY_JUMP_REGISTER, 0, R5, 0);
    assert_true(rig_build(&rig, end - 1)->guarded);
}

static void a_store_may_change_the_next_instruction(void **state)
{
    (void)state;
    put(TOY_CONST8, R1, 0, 77);
    const guest_addr lea = put(TOY_LEA, R2, 0, 0);
    put(TOY_STORE_BYTE, R1, R2, 0);
    asm_send(lea, here() + 1);
    put(TOY_CONST8, R3, 0, 1);
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(reg(R3), 77);
}

/* On a guarded page, too: a fragment ends behind each instruction that may store. */
static void stores_end_plans_of_guarded_code(void **state)
{
    static struct plan plan;

    (void)state;
    protect_never(rig.translator, CODE);
    put(TOY_CONST8, R1, 0, 78);
    const guest_addr lea = put(TOY_LEA, R2, 0, 0);
    const guest_addr store = put(TOY_STORE_BYTE, R1, R2, 0);
    asm_send(lea, here() + 1);
    put(TOY_CONST8, R3, 0, 1);
    put(TOY_HALT, 0, 0, 0);
    assert_true(build_plan(rig.threads[0].context, CODE, &plan));
    assert_int_equal(plan.instructions, 3);
    assert_int_equal(plan.end[-1].kind, STEP_ON);
    assert_int_equal(plan.end[-1].pc, store + 3);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(reg(R3), 78);
    assert_true(rig_find(&rig, store + 3)->guarded);
}

static void plans_of_guarded_code_are_not_followed_through_calls_that_push(void **state)
{
    static struct plan plan;

    (void)state;
    protect_never(rig.translator, CODE);
    put_to(TOY_CALL32, 0, CODE + 0x40);
    assert_true(build_plan(rig.threads[0].context, CODE, &plan));
    assert_int_equal(plan.instructions, 1);
    assert_int_equal(plan.end[-1].flags, STEP_LEAVES);
}

static void code_before_a_guarded_page_is_a_plan_by_itself(void **state)
{
    static struct plan plan;
    const guest_addr page = CODE + 2 * PAGE;

    (void)state;
    protect_never(rig.translator, page);
    go(page - 200);
    asm_nops(&rig.code, 100);
    put_to(TOY_JUMP32, 0, page + 50);
    assert_true(build_plan(rig.threads[0].context, page - 200, &plan));
    assert_false(plan.careful);
    assert_int_equal(plan.end[-1].kind, STEP_ON);
    assert_int_equal(plan.end[-1].value, page + 50);
}

/* Data among code: the store is not to an instruction, but opens the page all the same. */
static void data_among_code_can_be_written(void **state)
{
    (void)state;
    put(TOY_CONST8, R4, 0, 20);
    const guest_addr loop = put_to(TOY_STORE_NEAR, R4, CODE + 0x800);
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH8, IF_OTHER, loop);
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(*(const uint64_t *)(uintptr_t)(CODE + 0x800), 1);
    expect_state(CODE, PAGE_GUARDED);
}

/* A store that begins on one page and ends on the next, which alone is watched. */
static void a_store_may_reach_into_a_watched_page(void **state)
{
    (void)state;
    go(FUNCTION);
    put(TOY_CONST8, R3, 0, 5);
    put(TOY_RETURN, 0, 0, 0);
    const uint8_t *code = bytes_of(FUNCTION);
    const uint64_t high = code[0] | 9u << 8 | (uint32_t)code[2] << 16; /* the constant becomes 9 */
    go(CODE);
    put_to(TOY_CALL32, 0, FUNCTION);
    put(TOY_CONST64, R2, 0, (int64_t)(FUNCTION - 4));
    put(TOY_CONST64, R1, 0, (int64_t)(high << 32));
    put(TOY_STORE8, R1, R2, 0);
    put_to(TOY_CALL32, 0, FUNCTION);
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(reg(R3), 9);
    assert_null(page_of(FUNCTION - 4));
}

static void pages_that_cannot_be_written_are_fixed(void **state)
{
    (void)state;
    rig_set_permissions(&rig, CODE, PAGE, HOST_READ | HOST_EXECUTE);
    put(TOY_HALT, 0, 0, 0);
    rig_build(&rig, CODE);
    expect_state(CODE, PAGE_FIXED);
    assert_int_equal(rig.protections, 0);
    assert_false(protect_owns(rig.translator, CODE));
    rig_set_permissions(&rig, CODE, PAGE, ALL); /* now they can */
    assert_null(rig_find(&rig, CODE));
    rig_build(&rig, CODE);
    expect_state(CODE, PAGE_WATCHED);
}

static void pages_that_are_known_to_be_fixed_are_not_asked_for(void **state)
{
    (void)state;
    put(TOY_HALT, 0, 0, 0);
    fetch_add(&rig.translator->fetchable, CODE, CODE + PAGE);
    fetch_add(&rig.translator->fixed, CODE, CODE + PAGE);
    rig.maps_readable = false;
    rig_build(&rig, CODE);
    expect_state(CODE, PAGE_FIXED);
}

static void shared_memory_and_that_of_files_is_guarded(void **state)
{
    static const unsigned kinds[] = {ALL | TOY_SHARED, ALL | TOY_FILE,
                                     HOST_READ | HOST_EXECUTE | TOY_SHARED};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        const guest_addr at = CODE + 2 * i * PAGE;
        rig_set_permissions(&rig, at, PAGE, kinds[i]);
        go(at);
        put(TOY_HALT, 0, 0, 0);
        rig_build(&rig, at);
        expect_state(at, PAGE_GUARDED);
        assert_true(rig_find(&rig, at)->guarded);
    }
    rig_set_permissions(&rig, CODE + 8 * PAGE, PAGE, HOST_READ | HOST_EXECUTE | TOY_FILE);
    rig_build(&rig, CODE + 8 * PAGE);
    expect_state(CODE + 8 * PAGE, PAGE_FIXED);
}

static void without_a_list_of_mappings_all_is_guarded(void **state)
{
    (void)state;
    rig.maps_readable = false;
    put(TOY_HALT, 0, 0, 0);
    rig_build(&rig, CODE);
    expect_state(CODE, PAGE_GUARDED);
}

static void what_a_system_call_writes_to_is_guarded(void **state)
{
    (void)state;
    rig.written = (struct code_range){CODE + 10, CODE + 20};
    put(TOY_HALT, 0, 0, 0);
    rig_build(&rig, CODE);
    expect_state(CODE, PAGE_GUARDED);
}

static void guarded_code_is_compared_each_time(void **state)
{
    (void)state;
    write_function();
    protect_never(rig.translator, FUNCTION);
    const uint8_t *entry = rig_dispatch_to(&rig, FUNCTION);
    assert_ptr_equal(rig_dispatch_to(&rig, FUNCTION), entry);
    *(uint8_t *)(uintptr_t)(FUNCTION + 1) = 9; /* by nobody that could be noticed */
    assert_ptr_not_equal(rig_dispatch_to(&rig, FUNCTION), entry);
    assert_int_equal(rig.translator->statistics.fragments_changed, 1);
}

static void code_over_the_end_of_a_page_has_both_watched(void **state)
{
    const guest_addr end = CODE + PAGE;

    (void)state;
    go(end - 4);
    put(TOY_CONST64, R3, 0, 1);
    put(TOY_HALT, 0, 0, 0);
    rig_build(&rig, end - 4);
    expect_state(end - 1, PAGE_WATCHED);
    expect_state(end, PAGE_WATCHED);
    assert_int_equal(rig_find(&rig, end - 4)->original->piece_count, 2);
    write_store(CODE + 8 * PAGE, end, end - 4);
    rig.threads[0].context->registers.r[R1] = 55;
    assert_int_equal(rig_run(&rig, CODE + 8 * PAGE), TOY_HALTED);
    assert_int_equal(reg(R3), UINT64_C(55) << 24 | 1);
}

/* Nothing else of the plan is on the second page. */
static void the_last_instruction_of_a_plan_has_both_pages_watched(void **state)
{
    const guest_addr end = CODE + PAGE;

    (void)state;
    go(CODE + 8 * PAGE);
    put(TOY_HALT, 0, 0, 0);
    go(end - 1);
    put(TOY_JUMP_REGISTER, 0, R5, 0);
    rig.threads[0].context->registers.r[R5] = CODE + 8 * PAGE;
    rig.threads[0].context->registers.r[R6] = CODE + 8 * PAGE;
    assert_int_equal(rig_run(&rig, end - 1), TOY_HALTED);
    expect_state(end, PAGE_WATCHED);
    write_store(CODE + 4 * PAGE, end, end - 1);
    rig.threads[0].context->registers.r[R1] = R6; /* the register of the jump */
    rig.threads[0].context->registers.r[R5] = CODE;
    assert_int_equal(rig_run(&rig, CODE + 4 * PAGE), TOY_HALTED);
    assert_int_equal(rig.threads[0].pc, CODE + 8 * PAGE);
}

/* Only what may be executed is watched; and what becomes executable later is, then. */
static void a_page_behind_code_that_becomes_code_is_watched(void **state)
{
    const guest_addr page = CODE + 2 * PAGE;

    (void)state;
    rig_set_permissions(&rig, page, PAGE, 0);
    go(page - 2);
    put(TOY_CONST8, R3, 0, 1);
    rig_build(&rig, page - 2);
    rig_set_permissions(&rig, page, PAGE, ALL);
    go(page);
    put(TOY_HALT, 0, 0, 0);
    rig_build(&rig, page);
    expect_state(page, PAGE_WATCHED);
}

static void a_page_behind_code_that_becomes_writable_is_watched(void **state)
{
    const guest_addr page = CODE + 2 * PAGE;

    (void)state;
    rig_set_permissions(&rig, page, PAGE, HOST_READ | HOST_EXECUTE);
    fetch_add(&rig.translator->fetchable, CODE, page + PAGE);
    go(page - 2);
    put(TOY_RETURN, 0, 0, 0);
    rig_build(&rig, page - 2); /* the page behind it may have a part of the instruction */
    rig_set_permissions(&rig, page, PAGE, ALL);
    go(page);
    put(TOY_HALT, 0, 0, 0);
    rig_build(&rig, page);
    expect_state(page, PAGE_WATCHED);
}

/* At each distance from the end of a page, with a branch in the middle that would end a fragment. */
static void a_sequence_near_the_end_of_a_page_stays_whole(void **state)
{
    (void)state;
    rig.threads[0].context->registers.r[R5] = DATA;
    for (unsigned before = 1; before < 40; before++) {
        const guest_addr start = CODE + before * PAGE - before;
        go(start);
        put(TOY_HOLD, R1, R5, 0);
        put(TOY_CMP8, R1, 0, 0);
        const guest_addr side = put(TOY_BRANCH8, IF_NEGATIVE, 0, 0);
        put(TOY_CONST8, R1, 0, (int64_t)before);
        put(TOY_KEEP, R1, R5, 0);
        asm_send(side, here());
        put(TOY_HALT, 0, 0, 0);
        assert_int_equal(rig_run(&rig, start), TOY_HALTED);
        assert_int_equal(*(const uint64_t *)(uintptr_t)DATA, before);
        *(uint64_t *)(uintptr_t)DATA = 0;
    }
}

static void stacks_among_code_work(void **state)
{
    (void)state;
    write_function();
    go(CODE);
    put(TOY_CONST64, SP, 0, (int64_t)(FUNCTION + 0x400));
    put(TOY_CONST8, R5, 0, 12);
    const guest_addr loop = put_to(TOY_CALL32, 0, FUNCTION);
    put(TOY_CONST64, R2, 0, (int64_t)FUNCTION);
    put(TOY_CALL_REGISTER, 0, R2, 0);
    put(TOY_PUSH, R4, 0, 0);
    put(TOY_POP, R4, 0, 0);
    put(TOY_DEC, R5, 0, 0);
    put_to(TOY_BRANCH8, IF_OTHER, loop);
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(reg(R4), 24);
}

static void pages_are_opened_before_the_kernel_writes(void **state)
{
    (void)state;
    write_function();
    rig_build(&rig, FUNCTION);
    protect_open(rig.translator, FUNCTION + PAGE, FUNCTION + 2 * PAGE);
    assert_non_null(rig_find(&rig, FUNCTION));
    protect_open(rig.translator, FUNCTION - 1, FUNCTION + 1);
    assert_null(rig_find(&rig, FUNCTION));
    expect_state(FUNCTION, PAGE_OPEN);
    assert_int_equal(permissions_of(FUNCTION), ALL);
    assert_false(protect_watches(rig.translator));
}

static void what_system_calls_write_counts_as_a_store(void **state)
{
    (void)state;
    write_function();
    for (unsigned i = 0; i < 10; i++) {
        if (rig_find(&rig, FUNCTION) == NULL) {
            rig_build(&rig, FUNCTION);
        }
        protect_open_for_call(rig.translator, FUNCTION, FUNCTION + 1);
    }
    expect_state(FUNCTION, PAGE_GUARDED);
}

static void pages_that_are_torn_are_mended_before_the_program_goes_on(void **state)
{
    (void)state;
    write_function();
    rig_build(&rig, FUNCTION);
    protect_mend(rig.translator); /* nothing to do */
    protect_tear(rig.translator, FUNCTION + 8);
    expect_state(FUNCTION, PAGE_TORN);
    assert_int_equal(permissions_of(FUNCTION), ALL);
    assert_non_null(rig_find(&rig, FUNCTION));
    put(TOY_HALT, 0, 0, 0);
    rig_dispatch_to(&rig, FUNCTION + 0x40); /* as after a signal */
    assert_null(rig_find(&rig, FUNCTION));
    assert_int_equal(rig.translator->statistics.fragments_changed, 1);
}

static void when_all_code_may_change_all_is_guarded(void **state)
{
    (void)state;
    write_function();
    rig_build(&rig, FUNCTION);
    changes_expect_all(rig.translator);
    assert_null(rig_find(&rig, FUNCTION));
    assert_int_equal(permissions_of(FUNCTION), ALL);
    rig_set_permissions(&rig, CODE, PAGE, HOST_READ | HOST_EXECUTE);
    rig_build(&rig, FUNCTION);
    rig_build(&rig, CODE);
    expect_state(FUNCTION, PAGE_GUARDED);
    expect_state(CODE, PAGE_GUARDED);
}

static void syncs_change_nothing(void **state)
{
    (void)state;
    write_function();
    rig_build(&rig, FUNCTION);
    rig_sync(&rig);
    assert_non_null(rig_find(&rig, FUNCTION));
    assert_int_equal(rig.translator->statistics.code_syncs, 1);
    assert_int_equal(rig.translator->statistics.flushes, 0);
}

/* A flush forgets fragments, but not which pages are watched. */
static void pages_stay_watched_through_a_flush(void **state)
{
    (void)state;
    assert_int_equal(rig_run(&rig, write_changes(1)), TOY_HALTED);
    flush_all(rig.translator);
    expect_state(FUNCTION, PAGE_WATCHED);
    assert_int_equal(permissions_of(FUNCTION), HOST_READ | HOST_EXECUTE);
    write_function();
    assert_int_equal(rig_run(&rig, write_changes(1)), TOY_HALTED);
    assert_int_equal(page_of(FUNCTION)->writes, 2);
}

static void too_many_pages_are_forgotten(void **state)
{
    (void)state;
    write_function();
    rig_build(&rig, FUNCTION);
    struct originals *originals = rig.translator->changes.originals;
    originals->page_count = ORIGINAL_PAGES - 8; /* as if there were so many */
    assert_false(originals_have_room(originals));
    originals->page_count = 1;
    assert_true(originals_have_room(originals));
    for (unsigned i = 0; originals_have_room(originals); i++) {
        originals_get_page(originals, STACK + i * PAGE);
    }
    flush_all(rig.translator);
    assert_null(page_of(FUNCTION));
    assert_true(originals_have_room(originals));
    assert_int_equal(permissions_of(FUNCTION), ALL);
    assert_false(protect_watches(rig.translator));
}

static void without_memory_protection_says_so(void **state)
{
    struct options options = rig_options();

    (void)state;
    rig_create(&rig, &options);
    rig.translator->options.code_changes = CHANGES_PROTECT;
    rig.maps_left = 0;
    assert_true(rig_fails(&rig, changes_start(rig.translator)));
    assert_non_null(strstr(rig.message, "--code-changes protect"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_PROTECT(code_that_was_translated_is_watched),
        TEST_PROTECT(a_store_to_code_changes_what_is_executed),
        TEST_PROTECT(a_page_that_is_written_often_is_guarded),
        TEST_ALONE(a_page_that_is_written_a_few_times_is_watched_again),
        TEST_PROTECT(an_instruction_that_reaches_into_a_guarded_page_is_guarded),
        TEST_PROTECT(a_store_may_change_the_next_instruction),
        TEST_PROTECT(stores_end_plans_of_guarded_code),
        TEST_PROTECT(plans_of_guarded_code_are_not_followed_through_calls_that_push),
        TEST_PROTECT(code_before_a_guarded_page_is_a_plan_by_itself),
        TEST_PROTECT(data_among_code_can_be_written),
        TEST_PROTECT(a_store_may_reach_into_a_watched_page),
        TEST_PROTECT(pages_that_cannot_be_written_are_fixed),
        TEST_PROTECT(pages_that_are_known_to_be_fixed_are_not_asked_for),
        TEST_PROTECT(shared_memory_and_that_of_files_is_guarded),
        TEST_PROTECT(without_a_list_of_mappings_all_is_guarded),
        TEST_PROTECT(what_a_system_call_writes_to_is_guarded),
        TEST_PROTECT(guarded_code_is_compared_each_time),
        TEST_PROTECT(code_over_the_end_of_a_page_has_both_watched),
        TEST_PROTECT(the_last_instruction_of_a_plan_has_both_pages_watched),
        TEST_PROTECT(a_page_behind_code_that_becomes_code_is_watched),
        TEST_PROTECT(a_page_behind_code_that_becomes_writable_is_watched),
        TEST_PROTECT(a_sequence_near_the_end_of_a_page_stays_whole),
        TEST_PROTECT(stacks_among_code_work),
        TEST_PROTECT(pages_are_opened_before_the_kernel_writes),
        TEST_PROTECT(what_system_calls_write_counts_as_a_store),
        TEST_PROTECT(pages_that_are_torn_are_mended_before_the_program_goes_on),
        TEST_PROTECT(when_all_code_may_change_all_is_guarded),
        TEST_PROTECT(syncs_change_nothing),
        TEST_PROTECT(pages_stay_watched_through_a_flush),
        TEST_PROTECT(too_many_pages_are_forgotten),
        TEST_ALONE(without_memory_protection_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
