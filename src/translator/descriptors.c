/* Keeps the translator's own descriptors out of the program's way.
 *
 * The program does not know of them: where it would close one, there is nothing
 * to close, and where it wants the number of one for itself, that moves away. */
#include "translator/descriptors.h"

#include "translator/output.h"
#include "translator/system.h"

#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/resource.h>

/* More than that makes the kernel's tables large. */
#define DESCRIPTOR_LIMIT 65536
/* So many from the highest on; some may be another Strata's. */
#define DESCRIPTORS_WANTED 16

#define OWN_DESCRIPTORS 3

static int64_t *own_descriptor(struct reports *reports, unsigned index)
{
    int64_t *const all[OWN_DESCRIPTORS] = {&reports->stats_fd, &reports->dump_fd,
                                           &reports->records_fd};

    return all[index];
}

/* The one with this number, or NULL. */
static int64_t *find_own(struct context *context, uint32_t number)
{
    for (unsigned i = 0; i < OWN_DESCRIPTORS; i++) {
        int64_t *own = own_descriptor(&context->translator->reports, i);
        if (*own == (int64_t)number) {
            return own;
        }
    }
    return NULL;
}

int64_t descriptors_move_up(int64_t fd)
{
    struct rlimit64 limit;

    if (host_is_error(host_call(__NR_prlimit64, 0L, (long)RLIMIT_NOFILE, NULL, &limit))) {
        return fd;
    }
    const uint64_t end = limit.rlim_cur < DESCRIPTOR_LIMIT ? limit.rlim_cur : DESCRIPTOR_LIMIT;
    if (end < 2 * DESCRIPTORS_WANTED) {
        return fd;
    }
    const int64_t high = host_call(__NR_fcntl, fd, (long)F_DUPFD_CLOEXEC, end - DESCRIPTORS_WANTED);
    if (host_is_error(high)) {
        return fd;
    }
    host_call(__NR_close, fd);
    return high;
}

void descriptors_keep(const struct reports *reports, bool kept)
{
    const long flags = kept ? 0 : FD_CLOEXEC;

    if (reports->stats_fd >= 0) {
        host_call(__NR_fcntl, reports->stats_fd, (long)F_SETFD, flags);
    }
    if (reports->records_fd >= 0) {
        host_call(__NR_fcntl, reports->records_fd, (long)F_SETFD, flags);
    }
}

int64_t system_close(struct context *context, const struct call *call)
{
    return find_own(context, (uint32_t)call->arguments[0]) != NULL ? -EBADF
                                                                   : system_pass(context, call);
}

/* Also as what it copies from. */
int64_t system_fcntl(struct context *context, const struct call *call)
{
    return system_close(context, call);
}

/* A process that borrows the memory must not change what is the other one's. */
int64_t system_dup3(struct context *context, const struct call *call)
{
    int64_t *own = find_own(context, (uint32_t)call->arguments[1]);

    if (find_own(context, (uint32_t)call->arguments[0]) != NULL ||
        (own != NULL && context->borrows)) {
        return -EBADF;
    }
    if (own != NULL) {
        const int64_t moved =
            host_call(__NR_fcntl, *own, (long)F_DUPFD_CLOEXEC, (long)DESCRIPTORS_WANTED);
        if (host_is_error(moved)) {
            return moved;
        }
        *own = moved; /* the call itself closes the old one */
    }
    return system_pass(context, call);
}

/* Where the first of them is in this range; behind the range if none is. */
static uint64_t next_own(struct reports *reports, uint64_t first, uint64_t last)
{
    uint64_t next = last + 1;

    for (unsigned i = 0; i < OWN_DESCRIPTORS; i++) {
        const int64_t own = *own_descriptor(reports, i);
        if (own >= (int64_t)first && own < (int64_t)next) {
            next = (uint64_t)own;
        }
    }
    return next;
}

/* Around each of them. */
int64_t system_close_range(struct context *context, const struct call *call)
{
    struct call part = *call;
    uint64_t first = (uint32_t)call->arguments[0];
    const uint64_t last = (uint32_t)call->arguments[1];

    if (first > last) {
        return system_pass(context, call);
    }
    for (;;) {
        const uint64_t own = next_own(&context->translator->reports, first, last);
        part.arguments[0] = first;
        part.arguments[1] = own > last ? last : own - 1;
        const int64_t result = own == first ? 0 : system_pass(context, &part);
        if (result != 0 || own >= last) {
            return result;
        }
        first = own + 1;
    }
}
