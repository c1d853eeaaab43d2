/* What stops a thread becomes a system call or a signal; and how the program ends. */
#include "machine/linux/signal.h"
#include "machine/linux/thread.h"
#include "machine/schedule/outside.h"

#include <stdio.h>

/* As timeout(1) has it: neither the program nor Strata failed. */
#define LIMIT_EXIT_STATUS 124

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

static void stop_at_limit(struct process *process)
{
    uint64_t limit = process->machine.options.max_instructions;

    if (limit != 0 && process->machine.instructions >= limit && !process->schedule.ended) {
        outside_end(process, LIMIT_EXIT_STATUS);
        process->limit_reached = true;
        schedule_give_way(&process->schedule);
        fprintf(stderr, "strata: stopped after %llu instructions (--max-instructions)\n",
                (unsigned long long)process->machine.instructions);
    }
}

void outside_stopped(struct thread *thread, enum engine_stop stop)
{
    struct process *process = thread->process;

    handle_stop(thread, stop);
    stop_at_limit(process);
}

bool outside_interrupt(struct thread *thread)
{
    const bool any = signal_deliverable(thread);

    if (any) {
        signal_deliver(thread);
    }
    return any;
}

struct ending outside_ending(const struct process *process)
{
    return (struct ending){.status = process->exit_status, .signal = process->exit_signal};
}

void outside_end(struct process *process, int status)
{
    process->schedule.ended = true;
    process->exit_status = status;
}

const char *outside_name(const struct process *process)
{
    return process->executable;
}

void outside_free(struct thread *thread)
{
    thread_destroy(thread);
}
