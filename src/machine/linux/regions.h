/* Which files and segments of shared memory stand behind which guest addresses. */
#ifndef STRATA_MACHINE_LINUX_REGIONS_H
#define STRATA_MACHINE_LINUX_REGIONS_H

#include "machine/state/hart.h"

#include <sys/types.h>

#define NO_SEGMENT (-1)

struct region {
    guest_addr start, end;
    uint64_t offset; /* in the file, of `start` */
    dev_t device;
    ino_t inode;
    int segment; /* of System V: its number; NO_SEGMENT: a file */
    char *name;
    struct region *next; /* in ascending order; regions never overlap */
};

/* Names the range after the file that `host_fd` is open on.  When memory runs
 * out the range just stays unnamed. */
void region_add_file(struct region **regions, guest_addr start, uint64_t bytes, int host_fd,
                     uint64_t offset);
/* The range is an attached segment.  Returns false if memory has run out. */
bool region_add_segment(struct region **regions, guest_addr start, uint64_t bytes, int segment,
                        uint32_t key);
void region_remove(struct region **regions, guest_addr start, uint64_t bytes);
/* What was at `from` is now at `to`, where nothing is. */
void region_move(struct region **regions, guest_addr from, uint64_t bytes, guest_addr to);
/* The region that holds `address`, or NULL. */
const struct region *region_find(const struct region *regions, guest_addr address);

#endif
