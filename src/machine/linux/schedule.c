/* What lets threads run and wait: signals, timers and the host between instructions, and the order of turns. */
#define _GNU_SOURCE
#include "machine/linux/schedule.h"

#include "machine/linux/futex.h"
#include "machine/linux/signal.h"
#include "machine/linux/system.h"
#include "machine/linux/thread.h"
#include "machine/linux/time.h"
#include "machine/linux/together.h"
#include "machine/pipeline/pipeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* How long the host waits before it looks at a futex that other processes
 * share, when it cannot wait for that alone. */
#define HOST_FUTEX_SLICE UINT64_C(1000000)

/* As timeout(1) has it: neither the program nor Strata failed. */
#define LIMIT_EXIT_STATUS 124

#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

uint64_t schedule_now(struct process *process)
{
    struct machine *machine = &process->machine;

    if (machine->options.real_time) {
        struct timespec host;
        clock_gettime(CLOCK_MONOTONIC, &host);
        uint64_t now = (uint64_t)host.tv_sec * NANOSECONDS + (uint64_t)host.tv_nsec;
        uint64_t passed = now - process->host_start;
        uint64_t shown = machine_virtual_time(machine);
        if (passed > shown) {
            machine->idle_nanoseconds += passed - shown;
        }
    }
    return machine_virtual_time(machine);
}

void schedule_make_runnable(struct thread *thread)
{
    thread->state = THREAD_RUNNABLE;
    thread->ready_order = ++thread->process->ready_sequence;
}

void schedule_yield(struct process *process)
{
    process->turn_over = true;
}

void schedule_release_fds(struct thread *thread)
{
    free(thread->wait.fds);
    thread->wait.fds = NULL;
    thread->wait.fd_count = 0;
}

void schedule_end_wait(struct thread *thread)
{
    schedule_release_fds(thread);
    thread->wait.futex = false;
    thread->wait.child = false;
    thread->wait.signal = false;
    thread->wait.woken = false;
    if (thread->state == THREAD_WAITING) {
        schedule_make_runnable(thread);
    }
}

static bool awaits_host(const struct thread_wait *wait)
{
    return wait->fd_count != 0 || wait->child || (wait->futex && wait->host_futex);
}

struct outlook schedule_look_at_others(const struct process *process, const struct thread *running)
{
    struct outlook outlook = {false, false, WAIT_FOREVER};

    for (const struct thread *thread = process->threads; thread != NULL; thread = thread->next) {
        if (thread == running) {
            continue;
        }
        if (thread->state == THREAD_RUNNABLE) {
            outlook.others_runnable = true;
        } else if (thread->state == THREAD_WAITING) {
            /* One that was just woken or signalled: attend to it soon. */
            outlook.others_runnable |= thread->wait.woken || signal_deliverable(thread);
            outlook.host_awaited |= awaits_host(&thread->wait);
            if (thread->wait.deadline < outlook.deadline) {
                outlook.deadline = thread->wait.deadline;
            }
        }
    }
    return outlook;
}

/* Asks the host about all descriptors that threads wait for, and marks the
 * threads whose are ready.  Returns what signal_host_wait does. */
static int poll_host(struct process *process, uint64_t nanoseconds)
{
    unsigned count = 0;

    for (const struct thread *thread = process->threads; thread != NULL; thread = thread->next) {
        count += thread->state == THREAD_WAITING ? thread->wait.fd_count : 0;
    }
    struct pollfd *fds = count == 0 ? NULL : malloc(count * sizeof *fds);
    if (fds == NULL) {
        count = 0;
    }
    unsigned used = 0;
    for (const struct thread *thread = process->threads; thread != NULL; thread = thread->next) {
        for (unsigned i = 0; thread->state == THREAD_WAITING && i < thread->wait.fd_count; i++) {
            if (used < count) {
                fds[used++] = thread->wait.fds[i];
            }
        }
    }
    int ready = nanoseconds == 0 ? poll(fds, count, 0) : signal_host_wait(fds, count, nanoseconds);
    used = 0;
    for (struct thread *thread = process->threads; ready > 0 && thread != NULL;
         thread = thread->next) {
        for (unsigned i = 0; thread->state == THREAD_WAITING && i < thread->wait.fd_count; i++) {
            if (used < count && fds[used++].revents != 0) {
                thread->wait.woken = true;
            }
        }
    }
    free(fds);
    return ready;
}

/* A waiting thread's call is tried again if anything it waits for has
 * happened; a signal ends a wait that still has nothing to show. */
static void attend_thread(struct thread *thread, uint64_t now)
{
    struct thread_wait *wait = &thread->wait;
    bool interrupted = signal_deliverable(thread);

    if (!wait->woken && now < wait->deadline && !interrupted &&
        !(wait->signal && (signal_pending(thread) & wait->wait_set) != 0)) {
        return;
    }
    wait->woken = false;
    wait->interrupted = interrupted;
    syscall_dispatch(thread);
    while (thread->state == THREAD_WAITING && !thread->process->exiting &&
           signal_deliverable(thread)) {
        signal_deliver(thread);
    }
    wait->interrupted = false;
}

/* Everything that happens between instructions: signals from outside, timers,
 * waits that end. */
void schedule_attend(struct process *process, bool host_awaited)
{
    if (signal_host_noted()) {
        signal_host_collect(process);
    }
    if (process->timers_armed) {
        timer_expire(process);
    }
    if (host_awaited) {
        poll_host(process, 0);
    }
    uint64_t now = schedule_now(process);
    for (struct thread *thread = process->threads; thread != NULL && !process->exiting;
         thread = thread->next) {
        if (thread->state == THREAD_WAITING) {
            attend_thread(thread, now);
        }
    }
}

static struct thread *only_host_futex(const struct process *process)
{
    struct thread *only = NULL;

    for (struct thread *thread = process->threads; thread != NULL; thread = thread->next) {
        if (thread->state != THREAD_WAITING || !awaits_host(&thread->wait)) {
            continue;
        }
        if (only != NULL || !thread->wait.futex) {
            return NULL;
        }
        only = thread;
    }
    return only;
}

static bool host_futex_awaited(const struct process *process)
{
    for (const struct thread *thread = process->threads; thread != NULL; thread = thread->next) {
        if (thread->state == THREAD_WAITING && thread->wait.futex && thread->wait.host_futex) {
            return true;
        }
    }
    return false;
}

static void wake_host_futexes(struct process *process)
{
    for (struct thread *thread = process->threads; thread != NULL; thread = thread->next) {
        thread->wait.woken |= thread->wait.futex && thread->wait.host_futex;
    }
}

bool schedule_wait_in_host(struct process *process, uint64_t nanoseconds)
{
    if (!host_futex_awaited(process)) {
        return poll_host(process, nanoseconds) == 0;
    }
    struct thread *only = only_host_futex(process);
    bool quiet = only != NULL ? !futex_wait_in_host(only, nanoseconds)
                              : poll_host(process, nanoseconds) == 0;
    wake_host_futexes(process);
    return quiet && !signal_host_noted();
}

uint64_t schedule_next_deadline(struct process *process)
{
    const uint64_t timer = timer_next_expiry(process, schedule_now(process), false);
    const uint64_t deadline = schedule_look_at_others(process, NULL).deadline;

    return timer < deadline ? timer : deadline;
}

bool schedule_awaits_host(const struct process *process)
{
    return process->forked || process->children != 0 ||
           schedule_look_at_others(process, NULL).host_awaited;
}

/* Every thread waits.  Time jumps to the next deadline if nothing but time can
 * end the waits; what other processes do takes real time. */
void schedule_idle(struct process *process)
{
    uint64_t deadline = schedule_next_deadline(process);
    uint64_t now = schedule_now(process);

    if (deadline <= now) {
        return;
    }
    uint64_t span = deadline == WAIT_FOREVER ? WAIT_FOREVER : deadline - now;
    if (host_futex_awaited(process) && span > HOST_FUTEX_SLICE) {
        span = HOST_FUTEX_SLICE;
    }
    bool really =
        schedule_awaits_host(process) || process->machine.options.real_time || span == WAIT_FOREVER;
    if (really && !schedule_wait_in_host(process, span)) {
        return;
    }
    if (span != WAIT_FOREVER && !process->machine.options.real_time) {
        process->machine.idle_nanoseconds += span;
    }
}

void schedule_switch_to(struct process *process, struct thread *thread)
{
    if (process->current == thread) {
        return;
    }
    if (process->last_tid != 0) {
        uint64_t values[] = {process->machine.instructions,
                             (uint64_t)(process->last_tid - process->pid),
                             (uint64_t)(thread->tid - process->pid)};
        if (process->switches == 0) {
            process->schedule_hash = HASH_START;
        }
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            process->schedule_hash = (process->schedule_hash ^ values[i]) * HASH_PRIME;
        }
        process->switches++;
    }
    process->current = thread;
    process->last_tid = thread->tid;
    thread->hart.reserved = false;
}

static void take_fault(struct thread *thread, int mapped_code, int unmapped_code)
{
    guest_addr address = thread->hart.fault_address;
    bool mapped =
        (memory_permissions(&thread->process->machine.memory, address) & PAGE_MAPPED) != 0;

    signal_fault(thread, SIGSEGV, mapped ? mapped_code : unmapped_code, address);
}

static void handle_stop(struct thread *thread, enum engine_stop stop)
{
    struct hart *hart = &thread->hart;

    thread->process->last_stop =
        (struct last_stop){.reason = stop, .pc = hart->pc, .address = hart->fault_address};
    switch (stop) {
    case ENGINE_ECALL:
        syscall_dispatch(thread);
        break;
    case ENGINE_BUDGET:
    case ENGINE_SYSTEM:
        break;
    case ENGINE_EBREAK:
        signal_fault(thread, SIGTRAP, TRAP_BRKPT, hart->pc);
        break;
    case ENGINE_ILLEGAL:
        signal_fault(thread, SIGILL, ILL_ILLOPC, hart->pc);
        break;
    case ENGINE_FETCH_FAULT:
    case ENGINE_LOAD_FAULT:
    case ENGINE_STORE_FAULT:
        take_fault(thread, SEGV_ACCERR, SEGV_MAPERR);
        break;
    case ENGINE_BUS_FAULT:
        signal_fault(thread, SIGBUS, BUS_ADRERR, hart->fault_address);
        break;
    case ENGINE_MISALIGNED:
        /* Linux reports the instruction's address here, not the datum's. */
        signal_fault(thread, SIGBUS, BUS_ADRALN, hart->pc);
        break;
    }
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How many instructions may run before something else must be looked at; 0 if
 * the turn is over. */
uint64_t schedule_budget(struct process *process, const struct thread *thread,
                         const struct outlook *outlook, uint64_t turn_start)
{
    uint64_t used = process->machine.instructions - turn_start;
    uint64_t budget = smaller(SCHEDULE_LONG_TURN, machine_phase_left(&process->machine));

    if (outlook->others_runnable || outlook->host_awaited) {
        budget = used >= SCHEDULE_QUANTUM ? 0 : smaller(budget, SCHEDULE_QUANTUM - used);
    }
    uint64_t deadline = outlook->deadline;
    if (deadline != WAIT_FOREVER || process->timers_armed) {
        uint64_t now = schedule_now(process);
        deadline = smaller(deadline, timer_next_expiry(process, now, true));
        budget = smaller(budget, deadline > now ? deadline - now : 0);
    }
    bool signal_waits =
        ((thread->signals.pending | process->signals.pending) & ~thread->blocked) != 0;
    if (signal_waits && signal_must_wait(thread) && !thread->hart.in_callback) {
        budget = smaller(budget, 1);
    }
    if (process->machine.options.max_instructions != 0) {
        budget = smaller(budget,
                         process->machine.options.max_instructions - process->machine.instructions);
    }
    return budget;
}

static void stop_at_limit(struct process *process)
{
    uint64_t limit = process->machine.options.max_instructions;

    if (limit != 0 && process->machine.instructions >= limit && !process->exiting) {
        process->exiting = true;
        process->limit_reached = true;
        process->exit_status = LIMIT_EXIT_STATUS;
        fprintf(stderr, "strata: stopped after %llu instructions (--max-instructions)\n",
                (unsigned long long)process->machine.instructions);
    }
}

void schedule_execute(struct thread *thread, uint64_t budget)
{
    struct process *process = thread->process;
    handle_stop(thread, machine_run(&process->machine, &thread->hart, budget));
    stop_at_limit(process);
}

/* The first thread stays: its exit status and its number are the process's. */
void schedule_reap_threads(struct process *process)
{
    struct thread **link = &process->threads->next;

    while (*link != NULL) {
        struct thread *thread = *link;
        if (thread->state != THREAD_EXITED) {
            link = &thread->next;
            continue;
        }
        *link = thread->next;
        if (process->current == thread) {
            process->current = NULL;
        }
        thread_destroy(thread);
    }
}

void schedule_loop(struct process *process)
{
    /* A new process begins in its parent's loop and goes on in its own. */
    while (!process->exiting) {
        if (!machine_in_detail(&process->machine)) {
            turns_loop(process);
        } else if (process->machine.seat != NULL) {
            companion_loop(process);
        } else if (process->together != NULL) {
            together_loop(process);
        } else {
            contexts_loop(process);
        }
    }
}

void schedule_run(struct process *process)
{
    signal_host_install(process);
    schedule_loop(process);
    if (process->forked) {
        process_leave(process);
    }
    system_end();
}
