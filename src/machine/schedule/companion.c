/* Several programs on one processor, in a companion: executes in its turns, and follows itself alone. */
#include "base/say.h"
#include "machine/schedule/outside.h"
#include "machine/schedule/together.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FAILED_EXIT_STATUS 125

static void tell_state(struct schedule *schedule, struct seat *seat)
{
    if (pipeline_arena_full(schedule->machine->pipeline) && !schedule->ended) {
        say(stderr,
            "strata: %s: stopped: it has more different instructions than a program can have "
            "beside others\n",
            outside_name(schedule->process));
        outside_end(schedule->process, FAILED_EXIT_STATUS);
    }
    seat->state = schedule->on_context[0] != NULL ? SEAT_RUNS : SEAT_WAITS;
    seat->deadline = outside_next_deadline(schedule->process);
    seat->awaits_host = outside_awaits_host(schedule->process);
}

/* What the companion does with its turn when it does not come to the end of its program. */
static void execute(struct schedule *schedule)
{
    outside_attend(schedule->process);
    if (schedule->ended) {
        return;
    }
    contexts_fill(schedule);
    if (schedule->on_context[0] != NULL) {
        contexts_feed(schedule, 0);
        contexts_fill(schedule);
    }
}

/* While the lead goes on: the same instructions on a processor that has no others. */
static void pass_and_follow(struct schedule *schedule, struct seat *seat)
{
    struct alone *alone = schedule->machine->alone;
    const uint64_t retired = seat->retired, end = seat->end;
    const unsigned count = seat->count;
    const bool active = seat->state == SEAT_RUNS;
    seat_pass(seat, SEAT_LEAD);
    alone_follow(alone, retired, end);
    alone_give(alone, seat->records, count, active);
}

void companion_loop(struct schedule *schedule)
{
    struct seat *seat = schedule->machine->seat;
    seat_await_lead(seat);
    while (!seat->closed) {
        execute(schedule);
        if (schedule->machine->seat == NULL) {
            return; /* a new process */
        }
        tell_state(schedule, seat);
        if (schedule->ended) {
            return;
        }
        pass_and_follow(schedule, seat);
        seat_await_lead(seat);
    }
    _exit(0);
}

void companion_end(struct schedule *schedule)
{
    struct seat *seat = schedule->machine->seat;
    struct alone *alone = schedule->machine->alone;
    const struct ending ending = outside_ending(schedule->process);
    fflush(NULL);
    /* Who reads what it wrote must see the end of it now. */
    syscall(SYS_close_range, 0u, ~0u, 0u);
    seat->state = SEAT_ENDED;
    seat->exit_status = ending.status;
    seat->exit_signal = ending.signal;
    pass_and_follow(schedule, seat);
    seat_await_lead(seat);
    alone_follow(alone, seat->retired, seat->end);
    seat->alone = alone_result(alone);
    seat_pass(seat, SEAT_LEAD);
    _exit(0);
}

void companion_leave(struct schedule *schedule)
{
    struct machine *machine = schedule->machine;
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
