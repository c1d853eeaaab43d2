/* Without cycles: the threads of a program run one after the other, each for its turn. */
#include "machine/linux/schedule.h"
#include "machine/linux/signal.h"

static struct thread *first_runnable(const struct process *process)
{
    struct thread *first = NULL;

    for (struct thread *thread = process->threads; thread != NULL; thread = thread->next) {
        if (thread->state == THREAD_RUNNABLE &&
            (first == NULL || thread->ready_order < first->ready_order)) {
            first = thread;
        }
    }
    return first;
}

/* Runs the thread until it waits, ends, or has had its share. */
static void run_turn(struct process *process, struct thread *thread)
{
    uint64_t turn_start = process->machine.instructions;

    process->turn_over = false;
    while (thread->state == THREAD_RUNNABLE && !process->exiting && !process->turn_over) {
        machine_advance_phase(&process->machine);
        if (machine_in_detail(&process->machine)) {
            break;
        }
        if (signal_host_noted()) {
            signal_host_collect(process);
        }
        if (signal_deliverable(thread)) {
            signal_deliver(thread);
            continue;
        }
        struct outlook outlook = schedule_look_at_others(process, thread);
        uint64_t budget = schedule_budget(process, thread, &outlook, turn_start);
        if (budget == 0) {
            break;
        }
        schedule_execute(thread, budget);
    }
}

void turns_loop(struct process *process)
{
    struct thread *had_turn = NULL;

    while (!process->exiting && !machine_in_detail(&process->machine)) {
        schedule_attend(process, schedule_look_at_others(process, NULL).host_awaited);
        if (process->exiting) {
            break;
        }
        /* Behind the threads that it woke. */
        if (had_turn != NULL) {
            schedule_make_runnable(had_turn);
            had_turn = NULL;
        }
        struct thread *next = first_runnable(process);
        if (next == NULL) {
            schedule_idle(process);
            continue;
        }
        schedule_switch_to(process, next);
        run_turn(process, next);
        if (next->state == THREAD_RUNNABLE) {
            had_turn = next;
        } else if (next->state == THREAD_EXITED) {
            schedule_reap_threads(process);
        }
    }
}
