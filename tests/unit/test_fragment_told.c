/* Tests changes of code that the program tells of: what is compared, what goes, what sleeps and wakes. */
#include "fragment_rig.h"

#include "translator/fragment/flush.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#define CREDIT 8

/* One that returns a constant, which stands in its second byte. */
static guest_addr write_function(guest_addr at, int value)
{
    go(at);
    put(TOY_CONST8, R3, 0, value);
    put(TOY_RETURN, 0, 0, 0);
    return at;
}

static void change(guest_addr function, int value)
{
    *(int8_t *)(uintptr_t)(function + 1) = (int8_t)value;
}

#define A (CODE + 0x100)
#define B (CODE + 0x200)

/* The first time that the program tells of changes is behind it. */
static int create(void **state)
{
    create_default(state);
    rig_sync(&rig);
    write_function(A, 1);
    write_function(B, 2);
    return 0;
}

#define TEST_TOLD(name) cmocka_unit_test_setup_teardown(name, create, destroy)

static void the_first_time_all_goes_and_is_kept_from_then_on(void **state)
{
    (void)state;
    write_function(A, 1);
    rig_build(&rig, A);
    assert_null(rig_find(&rig, A)->original);
    rig_sync(&rig);
    assert_null(rig_find(&rig, A));
    assert_int_equal(rig.translator->statistics.flushes, 1);
    rig_build(&rig, A);
    assert_non_null(rig_find(&rig, A)->original);
    assert_non_null(rig_find(&rig, A)->original->copy);
    assert_int_equal(rig.translator->far_way_bytes, TARGET_FAR_WAY_BYTES);
}

static void only_what_has_changed_goes(void **state)
{
    (void)state;
    const struct fragment *a = rig_build(&rig, A);
    rig_build(&rig, B);
    change(B, 5);
    rig_sync(&rig);
    assert_ptr_equal(rig_find(&rig, A), a);
    assert_null(rig_find(&rig, B));
    assert_int_equal(rig.translator->statistics.fragments_changed, 1);
    assert_int_equal(rig.translator->statistics.flushes, 1); /* the first */
    assert_true(rig.translator->cache.dead_bytes > 0);
}

/* Each byte of it, one after the other. */
static void any_byte_that_has_changed_is_noticed(void **state)
{
    (void)state;
    go(A);
    put(TOY_CONST64, R1, 0, 5);
    put_to(TOY_JUMP32, 0, B);
    go(B);
    put(TOY_LOAD32, R1, R2, 8);
    put(TOY_RETURN, 0, 0, 0);
    for (guest_addr at = A; at < B + 7; at += at == A + 13 ? B - A - 13 : 1) {
        rig_dispatch_to(&rig, A);
        *(uint8_t *)(uintptr_t)at ^= 0x40;
        rig_sync(&rig);
        assert_null(rig_find(&rig, A));
        *(uint8_t *)(uintptr_t)at ^= 0x40;
    }
}

static void what_is_not_used_falls_asleep_and_wakes_when_it_is(void **state)
{
    (void)state;
    rig_dispatch_to(&rig, A);
    const struct fragment *a = rig_find(&rig, A);
    for (unsigned i = 0; i < CREDIT; i++) {
        rig_sync(&rig);
        assert_ptr_equal(rig_find(&rig, A), a);
    }
    rig_sync(&rig);
    assert_null(rig_find(&rig, A));
    assert_int_equal(rig.translator->changes.asleep_count, 1);
    const uint64_t fragments = rig.translator->statistics.fragments;
    rig_sync(&rig); /* it costs nothing now */
    rig_dispatch_to(&rig, A);
    assert_ptr_equal(rig_find(&rig, A), a);
    assert_int_equal(rig.translator->statistics.fragments, fragments);
    assert_int_equal(rig.translator->changes.asleep_count, 0);
    for (unsigned i = 0; i < CREDIT; i++) {
        rig_sync(&rig);
    }
    assert_ptr_equal(rig_find(&rig, A), a);
}

static void fall_asleep(void)
{
    for (unsigned i = 0; i <= CREDIT; i++) {
        rig_sync(&rig);
    }
}

static void what_has_changed_while_it_slept_is_built_anew(void **state)
{
    (void)state;
    rig_dispatch_to(&rig, A);
    const struct fragment *a = rig_find(&rig, A);
    fall_asleep();
    change(A, 9);
    rig_dispatch_to(&rig, A);
    assert_non_null(rig_find(&rig, A));
    assert_ptr_not_equal(rig_find(&rig, A), a);
    assert_int_equal(rig.translator->statistics.fragments_changed, 1);
    assert_int_equal(rig.translator->changes.asleep_count, 0);
}

/* Two whose addresses have the same place in the table of sleepers. */
static void sleepers_are_told_apart(void **state)
{
    const guest_addr other = A + ORIGINAL_SLEEP_BUCKETS;

    (void)state;
    write_function(other, 3);
    rig_dispatch_to(&rig, A);
    rig_dispatch_to(&rig, other);
    const struct fragment *a = rig_find(&rig, A), *b = rig_find(&rig, other);
    fall_asleep();
    assert_int_equal(rig.translator->changes.asleep_count, 2);
    rig_dispatch_to(&rig, A);
    assert_ptr_equal(rig_find(&rig, A), a);
    assert_null(rig_find(&rig, other));
    rig_dispatch_to(&rig, other);
    assert_ptr_equal(rig_find(&rig, other), b);
}

static void a_sleeper_whose_memory_goes_does_not_wake(void **state)
{
    (void)state;
    rig_dispatch_to(&rig, A);
    const struct fragment *a = rig_find(&rig, A);
    fall_asleep();
    rig_set_permissions(&rig, CODE, PAGE, HOST_READ | HOST_WRITE | HOST_EXECUTE);
    rig_dispatch_to(&rig, A);
    assert_ptr_not_equal(rig_find(&rig, A), a);
    assert_int_equal(rig.translator->changes.asleep_count, 0);
}

static void a_flush_forgets_sleepers(void **state)
{
    (void)state;
    rig_dispatch_to(&rig, A);
    fall_asleep();
    flush_all(rig.translator);
    assert_int_equal(rig.translator->changes.asleep_count, 0);
    assert_null(rig.translator->changes.compared);
    rig_dispatch_to(&rig, A);
    assert_non_null(rig_find(&rig, A));
}

/* Exits that led to a sleeper, and its own, are as they were. */
static void links_are_there_again_when_a_fragment_wakes(void **state)
{
    (void)state;
    go(A);
    put_to(TOY_BRANCH32, IF_ZERO, B);
    put(TOY_HALT, 0, 0, 0);
    go(B);
    put_to(TOY_BRANCH32, IF_ZERO, B);
    put(TOY_HALT, 0, 0, 0);
    struct fragment *a = rig_build(&rig, A);
    struct fragment *b = rig_build(&rig, B);
    const struct exit *to_b = &a->exits[0], *self = &b->exits[1];
    assert_ptr_equal(to_b->to, b);
    assert_ptr_equal(self->to, b);
    for (unsigned turn = 0; turn < 3; turn++) {
        fall_asleep();
        assert_null(to_b->to);
        rig_dispatch_to(&rig, A);
        rig_dispatch_to(&rig, B);
        assert_ptr_equal(to_b->to, b);
        assert_ptr_equal(self->to, b);
        unsigned incoming = 0;
        for (const struct exit *exit = b->incoming; exit != NULL; exit = exit->next) {
            assert_true(++incoming <= 2);
        }
        assert_int_equal(incoming, 2);
    }
}

/* Not compared, since it cannot change: memory that is private and cannot be written to. */
static void fixed_code_is_not_compared(void **state)
{
    (void)state;
    fetch_add(&rig.translator->fixed, CODE, CODE + PAGE);
    rig_build(&rig, A);
    assert_null(rig_find(&rig, A)->original->copy);
    change(A, 5); /* nobody can */
    rig_sync(&rig);
    assert_non_null(rig_find(&rig, A));
    changes_expect_all(rig.translator);
    assert_null(rig_find(&rig, A));
    rig_build(&rig, A);
    assert_non_null(rig_find(&rig, A)->original->copy);
    change(A, 6);
    rig_sync(&rig);
    assert_null(rig_find(&rig, A));
}

/* And what stands on the page before the range, which may have been cut there. */
static void unmapping_drops_just_what_overlaps(void **state)
{
    const guest_addr pages[] = {CODE, CODE + 2 * PAGE, CODE + 3 * PAGE};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        write_function(pages[i] + 8, 1);
        rig_build(&rig, pages[i] + 8);
    }
    go(CODE + 2 * PAGE - 1); /* over the end of the first */
    put(TOY_CONST8, R3, 0, 1);
    put(TOY_RETURN, 0, 0, 0);
    rig_build(&rig, CODE + 2 * PAGE - 1);
    changes_unmap(rig.translator, CODE + 8 * PAGE, PAGE);
    changes_unmap(rig.translator, CODE + 2 * PAGE, PAGE);
    assert_non_null(rig_find(&rig, pages[0] + 8));
    assert_null(rig_find(&rig, pages[1] + 8));
    assert_non_null(rig_find(&rig, pages[2] + 8));
    assert_null(rig_find(&rig, CODE + 2 * PAGE - 1));
    changes_unmap(rig.translator, CODE + PAGE, UINT64_MAX); /* all the rest */
    assert_null(rig_find(&rig, pages[0] + 8));
    assert_null(rig_find(&rig, pages[2] + 8));
    assert_int_equal(rig.translator->statistics.flushes, 1);
}

static void the_first_unmapping_of_code_drops_all(void **state)
{
    (void)state;
    write_function(A, 1);
    write_function(CODE + 4 * PAGE, 1);
    rig_build(&rig, A);
    rig_build(&rig, CODE + 4 * PAGE);
    changes_unmap(rig.translator, CODE + 8 * PAGE, PAGE); /* no code was there */
    assert_int_equal(rig.translator->statistics.flushes, 0);
    changes_unmap(rig.translator, CODE, PAGE);
    assert_int_equal(rig.translator->statistics.flushes, 1);
    assert_true(rig.translator->changes.indexed);
    assert_false(rig.translator->changes.told);
    rig_build(&rig, A);
    assert_null(
        rig_find(&rig, A)->original->copy); /* it is known where it is from, not what it was */
}

/* A return address of the program may lead into any fragment: none may go alone. */
static void with_fast_returns_no_fragment_goes_alone(void **state)
{
    struct options options = rig_options();

    (void)state;
    options.returns = RETURNS_FAST;
    rig_create(&rig, &options);
    /* As if an earlier unmapping had not ended the program. */
    rig.translator->changes.originals = originals_create(CACHE_BYTES_DEFAULT);
    rig.translator->changes.indexed = true;
    write_function(A, 1);
    const bool fails = rig_fails(&rig, changes_unmap(rig.translator, CODE + 8 * PAGE, PAGE));
    assert_false(fails);
    rig_build(&rig, A);
    assert_true(rig_fails(&rig, changes_unmap(rig.translator, A & ~(guest_addr)(PAGE - 1), PAGE)));
    assert_non_null(strstr(rig.message, "--ret fast"));
}

/* A program that writes a function, says so and calls it, over and over. */
static void a_program_may_write_code_again_and_again(void **state)
{
    (void)state;
    go(CODE);
    put(TOY_CONST8, R4, 0, 60);
    put(TOY_CONST64, R2, 0, (int64_t)(A + 1));
    const guest_addr loop = put(TOY_STORE_BYTE, R4, R2, 0);
    put(TOY_SYNC, 0, 0, 0);
    put_to(TOY_CALL32, 0, A);
    put(TOY_ADD, R5, R3, 0);
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH8, IF_OTHER, loop);
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(reg(R5), 1830);
    assert_int_equal(rig.translator->statistics.code_syncs, 61);
}

/* Loops have exact counters, and the program has said once that its code may have changed. */
static void create_with_counters(void)
{
    struct options options = rig_options();

    options.counters = COUNTERS_SW_EXACT;
    options.threshold = 1000;
    rig_create(&rig, &options);
    rig_sync(&rig);
}

/* A counter of a sleeper stays where it is, and counts on. */
static void counts_go_on_when_a_fragment_wakes(void **state)
{
    (void)state;
    create_with_counters();
    put(TOY_CONST8, R4, 0, 50);
    const guest_addr head = put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH8, IF_OTHER, head);
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    const uint64_t once = rig_executions(&rig, head);
    fall_asleep();
    assert_null(rig_find(&rig, head));
    assert_int_equal(rig_executions(&rig, head), once);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(rig_executions(&rig, head), rig_counted(&rig, head));
    assert_true(rig_executions(&rig, head) > once + 40);
    assert_int_equal(count_get_totals(rig.translator).created, 1);
}

/* One whose code has changed is dropped with its counter, and what that counted is kept. */
static void counts_are_kept_when_code_changes(void **state)
{
    (void)state;
    create_with_counters();
    put(TOY_CONST8, R4, 0, 50);
    const guest_addr head = put(TOY_CONST8, R3, 0, 1);
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH8, IF_OTHER, head);
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    const uint64_t once = rig_executions(&rig, head);
    change(head, 5);
    rig_sync(&rig);
    assert_int_equal(rig_executions(&rig, head), once);
    assert_int_equal(count_get_totals(rig.translator).dropped, 1);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(rig_executions(&rig, head), rig_counted(&rig, head));
}

/* Without memory to keep what code was, each time all goes. */
static void without_memory_all_goes_each_time(void **state)
{
    (void)state;
    write_function(A, 1);
    for (unsigned i = 1; i < 4; i++) {
        rig.maps_left = i % 2; /* for a part of it, or for none */
        rig_build(&rig, A);
        rig_sync(&rig);
        assert_null(rig_find(&rig, A));
        assert_int_equal(rig.translator->statistics.flushes, i);
        assert_false(rig.translator->changes.indexed);
    }
}

/* The next fragment would find no room for what it is made from: all go before it is built. */
static void where_code_is_kept_no_more_all_goes(void **state)
{
    struct originals *originals = rig.translator->changes.originals;

    (void)state;
    rig_build(&rig, A);
    while (originals_have_room(originals)) {
        originals->next += 8;
    }
    originals->next -= 8;
    rig_build(&rig, B);
    assert_non_null(rig_find(&rig, A));
    assert_false(space_has_room(rig.translator));
    rig_dispatch_to(&rig, A);
    assert_non_null(rig_find(&rig, B));
    write_function(CODE, 3);
    rig_build(&rig, CODE);
    assert_null(rig_find(&rig, B));
    assert_int_equal(rig.translator->statistics.flushes, 2);
    assert_true(originals_have_room(originals));
    assert_true(space_has_room(rig.translator));
}

static void take_fault(int number, siginfo_t *info, void *frame)
{
    (void)number;
    (void)frame;
    if (rig.threads[0].context->reading == 0) {
        abort();
    }
    rig.threads[0].context->spoiled = 1;
    mprotect((void *)((uintptr_t)info->si_addr & ~(PAGE - 1)), PAGE, PROT_READ | PROT_WRITE);
}

/* What cannot be read any more is another than before. */
static void code_that_cannot_be_read_any_more_goes(void **state)
{
    const struct sigaction action = {.sa_sigaction = take_fault, .sa_flags = SA_SIGINFO};

    (void)state;
    sigaction(SIGSEGV, &action, NULL);
    rig_build(&rig, A);
    mprotect((void *)(uintptr_t)CODE, PAGE, PROT_NONE);
    rig_sync(&rig);
    assert_null(rig_find(&rig, A));
    assert_int_equal(rig.threads[0].context->spoiled, 0);
    rig_dispatch_to(&rig, A);
    fall_asleep();
    mprotect((void *)(uintptr_t)CODE, PAGE, PROT_NONE);
    rig_dispatch_to(&rig, A); /* a sleeper, too */
    assert_int_equal(rig.translator->statistics.fragments_changed, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_time_all_goes_and_is_kept_from_then_on),
        TEST_TOLD(only_what_has_changed_goes),
        TEST_TOLD(any_byte_that_has_changed_is_noticed),
        TEST_TOLD(what_is_not_used_falls_asleep_and_wakes_when_it_is),
        TEST_TOLD(what_has_changed_while_it_slept_is_built_anew),
        TEST_TOLD(sleepers_are_told_apart),
        TEST_TOLD(a_sleeper_whose_memory_goes_does_not_wake),
        TEST_TOLD(a_flush_forgets_sleepers),
        TEST_TOLD(links_are_there_again_when_a_fragment_wakes),
        TEST_TOLD(fixed_code_is_not_compared),
        TEST_TOLD(unmapping_drops_just_what_overlaps),
        TEST(the_first_unmapping_of_code_drops_all),
        TEST_ALONE(with_fast_returns_no_fragment_goes_alone),
        TEST_TOLD(a_program_may_write_code_again_and_again),
        TEST_ALONE(counts_go_on_when_a_fragment_wakes),
        TEST_ALONE(counts_are_kept_when_code_changes),
        TEST(without_memory_all_goes_each_time),
        TEST_TOLD(where_code_is_kept_no_more_all_goes),
        TEST_TOLD(code_that_cannot_be_read_any_more_goes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
