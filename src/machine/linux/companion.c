/* Several programs on one processor, in a companion: executes in its turns, and follows itself alone. */
#include "machine/linux/schedule.h"
#include "machine/linux/together.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FAILED_EXIT_STATUS 125

static void tell_state(struct process *process, struct seat *seat)
{
    if (pipeline_arena_full(process->machine.pipeline) && !process->exiting) {
        fprintf(stderr,
                "strata: %s: stopped: it has more different instructions than a program can have "
                "beside others\n",
                process->executable);
        process->exiting = true;
        process->exit_status = FAILED_EXIT_STATUS;
    }
    seat->state = process->on_context[0] != NULL ? SEAT_RUNS : SEAT_WAITS;
    seat->deadline = schedule_next_deadline(process);
    seat->awaits_host = schedule_awaits_host(process);
}

/* What the companion does with its turn when it does not come to the end of its program. */
static void execute(struct process *process)
{
    schedule_attend(process, schedule_look_at_others(process, NULL).host_awaited);
    if (process->exiting) {
        return;
    }
    contexts_fill(process);
    if (process->on_context[0] != NULL) {
        contexts_feed(process, 0);
        contexts_fill(process);
    }
}

/* While the lead goes on: the same instructions on a processor that has no others. */
static void pass_and_follow(struct process *process, struct seat *seat)
{
    struct alone *alone = process->machine.alone;
    const uint64_t retired = seat->retired, end = seat->end;
    const unsigned count = seat->count;
    const bool active = seat->state == SEAT_RUNS;
    seat_pass(seat, SEAT_LEAD);
    alone_follow(alone, retired, end);
    alone_give(alone, seat->records, count, active);
}

void companion_loop(struct process *process)
{
    struct seat *seat = process->machine.seat;
    seat_await_lead(seat);
    while (!seat->closed) {
        execute(process);
        if (process->machine.seat == NULL) {
            return; /* a new process */
        }
        tell_state(process, seat);
        if (process->exiting) {
            return;
        }
        pass_and_follow(process, seat);
        seat_await_lead(seat);
    }
    _exit(0);
}

void companion_end(struct process *process)
{
    struct seat *seat = process->machine.seat;
    struct alone *alone = process->machine.alone;
    fflush(NULL);
    /* Who reads what it wrote must see the end of it now. */
    syscall(SYS_close_range, 0u, ~0u, 0u);
    seat->state = SEAT_ENDED;
    seat->exit_status = process->exit_status;
    seat->exit_signal = process->exit_signal;
    pass_and_follow(process, seat);
    seat_await_lead(seat);
    alone_follow(alone, seat->retired, seat->end);
    seat->alone = alone_result(alone);
    seat_pass(seat, SEAT_LEAD);
    _exit(0);
}

void companion_leave(struct process *process)
{
    struct machine *machine = &process->machine;
    const uint64_t now = machine_virtual_time(machine);
    pipeline_set_arena(machine->pipeline, NULL, 0);
    machine->seat = NULL;
    machine->alone = NULL;
    machine->idle_nanoseconds = now - pipeline_cycles(machine->pipeline);
}

void companion_fail(struct seat *seat, int status)
{
    seat->state = SEAT_ENDED;
    seat->exit_status = status;
    seat_pass(seat, SEAT_LEAD);
    _exit(status);
}
