/* With cycles: the threads of a program run on its contexts, side by side. */
#include "machine/pipeline/pipeline.h"
#include "machine/schedule/outside.h"
#include "machine/schedule/schedule.h"

/* The first task that may run and is on no context. */
static struct task *first_without_context(const struct schedule *schedule)
{
    struct task *first = NULL;
    for (struct task *task = schedule->tasks; task != NULL; task = task->next) {
        const bool on_context = schedule->on_context[task->hart->context] == task;
        if (task->state == TASK_RUNNABLE && !on_context &&
            (first == NULL || task->ready_order < first->ready_order)) {
            first = task;
        }
    }
    return first;
}

/* A companion's lead does it for its own pipeline. */
static void set_active(struct schedule *schedule, unsigned context, bool active)
{
    if (schedule->machine->seat == NULL) {
        pipeline_set_active(schedule->machine->pipeline, context, active);
    }
}

/* A program that runs beside others has one context. */
static unsigned contexts_of(const struct schedule *schedule)
{
    return schedule->machine->seat != NULL || schedule->together != NULL
               ? 1
               : pipeline_thread_contexts(schedule->machine->pipeline);
}

static bool any_context_free(const struct schedule *schedule)
{
    bool any = false;
    for (unsigned i = 0; i < contexts_of(schedule); i++) {
        any |= schedule->on_context[i] == NULL;
    }
    return any;
}

static void leave_context(struct schedule *schedule, unsigned context)
{
    schedule->on_context[context] = NULL;
    set_active(schedule, context, false);
}

void contexts_leave(struct schedule *schedule)
{
    const struct machine *machine = schedule->machine;
    for (unsigned i = 0; machine->pipeline != NULL && !machine->unobserved &&
                         i < pipeline_thread_contexts(machine->pipeline);
         i++) {
        leave_context(schedule, i);
    }
}

static bool is_crowded(const struct schedule *schedule)
{
    return !any_context_free(schedule) && first_without_context(schedule) != NULL;
}

/* If others wait for its context a task's turn ends at its last instruction, whatever the pipeline takes
 * at a time. */
static uint64_t in_turn(const struct schedule *schedule, const struct task *task, uint64_t budget)
{
    const uint64_t now = task->hart->instructions;
    const uint64_t left = now < task->turn_ends ? task->turn_ends - now : 0;
    return left < budget && is_crowded(schedule) ? left : budget;
}

void contexts_feed(struct schedule *schedule, unsigned context)
{
    struct task *task = schedule->on_context[context];
    schedule_switch_to(schedule, task);
    outside_collect(schedule->process);
    while (!schedule->ended && task->state == TASK_RUNNABLE && outside_interrupt(task->thread)) {
    }
    if (!schedule->ended && task->state == TASK_RUNNABLE) {
        const uint64_t wanted = schedule_budget(schedule, task, schedule->machine->instructions);
        const uint64_t budget = in_turn(schedule, task, wanted);
        schedule->turn_over = budget == 0;
        if (budget > 0) {
            schedule_execute(schedule, task, budget);
        }
        if (schedule->turn_over) { /* those that it woke come before its next instruction */
            task->turn_ends = task->hart->instructions;
        }
    }
    const bool crowded = task->state == TASK_RUNNABLE && is_crowded(schedule) &&
                         task->hart->instructions >= task->turn_ends;
    if (task->state != TASK_RUNNABLE || crowded) {
        leave_context(schedule, context);
        if (crowded) {
            schedule_make_runnable(schedule, task);
        }
    }
    if (task->state == TASK_EXITED) {
        schedule_reap(schedule);
    }
}

/* A free context for the task, of which there is one: that which it had last, if nobody else has had it since; else one
 * that nobody has had; else the first.  So a thread that waits comes back to its own where there are as many contexts
 * as threads, however often they wait for one another. */
static unsigned choose_context(const struct schedule *schedule, const struct task *task)
{
    const unsigned count = contexts_of(schedule);
    unsigned first = count, unused = count;
    for (unsigned i = count; i-- > 0;) {
        if (schedule->on_context[i] != NULL) {
            continue;
        }
        first = i;
        if (schedule->last_on_context[i] == task->number) {
            return i;
        }
        unused = schedule->last_on_context[i] < 0 ? i : unused;
    }
    return unused < count ? unused : first;
}

void contexts_fill(struct schedule *schedule)
{
    struct task *next;
    while (any_context_free(schedule) && (next = first_without_context(schedule)) != NULL) {
        const unsigned context = choose_context(schedule, next);
        schedule->on_context[context] = next;
        schedule_give_context(schedule, context, next);
        next->hart->context = context;
        next->turn_ends = next->hart->instructions + SCHEDULE_QUANTUM;
        set_active(schedule, context, true);
    }
}

/* Threads run on the contexts of the pipeline, which says by its hunger whose turn it is. */
void contexts_loop(struct schedule *schedule)
{
    struct pipeline *pipeline = schedule->machine->pipeline;
    while (!schedule->ended && machine_in_detail(schedule->machine)) {
        bool any = false;
        outside_attend(schedule->process);
        if (schedule->ended) {
            break;
        }
        contexts_fill(schedule);
        for (unsigned i = 0; i < pipeline_thread_contexts(pipeline) && !schedule->ended; i++) {
            any |= schedule->on_context[i] != NULL;
            if (schedule->on_context[i] != NULL && pipeline_wants(pipeline, i)) {
                contexts_feed(schedule, i);
            }
        }
        if (any) {
            pipeline_run(pipeline);
        } else {
            pipeline_drain(pipeline);
            outside_idle(schedule->process);
        }
        machine_advance_phase(schedule->machine);
    }
    if (!schedule->ended) {
        contexts_leave(schedule);
    }
}
