/* Threads of the simulated program: how they begin and end. */
#ifndef STRATA_MACHINE_LINUX_THREAD_H
#define STRATA_MACHINE_LINUX_THREAD_H

#include "machine/linux/process.h"

/* A thread that is in no list yet, all registers zero; NULL if memory is out. */
struct thread *thread_create(struct process *process, pid_t tid);
/* Frees it; the caller has taken it out of the list. */
void thread_destroy(struct thread *thread);
/* The thread of that number that has not exited, or NULL. */
struct thread *thread_find(const struct process *process, pid_t tid);
/* Gives `to` the registers of `from`, but not its part of the counter hardware. */
void thread_copy_registers(struct hart *to, const struct hart *from);
/* clone with CLONE_THREAD: the new thread's number or -errno. */
int64_t thread_clone(struct thread *thread, const uint64_t *arguments);
/* Tells those who wait for the thread's locks and for its end. */
void thread_announce_end(struct thread *thread);

/* execve.c: frees what an execve holds that did not return. */
void execve_forget(struct thread *thread);

/* clone's arguments in the order that RISC-V has them in. */
enum {
    CLONE_ARGUMENT_FLAGS,
    CLONE_ARGUMENT_STACK,
    CLONE_ARGUMENT_PARENT_TID,
    CLONE_ARGUMENT_TLS,
    CLONE_ARGUMENT_CHILD_TID,
};

#endif
