/* Several programs on one processor: who runs on which context, and how much each is slowed by the others. */
#ifndef STRATA_MACHINE_SCHEDULE_TOGETHER_H
#define STRATA_MACHINE_SCHEDULE_TOGETHER_H

#include "machine/processor/seat.h"
#include "machine/schedule/schedule.h"

#define TOGETHER_REPORTS 2

/* One that runs on the context of its number; the first one is the lead's own. */
struct together_program {
    const char *path;
    struct seat *seat; /* NULL: the lead's own */
    uint64_t look;     /* the next moment to look whether its wait is over */
    bool ended;
    int exit_status, exit_signal; /* how it ended */
    struct progress progress;     /* how far it had come when the first program ended */
    struct alone_result alone;    /* what it had done alone by then */
};

struct together {
    unsigned count;
    struct together_program programs[CONTEXTS_MAX];
    struct pipeline *pipeline;             /* the pipeline that all programs share */
    const char *reports[TOGETHER_REPORTS]; /* files that the lead writes in the end; NULL: none */
    int first_ended;                       /* a program's number, or -1 */
    bool measured;              /* all that it had given has retired: the measure is over */
    uint64_t cycles;            /* until the measure was over */
    uint64_t quiet_nanoseconds; /* in which everybody waited for the host in vain */
};

/* together.c, in the lead: runs until all programs have ended. */
void together_loop(struct schedule *schedule);
/* This process is a new one: the processor is its own copy. */
void together_leave(struct schedule *schedule);
/* After that: what each took alone. */
void together_end(struct schedule *schedule);

/* companion.c: executes when the lead says so, until the program ends. */
void companion_loop(struct schedule *schedule);
/* Ends the process after that, when the lead knows all of it. */
_Noreturn void companion_end(struct schedule *schedule);
/* As together_leave. */
void companion_leave(struct schedule *schedule);
/* The program cannot begin: `status` is what the command ends with. */
_Noreturn void companion_fail(struct seat *seat, int status);

/* Figures that need all programs to have some: false if one has none. */
struct together_figures {
    double weighted_speedup, harmonic_speedup, fairness;
};
bool together_measure(const struct together *together, struct together_figures *figures);
/* How fast a program is beside the others and alone: false if that is not known. */
bool together_speeds(const struct together *together, unsigned number, double *ipc,
                     double *ipc_alone);

#endif
