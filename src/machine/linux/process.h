/* The simulated program as Linux sees it: one process, its threads, and how a thread waits.
 *
 * All threads of the program run on one host thread, in an order that depends
 * on nothing but retired instructions.  A system call therefore never blocks
 * the host while another thread could run: it returns SYSCALL_BLOCKS with
 * thread->wait filled in, and the scheduler calls the same handler again once
 * something that it waits for has happened (wait.resumed is then true). */
#ifndef STRATA_MACHINE_LINUX_PROCESS_H
#define STRATA_MACHINE_LINUX_PROCESS_H

#include "machine/processor/machine.h"
#include "machine/schedule/schedule.h"

#include <poll.h>
#include <signal.h>
#include <sys/types.h>

/* The calling convention's registers that this layer knows by name. */
enum {
    REGISTER_RA = 1,
    REGISTER_SP = 2,
    REGISTER_TP = 4,
    REGISTER_A0 = 10,
    REGISTER_A1 = 11,
    REGISTER_A2 = 12,
    REGISTER_A7 = 17,
};

enum { ECALL_BYTES = 4 };

#define GUEST_SIGNALS 64 /* numbered from 1 */

/* Bit n-1 stands for signal n, as in the kernel. */
typedef uint64_t guest_sigset;
#define SIGNAL_BIT(number) (UINT64_C(1) << ((number)-1))

struct signal_action {
    guest_addr handler; /* 0 = default, 1 = ignore */
    uint64_t flags;     /* SA_* of the generic Linux ABI */
    guest_sigset mask;
};

/* A siginfo as the guest will see it: 128 bytes, the generic 64-bit layout. */
struct guest_siginfo {
    int32_t signo, error, code, pad;
    uint8_t fields[112];
};

struct queued_signal {
    struct guest_siginfo info;
    struct queued_signal *next;
};

struct signal_queue {
    guest_sigset pending;
    struct queued_signal *first, *last;
};

#define WAIT_FOREVER SCHEDULE_FOREVER

/* What a blocked system call waits for: any of these wakes it.  When the call
 * is made all is zero and the deadline WAIT_FOREVER.  When the handler is called
 * again, `fds` is gone (test the descriptors anew) and all else is as the
 * handler left it: the deadline has passed if schedule_now() has reached it.
 *
 * A signal does not end the wait by itself: the handler is called once more with
 * `interrupted` set.  If it returns SYSCALL_BLOCKS again, the call ends with
 * EINTR or starts anew after the signal's handler, as SA_RESTART says; with
 * `never_restarts` (poll, nanosleep, ...) always with EINTR. */
struct thread_wait {
    uint64_t deadline;  /* virtual nanoseconds (machine_virtual_time), or WAIT_FOREVER */
    struct pollfd *fds; /* host descriptors, malloc'ed by the call, freed by the scheduler */
    unsigned fd_count;
    bool futex; /* queued on a futex; woken when this becomes false */
    uint64_t futex_key;
    uint32_t futex_bits;
    uint64_t futex_order;           /* who queued first is woken first */
    bool host_futex;                /* the word is shared with another process: look again soon */
    bool child;                     /* a child process changed state */
    const struct queue_kind *queue; /* linux/queues.h: waits for a semaphore or a message */
    uint64_t queue_order;           /* who waits longest is served first */
    bool served;                    /* the call has been done while the thread waited: */
    int64_t served_result;          /* what it returns then */
    bool signal;                    /* sigtimedwait: a signal of wait_set became pending */
    guest_sigset wait_set;
    bool never_restarts;
    bool always_restarts; /* whatever SA_RESTART says */
    bool interrupted;     /* a signal can be delivered: this is the last chance to succeed */
    bool resumed;         /* the handler is called again, not for the first time */
    bool woken;           /* by a futex, a child or a descriptor: call the handler */
    uint64_t data[4];     /* the handler's own, kept between calls; zero at first */
};

struct thread {
    struct hart hart;
    struct task task; /* whether it can run, and when */
    struct process *process;
    pid_t tid;
    struct thread_wait wait;

    guest_sigset blocked;
    guest_sigset
        restored_mask; /* sigsuspend, ppoll, pselect: put back after the handler was set up */
    bool restore_mask;
    struct signal_queue signals;
    bool faulted; /* by its own instruction: that signal cannot wait for a callback's end */
    guest_addr alternate_stack;
    uint64_t alternate_bytes;
    uint32_t alternate_flags;

    guest_addr clear_child_tid;
    guest_addr robust_list;
    uint64_t robust_bytes;
    int exit_code;
    struct execution *execution; /* linux/execve.c: of a call to execve under way */
    char name[16];
    int scheduling_policy; /* linux/scheduling.c; of the first thread the host has it */
};

struct posix_timer; /* linux/timer.c */
struct file_state;  /* linux/files.h */

/* setitimer's three timers; those of CPU time count retired instructions. */
struct interval_timer {
    uint64_t deadline; /* WAIT_FOREVER: not armed */
    uint64_t interval;
};

enum { ITIMERS = 3, LIMITS = 16 };

struct resource_limit {
    uint64_t now, most;
};

/* A file that the program finds at another path than the host has it, as if it were mounted there: both are absolute.
 * `seen` is NULL where there is none. */
struct path_alias {
    const char *seen, *host;
};
enum { PATH_ALIASES = 2 };

struct process {
    struct machine machine;
    struct schedule schedule; /* its threads, as tasks, and whose turn it is */
    pid_t pid;
    pid_t parent;   /* what it sees as such, 0: the host's */
    pid_t next_tid; /* virtual thread numbers: deterministic */
    struct signal_action actions[GUEST_SIGNALS + 1];
    struct signal_queue signals; /* sent to the process as a whole */
    struct file_state *files;
    guest_addr brk_start, brk_end;
    guest_addr mmap_top;
    const char *sysroot;    /* prefix for absolute paths that exist below it; NULL: none */
    const char *executable; /* absolute host path of the running program */
    struct path_alias aliases[PATH_ALIASES];
    char **reexec;         /* the command and options with which execve starts a program again */
    char **reexec_reports; /* further options of the first process; both end with NULL */
    char **reexec_same;    /* instead of both, if the first executes its own file again; or NULL */
    /* Called before another program takes the place of the first process's: by Strata, or by the host alone.
     * Returns a descriptor for the option --earlier-fd of the next Strata, or -1.  NULL: nobody wants to know. */
    int (*before_execve)(struct process *process, bool by_strata, const void *reporter);
    const void *reporter;
    bool limit_reached; /* --max-instructions ended it */
    bool replaced;      /* its last call was an execve, and another program has its place */
    int exit_status;
    int exit_signal;   /* the signal that killed the program, or 0 */
    struct last_stop { /* why the engine stopped last: the cause of death, if it was a fault */
        enum engine_stop reason;
        guest_addr pc;
        guest_addr address; /* hart->fault_address */
    } last_stop;
    uint64_t threads_started; /* ever, the first included */
    uint64_t syscalls;
    uint64_t futex_sequence; /* for wait.futex_order */
    uint64_t queue_sequence; /* for wait.queue_order */
    bool hosted;             /* the host's signals come to this process */

    /* Other processes of the simulated program.  Once there are any, sleeping
     * takes real time, and shared memory may be changed by others. */
    bool forked;        /* this is a child of one: it dies of the signal that kills it */
    bool shares_memory; /* it has forked, was forked, or has mapped a file to share it */
    unsigned children;  /* started and not yet waited for */

    uint64_t epoch; /* CLOCK_REALTIME, in nanoseconds, when the clock was 0 */
    struct interval_timer itimers[ITIMERS];
    struct posix_timer *timers;
    int next_timer;
    bool timers_armed; /* false only if no timer of either kind is running */
    uint64_t random_state;
    struct resource_limit limits[LIMITS];
    bool warned_syscalls[512];
};

#define SYSCALL_BLOCKS INT64_MIN
/* The call set all registers itself (sigreturn, execve): leave a0 and pc alone. */
#define SYSCALL_JUMPED (INT64_MIN + 1)
/* A host call that can be made again failed with EINTR: the guest's signals
 * decide what becomes of it, as if the call had blocked. */
#define SYSCALL_INTERRUPTED (INT64_MIN + 2)

/* A handler gets the six argument registers and returns a result or -errno. */
typedef int64_t (*syscall_handler)(struct thread *thread, const uint64_t *arguments);

/* The threads of a process in order of creation: the first one, which stays until the end, and the one after
 * another; NULL: there is none. */
static inline struct thread *thread_first(const struct process *process)
{
    const struct task *first = process->schedule.tasks;
    return first != NULL ? first->thread : NULL;
}

static inline struct thread *thread_next(const struct thread *thread)
{
    const struct task *next = thread->task.next;
    return next != NULL ? next->thread : NULL;
}

static inline void thread_make_runnable(struct thread *thread)
{
    schedule_make_runnable(&thread->process->schedule, &thread->task);
}

static inline bool thread_read(const struct thread *thread, void *to, guest_addr from,
                               uint64_t bytes)
{
    return memory_read(&thread->process->machine.memory, to, from, bytes);
}

static inline bool thread_write(struct thread *thread, guest_addr to, const void *from,
                                uint64_t bytes)
{
    return memory_write(&thread->process->machine.memory, to, from, bytes);
}

/* linux/process.c: an empty machine with one thread, which
 * load_program then fills.  Prints its own message and returns false if it
 * cannot.  The caller sets sysroot, executable and reexec, and `forked` in a
 * program that another simulated one has started by execve. */
bool process_create(struct process *process, const struct machine_options *options);
void process_destroy(struct process *process);
pid_t process_parent(const struct process *process);
/* Ends a forked child as the program's end says. */
_Noreturn void process_leave(struct process *process);

/* linux/syscall.c: looks up and runs the call that thread->hart stands at. */
int64_t syscall_dispatch(struct thread *thread);

/* linux/signal.c */
void signal_send_thread(struct thread *thread, const struct guest_siginfo *info);
void signal_send_process(struct process *process, const struct guest_siginfo *info);
void signal_fault(struct thread *thread, int number, int code, guest_addr address);
bool signal_deliverable(const struct thread *thread);
/* Sets up a handler's frame, or ends the program, for one pending signal. */
void signal_deliver(struct thread *thread);

/* linux/load.c: maps the program, its interpreter and its first stack into an
 * empty machine.  Prints its own message and returns the exit status to end
 * with (126, 127, 125), or 0. */
struct program_request {
    const char *path;
    const char *seen; /* the path by which the program knows itself; NULL: `path` */
    char **arguments;
    char **environment;
};
int load_program(struct process *process, struct thread *thread,
                 const struct program_request *request);

#endif
