/* Reading and writing, such that a pipe or socket that is not ready stops one thread only. */
#include "machine/linux/transfer.h"

#include "machine/linux/files.h"
#include "machine/linux/syscall.h"
#include "machine/linux/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int64_t transfer_load_vector(struct thread *thread, guest_addr address, uint64_t count,
                             struct transfer_vector *vector)
{
    vector->parts = NULL;
    vector->count = 0;
    vector->bytes = 0;
    if (count > IOV_MAX) {
        return -EINVAL;
    }
    if (count == 0) {
        return 0;
    }
    struct iovec *parts = malloc(count * sizeof *parts);
    if (parts == NULL) {
        return -ENOMEM;
    }
    if (!thread_read(thread, parts, address, count * sizeof *parts)) {
        free(parts);
        return -EFAULT;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (parts[i].iov_len > SSIZE_MAX - vector->bytes) {
            free(parts);
            return -EINVAL;
        }
        vector->bytes += parts[i].iov_len;
        parts[i].iov_base =
            guest_buffer(thread, (guest_addr)(uintptr_t)parts[i].iov_base, parts[i].iov_len);
    }
    vector->parts = parts;
    vector->count = (unsigned)count;
    return 0;
}

/* Leaves the `limit` bytes after the first `skip`. */
static void cut_vector(struct transfer_vector *vector, uint64_t skip, uint64_t limit)
{
    unsigned first = 0;

    while (first < vector->count && skip >= vector->parts[first].iov_len) {
        skip -= vector->parts[first].iov_len;
        first++;
    }
    vector->count -= first;
    memmove(vector->parts, vector->parts + first, vector->count * sizeof *vector->parts);
    if (vector->count > 0) {
        vector->parts[0].iov_base = (char *)vector->parts[0].iov_base + skip;
        vector->parts[0].iov_len -= skip;
    }
    vector->bytes = 0;
    for (unsigned i = 0; i < vector->count; i++) {
        if (vector->parts[i].iov_len >= limit - vector->bytes) {
            vector->parts[i].iov_len = limit - vector->bytes;
            vector->count = i + 1;
        }
        vector->bytes += vector->parts[i].iov_len;
    }
}

/* The host's SIGPIPE comes to the program by the way of all signals. */
static int64_t finish(int64_t result)
{
    return result == -EINTR ? SYSCALL_INTERRUPTED : result;
}

/* The onlooker that gave way because the descriptor is a terminal; else NULL. */
static struct onlooker *clear_terminal(struct thread *thread, int fd)
{
    struct onlooker *onlooker = thread->process->schedule.onlooker;

    if (onlooker == NULL || !isatty(fd)) {
        return NULL;
    }
    onlooker->give_way(onlooker);
    return onlooker;
}

/* The byte of this number, which has been written and so can be read. */
static char byte_of(const struct transfer_vector *vector, uint64_t number)
{
    unsigned part = 0;

    while (number >= vector->parts[part].iov_len) {
        number -= vector->parts[part++].iov_len;
    }
    return ((const char *)vector->parts[part].iov_base)[number];
}

static int64_t read_vector(struct thread *thread, int fd, const struct transfer_vector *vector,
                           uint64_t flags)
{
    int64_t result;
    struct onlooker *onlooker = clear_terminal(thread, fd);

    if (onlooker != NULL) {
        onlooker->line_open = false; /* the user ends the line that is read */
    }
    special_update(thread);
    if (special_read(thread, fd, vector->parts, vector->count, &result)) {
        return result;
    }
    if (vector->bytes > 0 && wait_expected(fd, POLLIN)) {
        return wait_for_descriptor(thread, fd, POLLIN, WAIT_FOREVER);
    }
    return finish(files_result(
        flags == 0 ? syscall(SYS_readv, fd, vector->parts, vector->count)
                   : syscall(SYS_preadv2, fd, vector->parts, vector->count, -1l, -1l, flags)));
}

/* A write that is longer than a pipe surely takes at once goes out in pieces,
 * whenever there is room: what is done is kept in wait.data. */
static int64_t write_pieces(struct thread *thread, int fd, struct transfer_vector *vector,
                            bool socket)
{
    uint64_t *done = &thread->wait.data[0];
    uint64_t total = vector->bytes;

    cut_vector(vector, *done, total - *done);
    while (*done < total) {
        if (wait_expected(fd, POLLOUT)) {
            if (thread->wait.interrupted && *done > 0) {
                break;
            }
            return wait_for_descriptor(thread, fd, POLLOUT, WAIT_FOREVER);
        }
        uint64_t left = total - *done;
        ssize_t wrote;
        if (socket) {
            struct msghdr message = {.msg_iov = vector->parts, .msg_iovlen = vector->count};
            wrote = sendmsg(fd, &message, MSG_DONTWAIT);
        } else {
            struct iovec part = vector->parts[0];
            if (part.iov_len > PIPE_BUF) {
                part.iov_len = PIPE_BUF;
            }
            wrote = writev(fd, &part, 1);
        }
        if (wrote < 0 && errno == EAGAIN) {
            return wait_for_descriptor(thread, fd, POLLOUT, WAIT_FOREVER);
        }
        if (wrote < 0) {
            return *done > 0 ? (int64_t)*done : finish(-errno);
        }
        *done += (uint64_t)wrote;
        cut_vector(vector, (uint64_t)wrote, left - (uint64_t)wrote);
    }
    return (int64_t)*done;
}

static int64_t write_vector(struct thread *thread, int fd, struct transfer_vector *vector,
                            uint64_t flags)
{
    struct stat status;
    struct onlooker *onlooker = clear_terminal(thread, fd);

    if (vector->bytes > PIPE_BUF && fstat(fd, &status) == 0 &&
        (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) &&
        (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0) {
        return write_pieces(thread, fd, vector, S_ISSOCK(status.st_mode));
    }
    if (vector->bytes > 0 && wait_expected(fd, POLLOUT)) {
        return wait_for_descriptor(thread, fd, POLLOUT, WAIT_FOREVER);
    }
    const int64_t result = files_result(
        flags == 0 ? syscall(SYS_writev, fd, vector->parts, vector->count)
                   : syscall(SYS_pwritev2, fd, vector->parts, vector->count, -1l, -1l, flags));
    if (onlooker != NULL && result > 0) {
        onlooker->line_open = byte_of(vector, (uint64_t)result - 1) != '\n';
    }
    return finish(result);
}

/* A single buffer as a vector of one part; the kernel too limits its size. */
static struct transfer_vector one_buffer(struct thread *thread, struct iovec *part,
                                         guest_addr address, uint64_t bytes)
{
    if (bytes > SSIZE_MAX) {
        bytes = SSIZE_MAX;
    }
    part->iov_base = guest_buffer(thread, address, bytes);
    part->iov_len = bytes;
    return (struct transfer_vector){.parts = part, .count = 1, .bytes = bytes};
}

int64_t sys_read(struct thread *thread, const uint64_t *arguments)
{
    struct iovec part;
    struct transfer_vector vector = one_buffer(thread, &part, arguments[1], arguments[2]);

    return read_vector(thread, (int)arguments[0], &vector, 0);
}

int64_t sys_write(struct thread *thread, const uint64_t *arguments)
{
    struct iovec part;
    struct transfer_vector vector = one_buffer(thread, &part, arguments[1], arguments[2]);

    return write_vector(thread, (int)arguments[0], &vector, 0);
}

typedef int64_t (*vector_call)(struct thread *thread, const uint64_t *arguments,
                               struct transfer_vector *vector);

static int64_t with_vector(struct thread *thread, const uint64_t *arguments, vector_call call)
{
    struct transfer_vector vector;

    if (fcntl((int)arguments[0], F_GETFD) < 0) {
        return -EBADF;
    }
    int64_t result = transfer_load_vector(thread, arguments[1], arguments[2], &vector);
    if (result == 0) {
        result = call(thread, arguments, &vector);
    }
    free(vector.parts);
    return result;
}

static int64_t call_readv(struct thread *thread, const uint64_t *arguments,
                          struct transfer_vector *vector)
{
    return read_vector(thread, (int)arguments[0], vector, 0);
}

static int64_t call_writev(struct thread *thread, const uint64_t *arguments,
                           struct transfer_vector *vector)
{
    return write_vector(thread, (int)arguments[0], vector, 0);
}

/* Calls with an offset work on files only, which never block.  The offset is
 * one argument on 64-bit machines; the high half is ignored. */
static int64_t call_preadv(struct thread *thread, const uint64_t *arguments,
                           struct transfer_vector *vector)
{
    (void)thread;
    return files_result(
        syscall(SYS_preadv, (int)arguments[0], vector->parts, vector->count, arguments[3], 0l));
}

static int64_t call_pwritev(struct thread *thread, const uint64_t *arguments,
                            struct transfer_vector *vector)
{
    (void)thread;
    return files_result(
        syscall(SYS_pwritev, (int)arguments[0], vector->parts, vector->count, arguments[3], 0l));
}

static int64_t call_preadv2(struct thread *thread, const uint64_t *arguments,
                            struct transfer_vector *vector)
{
    if (arguments[3] == UINT64_MAX) {
        return read_vector(thread, (int)arguments[0], vector, arguments[5]);
    }
    return files_result(syscall(SYS_preadv2, (int)arguments[0], vector->parts, vector->count,
                                arguments[3], 0l, arguments[5]));
}

static int64_t call_pwritev2(struct thread *thread, const uint64_t *arguments,
                             struct transfer_vector *vector)
{
    if (arguments[3] == UINT64_MAX) {
        return write_vector(thread, (int)arguments[0], vector, arguments[5]);
    }
    return files_result(syscall(SYS_pwritev2, (int)arguments[0], vector->parts, vector->count,
                                arguments[3], 0l, arguments[5]));
}

static int64_t call_vmsplice(struct thread *thread, const uint64_t *arguments,
                             struct transfer_vector *vector)
{
    int fd = (int)arguments[0];
    bool writes = (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
    short events = writes ? POLLOUT : POLLIN;
    unsigned flags = (unsigned)arguments[3];

    if ((flags & SPLICE_F_NONBLOCK) == 0 && wait_expected(fd, events)) {
        return wait_for_descriptor(thread, fd, events, WAIT_FOREVER);
    }
    return files_result(
        syscall(SYS_vmsplice, fd, vector->parts, vector->count, flags | SPLICE_F_NONBLOCK));
}

#define VECTOR_CALL(name)                                                                          \
    int64_t sys_##name(struct thread *thread, const uint64_t *arguments)                           \
    {                                                                                              \
        return with_vector(thread, arguments, call_##name);                                        \
    }

VECTOR_CALL(readv)
VECTOR_CALL(writev)
VECTOR_CALL(preadv)
VECTOR_CALL(pwritev)
VECTOR_CALL(preadv2)
VECTOR_CALL(pwritev2)
VECTOR_CALL(vmsplice)
