/* The program's memory: its break, which the translator emulates, and mappings that hold code.
 *
 * Strata's own memory is for the program as if nothing were mapped there, and nothing could
 * be: calls go around it, and say what the kernel says of a range with a hole. */
#include "translator/fragment/fetch.h"
#include "translator/fragment/flush.h"
#include "translator/process/own.h"
#include "translator/process/system.h"

#include <asm/errno.h>
#include <asm/ipcbuf.h>
#include <asm/shmbuf.h>
#include <asm/unistd.h>
#include <linux/mman.h>
#include <linux/resource.h>

#define PAGE_BYTES UINT64_C(4096)
/* linux/shm.h and ipc.h: they include a libc's headers. */
#define SHM_REMAP 040000
#define SHM_EXEC 0100000
#define IPC_STAT 2

static uint64_t page_up(uint64_t value)
{
    return (value + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

/* Translated code must not outlive what it was translated from. */
static void mapping_changed(struct translator *translator, guest_addr start, uint64_t bytes)
{
    lock_acquire(&translator->lock);
    fetch_remove(&translator->fetchable, start, bytes);
    fetch_remove(&translator->fixed, start, bytes);
    fetch_remove(&translator->closed, start, bytes);
    fetch_forget_window(translator);
    changes_unmap(translator, start, bytes);
    lock_release(&translator->lock);
}

/* Before a call that changes mappings: what Strata has protected is as the program made it. */
static void before_mapping(struct translator *translator, guest_addr start, uint64_t bytes)
{
    lock_acquire(&translator->lock);
    changes_before_mapping(translator, start, bytes);
    lock_release(&translator->lock);
}

static bool grow_brk(const struct translator *translator, guest_addr wanted)
{
    const guest_addr old_page = page_up(translator->brk_end);
    const uint64_t more = page_up(wanted) - old_page;
    struct rlimit64 limit;

    if (host_is_error(host_call(__NR_prlimit64, 0L, (long)RLIMIT_DATA, NULL, &limit)) ||
        wanted - translator->brk_start > limit.rlim_cur) {
        return false;
    }
    const long flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    const int64_t place =
        host_call(__NR_mmap, old_page, more, (long)(PROT_READ | PROT_WRITE), flags, -1L, 0L);
    if (host_is_error(place)) {
        return false;
    }
    if ((guest_addr)place != old_page) { /* not everyone knows MAP_FIXED_NOREPLACE */
        host_call(__NR_munmap, place, more);
        return false;
    }
    return true;
}

static void move_brk(struct translator *translator, guest_addr wanted)
{
    const guest_addr old_page = page_up(translator->brk_end);
    const guest_addr new_page = page_up(wanted);

    if (new_page > old_page && !grow_brk(translator, wanted)) {
        return;
    }
    if (new_page < old_page) {
        before_mapping(translator, new_page, old_page - new_page);
        host_call(__NR_munmap, new_page, old_page - new_page);
        mapping_changed(translator, new_page, old_page - new_page);
    }
    translator->brk_end = wanted;
}

/* Returns where the break is now: unchanged if it cannot be moved.  Its lock is
 * another than the translator's, which mapping_changed takes. */
int64_t system_brk(struct context *context, const struct call *call)
{
    struct translator *translator = context->translator;
    const guest_addr wanted = call->arguments[0];

    lock_acquire(&translator->brk_lock);
    if (wanted >= translator->brk_start && wanted <= (uint64_t)-PAGE_BYTES) {
        move_brk(translator, wanted);
    }
    const guest_addr brk = translator->brk_end;
    lock_release(&translator->brk_lock);
    return (int64_t)brk;
}

/* Mappings that were made or changed with `protection`. */
static void note_protection(struct translator *translator, guest_addr start, uint64_t bytes,
                            uint64_t protection)
{
    const guest_addr end = page_up(start + bytes);

    mapping_changed(translator, start, bytes);
    lock_acquire(&translator->lock);
    fetch_add((protection & PROT_EXEC) != 0 ? &translator->fetchable : &translator->closed, start,
              end);
    lock_release(&translator->lock);
}

/* Of a new mapping. */
static void note_fixed(struct translator *translator, guest_addr start, const struct call *call)
{
    if ((call->arguments[2] & (PROT_EXEC | PROT_WRITE)) == PROT_EXEC &&
        (call->arguments[3] & MAP_TYPE) == MAP_PRIVATE) {
        lock_acquire(&translator->lock);
        fetch_add(&translator->fixed, start, page_up(start + call->arguments[1]));
        lock_release(&translator->lock);
    }
}

static bool adds_loads(const struct translator *translator)
{
    return (translator->options.passes >> PASS_PREFETCH & 1) != 0;
}

/* Somebody else may write to memory from now on: traces that take the program to be alone with it go, and those with loads that
 * the program does not have: what is shared may be a device's. */
static void note_shared(struct translator *translator)
{
    lock_acquire(&translator->lock);
    if (!translator->shares_memory && translator->optimizer != NULL &&
        (!translator->threaded || adds_loads(translator))) {
        flush_all(translator);
    }
    translator->shares_memory = true;
    lock_release(&translator->lock);
}

/* Code that may be executed has to be read, too. */
static struct call make_readable(const struct call *call)
{
    struct call changed = *call;

    if ((call->arguments[2] & PROT_EXEC) != 0) {
        changed.arguments[2] |= PROT_READ;
    }
    return changed;
}

/* Whether a range that the program names has something of Strata's; one that the
 * kernel refuses anyway has not. */
static bool touches_own(struct context *context, guest_addr start, uint64_t bytes,
                        struct code_range *own)
{
    const guest_addr end = page_up(start + bytes);

    return start % PAGE_BYTES == 0 && end > start && own_find(context->translator, start, end, own);
}

/* Also where the program does not say where: the place may have held code that
 * another mapping replaced. */
int64_t system_mmap(struct context *context, const struct call *call)
{
    const struct call readable = make_readable(call);
    struct code_range own;

    if ((call->arguments[3] & MAP_FIXED) != 0 &&
        touches_own(context, call->arguments[0], call->arguments[1], &own)) {
        return -ENOMEM; /* as for addresses that no program can have */
    }
    if ((call->arguments[3] & MAP_FIXED) != 0) {
        before_mapping(context->translator, call->arguments[0], call->arguments[1]);
    }
    const bool shared = (call->arguments[3] & MAP_TYPE) != MAP_PRIVATE;
    if (shared && adds_loads(context->translator)) {
        note_shared(context->translator);
    }
    const int64_t place = system_pass(context, &readable);

    if (!host_is_error(place)) {
        note_protection(context->translator, (guest_addr)place, call->arguments[1],
                        call->arguments[2]);
        note_fixed(context->translator, (guest_addr)place, call);
        if (shared) {
            note_shared(context->translator);
        }
    }
    return place;
}

/* One that fails may have changed a part of it. */
int64_t system_mprotect(struct context *context, const struct call *call)
{
    struct call readable = make_readable(call);
    struct code_range own;

    before_mapping(context->translator, call->arguments[0], call->arguments[1]);
    if (touches_own(context, call->arguments[0], call->arguments[1], &own)) {
        if (own.start > call->arguments[0]) { /* what comes before a hole is changed */
            readable.arguments[1] = own.start - call->arguments[0];
            system_pass(context, &readable);
            mapping_changed(context->translator, call->arguments[0], readable.arguments[1]);
        }
        return -ENOMEM;
    }
    const int64_t result = system_pass(context, &readable);

    if ((call->arguments[2] & (PROT_GROWSDOWN | PROT_GROWSUP)) != 0) {
        mapping_changed(context->translator, 0, ~UINT64_C(0)); /* as far as its mapping goes */
    }
    if (result == 0 && call->arguments[1] != 0) {
        note_protection(context->translator, call->arguments[0], call->arguments[1],
                        call->arguments[2]);
    } else {
        mapping_changed(context->translator, call->arguments[0], call->arguments[1]);
    }
    return result;
}

/* A call whose first two arguments are a range, for all of it but Strata's own. */
static int64_t pass_around_own(struct context *context, const struct call *call, bool *holes)
{
    struct call part = *call;
    struct code_range own;

    *holes = false;
    while (touches_own(context, part.arguments[0], part.arguments[1], &own)) {
        const guest_addr end = page_up(part.arguments[0] + part.arguments[1]);
        *holes = true;
        if (own.start > part.arguments[0]) {
            part.arguments[1] = own.start - part.arguments[0];
            const int64_t result = system_pass(context, &part);
            if (result != 0) {
                return result;
            }
        }
        if (own.end >= end) {
            return 0;
        }
        part.arguments[0] = own.end;
        part.arguments[1] = end - own.end;
    }
    return system_pass(context, &part);
}

/* Even one that fails may have changed a part of it. */
int64_t system_munmap(struct context *context, const struct call *call)
{
    bool holes;

    before_mapping(context->translator, call->arguments[0], call->arguments[1]);
    const int64_t result = pass_around_own(context, call, &holes);

    mapping_changed(context->translator, call->arguments[0], call->arguments[1]);
    return result;
}

int64_t system_madvise(struct context *context, const struct call *call)
{
    bool holes;

    before_mapping(context->translator, call->arguments[0], call->arguments[1]);
    const int64_t result = pass_around_own(context, call, &holes);

    mapping_changed(context->translator, call->arguments[0], call->arguments[1]);
    return result == 0 && holes ? -ENOMEM : result;
}

int64_t system_mremap(struct context *context, const struct call *call)
{
    const uint64_t old_bytes = call->arguments[1] != 0 ? call->arguments[1] : PAGE_BYTES;
    struct code_range own;

    if (touches_own(context, call->arguments[0], old_bytes, &own)) {
        return -EFAULT;
    }
    if ((call->arguments[3] & MREMAP_FIXED) != 0 &&
        touches_own(context, call->arguments[4], call->arguments[2], &own)) {
        return -EFAULT; /* as where there is nothing to move from */
    }
    before_mapping(context->translator, call->arguments[0], old_bytes);
    if ((call->arguments[3] & MREMAP_FIXED) != 0) {
        before_mapping(context->translator, call->arguments[4], call->arguments[2]);
    }
    const int64_t place = system_pass(context, call);

    mapping_changed(context->translator, call->arguments[0], call->arguments[1]);
    if (!host_is_error(place)) {
        mapping_changed(context->translator, (guest_addr)place, call->arguments[2]);
    }
    return place;
}

/* One that the program may attach it may also look at: 0 if it may not, or there is none. */
static uint64_t segment_bytes(uint64_t segment)
{
    struct shmid64_ds status;

    return host_call(__NR_shmctl, segment, (long)IPC_STAT, &status) == 0 ? page_up(status.shm_segsz)
                                                                         : 0;
}

/* With SHM_REMAP in the place of what is there already. */
int64_t system_shmat(struct context *context, const struct call *call)
{
    struct translator *translator = context->translator;
    const uint64_t bytes = segment_bytes(call->arguments[0]);
    const guest_addr wanted = call->arguments[1] & ~(PAGE_BYTES - 1);
    struct code_range own;

    if ((call->arguments[2] & SHM_REMAP) != 0) {
        if (touches_own(context, wanted, bytes, &own)) {
            return -EINVAL; /* as for addresses that no program can have */
        }
        before_mapping(translator, wanted, bytes);
    }
    const int64_t place = system_pass(context, call);

    if (!host_is_error(place)) {
        note_protection(translator, (guest_addr)place, bytes,
                        (call->arguments[2] & SHM_EXEC) != 0 ? PROT_EXEC : 0);
        note_shared(translator);
        lock_acquire(&translator->lock);
        if (translator->largest_segment < bytes) {
            translator->largest_segment = bytes;
        }
        lock_release(&translator->lock);
    }
    return place;
}

/* How far what goes reaches only the kernel knows, but not further than the largest segment. */
int64_t system_shmdt(struct context *context, const struct call *call)
{
    struct translator *translator = context->translator;

    lock_acquire(&translator->lock);
    const uint64_t bytes = translator->largest_segment;
    lock_release(&translator->lock);
    before_mapping(translator, call->arguments[0], bytes);
    const int64_t result = system_pass(context, call);

    if (!host_is_error(result)) {
        mapping_changed(translator, call->arguments[0], bytes);
    }
    return result;
}
