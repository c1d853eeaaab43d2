/* What this layer knows of the program's files beyond what the host's kernel does. */
#ifndef STRATA_MACHINE_LINUX_FILES_H
#define STRATA_MACHINE_LINUX_FILES_H

#include "machine/linux/layout.h"
#include "machine/linux/process.h"
#include "machine/linux/regions.h"
#include "machine/linux/stack.h"

#include <sys/uio.h>

struct special_table; /* linux/special.c */

struct file_state {
    struct stack_parts stack;
    struct region *regions;
    guest_addr full_from;           /* no page from here up to mmap_top is free; 0: not known */
    struct special_table *specials; /* first the newest process's */
};

bool files_create(struct process *process);
void files_destroy(struct process *process);
struct file_state *files_state(struct process *process);

/* The host address of a buffer that a host system call uses in place.  The
 * pages have the same protection there, so that the host's kernel itself finds
 * what the guest may not access, as exactly as the guest's would.  A range that
 * leaves the guest's space becomes one in the guard page behind it. */
static inline void *guest_buffer(const struct thread *thread, guest_addr start, uint64_t bytes)
{
    bool inside = bytes <= LAYOUT_END && start <= LAYOUT_END - bytes;

    return memory_host(&thread->process->machine.memory, inside ? start : GUEST_SPACE_BYTES);
}

/* Where the host has what a pointer of the program leads to, which is smaller than a page; NULL for a null pointer. */
static inline void *guest_pointer(const struct thread *thread, guest_addr start)
{
    return start == 0 ? NULL : guest_buffer(thread, start, 0);
}

static inline const char *guest_string(const struct thread *thread, guest_addr address)
{
    return memory_string(&thread->process->machine.memory, address);
}

/* The result of a host system call as a handler returns it. */
int64_t files_result(long result);

/* linux/special.c: descriptors whose readiness the machine decides, timerfd by
 * virtual time and signalfd by the guest's signals. */

/* Brings their host descriptors up to date for a thread that will look at them. */
void special_update(struct thread *thread);
/* What a thread that waits for a descriptor must also wait for: puts it into
 * thread->wait.  SPECIAL_ALL: for all of them, as epoll may hold any. */
#define SPECIAL_ALL (-1)
void special_prepare_wait(struct thread *thread, int host_fd);
/* Reads from a signalfd; false if `host_fd` is none. */
bool special_read(struct thread *thread, int host_fd, const struct iovec *parts, unsigned count,
                  int64_t *result);
void special_duplicated(struct process *process, int from, int to);
void special_closed(struct process *process, unsigned first, unsigned last);
void special_destroy(struct process *process);

#endif
