/* System V shared memory: the host's segments, attached where the guest's addresses are. */
#include "machine/linux/files.h"
#include "machine/linux/mappings.h"
#include "machine/linux/syscall.h"

#include <errno.h>
#include <linux/shm.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Segments are attached at multiples of this: on RISC-V a page is enough. */
#define ATTACH_BYTES GUEST_PAGE_BYTES

/* Where the caller wants it, 0: anywhere; or -errno. */
static int64_t wanted_place(guest_addr address, int flags)
{
    if (address % ATTACH_BYTES != 0) {
        if ((flags & SHM_RND) == 0) {
            return -EINVAL;
        }
        address -= address % ATTACH_BYTES;
    }
    if (address == 0 && (flags & SHM_REMAP) != 0) {
        return -EINVAL;
    }
    return address >= GUEST_SPACE_BYTES ? -EINVAL : (int64_t)address;
}

static unsigned permissions_of(int flags)
{
    return PAGE_READ | ((flags & SHM_RDONLY) == 0 ? PAGE_WRITE : 0u) |
           ((flags & SHM_EXEC) != 0 ? PAGE_EXECUTE : 0u);
}

int64_t sys_shmat(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    struct memory *memory = &process->machine.memory;
    int segment = (int)arguments[0];
    int flags = (int)arguments[2];
    struct shmid64_ds status;

    int64_t wanted = wanted_place(arguments[1], flags);
    if (wanted < 0) {
        return wanted;
    }
    /* Who may attach a segment may look at it, too. */
    if (syscall(SYS_shmctl, segment, IPC_STAT, &status) != 0) {
        return -errno;
    }
    if (status.shm_segsz > LAYOUT_END) {
        return -ENOMEM;
    }
    uint64_t bytes = layout_page_up(status.shm_segsz);
    if (mappings_over_limit(process, bytes)) {
        return -ENOMEM;
    }
    if (wanted != 0 && (flags & SHM_REMAP) == 0 &&
        !memory_is_free(memory, (guest_addr)wanted, bytes)) {
        return -EINVAL;
    }
    int64_t place =
        mappings_choose_place(process, (guest_addr)wanted, bytes, wanted != 0 ? MAP_FIXED : 0);
    if (place < 0) {
        return place;
    }
    guest_addr start = (guest_addr)place;
    int error = memory_attach(memory, start, bytes, permissions_of(flags), segment, flags);
    if (error != 0) {
        return error;
    }
    struct region **regions = &files_state(process)->regions;
    region_remove(regions, start, bytes);
    if (!region_add_segment(regions, start, bytes, segment, (uint32_t)status.shm_perm.key)) {
        mappings_unmap(process, start, bytes);
        return -ENOMEM;
    }
    process->shares_memory = true;
    return place;
}

/* Whether the region is what is left of a segment that was attached at `address`. */
static bool attached_at(const struct region *region, guest_addr address)
{
    return region->segment != NO_SEGMENT && region->start >= address &&
           region->start - address == region->offset;
}

/* Parts of the segment may have been unmapped or protected: all the others go. */
int64_t sys_shmdt(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    guest_addr address = arguments[0];
    int segment = NO_SEGMENT;

    for (;;) {
        const struct region *region = files_state(process)->regions;
        while (region != NULL && !(attached_at(region, address) &&
                                   (segment == NO_SEGMENT || region->segment == segment))) {
            region = region->next;
        }
        if (region == NULL) {
            return segment == NO_SEGMENT ? -EINVAL : 0;
        }
        segment = region->segment;
        int64_t error = mappings_unmap(process, region->start, region->end - region->start);
        if (error != 0) {
            return error;
        }
    }
}
