/* The policy by which Linux schedules each thread: told and remembered, for what it is worth on one processor. */
#ifndef STRATA_MACHINE_LINUX_SCHEDULING_H
#define STRATA_MACHINE_LINUX_SCHEDULING_H

#include "machine/linux/process.h"

/* A new thread has the policy of the one that made it. */
void scheduling_inherit(struct thread *child, const struct thread *parent);
/* This process is new, and `thread` its only one: the host copied the policy of the first. */
void scheduling_fork(const struct thread *thread);

#endif
