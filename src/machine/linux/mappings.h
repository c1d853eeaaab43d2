/* Where new mappings go, and what must be known of those that go away. */
#ifndef STRATA_MACHINE_LINUX_MAPPINGS_H
#define STRATA_MACHINE_LINUX_MAPPINGS_H

#include "machine/linux/process.h"

/* Whether so many bytes more would be over RLIMIT_AS. */
bool mappings_over_limit(const struct process *process, uint64_t more);
/* Where a new mapping goes, or -errno.  `bytes` are whole pages; `flags` are mmap's that speak of the place. */
int64_t mappings_choose_place(struct process *process, guest_addr wanted, uint64_t bytes,
                              uint64_t flags);
/* 0 or -errno.  The range is inside the guest's space. */
int64_t mappings_unmap(struct process *process, guest_addr start, uint64_t bytes);

#endif
