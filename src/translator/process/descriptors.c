/* Keeps the translator's own descriptors out of the program's way.
 *
 * The program does not know of them: where it would close one, there is nothing
 * to close, and where it wants the number of one for itself, that moves away. */
#include "translator/process/descriptors.h"

#include "translator/host/output.h"
#include "translator/process/self.h"
#include "translator/process/system.h"

#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>

#define OWN_DESCRIPTORS 6

static int64_t *own_descriptor(struct reports *reports, unsigned index)
{
    int64_t *const all[OWN_DESCRIPTORS] = {
        &reports->stats_fd,  &reports->dump_fd,       &reports->records_fd,
        &reports->parent_fd, &reports->shared_fds[0], &reports->shared_fds[1],
    };

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

bool descriptors_are_own(struct context *context, uint64_t fd)
{
    return find_own(context, (uint32_t)fd) != NULL;
}

int64_t system_close(struct context *context, const struct call *call)
{
    return descriptors_are_own(context, call->arguments[0]) ? -EBADF : system_pass(context, call);
}

/* For all calls that need one descriptor and nothing else: the translator's own are not there. */
int64_t system_fcntl(struct context *context, const struct call *call)
{
    return system_close(context, call);
}

/* What is another process's, which shares memory or descriptors, must not change. */
static bool is_ours_alone(struct context *context, const int64_t *own)
{
    const struct reports *reports = &context->translator->reports;

    return !context->borrows && own != &reports->shared_fds[0] && own != &reports->shared_fds[1];
}

int64_t system_dup3(struct context *context, const struct call *call)
{
    int64_t *own = find_own(context, (uint32_t)call->arguments[1]);

    if (find_own(context, (uint32_t)call->arguments[0]) != NULL ||
        (own != NULL && !is_ours_alone(context, own))) {
        return -EBADF;
    }
    if (own != NULL) {
        const int64_t moved =
            host_call(__NR_fcntl, *own, (long)F_DUPFD_CLOEXEC, (long)HOST_HIGH_DESCRIPTORS);
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

static bool has_own(struct context *context)
{
    for (unsigned i = 0; i < OWN_DESCRIPTORS; i++) {
        if (*own_descriptor(&context->translator->reports, i) != OUTPUT_NONE) {
            return true;
        }
    }
    return false;
}

/* A folder that names the process's descriptors. */
static bool lists_descriptors(int64_t fd)
{
    char path[64];
    const int64_t length = self_read_name(fd, (uintptr_t)path, sizeof path - 1);

    if (host_is_error(length)) {
        return false;
    }
    path[length] = '\0';
    return self_names(path, "fd") || self_names(path, "fdinfo");
}

/* linux_dirent64, up to the name. */
struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t bytes;
    uint8_t type;
    char name[];
} __attribute__((packed, may_alias));

/* The number that an entry is called by, or one that no descriptor has. */
static uint32_t entry_number(const struct entry *entry)
{
    uint32_t number = 0;

    for (const char *at = entry->name; *at != '\0'; at++) {
        if (*at < '0' || *at > '9') {
            return UINT32_MAX;
        }
        number = number * 10 + (uint32_t)(*at - '0');
    }
    return number;
}

/* Returns how many bytes of entries are left. */
static int64_t leave_out_own(struct context *context, uint8_t *entries, int64_t bytes)
{
    uint8_t *to = entries;

    for (const uint8_t *from = entries; from < entries + bytes;) {
        const struct entry *entry = (const struct entry *)(const void *)from;
        const uint16_t count = entry->bytes;
        if (find_own(context, entry_number(entry)) == NULL) {
            __builtin_memmove(to, from, count);
            to += count;
        }
        from += count;
    }
    return to - entries;
}

/* No bytes at all would be the end. */
int64_t system_getdents(struct context *context, const struct call *call)
{
    const int64_t fd = (int)call->arguments[0];

    for (;;) {
        const int64_t bytes = system_pass(context, call);
        if (bytes <= 0 || !has_own(context) || !lists_descriptors(fd)) {
            return bytes;
        }
        const int64_t left =
            leave_out_own(context, (uint8_t *)(uintptr_t)call->arguments[1], bytes);
        if (left > 0) {
            return left;
        }
    }
}
