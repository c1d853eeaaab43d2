/* The guest's mappings: mmap and its relatives, brk, and advice about memory. */
#include "machine/linux/mappings.h"

#include "machine/linux/files.h"
#include "machine/linux/syscall.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* Programs may not map the first pages, so that null pointers fault. */
#define LOWEST_MAPPING UINT64_C(0x10000)

_Static_assert(PROT_READ == PAGE_READ && PROT_WRITE == PAGE_WRITE && PROT_EXEC == PAGE_EXECUTE,
               "protections are page permissions");

/* RISC-V has no pages that can be written but not read. */
static unsigned permissions_of(uint64_t protection)
{
    unsigned permissions = (unsigned)protection & (PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);

    return (permissions & PAGE_WRITE) != 0 ? permissions | PAGE_READ : permissions;
}

static bool is_aligned(uint64_t value)
{
    return value % GUEST_PAGE_BYTES == 0;
}

/* Rounds a length up; false if no range of the guest's space is that long. */
static bool round_length(uint64_t *bytes)
{
    if (*bytes > LAYOUT_END) {
        return false;
    }
    *bytes = layout_page_up(*bytes);
    return true;
}

static bool in_space(guest_addr start, uint64_t bytes)
{
    return start <= LAYOUT_END && bytes <= LAYOUT_END - start;
}

/* How many bytes from `start` on are mapped without a hole, `bytes` at most. */
static uint64_t mapped_length(const struct memory *memory, guest_addr start, uint64_t bytes)
{
    uint64_t length = 0;

    while (length < bytes && (memory_permissions(memory, start + length) & PAGE_MAPPED) != 0) {
        length += GUEST_PAGE_BYTES;
    }
    return length;
}

bool mappings_over_limit(const struct process *process, uint64_t more)
{
    uint64_t limit = process->limits[RLIMIT_AS].now;

    return limit != RLIM_INFINITY && process->machine.memory.mapped_bytes + more > limit;
}

/* The highest free range.  The search begins below what is known to be full, or
 * a program with many mappings would wait for it. */
static guest_addr find_place(struct process *process, uint64_t bytes)
{
    const struct memory *memory = &process->machine.memory;
    guest_addr *full_from = &files_state(process)->full_from;

    if (*full_from == 0) {
        *full_from = process->mmap_top;
    }
    while (*full_from > LOWEST_MAPPING &&
           (memory_permissions(memory, *full_from - 1) & PAGE_MAPPED) != 0) {
        *full_from -= GUEST_PAGE_BYTES;
    }
    return memory_find_free(memory, *full_from, bytes, true);
}

/* What the list of names and the search for free places must know. */
static void forget_range(struct process *process, guest_addr start, uint64_t bytes)
{
    struct file_state *state = files_state(process);
    guest_addr end = start + bytes;

    region_remove(&state->regions, start, bytes);
    if (state->full_from != 0 && end > state->full_from) {
        state->full_from = end < process->mmap_top ? end : process->mmap_top;
    }
}

int64_t mappings_choose_place(struct process *process, guest_addr wanted, uint64_t bytes,
                              uint64_t flags)
{
    const struct memory *memory = &process->machine.memory;

    if ((flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0) {
        if (!is_aligned(wanted)) {
            return -EINVAL;
        }
        if (!in_space(wanted, bytes)) {
            return -ENOMEM;
        }
        if (wanted < LOWEST_MAPPING) {
            return -EPERM;
        }
        if ((flags & MAP_FIXED_NOREPLACE) != 0 && !memory_is_free(memory, wanted, bytes)) {
            return -EEXIST;
        }
        return (int64_t)wanted;
    }
    wanted = layout_page_down(wanted);
    if (wanted >= LOWEST_MAPPING && in_space(wanted, bytes) &&
        memory_is_free(memory, wanted, bytes)) {
        return (int64_t)wanted;
    }
    guest_addr found = find_place(process, bytes);
    return found == 0 ? -ENOMEM : (int64_t)found;
}

int64_t sys_mmap(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    struct memory *memory = &process->machine.memory;
    uint64_t bytes = arguments[1];
    uint64_t flags = arguments[3];
    uint64_t offset = arguments[5];
    uint64_t type = flags & MAP_TYPE;
    bool anonymous = (flags & MAP_ANONYMOUS) != 0;
    int fd = anonymous ? -1 : (int)arguments[4];

    if (!is_aligned(offset) || bytes == 0) {
        return -EINVAL;
    }
    if (!anonymous && fcntl(fd, F_GETFD) < 0) {
        return -EBADF;
    }
    if (!round_length(&bytes) || mappings_over_limit(process, bytes)) {
        return -ENOMEM;
    }
    if (type != MAP_SHARED && type != MAP_PRIVATE && type != MAP_SHARED_VALIDATE) {
        return -EINVAL;
    }
    if (anonymous && (flags & MAP_HUGETLB) != 0) {
        return -ENOMEM;
    }
    int64_t place = mappings_choose_place(process, arguments[0], bytes, flags);
    if (place < 0) {
        return place;
    }
    guest_addr start = (guest_addr)place;
    int error = memory_map(memory, start, bytes, permissions_of(arguments[2]), type != MAP_PRIVATE,
                           fd, anonymous ? 0 : offset);
    if (error != 0) {
        return error;
    }
    region_remove(&files_state(process)->regions, start, bytes);
    if (!anonymous) {
        region_add_file(&files_state(process)->regions, start, bytes, fd, offset);
        process->shares_memory |= type != MAP_PRIVATE;
    }
    return place;
}

int64_t mappings_unmap(struct process *process, guest_addr start, uint64_t bytes)
{
    forget_range(process, start, bytes);
    return memory_unmap(&process->machine.memory, start, bytes);
}

int64_t sys_munmap(struct thread *thread, const uint64_t *arguments)
{
    uint64_t bytes = arguments[1];

    if (!is_aligned(arguments[0]) || bytes == 0 || !round_length(&bytes) ||
        !in_space(arguments[0], bytes)) {
        return -EINVAL;
    }
    return mappings_unmap(thread->process, arguments[0], bytes);
}

int64_t sys_mprotect(struct thread *thread, const uint64_t *arguments)
{
    enum { PROT_SEM_BIT = 8 };
    struct memory *memory = &thread->process->machine.memory;
    guest_addr start = arguments[0];
    uint64_t bytes = arguments[1];

    if (!is_aligned(start) ||
        (arguments[2] & ~(uint64_t)(PROT_READ | PROT_WRITE | PROT_EXEC | PROT_SEM_BIT)) != 0) {
        return -EINVAL;
    }
    if (bytes == 0) {
        return 0;
    }
    if (!round_length(&bytes) || !in_space(start, bytes)) {
        return -ENOMEM;
    }
    /* As the kernel: what comes before a hole is changed all the same. */
    uint64_t length = mapped_length(memory, start, bytes);
    if (length > 0) {
        int error = memory_protect(memory, start, length, permissions_of(arguments[2]));
        if (error != 0) {
            return error;
        }
    }
    return length < bytes ? -ENOMEM : 0;
}

/* The host cannot move what it holds as several mappings, though they look
 * like one to the guest.  Private memory can be copied instead. */
static int64_t move_by_copy(struct process *process, guest_addr from, uint64_t old_bytes,
                            guest_addr to, uint64_t new_bytes)
{
    struct memory *memory = &process->machine.memory;
    unsigned permissions =
        memory_permissions(memory, from) & (PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);

    for (guest_addr at = from; at < from + old_bytes; at += GUEST_PAGE_BYTES) {
        if ((memory_permissions(memory, at) & (PAGE_READ | PAGE_SHARED)) != PAGE_READ ||
            region_find(files_state(process)->regions, at) != NULL) {
            return -EFAULT;
        }
    }
    int error = memory_map(memory, to, new_bytes, PAGE_READ | PAGE_WRITE, false, -1, 0);
    if (error != 0) {
        return error;
    }
    memcpy(memory_host(memory, to), memory_host(memory, from), old_bytes);
    error = memory_protect(memory, to, new_bytes, permissions);
    return error != 0 ? error : memory_unmap(memory, from, old_bytes);
}

static int64_t move(struct process *process, guest_addr from, uint64_t old_bytes, guest_addr to,
                    uint64_t new_bytes)
{
    struct file_state *state = files_state(process);
    uint64_t kept = old_bytes < new_bytes ? old_bytes : new_bytes;

    region_remove(&state->regions, to, new_bytes);
    int64_t error = memory_move(&process->machine.memory, from, old_bytes, to, new_bytes);
    if (error == -EFAULT) {
        error = move_by_copy(process, from, old_bytes, to, new_bytes);
    }
    if (error != 0) {
        return error;
    }
    region_move(&state->regions, from, kept, to);
    forget_range(process, from, old_bytes);
    return (int64_t)to;
}

/* More memory right behind a private anonymous mapping, for those who do not
 * let it move. */
static int64_t grow_in_place(struct process *process, guest_addr start, uint64_t old_bytes,
                             uint64_t new_bytes)
{
    struct memory *memory = &process->machine.memory;
    unsigned permissions = memory_permissions(memory, start);
    guest_addr end = start + old_bytes;

    if ((permissions & PAGE_SHARED) != 0 ||
        region_find(files_state(process)->regions, start) != NULL || !in_space(start, new_bytes) ||
        !memory_is_free(memory, end, new_bytes - old_bytes)) {
        return -ENOMEM;
    }
    int error = memory_map(memory, end, new_bytes - old_bytes,
                           permissions & (PAGE_READ | PAGE_WRITE | PAGE_EXECUTE), false, -1, 0);
    return error != 0 ? error : (int64_t)start;
}

int64_t sys_mremap(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    struct memory *memory = &process->machine.memory;
    guest_addr from = arguments[0];
    uint64_t old_bytes = arguments[1];
    uint64_t new_bytes = arguments[2];
    uint64_t flags = arguments[3];
    guest_addr to = arguments[4];

    if ((flags & ~(uint64_t)(MREMAP_MAYMOVE | MREMAP_FIXED)) != 0 || !is_aligned(from) ||
        ((flags & MREMAP_FIXED) != 0 && (flags & MREMAP_MAYMOVE) == 0) || new_bytes == 0 ||
        old_bytes == 0 || !round_length(&new_bytes) || !round_length(&old_bytes)) {
        return -EINVAL;
    }
    if (!in_space(from, old_bytes) || mapped_length(memory, from, old_bytes) < old_bytes) {
        return -EFAULT;
    }
    if ((flags & MREMAP_FIXED) != 0) {
        if (!is_aligned(to) || !in_space(to, new_bytes) || to < LOWEST_MAPPING ||
            (to < from + old_bytes && from < to + new_bytes)) {
            return -EINVAL;
        }
        if (new_bytes < old_bytes) {
            mappings_unmap(process, from + new_bytes, old_bytes - new_bytes);
            old_bytes = new_bytes;
        }
        return move(process, from, old_bytes, to, new_bytes);
    }
    if (new_bytes <= old_bytes) {
        int64_t error = new_bytes < old_bytes
                            ? mappings_unmap(process, from + new_bytes, old_bytes - new_bytes)
                            : 0;
        return error != 0 ? error : (int64_t)from;
    }
    if (mappings_over_limit(process, new_bytes - old_bytes)) {
        return -ENOMEM;
    }
    if ((flags & MREMAP_MAYMOVE) == 0) {
        return grow_in_place(process, from, old_bytes, new_bytes);
    }
    to = find_place(process, new_bytes);
    return to == 0 ? -ENOMEM : move(process, from, old_bytes, to, new_bytes);
}

/* Returns where the break is now: unchanged if it cannot be moved. */
int64_t sys_brk(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    struct memory *memory = &process->machine.memory;
    guest_addr wanted = arguments[0];
    guest_addr old_page = layout_page_up(process->brk_end);
    guest_addr new_page = layout_page_up(wanted);

    if (wanted < process->brk_start || wanted > process->mmap_top ||
        (process->limits[RLIMIT_DATA].now != RLIM_INFINITY &&
         wanted - process->brk_start > process->limits[RLIMIT_DATA].now)) {
        return (int64_t)process->brk_end;
    }
    if (new_page > old_page) {
        uint64_t more = new_page - old_page;
        if (mappings_over_limit(process, more) || !memory_is_free(memory, old_page, more) ||
            memory_map(memory, old_page, more, PAGE_READ | PAGE_WRITE, false, -1, 0) != 0) {
            return (int64_t)process->brk_end;
        }
    } else if (new_page < old_page && mappings_unmap(process, new_page, old_page - new_page) != 0) {
        return (int64_t)process->brk_end;
    }
    process->brk_end = wanted;
    return (int64_t)wanted;
}

enum advice { ADVICE_IGNORED, ADVICE_DROP, ADVICE_DROP_ANONYMOUS, ADVICE_HOST, ADVICE_UNKNOWN };

/* Hints that change nothing a program can see are accepted and ignored. */
static enum advice classify_advice(int advice)
{
    switch (advice) {
    case MADV_NORMAL:
    case MADV_RANDOM:
    case MADV_SEQUENTIAL:
    case MADV_WILLNEED:
    case MADV_DONTFORK:
    case MADV_DOFORK:
    case MADV_MERGEABLE:
    case MADV_UNMERGEABLE:
    case MADV_HUGEPAGE:
    case MADV_NOHUGEPAGE:
    case MADV_DONTDUMP:
    case MADV_DODUMP:
    case MADV_COLD:
    case MADV_PAGEOUT:
    case MADV_POPULATE_READ:
    case MADV_POPULATE_WRITE:
        return ADVICE_IGNORED;
    case MADV_DONTNEED:
        return ADVICE_DROP;
    case MADV_FREE:
        /* The kernel may drop the pages at any time; here always at once. */
        return ADVICE_DROP_ANONYMOUS;
    case MADV_REMOVE:
    case MADV_WIPEONFORK:
    case MADV_KEEPONFORK:
        return ADVICE_HOST;
    default:
        return ADVICE_UNKNOWN;
    }
}

static int64_t drop_pages(struct memory *memory, guest_addr start, uint64_t bytes, int advice)
{
    if (madvise(memory_host(memory, start), bytes, advice) != 0) {
        return -errno;
    }
    if (memory->code_changed != NULL) {
        memory->code_changed(memory->code_changed_context, start, bytes);
    }
    return 0;
}

int64_t sys_madvise(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    struct memory *memory = &process->machine.memory;
    guest_addr start = arguments[0];
    uint64_t bytes = arguments[1];
    int number = (int)arguments[2];
    enum advice advice = classify_advice(number);

    if (!is_aligned(start) || advice == ADVICE_UNKNOWN || !round_length(&bytes) ||
        !in_space(start, bytes)) {
        return -EINVAL;
    }
    /* What is mapped gets the advice even if there are holes between. */
    int64_t result = 0;
    for (guest_addr at = start; at < start + bytes;) {
        uint64_t length = mapped_length(memory, at, start + bytes - at);
        if (length == 0) {
            result = -ENOMEM;
            at += GUEST_PAGE_BYTES;
            continue;
        }
        int64_t error = 0;
        if (advice == ADVICE_DROP_ANONYMOUS && region_find(files_state(process)->regions, at)) {
            error = -EINVAL;
        } else if (advice == ADVICE_DROP || advice == ADVICE_DROP_ANONYMOUS) {
            error = drop_pages(memory, at, length, MADV_DONTNEED);
        } else if (advice == ADVICE_HOST) {
            error = drop_pages(memory, at, length, number);
        }
        if (error != 0) {
            return error;
        }
        at += length;
    }
    return result;
}

int64_t sys_msync(struct thread *thread, const uint64_t *arguments)
{
    struct memory *memory = &thread->process->machine.memory;
    guest_addr start = arguments[0];
    uint64_t bytes = arguments[1];
    int flags = (int)arguments[2];

    if (!is_aligned(start) || (flags & ~(MS_ASYNC | MS_INVALIDATE | MS_SYNC)) != 0 ||
        ((flags & MS_ASYNC) != 0 && (flags & MS_SYNC) != 0)) {
        return -EINVAL;
    }
    if (!round_length(&bytes) || !in_space(start, bytes) ||
        mapped_length(memory, start, bytes) < bytes) {
        return -ENOMEM;
    }
    return files_result(msync(memory_host(memory, start), bytes, flags));
}

/* Which pages the host happens to hold is no business of a repeatable run: all
 * that are mapped count as present. */
int64_t sys_mincore(struct thread *thread, const uint64_t *arguments)
{
    struct memory *memory = &thread->process->machine.memory;
    guest_addr start = arguments[0];
    uint64_t bytes = arguments[1];

    if (!is_aligned(start)) {
        return -EINVAL;
    }
    if (!round_length(&bytes) || !in_space(start, bytes)) {
        return -ENOMEM;
    }
    if (mapped_length(memory, start, bytes) < bytes) {
        return -ENOMEM;
    }
    uint8_t present[GUEST_PAGE_BYTES];
    memset(present, 1, sizeof present);
    for (uint64_t done = 0; done < bytes / GUEST_PAGE_BYTES; done += sizeof present) {
        uint64_t left = bytes / GUEST_PAGE_BYTES - done;
        if (!memory_write(memory, arguments[2] + done, present,
                          left < sizeof present ? left : sizeof present)) {
            return -EFAULT;
        }
    }
    return 0;
}

/* Nothing is swapped out as far as the guest can see: locking only checks. */
int64_t sys_mlock(struct thread *thread, const uint64_t *arguments)
{
    guest_addr start = layout_page_down(arguments[0]);
    uint64_t bytes = arguments[1] + (arguments[0] - start);

    if (bytes < arguments[1] || !round_length(&bytes) || !in_space(start, bytes) ||
        mapped_length(&thread->process->machine.memory, start, bytes) < bytes) {
        return -ENOMEM;
    }
    return 0;
}

int64_t sys_mlock2(struct thread *thread, const uint64_t *arguments)
{
    return (arguments[2] & ~(uint64_t)MLOCK_ONFAULT) != 0 ? -EINVAL : sys_mlock(thread, arguments);
}

int64_t sys_mlockall(struct thread *thread, const uint64_t *arguments)
{
    (void)thread;
    int flags = (int)arguments[0];

    return flags == 0 || (flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)) != 0 ||
                   flags == MCL_ONFAULT
               ? -EINVAL
               : 0;
}

int64_t sys_munlockall(struct thread *thread, const uint64_t *arguments)
{
    (void)thread;
    (void)arguments;
    return 0;
}
