/* What the parts of signal handling are to each other: queues, frames, and the host's signals. */
#ifndef STRATA_MACHINE_LINUX_SIGNAL_H
#define STRATA_MACHINE_LINUX_SIGNAL_H

#include "machine/linux/layout.h"
#include "machine/linux/process.h"

/* The generic Linux ABI; the host's headers may have other values. */
enum {
    GUEST_SA_NOCLDSTOP = 0x1,
    GUEST_SA_NOCLDWAIT = 0x2,
    GUEST_SA_SIGINFO = 0x4,
    GUEST_SA_ONSTACK = 0x08000000,
    GUEST_SA_RESTART = 0x10000000,
    GUEST_SA_NODEFER = 0x40000000,
};
#define GUEST_SA_RESETHAND UINT64_C(0x80000000)

#define SIGNAL_DEFAULT UINT64_C(0)
#define SIGNAL_IGNORE UINT64_C(1)
#define SIGNALS_UNBLOCKABLE (SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP))
#define SIGNAL_FIRST_REAL_TIME 32

/* A page with the code that returns from a handler, as the kernel's vDSO has it:
 * in the gap above all mappings, which nothing else uses. */
#define SIGNAL_TRAMPOLINE LAYOUT_MMAP_TOP

/* signal.c */

/* Takes the next signal out of `wanted` from the thread's queue or, if this
 * thread is the one to take it, the process's. */
bool signal_take(struct thread *thread, guest_sigset wanted, struct guest_siginfo *info);
guest_sigset signal_pending(const struct thread *thread);
/* True if the action for this signal is to do nothing. */
bool signal_ignored(const struct process *process, int number);
/* True if this is no moment for a handler to begin, but soon will be. */
bool signal_must_wait(const struct thread *thread);
void signal_forget(struct signal_queue *queue, guest_sigset numbers);
/* A signal that no mask and no SIG_IGN stops, without an address. */
void signal_force(struct thread *thread, int number);
/* The siginfo of kill and its like, sent by this process. */
struct guest_siginfo signal_info_sent(int number, int code);

/* signal_frame.c */

/* Maps the trampoline's page: 0 or a negative errno. */
int signal_map_trampoline(struct memory *memory);
/* Makes the thread enter the action's handler; `saved` is the mask that the
 * return from it restores.  False if the frame cannot be written. */
bool signal_enter(struct thread *thread, const struct guest_siginfo *info,
                  const struct signal_action *action, guest_sigset saved);
bool signal_on_alternate_stack(const struct thread *thread, guest_addr stack);
/* The checks and effects of sigaltstack's first argument: 0 or -errno. */
struct guest_stack {
    guest_addr base;
    int32_t flags;
    int32_t pad;
    uint64_t bytes;
};
int signal_set_alternate_stack(struct thread *thread, const struct guest_stack *stack,
                               guest_addr stack_pointer);
struct guest_stack signal_alternate_stack(const struct thread *thread, guest_addr stack_pointer);

/* signal_host.c */

/* Takes over the host's signals: the program starts with the mask and the
 * ignored signals that this process was started with. */
void signal_host_install(struct process *process);
/* Leaves the host's signals as a program that is started by execve must find
 * them: ignored where the guest ignores them, blocked where `thread` blocks
 * them, pending where they are.  signal_host_install_again undoes this when the
 * execve has failed. */
void signal_host_prepare_exec(struct thread *thread);
void signal_host_install_again(struct process *process);
/* The program has ended, and this process goes on without it: signals are the process's own again. */
void signal_host_leave(void);
/* The program has ended, and reports are written: a signal that would end this process ends it at once, but
 * for one that came with the program's end. */
void signal_host_end(const struct process *process);
/* The guest's action for `number` has changed. */
void signal_host_mirror(const struct process *process, int number);
/* True if signals have arrived since the last signal_host_collect. */
bool signal_host_noted(void);
/* Sends what has arrived on to the guest. */
void signal_host_collect(struct process *process);
/* Waits for descriptors, a signal or the end of `nanoseconds` (WAIT_FOREVER:
 * no end); never misses a signal that arrives before it waits.  Returns what
 * poll would. */
int signal_host_wait(struct pollfd *fds, unsigned count, uint64_t nanoseconds);
/* Around fork: no signal is noted in between.  A new process has none noted. */
void signal_host_hold(void);
void signal_host_release(void);
void signal_host_forget(void);
/* What was noted and not yet collected, so that a vfork child which shares
 * this memory does not take its parent's signals. */
struct signal_notes;
struct signal_notes *signal_host_reserve(void); /* to be freed; NULL if memory is out */
void signal_host_save(struct signal_notes *copy);
void signal_host_restore(const struct signal_notes *copy);
/* Stops this process as the host's default action for `number` does. */
void signal_host_stop(struct process *process, int number);
/* Ends this process by the signal itself. */
_Noreturn void signal_host_die(int number);

#endif
