/* The programs of --with: started beside the first one, each in a process of its own. */
#include "cli/companions.h"

#include "base/say.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

bool companions_check(const struct simulation *simulation)
{
    const uint64_t contexts = simulation->processor.core_contexts;
    if (simulation->with_count < contexts || simulation->with_count == 0) {
        return true;
    }
    say(stderr,
        "strata: %u programs cannot run together on %s, which has %llu context%s "
        "(core.contexts)\n",
        simulation->with_count + 1, simulation->machine.processor_name,
        (unsigned long long)contexts, contexts == 1 ? "" : "s");
    return false;
}

/* In the new process.  Nothing that the lead's program can see tells of it: it gets no signal when this one ends, and
 * cannot wait for it. */
static _Noreturn void be_companion(const struct simulation *simulation, unsigned number,
                                   struct seat *seat, pid_t lead)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != lead) {
        _exit(EXIT_STRATA_FAILED);
    }
    simulation_run_companion(simulation, simulation->with[number - 1], seat);
}

static int start(const struct simulation *simulation, struct together *together, unsigned number)
{
    struct together_program *program = &together->programs[number];
    const pid_t lead = getpid();
    struct seat *seat = seat_create();
    if (seat == NULL) {
        fprintf(stderr, "strata: not enough memory to run several programs: %s\n", strerror(errno));
        return EXIT_STRATA_FAILED;
    }
    program->seat = seat;
    program->path = simulation->with[number - 1][0];
    seat->parent = getppid();
    fflush(NULL);
    const int no_signal = 0;
    const long pid = syscall(SYS_clone, no_signal, NULL, NULL, NULL, NULL);
    if (pid == 0) {
        be_companion(simulation, number, seat, lead);
    }
    if (pid < 0) {
        say(stderr, "strata: cannot start a process for %s: %s\n", program->path, strerror(errno));
        return EXIT_STRATA_FAILED;
    }
    seat->pid = (pid_t)pid;
    seat_await_companion(seat);
    if (seat->state != SEAT_ENDED) {
        return 0;
    }
    seat_reap(seat);
    return seat->exit_signal != 0 ? EXIT_STRATA_FAILED : seat->exit_status;
}

int companions_start(const struct simulation *simulation, struct together *together)
{
    *together = (struct together){.count = 1, .first_ended = -1};
    int status = 0;
    for (unsigned i = 1; i <= simulation->with_count && status == 0; i++) {
        together->count++;
        status = start(simulation, together, i);
    }
    return status;
}

void companions_stop(struct together *together)
{
    for (unsigned i = 1; i < together->count; i++) {
        struct seat *seat = together->programs[i].seat;
        if (seat != NULL && seat->pid != 0) {
            seat->closed = true;
            seat_pass(seat, SEAT_COMPANION);
            seat_reap(seat);
        }
        if (seat != NULL) {
            seat_destroy(seat);
        }
    }
}
