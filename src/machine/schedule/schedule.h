/* Who runs when: the threads of a program take turns on the processor, at exact numbers of instructions.
 *
 * A task is a thread as the scheduler sees it.  What a thread waits for, and what becomes of one that
 * stops, is Linux's to know: the functions of outside.h. */
#ifndef STRATA_MACHINE_SCHEDULE_SCHEDULE_H
#define STRATA_MACHINE_SCHEDULE_SCHEDULE_H

#include "machine/pipeline/pipeline.h"
#include "machine/processor/machine.h"

/* A thread's turn ends after this many instructions if another could run. */
#define SCHEDULE_QUANTUM UINT64_C(20000)
/* A thread that runs alone is stopped this often to look for signals from
 * outside. */
#define SCHEDULE_LONG_TURN UINT64_C(1000000)
/* A moment that never comes, or a span that never ends. */
#define SCHEDULE_FOREVER UINT64_MAX

#define NANOSECONDS UINT64_C(1000000000) /* in a second */

struct process;
struct thread;
struct together;

enum task_state { TASK_RUNNABLE, TASK_WAITING, TASK_EXITED };

struct task {
    struct hart *hart;
    struct thread *thread; /* what Linux knows of it */
    int number;            /* counted from the first one of its process, 0 */
    enum task_state state;
    uint64_t ready_order; /* FIFO order among runnable tasks */
    uint64_t turn_ends;   /* on a context: the instructions after which others may have it */
    struct task *next;    /* of the same process, in order of creation */
};

/* Who watches how far the program has come, on the terminal that the program may use, too.  Called between
 * the program's instructions. */
struct onlooker {
    /* The program has executed `next` instructions. */
    void (*look)(struct onlooker *onlooker);
    /* The program is about to use a terminal, or to leave this process: nothing may stand there. */
    void (*give_way)(struct onlooker *onlooker);
    uint64_t next;
    bool line_open; /* the program has written a part of a line to a terminal, and not its end */
};

struct schedule {
    struct machine *machine;
    struct process *process; /* what Linux knows of the program */
    struct task *tasks;      /* in order of creation */
    struct task *current;    /* whose instructions run; NULL: nobody's, or it is gone */
    struct task *on_context[CONTEXTS_MAX]; /* of the pipeline: who runs there */
    struct together *together;             /* programs beside this one; NULL: none */
    struct onlooker *onlooker;             /* NULL: nobody */
    bool ended;                            /* exit_group was called or a fatal signal arrived */
    bool turn_over;                        /* the running task gave up the rest of its turn */
    int last_number; /* of the task that ran last, which may be gone; -1: none ran */
    /* The number of the task that each context ran last, or -1; without cycles only the first is used. */
    int last_on_context[CONTEXTS_MAX];
    uint64_t switches; /* how often a context was given to another task than it had had last */
    uint64_t
        hash; /* of the instruction, from and to, whenever another task's instructions follow */
    uint64_t ready_sequence; /* for task.ready_order */
    uint64_t host_start;     /* --real-time: the host's clock when the program began */
};

/* No task yet. */
void schedule_start(struct schedule *schedule, struct machine *machine, struct process *process);

/* Adds a task, behind those that there are.  It waits until it is made runnable. */
void schedule_add(struct schedule *schedule, struct task *task);
/* This is a new process, which has this task alone: others go on elsewhere, and so does the processor that
 * it shared with other programs. */
void schedule_fork(struct schedule *schedule, struct task *task);
/* Puts the task behind all others that can run. */
void schedule_make_runnable(struct schedule *schedule, struct task *task);
/* The running task's turn ends as soon as its system call is complete. */
void schedule_yield(struct schedule *schedule);
/* Frees tasks that have ended. */
void schedule_reap(struct schedule *schedule);

/* The present moment of the clock that deadlines are given in.  With
 * --real-time this first brings the virtual clock up to the host's. */
uint64_t schedule_now(struct schedule *schedule);

/* The task has this context until it is given to another. */
void schedule_give_context(struct schedule *schedule, unsigned context, const struct task *task);
/* The task is the one whose instructions run from now on.  Those of tasks on several contexts alternate, though
 * each keeps its context. */
void schedule_switch_to(struct schedule *schedule, struct task *task);
/* How many instructions may run before something else must be looked at; 0 if the turn, which began at
 * machine->instructions `turn_start`, is over. */
uint64_t schedule_budget(struct schedule *schedule, const struct task *task, uint64_t turn_start);
/* Runs the task for that long at most, and lets Linux handle what stops it. */
void schedule_execute(struct schedule *schedule, struct task *task, uint64_t budget);

/* The onlooker, if there is one, gives way. */
void schedule_give_way(struct schedule *schedule);
/* The onlooker, if there is one, gives way and does not come back: others will use the terminal. */
void schedule_dismiss_onlooker(struct schedule *schedule);

/* Runs until the program has ended. */
void schedule_loop(struct schedule *schedule);
/* turns.c: runs threads in turns, while the machine has no cycles. */
void turns_loop(struct schedule *schedule);
/* contexts.c: runs threads on the contexts of the pipeline, while the machine has cycles. */
void contexts_loop(struct schedule *schedule);
/* Gives free contexts to tasks that can run. */
void contexts_fill(struct schedule *schedule);
/* Lets the task on the context execute as much as the context takes; the pipeline says later how long that
 * was. */
void contexts_feed(struct schedule *schedule, unsigned context);
/* No task is on a context of the pipeline any more. */
void contexts_leave(struct schedule *schedule);

#endif
