/* Tests signals: frames byte by byte, queues, masks, alternate stacks, restarted calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linux_rig.h"

/* Offsets in struct rt_sigframe of RV64 Linux. */
enum {
    FRAME_BYTES = 1088,
    FRAME_CONTEXT = 128,
    CONTEXT_STACK = 16,
    CONTEXT_MASK = 40,
    CONTEXT_PC = 176,
    CONTEXT_FLOAT = 432,
    CONTEXT_FCSR = 688,
    CONTEXT_RESERVED = 948, /* of the floating-point state, must be zero */
};

static void handle(int number, uint64_t flags, guest_sigset mask)
{
    rig.actions[number] = (struct signal_action){HANDLER, flags, mask};
}

static void send(struct thread *thread, int number, int32_t value)
{
    struct guest_siginfo info = {.signo = number, .code = SI_QUEUE};
    memcpy(info.fields + 8, &value, sizeof value);
    signal_send_thread(thread, &info);
}

static int32_t taken_value(struct thread *thread, int number)
{
    struct guest_siginfo info;
    int32_t value = -1;

    if (signal_take(thread, ~UINT64_C(0), &info)) {
        assert_int_equal(info.signo, number);
        memcpy(&value, info.fields + 8, sizeof value);
    }
    return value;
}

static void the_frame_is_the_kernels(void **unused)
{
    struct thread *thread = thread_first(&rig);
    struct hart *hart = &thread->hart;
    (void)unused;

    for (unsigned i = 3; i < 32; i++) {
        hart->x[i] = 1000 + i;
    }
    for (unsigned i = 0; i < 32; i++) {
        hart->f[i] = 2000 + i;
    }
    hart->x[RA] = 77;
    hart->x[SP] = STACK_END - 8;
    hart->rounding_mode = 3;
    hart->float_flags = 0x11;
    thread->blocked = SIGNAL_BIT(SIGUSR2);
    handle(SIGUSR1, GUEST_SA_SIGINFO, SIGNAL_BIT(SIGHUP) | SIGNAL_BIT(SIGKILL));
    send(thread, SIGUSR1, 5);
    assert_true(signal_deliverable(thread));
    signal_deliver(thread);

    guest_addr frame = hart->x[SP], context = frame + FRAME_CONTEXT;
    assert_int_equal(frame, (STACK_END - 8 - FRAME_BYTES) & ~UINT64_C(15));
    assert_int_equal(hart->pc, HANDLER);
    assert_int_equal(hart->x[A0], SIGUSR1);
    assert_int_equal(hart->x[A1], frame);
    assert_int_equal(hart->x[A2], context);
    assert_int_equal(rig_word(hart->x[RA]), UINT64_C(0x0000007308b00893));
    assert_int_equal(rig_word(frame) & UINT32_MAX, SIGUSR1);
    assert_int_equal(rig_word(context + CONTEXT_STACK + 8) & UINT32_MAX, 2); /* SS_DISABLE */
    assert_int_equal(rig_word(context + CONTEXT_MASK), SIGNAL_BIT(SIGUSR2));
    assert_int_equal(rig_word(context + CONTEXT_PC), CODE);
    assert_int_equal(rig_word(context + CONTEXT_PC + 8), 77);
    assert_int_equal(rig_word(context + CONTEXT_PC + 16), STACK_END - 8);
    assert_int_equal(rig_word(context + CONTEXT_PC + 8 * 31), 1031);
    assert_int_equal(rig_word(context + CONTEXT_FLOAT), 2000);
    assert_int_equal(rig_word(context + CONTEXT_FLOAT + 8 * 31), 2031);
    assert_int_equal(rig_word(context + CONTEXT_FCSR), 0x71);
    assert_int_equal(thread->blocked,
                     SIGNAL_BIT(SIGUSR1) | SIGNAL_BIT(SIGUSR2) | SIGNAL_BIT(SIGHUP));

    /* What a handler writes into the frame is what it returns to. */
    rig_set_word(context + CONTEXT_PC, CODE + 12);
    rig_set_word(context + CONTEXT_PC + 8 * A0, 4711);
    rig_set_word(context + CONTEXT_FCSR, 0x2e);
    rig_set_word(context + CONTEXT_MASK, SIGNAL_BIT(SIGTERM) | SIGNAL_BIT(SIGSTOP));
    hart->x[A7] = CALL_SIGRETURN;
    assert_int_equal(syscall_dispatch(thread), SYSCALL_JUMPED);
    assert_int_equal(hart->pc, CODE + 12);
    assert_int_equal(hart->x[A0], 4711);
    assert_int_equal(hart->x[31], 1031);
    assert_int_equal(hart->x[SP], STACK_END - 8);
    assert_int_equal(hart->rounding_mode, 1);
    assert_int_equal(hart->float_flags, 0xe);
    assert_int_equal(thread->blocked, SIGNAL_BIT(SIGTERM));
}

/* The kernel enters and leaves handlers through sepc, which has no bit 0. */
static void addresses_of_code_are_even(void **unused)
{
    struct thread *thread = thread_first(&rig);
    (void)unused;

    rig.actions[SIGUSR1] = (struct signal_action){HANDLER + 1, 0, 0};
    send(thread, SIGUSR1, 0);
    signal_deliver(thread);
    assert_int_equal(thread->hart.pc, HANDLER);
    rig_set_word(thread->hart.x[SP] + FRAME_CONTEXT + CONTEXT_PC, CODE + 5);
    thread->hart.x[A7] = CALL_SIGRETURN;
    syscall_dispatch(thread);
    assert_int_equal(thread->hart.pc, CODE + 4);
}

static void a_damaged_frame_is_a_segmentation_fault(void **unused)
{
    struct thread *thread = thread_first(&rig);
    (void)unused;

    thread->hart.x[SP] = STACK;
    rig_set_word(STACK + FRAME_CONTEXT + CONTEXT_RESERVED, 1);
    thread->hart.x[A7] = CALL_SIGRETURN;
    assert_int_equal(syscall_dispatch(thread), SYSCALL_JUMPED);
    signal_deliver(thread);
    assert_int_equal(rig.exit_signal, SIGSEGV);
}

static void no_room_for_a_frame_is_a_segmentation_fault(void **unused)
{
    struct thread *thread = thread_first(&rig);
    (void)unused;

    handle(SIGUSR1, 0, 0);
    thread->hart.x[SP] = STACK + 512;
    send(thread, SIGUSR1, 0);
    signal_deliver(thread);
    assert_false(rig.schedule.ended);
    signal_deliver(thread);
    assert_true(rig.schedule.ended);
    assert_int_equal(rig.exit_signal, SIGSEGV);
}

static void standard_signals_merge_and_real_time_ones_queue(void **unused)
{
    struct thread *thread = thread_first(&rig);
    (void)unused;

    thread->blocked = ~UINT64_C(0);
    send(thread, 40, 1);
    send(thread, SIGUSR2, 2);
    send(thread, 40, 3);
    send(thread, SIGUSR2, 4);
    send(thread, 35, 5);
    send(thread, 32, 7); /* the first of those that queue */
    send(thread, 32, 8);
    send(thread, SIGSEGV, 6);
    assert_int_equal(taken_value(thread, SIGSEGV), 6); /* faults first, then by number */
    assert_int_equal(taken_value(thread, SIGUSR2), 2);
    assert_int_equal(taken_value(thread, 32), 7);
    assert_int_equal(taken_value(thread, 32), 8);
    assert_int_equal(taken_value(thread, 35), 5);
    assert_int_equal(taken_value(thread, 40), 1);
    assert_int_equal(thread->signals.pending, SIGNAL_BIT(40));
    assert_int_equal(taken_value(thread, 40), 3);
    assert_int_equal(thread->signals.pending, 0);
    assert_int_equal(taken_value(thread, 0), -1);
}

static void stops_and_continuations_cancel_each_other(void **unused)
{
    struct thread *thread = thread_first(&rig);
    (void)unused;

    thread->blocked = ~UINT64_C(0);
    send(thread, SIGTSTP, 1);
    send(thread, SIGCONT, 2);
    assert_int_equal(thread->signals.pending, SIGNAL_BIT(SIGCONT));
    send(thread, SIGTTIN, 3);
    assert_int_equal(thread->signals.pending, SIGNAL_BIT(SIGTTIN));
}

static void ignored_signals_are_dropped_unless_blocked(void **unused)
{
    struct thread *thread = thread_first(&rig);
    (void)unused;

    send(thread, SIGCHLD, 1);
    rig.actions[SIGUSR1].handler = SIGNAL_IGNORE;
    send(thread, SIGUSR1, 1);
    assert_int_equal(thread->signals.pending, 0);
    thread->blocked = SIGNAL_BIT(SIGUSR1);
    send(thread, SIGUSR1, 1);
    assert_int_equal(thread->signals.pending, SIGNAL_BIT(SIGUSR1));
    thread->blocked = 0;
    signal_deliver(thread);
    assert_int_equal(thread->signals.pending, 0);
    assert_int_equal(thread->hart.pc, CODE);
}

static void the_first_thread_that_lets_it_through_takes_it(void **unused)
{
    struct thread *first = thread_first(&rig), *second = rig_add_thread(),
                  *third = rig_add_thread();
    struct guest_siginfo info = signal_info_sent(SIGUSR1, SI_USER);
    (void)unused;

    handle(SIGUSR1, 0, 0);
    first->blocked = SIGNAL_BIT(SIGUSR1);
    signal_send_process(&rig, &info);
    assert_false(signal_deliverable(first));
    assert_true(signal_deliverable(second));
    assert_false(signal_deliverable(third));
    second->task.state = TASK_EXITED;
    assert_true(signal_deliverable(third));
    first->blocked = 0;
    assert_true(signal_deliverable(first));
    assert_false(signal_deliverable(third));
}

static void a_fault_is_not_stopped_by_masks(void **unused)
{
    struct thread *thread = thread_first(&rig);
    (void)unused;

    handle(SIGSEGV, 0, 0);
    thread->blocked = SIGNAL_BIT(SIGSEGV);
    signal_fault(thread, SIGSEGV, SEGV_MAPERR, 0x123);
    assert_true(signal_deliverable(thread));
    signal_deliver(thread);
    assert_int_equal(rig.exit_signal, SIGSEGV);
}

static void signals_wait_for_the_end_of_a_callback(void **unused)
{
    struct thread *thread = thread_first(&rig);
    (void)unused;

    handle(SIGUSR1, 0, 0);
    handle(SIGSEGV, 0, 0);
    send(thread, SIGUSR1, 0);
    thread->hart.in_callback = true;
    assert_false(signal_deliverable(thread));
    thread->hart.in_callback = false;
    thread->hart.skip_count_at = thread->hart.pc;
    assert_false(signal_deliverable(thread));
    thread->hart.skip_count_at = HART_NO_ADDRESS;
    assert_true(signal_deliverable(thread));
    /* But not a fault of the callback itself: it could not go on. */
    thread->hart.in_callback = true;
    signal_fault(thread, SIGSEGV, SEGV_MAPERR, 0x123);
    assert_true(signal_deliverable(thread));
    signal_deliver(thread);
    assert_int_equal(thread->hart.x[A0], SIGSEGV);
}

static void handlers_run_on_the_alternate_stack(void **unused)
{
    struct thread *thread = thread_first(&rig);
    struct hart *hart = &thread->hart;
    (void)unused;

    rig_set_word(DATA, STACK);
    rig_set_word(DATA + 8, 0);
    rig_set_word(DATA + 16, 1000);
    assert_int_equal(rig_call(thread, CALL_SIGALTSTACK, DATA, 0, 0, 0), -ENOMEM);
    rig_set_word(DATA + 16, 2048);
    assert_int_equal(rig_call(thread, CALL_SIGALTSTACK, DATA, 0, 0, 0), 0);

    hart->x[SP] = STACK_END;
    handle(SIGUSR1, GUEST_SA_ONSTACK | GUEST_SA_NODEFER, 0);
    send(thread, SIGUSR1, 0);
    signal_deliver(thread);
    assert_int_equal(hart->x[SP], STACK + 2048 - FRAME_BYTES);
    assert_int_equal(rig_call(thread, CALL_SIGALTSTACK, 0, DATA, 0, 0), 0);
    assert_int_equal(rig_word(DATA + 8) & UINT32_MAX, 1); /* SS_ONSTACK */
    rig_set_word(DATA + 8, 2);
    assert_int_equal(rig_call(thread, CALL_SIGALTSTACK, DATA, 0, 0, 0), -EPERM);

    /* A second frame does not fit: it must not run over what lies below. */
    send(thread, SIGUSR1, 0);
    signal_deliver(thread);
    signal_deliver(thread);
    assert_int_equal(rig.exit_signal, SIGSEGV);
}

static void a_handler_can_be_for_once(void **unused)
{
    struct thread *thread = thread_first(&rig);
    (void)unused;

    handle(SIGUSR1, GUEST_SA_RESETHAND | GUEST_SA_NODEFER, 0);
    send(thread, SIGUSR1, 0);
    signal_deliver(thread);
    assert_int_equal(thread->hart.pc, HANDLER);
    assert_int_equal(thread->blocked, 0);
    assert_int_equal(rig.actions[SIGUSR1].handler, SIGNAL_DEFAULT);
    send(thread, SIGUSR1, 0);
    signal_deliver(thread);
    assert_int_equal(rig.exit_signal, SIGUSR1);
}

/* Blocks in a futex call, gets a signal, and says where it will go on. */
static guest_addr interrupt_futex(uint64_t flags, bool timed)
{
    struct thread *thread = thread_first(&rig);

    rig_set_word(DATA + 64, 3600);
    rig_set_word(DATA + 72, 0);
    handle(SIGUSR1, flags, 0);
    assert_int_equal(rig_call(thread, CALL_FUTEX, DATA, 0, 0, timed ? DATA + 64 : 0),
                     SYSCALL_BLOCKS);
    assert_int_equal(thread->task.state, TASK_WAITING);
    send(thread, SIGUSR1, 0);
    signal_deliver(thread);
    assert_int_equal(thread->task.state, TASK_RUNNABLE);
    assert_false(thread->wait.futex);
    return rig_word(thread->hart.x[A2] + CONTEXT_PC);
}

static int64_t saved_a0(void)
{
    return (int64_t)rig_word(thread_first(&rig)->hart.x[A2] + CONTEXT_PC + 8 * A0);
}

static void calls_restart_if_the_handler_allows(void **unused)
{
    (void)unused;
    assert_int_equal(interrupt_futex(GUEST_SA_RESTART, false), CODE);
    assert_int_equal(saved_a0(), DATA);
}

static void calls_end_if_the_handler_does_not(void **unused)
{
    (void)unused;
    assert_int_equal(interrupt_futex(0, false), CODE + 4);
    assert_int_equal(saved_a0(), -EINTR);
}

static void timed_calls_never_restart(void **unused)
{
    (void)unused;
    assert_int_equal(interrupt_futex(GUEST_SA_RESTART, true), CODE + 4);
    assert_int_equal(saved_a0(), -EINTR);
}

static void an_interrupted_sleep_tells_the_rest(void **unused)
{
    struct thread *thread = thread_first(&rig);
    (void)unused;

    rig_set_word(DATA, 5);
    rig_set_word(DATA + 8, 10);
    assert_int_equal(rig_call(thread, CALL_NANOSLEEP, DATA, DATA + 16, 0, 0), SYSCALL_BLOCKS);
    rig.machine.idle_nanoseconds += UINT64_C(2000000003);
    thread->wait.interrupted = true;
    assert_int_equal(syscall_dispatch(thread), SYSCALL_BLOCKS);
    assert_int_equal(rig_word(DATA + 16), 3);
    assert_int_equal(rig_word(DATA + 24), 7);
}

static void sigtimedwait_takes_only_its_set(void **unused)
{
    struct thread *thread = thread_first(&rig);
    (void)unused;

    thread->blocked = SIGNAL_BIT(SIGUSR1) | SIGNAL_BIT(SIGUSR2);
    rig_set_word(DATA, SIGNAL_BIT(SIGUSR2));
    send(thread, SIGUSR1, 1);
    assert_int_equal(rig_call(thread, CALL_SIGTIMEDWAIT, DATA, DATA + 256, 0, 8), SYSCALL_BLOCKS);
    send(thread, SIGUSR2, 2);
    assert_int_equal(syscall_dispatch(thread), SIGUSR2);
    assert_int_equal(rig_word(DATA + 256 + 24), 2);
    assert_int_equal(thread->signals.pending, SIGNAL_BIT(SIGUSR1));
    assert_int_equal(thread->hart.pc, CODE + 4);
}

static void sigaction_checks_and_cleans(void **unused)
{
    struct thread *thread = thread_first(&rig);
    (void)unused;

    rig_set_word(DATA, HANDLER);
    rig_set_word(DATA + 8, GUEST_SA_RESTART | UINT64_C(0x400));
    rig_set_word(DATA + 16, ~UINT64_C(0));
    assert_int_equal(rig_call(thread, CALL_SIGACTION, SIGKILL, DATA, 0, 8), -EINVAL);
    assert_int_equal(rig_call(thread, CALL_SIGACTION, 0, DATA, 0, 8), -EINVAL);
    assert_int_equal(rig_call(thread, CALL_SIGACTION, 65, DATA, 0, 8), -EINVAL);
    assert_int_equal(rig_call(thread, CALL_SIGACTION, SIGUSR1, DATA, 0, 16), -EINVAL);
    assert_int_equal(rig_call(thread, CALL_SIGACTION, SIGUSR1, 8, 0, 8), -EFAULT);
    assert_int_equal(rig_call(thread, CALL_SIGACTION, SIGUSR1, DATA, DATA + 64, 8), 0);
    assert_int_equal(rig_word(DATA + 64), SIGNAL_DEFAULT);
    assert_int_equal(rig.actions[SIGUSR1].flags, GUEST_SA_RESTART);
    assert_int_equal(rig.actions[SIGUSR1].mask, ~SIGNALS_UNBLOCKABLE);
}

#define IN_RIG(test) cmocka_unit_test_setup_teardown(test, rig_create, rig_destroy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_RIG(the_frame_is_the_kernels),
        IN_RIG(addresses_of_code_are_even),
        IN_RIG(a_damaged_frame_is_a_segmentation_fault),
        IN_RIG(no_room_for_a_frame_is_a_segmentation_fault),
        IN_RIG(standard_signals_merge_and_real_time_ones_queue),
        IN_RIG(stops_and_continuations_cancel_each_other),
        IN_RIG(ignored_signals_are_dropped_unless_blocked),
        IN_RIG(the_first_thread_that_lets_it_through_takes_it),
        IN_RIG(a_fault_is_not_stopped_by_masks),
        IN_RIG(signals_wait_for_the_end_of_a_callback),
        IN_RIG(handlers_run_on_the_alternate_stack),
        IN_RIG(a_handler_can_be_for_once),
        IN_RIG(calls_restart_if_the_handler_allows),
        IN_RIG(calls_end_if_the_handler_does_not),
        IN_RIG(timed_calls_never_restart),
        IN_RIG(an_interrupted_sleep_tells_the_rest),
        IN_RIG(sigtimedwait_takes_only_its_set),
        IN_RIG(sigaction_checks_and_cleans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
