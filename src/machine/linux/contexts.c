/* With cycles: the threads of a program run on its contexts, side by side. */
#include "machine/linux/schedule.h"
#include "machine/linux/signal.h"
#include "machine/pipeline/pipeline.h"

/* The first thread that may run and is on no context. */
static struct thread *first_without_context(const struct process *process)
{
    struct thread *first = NULL;
    for (struct thread *thread = process->threads; thread != NULL; thread = thread->next) {
        const bool on_context = process->on_context[thread->hart.context] == thread;
        if (thread->state == THREAD_RUNNABLE && !on_context &&
            (first == NULL || thread->ready_order < first->ready_order)) {
            first = thread;
        }
    }
    return first;
}

/* A companion's lead does it for its own pipeline. */
static void set_active(struct process *process, unsigned context, bool active)
{
    if (process->machine.seat == NULL) {
        pipeline_set_active(process->machine.pipeline, context, active);
    }
}

/* A program that runs beside others has one context. */
static unsigned contexts_of(const struct process *process)
{
    return process->machine.seat != NULL || process->together != NULL
               ? 1
               : pipeline_thread_contexts(process->machine.pipeline);
}

static bool any_context_free(const struct process *process)
{
    bool any = false;
    for (unsigned i = 0; i < contexts_of(process); i++) {
        any |= process->on_context[i] == NULL;
    }
    return any;
}

static void leave_context(struct process *process, unsigned context)
{
    process->on_context[context] = NULL;
    set_active(process, context, false);
}

void contexts_leave(struct process *process)
{
    const struct machine *machine = &process->machine;
    for (unsigned i = 0; machine->pipeline != NULL && !machine->unobserved &&
                         i < pipeline_thread_contexts(machine->pipeline);
         i++) {
        leave_context(process, i);
    }
}

static bool is_crowded(const struct process *process)
{
    return !any_context_free(process) && first_without_context(process) != NULL;
}

/* If others wait for its context a thread's turn ends at its last instruction, whatever the pipeline takes at a time. */
static uint64_t in_turn(const struct process *process, const struct thread *thread, uint64_t budget)
{
    const uint64_t now = thread->hart.instructions;
    const uint64_t left = now < thread->turn_ends ? thread->turn_ends - now : 0;
    return left < budget && is_crowded(process) ? left : budget;
}

void contexts_feed(struct process *process, unsigned context)
{
    struct thread *thread = process->on_context[context];
    schedule_switch_to(process, thread);
    if (signal_host_noted()) {
        signal_host_collect(process);
    }
    while (!process->exiting && thread->state == THREAD_RUNNABLE && signal_deliverable(thread)) {
        signal_deliver(thread);
    }
    if (!process->exiting && thread->state == THREAD_RUNNABLE) {
        const struct outlook outlook = schedule_look_at_others(process, thread);
        const uint64_t wanted =
            schedule_budget(process, thread, &outlook, process->machine.instructions);
        const uint64_t budget = in_turn(process, thread, wanted);
        process->turn_over = budget == 0;
        if (budget > 0) {
            schedule_execute(thread, budget);
        }
        if (process->turn_over) { /* those that it woke come before its next instruction */
            thread->turn_ends = thread->hart.instructions;
        }
    }
    const bool crowded = thread->state == THREAD_RUNNABLE && is_crowded(process) &&
                         thread->hart.instructions >= thread->turn_ends;
    if (thread->state != THREAD_RUNNABLE || crowded) {
        leave_context(process, context);
        if (crowded) {
            schedule_make_runnable(thread);
        }
    }
    if (thread->state == THREAD_EXITED) {
        schedule_reap_threads(process);
    }
}

void contexts_fill(struct process *process)
{
    const unsigned count = contexts_of(process);
    for (unsigned i = 0; i < count; i++) {
        struct thread *next =
            process->on_context[i] == NULL ? first_without_context(process) : NULL;
        if (next != NULL) {
            process->on_context[i] = next;
            next->hart.context = i;
            next->turn_ends = next->hart.instructions + SCHEDULE_QUANTUM;
            set_active(process, i, true);
        }
    }
}

/* Threads run on the contexts of the pipeline, which says by its hunger whose turn it is. */
void contexts_loop(struct process *process)
{
    struct pipeline *pipeline = process->machine.pipeline;
    while (!process->exiting && machine_in_detail(&process->machine)) {
        bool any = false;
        schedule_attend(process, schedule_look_at_others(process, NULL).host_awaited);
        if (process->exiting) {
            break;
        }
        contexts_fill(process);
        for (unsigned i = 0; i < pipeline_thread_contexts(pipeline) && !process->exiting; i++) {
            any |= process->on_context[i] != NULL;
            if (process->on_context[i] != NULL && pipeline_wants(pipeline, i)) {
                contexts_feed(process, i);
            }
        }
        if (any) {
            pipeline_run(pipeline);
        } else {
            pipeline_drain(pipeline);
            schedule_idle(process);
        }
        machine_advance_phase(&process->machine);
    }
    if (!process->exiting) {
        contexts_leave(process);
    }
}
