/* A process in an empty machine, for tests of the Linux layer: no program is loaded. */
#ifndef STRATA_TESTS_LINUX_RIG_H
#define STRATA_TESTS_LINUX_RIG_H

#include <errno.h>
#include <string.h>

#include "machine/linux/process.h"
#include "machine/linux/signal.h"
#include "machine/linux/thread.h"

enum { RA = 1, SP = 2, A0 = 10, A1 = 11, A2 = 12, A3 = 13, A4 = 14, A5 = 15, A7 = 17 };

enum {
    CALL_FUTEX = 98,
    CALL_NANOSLEEP = 101,
    CALL_TGKILL = 131,
    CALL_SIGALTSTACK = 132,
    CALL_SIGACTION = 134,
    CALL_SIGTIMEDWAIT = 137,
    CALL_SIGRETURN = 139,
};

#define CODE UINT64_C(0x10000)
#define DATA UINT64_C(0x20000)
#define STACK UINT64_C(0x30000)
#define STACK_END (STACK + GUEST_PAGE_BYTES)
#define HANDLER UINT64_C(0x12340)

static struct process rig;

static inline int rig_create_with(const struct machine_options *options)
{
    if (!process_create(&rig, options)) {
        return -1;
    }
    struct memory *memory = &rig.machine.memory;
    int error = memory_map(memory, CODE, GUEST_PAGE_BYTES, PAGE_READ | PAGE_EXECUTE | PAGE_WRITE,
                           false, -1, 0);
    error |= memory_map(memory, DATA, GUEST_PAGE_BYTES, PAGE_READ | PAGE_WRITE, false, -1, 0);
    error |= memory_map(memory, STACK, GUEST_PAGE_BYTES, PAGE_READ | PAGE_WRITE, false, -1, 0);
    thread_first(&rig)->hart.pc = CODE;
    thread_first(&rig)->hart.x[SP] = STACK_END;
    return error;
}

static inline int rig_create(void **unused)
{
    const struct machine_options options = {.counter_entries = 64};
    (void)unused;
    return rig_create_with(&options);
}

static inline int rig_destroy(void **unused)
{
    (void)unused;
    process_destroy(&rig);
    return 0;
}

static inline struct thread *rig_add_thread(void)
{
    struct thread *thread = thread_create(&rig, rig.next_tid++);

    schedule_add(&rig.schedule, &thread->task);
    thread->hart.pc = CODE;
    thread->hart.x[SP] = STACK_END;
    thread_make_runnable(thread);
    return thread;
}

/* The thread stands at an ecall and makes this call. */
static inline int64_t rig_call(struct thread *thread, uint64_t number, uint64_t a0, uint64_t a1,
                               uint64_t a2, uint64_t a3)
{
    thread->hart.x[A7] = number;
    thread->hart.x[A0] = a0;
    thread->hart.x[A1] = a1;
    thread->hart.x[A2] = a2;
    thread->hart.x[A3] = a3;
    return syscall_dispatch(thread);
}

static inline uint64_t rig_word(guest_addr address)
{
    uint64_t word = 0;
    memory_read(&rig.machine.memory, &word, address, sizeof word);
    return word;
}

static inline void rig_set_word(guest_addr address, uint64_t word)
{
    memory_write(&rig.machine.memory, address, &word, sizeof word);
}

#endif
