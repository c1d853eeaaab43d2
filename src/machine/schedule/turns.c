/* Without cycles: the threads of a program run one after the other, each for its turn. */
#include "machine/schedule/outside.h"
#include "machine/schedule/schedule.h"

static struct task *first_runnable(const struct schedule *schedule)
{
    struct task *first = NULL;

    for (struct task *task = schedule->tasks; task != NULL; task = task->next) {
        if (task->state == TASK_RUNNABLE &&
            (first == NULL || task->ready_order < first->ready_order)) {
            first = task;
        }
    }
    return first;
}

/* Runs the task until it waits, ends, or has had its share. */
static void run_turn(struct schedule *schedule, struct task *task)
{
    uint64_t turn_start = schedule->machine->instructions;

    schedule->turn_over = false;
    while (task->state == TASK_RUNNABLE && !schedule->ended && !schedule->turn_over) {
        machine_advance_phase(schedule->machine);
        if (machine_in_detail(schedule->machine)) {
            break;
        }
        outside_collect(schedule->process);
        if (outside_interrupt(task->thread)) {
            continue;
        }
        uint64_t budget = schedule_budget(schedule, task, turn_start);
        if (budget == 0) {
            break;
        }
        schedule_execute(schedule, task, budget);
    }
}

void turns_loop(struct schedule *schedule)
{
    struct task *had_turn = NULL;

    while (!schedule->ended && !machine_in_detail(schedule->machine)) {
        outside_attend(schedule->process);
        if (schedule->ended) {
            break;
        }
        /* Behind the threads that it woke. */
        if (had_turn != NULL) {
            schedule_make_runnable(schedule, had_turn);
            had_turn = NULL;
        }
        struct task *next = first_runnable(schedule);
        if (next == NULL) {
            outside_idle(schedule->process);
            continue;
        }
        schedule_give_context(schedule, 0, next);
        schedule_switch_to(schedule, next);
        run_turn(schedule, next);
        if (next->state == TASK_RUNNABLE) {
            had_turn = next;
        } else if (next->state == TASK_EXITED) {
            schedule_reap(schedule);
        }
    }
}
