/* Tests how threads take turns, wait on futexes, and how virtual time passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/futex.h>

#include "linux_rig.h"
#include "machine/run.h"
#include "machine/linux/time.h"

enum {
    JUMP_TO_SELF = 0x0000006f,
    LI_A7_EXIT_GROUP = 0x05e00893,
    LI_A7_NANOSLEEP = 0x06500893,
    LI_A7_YIELD = 0x07c00893,
    ECALL = 0x00000073,
};
#define HOUR UINT64_C(3600000000000)

static void set_code(const uint32_t *words, size_t count)
{
    memory_write(&rig.machine.memory, CODE, words, count * sizeof *words);
}

static int64_t futex(struct thread *thread, guest_addr address, int operation, uint32_t value)
{
    return rig_call(thread, CALL_FUTEX, address, (uint64_t)operation, value, 0);
}

static void a_turn_has_an_exact_length(void **unused)
{
    const struct machine_options options = {.counter_entries = 64,
                                            .max_instructions = 10 * SCHEDULE_QUANTUM};
    const uint32_t code[] = {JUMP_TO_SELF};
    uint64_t hashes[2];
    (void)unused;

    for (int run = 0; run < 2; run++) {
        assert_int_equal(rig_create_with(&options), 0);
        set_code(code, 1);
        struct thread *second = rig_add_thread();
        run_process(&rig);
        assert_true(rig.limit_reached);
        assert_int_equal(rig.machine.instructions, 10 * SCHEDULE_QUANTUM);
        assert_int_equal(thread_first(&rig)->hart.instructions, 5 * SCHEDULE_QUANTUM);
        assert_int_equal(second->hart.instructions, 5 * SCHEDULE_QUANTUM);
        assert_int_equal(rig.schedule.switches, 9);
        hashes[run] = rig.schedule.hash;
        rig_destroy(NULL);
    }
    assert_int_equal(hashes[0], hashes[1]);
}

static void a_thread_can_give_up_its_turn(void **unused)
{
    const struct machine_options options = {.counter_entries = 64, .max_instructions = 20};
    const uint32_t code[] = {LI_A7_YIELD, ECALL};
    (void)unused;

    assert_int_equal(rig_create_with(&options), 0);
    set_code(code, 2);
    struct thread *second = rig_add_thread();
    run_process(&rig);
    /* Both fault behind their second instruction, the first one first. */
    assert_int_equal(thread_first(&rig)->hart.instructions, 2);
    assert_int_equal(second->hart.instructions, 2);
    assert_int_equal(rig.exit_signal, SIGILL);
    assert_int_equal(rig.schedule.switches, 2);
    rig_destroy(NULL);
}

static void sleeping_takes_virtual_time_only(void **unused)
{
    const uint32_t code[] = {LI_A7_NANOSLEEP, ECALL, LI_A7_EXIT_GROUP, ECALL};
    (void)unused;

    set_code(code, 4);
    rig_set_word(DATA, 3600);
    rig_set_word(DATA + 8, 0);
    thread_first(&rig)->hart.x[A0] = DATA;
    thread_first(&rig)->hart.x[A1] = 0;
    run_process(&rig);
    assert_int_equal(rig.exit_status, 0);
    assert_int_equal(rig.machine.idle_nanoseconds, HOUR);
    assert_int_equal(machine_virtual_time(&rig.machine), HOUR + 4);
}

static void who_waits_first_is_woken_first(void **unused)
{
    struct thread *waker = thread_first(&rig), *a = rig_add_thread(), *b = rig_add_thread();
    (void)unused;

    rig_set_word(DATA, 7);
    assert_int_equal(futex(b, DATA, FUTEX_WAIT, 8), -EAGAIN);
    assert_int_equal(futex(b, DATA, FUTEX_WAIT, 7), SYSCALL_BLOCKS);
    assert_int_equal(futex(a, DATA, FUTEX_WAIT_PRIVATE, 7), SYSCALL_BLOCKS);
    assert_int_equal(futex(waker, DATA + 8, FUTEX_WAKE, 1), 0);
    assert_int_equal(futex(waker, DATA, FUTEX_WAKE, 1), 1);
    assert_false(b->wait.futex);
    assert_true(a->wait.futex);
    assert_int_equal(syscall_dispatch(b), 0);
    assert_int_equal(b->task.state, TASK_RUNNABLE);
    assert_int_equal(syscall_dispatch(a), SYSCALL_BLOCKS);
    assert_int_equal(futex(waker, DATA, FUTEX_WAKE, INT32_MAX), 1);
}

static void waiters_move_to_another_word(void **unused)
{
    struct thread *waker = thread_first(&rig), *a = rig_add_thread(), *b = rig_add_thread(),
                  *c = rig_add_thread();
    (void)unused;

    rig_set_word(DATA, 0);
    futex(a, DATA, FUTEX_WAIT, 0);
    futex(b, DATA, FUTEX_WAIT, 0);
    futex(c, DATA, FUTEX_WAIT, 0);
    waker->hart.x[A4] = DATA + 8;
    waker->hart.x[A5] = 1;
    assert_int_equal(rig_call(waker, CALL_FUTEX, DATA, FUTEX_CMP_REQUEUE, 1, 1), -EAGAIN);
    waker->hart.x[A5] = 0;
    assert_int_equal(rig_call(waker, CALL_FUTEX, DATA, FUTEX_CMP_REQUEUE, 1, 1), 2);
    assert_false(a->wait.futex);
    assert_int_equal(b->wait.futex_key, DATA + 8);
    assert_int_equal(c->wait.futex_key, DATA);
    assert_int_equal(futex(waker, DATA + 8, FUTEX_WAKE, 1), 1);
    assert_false(b->wait.futex);
}

static void a_wait_has_an_end(void **unused)
{
    struct thread *thread = thread_first(&rig);
    (void)unused;

    rig_set_word(DATA, 0);
    rig_set_word(DATA + 16, 0);
    rig_set_word(DATA + 24, 1000);
    assert_int_equal(rig_call(thread, CALL_FUTEX, DATA, FUTEX_WAIT, 0, DATA + 16), SYSCALL_BLOCKS);
    rig.machine.idle_nanoseconds += 999;
    assert_int_equal(syscall_dispatch(thread), SYSCALL_BLOCKS);
    rig.machine.idle_nanoseconds += 1;
    assert_int_equal(syscall_dispatch(thread), -ETIMEDOUT);
    assert_int_equal(futex(thread, DATA, FUTEX_WAKE, 1), 0);
    assert_int_equal(futex(thread, DATA + 2, FUTEX_WAIT, 0), -EINVAL);
    assert_int_equal(futex(thread, 64, FUTEX_WAIT, 0), -EFAULT);
    assert_int_equal(futex(thread, GUEST_SPACE_BYTES, FUTEX_WAIT, 0), -EFAULT);
}

static void an_owned_lock_goes_to_the_next_in_line(void **unused)
{
    struct thread *owner = thread_first(&rig), *a = rig_add_thread(), *b = rig_add_thread();
    (void)unused;

    rig_set_word(DATA, 0);
    assert_int_equal(futex(owner, DATA, FUTEX_LOCK_PI, 0), 0);
    assert_int_equal(rig_word(DATA), owner->tid);
    assert_int_equal(futex(owner, DATA, FUTEX_LOCK_PI, 0), -EDEADLK);
    assert_int_equal(futex(a, DATA, FUTEX_TRYLOCK_PI, 0), -EAGAIN);
    assert_int_equal(futex(a, DATA, FUTEX_LOCK_PI, 0), SYSCALL_BLOCKS);
    assert_int_equal(futex(b, DATA, FUTEX_LOCK_PI, 0), SYSCALL_BLOCKS);
    assert_int_equal(futex(owner, DATA, FUTEX_UNLOCK_PI, 0), 0);
    assert_int_equal(rig_word(DATA), (uint32_t)a->tid | FUTEX_WAITERS);
    assert_int_equal(futex(owner, DATA, FUTEX_UNLOCK_PI, 0), -EPERM);
    assert_int_equal(syscall_dispatch(a), 0);
    assert_int_equal(futex(a, DATA, FUTEX_UNLOCK_PI, 0), 0);
    assert_int_equal(rig_word(DATA), b->tid);
}

static void a_lock_that_nobody_owns_cannot_be_waited_for(void **unused)
{
    (void)unused;
    rig_set_word(DATA, 0x3fffffff);
    assert_int_equal(futex(thread_first(&rig), DATA, FUTEX_LOCK_PI, 0), -ESRCH);
}

/* Thread exit: the futex of pthread_join, and locks that the thread still holds. */
static void an_ending_thread_tells_others(void **unused)
{
    enum { ROBUST = 512, LOCK = 1024 };
    struct thread *joiner = thread_first(&rig), *ending = rig_add_thread();
    (void)unused;

    rig_set_word(DATA, (uint64_t)ending->tid);
    rig_set_word(DATA + LOCK + 8, (uint64_t)ending->tid | FUTEX_WAITERS);
    rig_set_word(DATA + ROBUST, DATA + LOCK); /* the list's head: first entry, */
    rig_set_word(DATA + ROBUST + 8, 8);       /* where a lock is in an entry, */
    rig_set_word(DATA + ROBUST + 16, 0);      /* none half taken */
    rig_set_word(DATA + LOCK, DATA + ROBUST); /* the entry's link: back to the head */
    ending->clear_child_tid = DATA;
    ending->robust_list = DATA + ROBUST;
    assert_int_equal(futex(joiner, DATA, FUTEX_WAIT, (uint32_t)ending->tid), SYSCALL_BLOCKS);
    assert_int_equal(rig_call(ending, 93, 0, 0, 0, 0), SYSCALL_JUMPED);
    assert_int_equal(ending->task.state, TASK_EXITED);
    assert_false(rig.schedule.ended);
    assert_int_equal(rig_word(DATA), 0);
    assert_false(joiner->wait.futex);
    assert_int_equal(rig_word(DATA + LOCK + 8), FUTEX_WAITERS | FUTEX_OWNER_DIED);
}

/* A timer that was due long ago, and whose next time does not fit. */
static void timers_never_run_backwards(void **unused)
{
    uint64_t deadline = 10;
    (void)unused;

    assert_int_equal(time_advance(&deadline, 5, 22), 3);
    assert_int_equal(deadline, 25);
    assert_int_equal(time_advance(&deadline, 0, 25), 1);
    assert_int_equal(deadline, WAIT_FOREVER);
    deadline = 10;
    assert_int_equal(time_advance(&deadline, WAIT_FOREVER - 3, 22), 1);
    assert_int_equal(deadline, WAIT_FOREVER);
}

static void missed_expiries_are_counted_as_far_as_they_fit(void **unused)
{
    enum { CALL_TIMER_CREATE = 107, CALL_TIMER_GETOVERRUN = 109, CALL_TIMER_SETTIME = 110 };
    struct thread *thread = thread_first(&rig);
    (void)unused;

    thread->blocked = SIGNAL_BIT(SIGALRM);
    assert_int_equal(rig_call(thread, CALL_TIMER_CREATE, 1, 0, DATA, 0), 0);
    rig_set_word(DATA + 8, 0); /* every nanosecond, from the first on */
    rig_set_word(DATA + 16, 1);
    rig_set_word(DATA + 24, 0);
    rig_set_word(DATA + 32, 1);
    assert_int_equal(rig_call(thread, CALL_TIMER_SETTIME, 0, 0, DATA + 8, 0), 0);
    for (int hour = 0; hour < 2; hour++) {
        rig.machine.idle_nanoseconds += HOUR;
        timer_expire(&rig);
        assert_int_equal(rig_call(thread, CALL_TIMER_GETOVERRUN, 0, 0, 0, 0), INT32_MAX);
    }
}

#define IN_RIG(test) cmocka_unit_test_setup_teardown(test, rig_create, rig_destroy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_has_an_exact_length),
        cmocka_unit_test(a_thread_can_give_up_its_turn),
        IN_RIG(sleeping_takes_virtual_time_only),
        IN_RIG(who_waits_first_is_woken_first),
        IN_RIG(waiters_move_to_another_word),
        IN_RIG(a_wait_has_an_end),
        IN_RIG(an_owned_lock_goes_to_the_next_in_line),
        IN_RIG(a_lock_that_nobody_owns_cannot_be_waited_for),
        IN_RIG(an_ending_thread_tells_others),
        IN_RIG(timers_never_run_backwards),
        IN_RIG(missed_expiries_are_counted_as_far_as_they_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
