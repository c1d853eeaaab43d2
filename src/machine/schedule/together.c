/* Several programs on one processor, in the lead: whose turn it is, and when the measure ends. */
#include "machine/schedule/together.h"

#include "machine/schedule/outside.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How often a program that waits is asked whether it still does: a signal or a descriptor may have come. */
#define LOOK_NANOSECONDS UINT64_C(20000)
/* How long the host waits before it asks all programs again, when none can run. */
#define IDLE_SLICE UINT64_C(1000000)

static bool all_ended(const struct together *together)
{
    unsigned i = 0;
    while (i < together->count && together->programs[i].ended) {
        i++;
    }
    return i == together->count;
}

static void note_end(struct together *together, unsigned number, int status, int signal)
{
    struct together_program *program = &together->programs[number];
    program->ended = true;
    program->exit_status = status;
    program->exit_signal = signal;
    if (together->first_ended < 0) {
        together->first_ended = (int)number;
    }
}

/* The first program that ended has nothing left in the pipeline: how far has each come? */
static void end_measure(struct together *together)
{
    for (unsigned i = 0; i < together->count; i++) {
        together->programs[i].progress = pipeline_progress(together->pipeline, i);
    }
    together->cycles = pipeline_cycles(together->pipeline);
    together->measured = true;
}

static void run_cycles(struct together *together)
{
    if (together->first_ended < 0 || together->measured) {
        pipeline_run(together->pipeline);
        return;
    }
    const unsigned first = (unsigned)together->first_ended;
    const uint64_t given = pipeline_progress(together->pipeline, first).given;
    pipeline_run_to(together->pipeline, first, given);
    if (pipeline_progress(together->pipeline, first).instructions == given) {
        end_measure(together);
    }
}

/* Lets the lead's own program, alone, come as far as it has come beside the others. */
static void follow_own(struct schedule *schedule)
{
    const struct together *together = schedule->together;
    alone_follow(schedule->machine->alone, pipeline_progress(together->pipeline, 0).instructions,
                 together->measured ? together->programs[0].progress.instructions : ALONE_NO_END);
}

/* Whether a report goes to where this descriptor leads: it may be named /dev/fd/N. */
static bool is_report(const struct together *together, int fd)
{
    struct stat own, report;
    bool same = false;
    for (unsigned i = 0; i < TOGETHER_REPORTS; i++) {
        const char *path = together->reports[i];
        same |= path != NULL && fstat(fd, &own) == 0 && stat(path, &report) == 0 &&
                own.st_dev == report.st_dev && own.st_ino == report.st_ino;
    }
    return same;
}

/* Others may wait for the end of a pipe that the program has left open.  The first three descriptors are for
 * what there is to say in the end. */
static void close_descriptors(const struct schedule *schedule)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        const int fd = (int)strtol(entry->d_name, NULL, 10);
        if (fd > STDERR_FILENO && fd != dirfd(folder) &&
            !machine_owns_descriptor(schedule->machine, fd) && !is_report(schedule->together, fd)) {
            close(fd);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

/* Who stops the first program from outside, or at its terminal, means all of them. */
static void pass_on(const struct together *together, int signal)
{
    const bool stops =
        signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM;
    for (unsigned i = 1; i < together->count && stops; i++) {
        if (!together->programs[i].ended) {
            kill(together->programs[i].seat->pid, signal);
        }
    }
}

static void end_own(struct schedule *schedule)
{
    contexts_leave(schedule);
    alone_give(schedule->machine->alone, NULL, 0, false);
    const struct ending ending = outside_ending(schedule->process);
    note_end(schedule->together, 0, ending.status, ending.signal);
    if (!all_ended(schedule->together)) {
        pass_on(schedule->together, ending.signal);
        outside_leave_signals();
        close_descriptors(schedule);
    }
}

/* True if the lead's program has a task to run. */
static bool step_own(struct schedule *schedule)
{
    follow_own(schedule);
    outside_attend(schedule->process);
    if (!schedule->ended) {
        contexts_fill(schedule);
        if (schedule->on_context[0] != NULL && pipeline_wants(schedule->machine->pipeline, 0)) {
            contexts_feed(schedule, 0);
            contexts_fill(schedule);
        }
    }
    if (schedule->together != NULL) {
        alone_give(schedule->machine->alone, NULL, 0, schedule->on_context[0] != NULL);
    }
    return schedule->on_context[0] != NULL;
}

/* Lets a companion execute as much as its context takes. */
static void give_turn(struct schedule *schedule, unsigned number)
{
    struct together *together = schedule->together;
    struct together_program *program = &together->programs[number];
    struct seat *seat = program->seat;
    seat->nanoseconds = schedule_now(schedule);
    seat->cycles = pipeline_cycles(together->pipeline);
    seat->retired = pipeline_progress(together->pipeline, number).instructions;
    seat->end = together->measured ? program->progress.instructions : ALONE_NO_END;
    seat->room = pipeline_room(together->pipeline, number);
    seat->count = 0;
    seat_pass(seat, SEAT_COMPANION);
    seat_await_companion(seat);
    pipeline_give(together->pipeline, number, seat->records, seat->count);
    pipeline_set_active(together->pipeline, number, seat->state == SEAT_RUNS);
    program->look = seat->nanoseconds + LOOK_NANOSECONDS;
    if (seat->state == SEAT_ENDED) {
        note_end(together, number, seat->exit_status, seat->exit_signal);
    }
}

/* True if the companion has more to execute. */
static bool step_companion(struct schedule *schedule, unsigned number)
{
    struct together *together = schedule->together;
    const struct together_program *program = &together->programs[number];
    const struct seat *seat = program->seat;
    if (program->ended) {
        return false;
    }
    bool wanted = pipeline_wants(together->pipeline, number);
    if (seat->state == SEAT_WAITS) {
        const uint64_t now = schedule_now(schedule);
        wanted = now >= seat->deadline || now >= program->look;
    }
    if (wanted) {
        give_turn(schedule, number);
    }
    return seat->state == SEAT_RUNS;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Lets the host's time pass: true if nothing came for the lead's program in it. */
static bool wait_briefly(struct schedule *schedule, uint64_t nanoseconds)
{
    if (!schedule->ended) {
        return outside_wait_in_host(schedule->process, nanoseconds);
    }
    const struct timespec slice = {.tv_nsec = (long)nanoseconds};
    nanosleep(&slice, NULL);
    return true;
}

/* Every program waits, as far as was known before the companions' last turns. */
static void idle(struct schedule *schedule)
{
    struct together *together = schedule->together;
    uint64_t deadline = SCHEDULE_FOREVER;
    bool awaits_host = false, any = false;
    pipeline_drain(together->pipeline);
    if (together->first_ended >= 0 && !together->measured) {
        end_measure(together);
    }
    for (unsigned i = 1; i < together->count; i++) {
        const struct seat *seat = together->programs[i].seat;
        if (!together->programs[i].ended) {
            give_turn(schedule, i);
            any |= seat->state != SEAT_WAITS;
            deadline = smaller(deadline, seat->deadline);
            awaits_host |= seat->awaits_host;
        }
    }
    if (!schedule->ended) {
        deadline = smaller(deadline, outside_next_deadline(schedule->process));
        awaits_host |= outside_awaits_host(schedule->process);
    }
    const uint64_t now = schedule_now(schedule);
    const bool real_time = schedule->machine->options.real_time;
    if (any || deadline <= now || (!schedule->ended && outside_signal_came())) {
        together->quiet_nanoseconds = 0;
        return;
    }
    const uint64_t span = deadline == SCHEDULE_FOREVER ? SCHEDULE_FOREVER : deadline - now;
    if (awaits_host || real_time || span == SCHEDULE_FOREVER) {
        /* As if the whole span were one wait: what comes in it finds the clock where it was. */
        const uint64_t slice = smaller(span - together->quiet_nanoseconds, IDLE_SLICE);
        const bool quiet = wait_briefly(schedule, slice);
        together->quiet_nanoseconds =
            quiet && span != SCHEDULE_FOREVER ? together->quiet_nanoseconds + slice : 0;
        if (together->quiet_nanoseconds < span) {
            return;
        }
    }
    together->quiet_nanoseconds = 0;
    schedule->machine->idle_nanoseconds += real_time ? 0 : span;
}

void together_loop(struct schedule *schedule)
{
    while (schedule->together != NULL && !all_ended(schedule->together)) {
        struct together *together = schedule->together;
        bool any = !schedule->ended && step_own(schedule);
        if (schedule->together == NULL) {
            return; /* a new process */
        }
        if (schedule->ended && !together->programs[0].ended) {
            end_own(schedule);
            any = false;
        }
        for (unsigned i = 1; i < together->count; i++) {
            any |= step_companion(schedule, i);
        }
        if (any) {
            run_cycles(together);
        } else if (!all_ended(together)) {
            idle(schedule);
        }
    }
}

void together_leave(struct schedule *schedule)
{
    for (unsigned i = 0; i < schedule->together->count; i++) {
        pipeline_set_space(schedule->machine->pipeline, i, 0); /* all contexts are its own */
    }
    schedule->together = NULL;
    schedule->machine->alone = NULL;
}

void together_end(struct schedule *schedule)
{
    struct together *together = schedule->together;
    pipeline_drain(together->pipeline);
    if (!together->measured) {
        end_measure(together);
    }
    follow_own(schedule);
    together->programs[0].alone = alone_result(schedule->machine->alone);
    for (unsigned i = 1; i < together->count; i++) {
        struct together_program *program = &together->programs[i];
        struct seat *seat = program->seat;
        seat->closed = true;
        seat->end = program->progress.instructions;
        if (seat->pid != 0) { /* nobody killed it from outside */
            seat_pass(seat, SEAT_COMPANION);
            seat_await_companion(seat);
        }
        program->alone = seat->alone;
        seat_reap(seat);
    }
}

bool together_speeds(const struct together *together, unsigned number, double *ipc,
                     double *ipc_alone)
{
    const struct progress *beside = &together->programs[number].progress;
    const struct alone_result *alone = &together->programs[number].alone;
    if (!alone->known || beside->cycles == 0 || alone->cycles == 0 || alone->instructions == 0) {
        return false;
    }
    *ipc = (double)beside->instructions / (double)beside->cycles;
    *ipc_alone = (double)alone->instructions / (double)alone->cycles;
    return true;
}

bool together_measure(const struct together *together, struct together_figures *figures)
{
    double sum = 0, sum_of_inverses = 0, least = 0, most = 0;
    for (unsigned i = 0; i < together->count; i++) {
        double ipc, ipc_alone;
        if (!together_speeds(together, i, &ipc, &ipc_alone) || ipc == 0) {
            return false;
        }
        const double ratio = ipc / ipc_alone;
        sum += ratio;
        sum_of_inverses += 1 / ratio;
        least = i == 0 || ratio < least ? ratio : least;
        most = ratio > most ? ratio : most;
    }
    *figures = (struct together_figures){.weighted_speedup = sum,
                                         .harmonic_speedup = together->count / sum_of_inverses,
                                         .fairness = least / most};
    return true;
}
