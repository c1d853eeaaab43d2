/* The handlers of all system calls, declared from the rows of syscalls.def. */
#ifndef STRATA_MACHINE_LINUX_SYSCALL_H
#define STRATA_MACHINE_LINUX_SYSCALL_H

#include "machine/linux/process.h"

#define SYSCALL(number, name, handler)                                                             \
    int64_t handler(struct thread *thread, const uint64_t *arguments);
#include "machine/linux/syscalls.def"

#endif
