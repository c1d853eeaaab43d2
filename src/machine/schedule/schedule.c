/* The order of turns, and how long each may be. */
#define _GNU_SOURCE
#include "machine/schedule/schedule.h"

#include "machine/schedule/outside.h"
#include "machine/schedule/together.h"

#include <string.h>
#include <time.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

static void forget_last(struct schedule *schedule)
{
    schedule->last_number = -1;
    for (unsigned i = 0; i < CONTEXTS_MAX; i++) {
        schedule->last_on_context[i] = -1;
    }
}

void schedule_start(struct schedule *schedule, struct machine *machine, struct process *process)
{
    memset(schedule, 0, sizeof *schedule);
    schedule->machine = machine;
    schedule->process = process;
    forget_last(schedule);
}

void schedule_add(struct schedule *schedule, struct task *task)
{
    struct task **link = &schedule->tasks;
    while (*link != NULL) {
        link = &(*link)->next;
    }
    *link = task;
}

void schedule_fork(struct schedule *schedule, struct task *task)
{
    schedule->tasks = schedule->current = task;
    task->next = NULL;
    task->number = 0;
    if (!schedule->machine->unobserved && schedule->machine->seat != NULL) {
        companion_leave(schedule);
    }
    if (!schedule->machine->unobserved && schedule->together != NULL) {
        together_leave(schedule);
    }
    contexts_leave(schedule);
    forget_last(schedule);
}

void schedule_make_runnable(struct schedule *schedule, struct task *task)
{
    task->state = TASK_RUNNABLE;
    task->ready_order = ++schedule->ready_sequence;
}

void schedule_yield(struct schedule *schedule)
{
    schedule->turn_over = true;
}

/* The first task stays: its exit status and its number are the process's. */
void schedule_reap(struct schedule *schedule)
{
    struct task **link = &schedule->tasks->next;

    while (*link != NULL) {
        struct task *task = *link;
        if (task->state != TASK_EXITED) {
            link = &task->next;
            continue;
        }
        *link = task->next;
        if (schedule->current == task) {
            schedule->current = NULL;
        }
        outside_free(task->thread);
    }
}

uint64_t schedule_now(struct schedule *schedule)
{
    struct machine *machine = schedule->machine;

    if (machine->options.real_time) {
        struct timespec host;
        clock_gettime(CLOCK_MONOTONIC, &host);
        uint64_t now = (uint64_t)host.tv_sec * NANOSECONDS + (uint64_t)host.tv_nsec;
        uint64_t passed = now - schedule->host_start;
        uint64_t shown = machine_virtual_time(machine);
        if (passed > shown) {
            machine->idle_nanoseconds += passed - shown;
        }
    }
    return machine_virtual_time(machine);
}

void schedule_give_context(struct schedule *schedule, unsigned context, const struct task *task)
{
    int *last = &schedule->last_on_context[context];

    if (*last >= 0 && *last != task->number) {
        schedule->switches++;
    }
    *last = task->number;
}

void schedule_switch_to(struct schedule *schedule, struct task *task)
{
    if (schedule->current == task) {
        return;
    }
    if (schedule->last_number >= 0) {
        uint64_t values[] = {schedule->machine->instructions, (uint64_t)schedule->last_number,
                             (uint64_t)task->number};
        if (schedule->hash == 0) {
            schedule->hash = HASH_START;
        }
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            schedule->hash = (schedule->hash ^ values[i]) * HASH_PRIME;
        }
    }
    schedule->current = task;
    schedule->last_number = task->number;
    task->hart->reserved = false;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t schedule_budget(struct schedule *schedule, const struct task *task, uint64_t turn_start)
{
    const struct machine *machine = schedule->machine;
    const struct outlook outlook = outside_look(schedule->process, task->thread);
    uint64_t used = machine->instructions - turn_start;
    uint64_t budget = smaller(SCHEDULE_LONG_TURN, machine_phase_left(machine));

    if (outlook.others_runnable || outlook.host_awaited) {
        budget = used >= SCHEDULE_QUANTUM ? 0 : smaller(budget, SCHEDULE_QUANTUM - used);
    }
    budget = smaller(budget, outlook.nanoseconds);
    if (outlook.signal_waits) {
        budget = smaller(budget, 1);
    }
    if (machine->options.max_instructions != 0) {
        budget = smaller(budget, machine->options.max_instructions - machine->instructions);
    }
    return budget;
}

void schedule_execute(struct schedule *schedule, struct task *task, uint64_t budget)
{
    outside_stopped(task->thread, machine_run(schedule->machine, task->hart, budget));
    struct onlooker *onlooker = schedule->onlooker;
    if (onlooker != NULL && schedule->machine->instructions >= onlooker->next) {
        onlooker->look(onlooker);
    }
}

void schedule_give_way(struct schedule *schedule)
{
    if (schedule->onlooker != NULL) {
        schedule->onlooker->give_way(schedule->onlooker);
    }
}

void schedule_dismiss_onlooker(struct schedule *schedule)
{
    schedule_give_way(schedule);
    schedule->onlooker = NULL;
}

void schedule_loop(struct schedule *schedule)
{
    /* A new process begins in its parent's loop and goes on in its own. */
    while (!schedule->ended) {
        if (!machine_in_detail(schedule->machine)) {
            turns_loop(schedule);
        } else if (schedule->machine->seat != NULL) {
            companion_loop(schedule);
        } else if (schedule->together != NULL) {
            together_loop(schedule);
        } else {
            contexts_loop(schedule);
        }
    }
}
