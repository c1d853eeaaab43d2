/* Sockets: the host's own; a call that would have to wait stops one thread only. */
#include "machine/linux/files.h"
#include "machine/linux/syscall.h"
#include "machine/linux/time.h"
#include "machine/linux/transfer.h"
#include "machine/linux/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where the handlers keep things between calls. */
enum { SOCKET_DEADLINE = 0, SOCKET_STARTED = 1, SOCKET_DONE = 1 };

/* Blocks on a socket for as long as its SO_RCVTIMEO or SO_SNDTIMEO allows. */
static int64_t wait_for(struct thread *thread, int fd, short events)
{
    uint64_t *deadline = &thread->wait.data[SOCKET_DEADLINE];

    if (*deadline == 0) {
        struct timeval limit = {0, 0};
        socklen_t bytes = sizeof limit;
        int option = events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO;
        getsockopt(fd, SOL_SOCKET, option, &limit, &bytes);
        uint64_t nanoseconds = (uint64_t)limit.tv_sec * NANOSECONDS +
                               (uint64_t)limit.tv_usec * (NANOSECONDS / 1000000);
        *deadline = nanoseconds == 0 ? WAIT_FOREVER : time_after(thread->process, nanoseconds);
    } else if (time_after(thread->process, 0) >= *deadline) {
        return -EAGAIN;
    }
    if (*deadline != WAIT_FOREVER) {
        thread->wait.never_restarts = true;
    }
    return wait_for_descriptor(thread, fd, events, *deadline);
}

static bool must_wait(int fd, short events, int flags)
{
    return (flags & MSG_DONTWAIT) == 0 && wait_expected(fd, events);
}

static int64_t finish(int64_t result)
{
    return result == -EINTR ? SYSCALL_INTERRUPTED : result;
}

int64_t sys_accept4(struct thread *thread, const uint64_t *arguments)
{
    int fd = (int)arguments[0];

    if (must_wait(fd, POLLIN, 0)) {
        return wait_for(thread, fd, POLLIN);
    }
    return finish(files_result(syscall(SYS_accept4, fd, guest_pointer(thread, arguments[1]),
                                       guest_pointer(thread, arguments[2]), (int)arguments[3])));
}

int64_t sys_accept(struct thread *thread, const uint64_t *arguments)
{
    const uint64_t extended[] = {arguments[0], arguments[1], arguments[2], 0};

    return sys_accept4(thread, extended);
}

/* Begins a connection without waiting for it.  The mode is the open file's,
 * which others may share, so it is changed only for this moment. */
static int64_t begin_connect(struct thread *thread, const uint64_t *arguments, int flags)
{
    int fd = (int)arguments[0];

    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    int64_t result =
        files_result(syscall(SYS_connect, fd, guest_buffer(thread, arguments[1], arguments[2]),
                             (socklen_t)arguments[2]));
    fcntl(fd, F_SETFL, flags);
    return result;
}

int64_t sys_connect(struct thread *thread, const uint64_t *arguments)
{
    int fd = (int)arguments[0];
    int flags = fcntl(fd, F_GETFL);

    if (flags < 0 || (flags & O_NONBLOCK) != 0) {
        return files_result(syscall(SYS_connect, fd,
                                    guest_buffer(thread, arguments[1], arguments[2]),
                                    (socklen_t)arguments[2]));
    }
    if (thread->wait.data[SOCKET_STARTED] == 0) {
        int64_t result = begin_connect(thread, arguments, flags);
        if (result == -EAGAIN) {
            return wait_briefly(thread); /* a local socket whose queue is full */
        }
        if (result != -EINPROGRESS) {
            return result;
        }
        thread->wait.data[SOCKET_STARTED] = 1;
    }
    if (must_wait(fd, POLLOUT, 0)) {
        int64_t result = wait_for(thread, fd, POLLOUT);
        return result == -EAGAIN ? -EINPROGRESS : result;
    }
    int error = 0;
    socklen_t bytes = sizeof error;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) != 0) {
        return -errno;
    }
    return -error;
}

/* Whether the host may see the option: its value must hold no pointers, which
 * would be the guest's. */
static bool option_passes(int level, int option)
{
    enum { FILTER_TABLE_FIRST = 64, FILTER_TABLE_LAST = 71 }; /* of iptables, for IP and IPv6 */

    switch (level) {
    case SOL_SOCKET:
        return option != SO_ATTACH_FILTER && option != SO_ATTACH_REUSEPORT_CBPF;
    case IPPROTO_IP:
        return option < FILTER_TABLE_FIRST; /* then iptables, arptables, ebtables */
    case IPPROTO_IPV6:
        return option < FILTER_TABLE_FIRST || option > FILTER_TABLE_LAST;
    case IPPROTO_TCP:
        return option != TCP_ZEROCOPY_RECEIVE;
    case IPPROTO_UDP:
    case IPPROTO_RAW:
    case IPPROTO_ICMPV6:
    case SOL_NETLINK:
        return true;
    default:
        return false;
    }
}

int64_t sys_getsockopt(struct thread *thread, const uint64_t *arguments)
{
    int level = (int)arguments[1];
    int option = (int)arguments[2];

    if (!option_passes(level, option)) {
        return -ENOPROTOOPT;
    }
    return files_result(syscall(SYS_getsockopt, (int)arguments[0], level, option,
                                guest_pointer(thread, arguments[3]),
                                guest_pointer(thread, arguments[4])));
}

int64_t sys_setsockopt(struct thread *thread, const uint64_t *arguments)
{
    int level = (int)arguments[1];
    int option = (int)arguments[2];

    if (!option_passes(level, option)) {
        return -ENOPROTOOPT;
    }
    return files_result(syscall(SYS_setsockopt, (int)arguments[0], level, option,
                                guest_buffer(thread, arguments[3], (uint32_t)arguments[4]),
                                (socklen_t)arguments[4]));
}

/* Sends a message.  A stream that takes only a part gets the rest later, as a
 * blocking send promises: what is done is kept in wait.data. */
static int64_t send_message(struct thread *thread, int fd, struct msghdr *message, int flags)
{
    uint64_t *done = &thread->wait.data[SOCKET_DONE];

    for (uint64_t skip = *done; skip > 0 && message->msg_iovlen > 0;) {
        struct iovec *part = message->msg_iov;
        uint64_t here = skip < part->iov_len ? skip : part->iov_len;
        part->iov_base = (char *)part->iov_base + here;
        part->iov_len -= here;
        skip -= here;
        if (part->iov_len == 0 && skip > 0) {
            message->msg_iov++;
            message->msg_iovlen--;
        }
    }
    uint64_t left = 0;
    for (size_t i = 0; i < message->msg_iovlen; i++) {
        left += message->msg_iov[i].iov_len;
    }
    if (must_wait(fd, POLLOUT, flags)) {
        return thread->wait.interrupted && *done > 0 ? (int64_t)*done
                                                     : wait_for(thread, fd, POLLOUT);
    }
    bool blocking = (flags & MSG_DONTWAIT) == 0 && (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0;
    int64_t sent = files_result(syscall(SYS_sendmsg, fd, message, flags | MSG_DONTWAIT));
    if (sent == -EAGAIN && blocking) {
        sent = 0;
    } else if (sent < 0) {
        return *done > 0 ? (int64_t)*done : finish(sent);
    }
    *done += (uint64_t)sent;
    if (blocking && (uint64_t)sent < left) {
        return wait_for(thread, fd, POLLOUT);
    }
    return (int64_t)*done;
}

int64_t sys_sendto(struct thread *thread, const uint64_t *arguments)
{
    uint64_t bytes = arguments[2] > SSIZE_MAX ? SSIZE_MAX : arguments[2];
    struct iovec part = {guest_buffer(thread, arguments[1], bytes), bytes};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    if (arguments[4] != 0) {
        message.msg_name = guest_buffer(thread, arguments[4], (uint32_t)arguments[5]);
        message.msg_namelen = (socklen_t)arguments[5];
    }
    return send_message(thread, (int)arguments[0], &message, (int)arguments[3]);
}

/* MSG_WAITALL: takes what is there until all has come, or no more can come. */
static int64_t receive_all(struct thread *thread, const uint64_t *arguments, int flags)
{
    int fd = (int)arguments[0];
    uint64_t *done = &thread->wait.data[SOCKET_DONE];
    int64_t result;

    do {
        uint64_t left = arguments[2] - *done;
        result =
            files_result(syscall(SYS_recvfrom, fd, guest_buffer(thread, arguments[1] + *done, left),
                                 left, (flags & ~MSG_WAITALL) | MSG_DONTWAIT, NULL, NULL));
        if (result > 0) {
            *done += (uint64_t)result;
        }
    } while (result > 0 && *done < arguments[2]);
    if (result == -EAGAIN) {
        if (thread->wait.interrupted && *done > 0) {
            return (int64_t)*done;
        }
        result = wait_for(thread, fd, POLLIN);
        if (result == SYSCALL_BLOCKS) {
            return result;
        }
    }
    return *done > 0 ? (int64_t)*done : finish(result);
}

int64_t sys_recvfrom(struct thread *thread, const uint64_t *arguments)
{
    int fd = (int)arguments[0];
    int flags = (int)arguments[3];

    if (must_wait(fd, POLLIN, flags)) {
        if (thread->wait.interrupted && thread->wait.data[SOCKET_DONE] > 0) {
            return (int64_t)thread->wait.data[SOCKET_DONE];
        }
        return wait_for(thread, fd, POLLIN);
    }
    if ((flags & (MSG_WAITALL | MSG_DONTWAIT | MSG_PEEK)) == MSG_WAITALL && arguments[4] == 0 &&
        (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0) {
        return receive_all(thread, arguments, flags);
    }
    return finish(files_result(
        syscall(SYS_recvfrom, fd, guest_buffer(thread, arguments[1], arguments[2]), arguments[2],
                flags, guest_pointer(thread, arguments[4]), guest_pointer(thread, arguments[5]))));
}

/* struct msghdr is laid out as on the host; its pointers are the guest's. */
static int64_t load_message(struct thread *thread, guest_addr address, struct msghdr *message,
                            struct transfer_vector *vector)
{
    vector->parts = NULL;
    if (!thread_read(thread, message, address, sizeof *message)) {
        return -EFAULT;
    }
    int64_t error = transfer_load_vector(thread, (guest_addr)(uintptr_t)message->msg_iov,
                                         message->msg_iovlen, vector);
    if (error != 0) {
        return error == -EINVAL ? -EMSGSIZE : error;
    }
    message->msg_iov = vector->parts;
    guest_addr name = (guest_addr)(uintptr_t)message->msg_name;
    message->msg_name = name == 0 ? NULL : guest_buffer(thread, name, message->msg_namelen);
    guest_addr control = (guest_addr)(uintptr_t)message->msg_control;
    message->msg_control =
        control == 0 ? NULL : guest_buffer(thread, control, message->msg_controllen);
    return 0;
}

int64_t sys_sendmsg(struct thread *thread, const uint64_t *arguments)
{
    struct msghdr message;
    struct transfer_vector vector;
    int64_t result = load_message(thread, arguments[1], &message, &vector);

    if (result == 0) {
        result = send_message(thread, (int)arguments[0], &message, (int)arguments[2]);
    }
    free(vector.parts);
    return result;
}

static int64_t receive_message(struct thread *thread, int fd, guest_addr address, int flags)
{
    struct msghdr message;
    struct transfer_vector vector;
    int64_t result = load_message(thread, address, &message, &vector);

    if (result == 0) {
        result = files_result(syscall(SYS_recvmsg, fd, &message, flags));
    }
    free(vector.parts);
    if (result >= 0) {
        struct msghdr guest;
        thread_read(thread, &guest, address, sizeof guest);
        guest.msg_namelen = message.msg_namelen;
        guest.msg_controllen = message.msg_controllen;
        guest.msg_flags = message.msg_flags;
        if (!thread_write(thread, address, &guest, sizeof guest)) {
            return -EFAULT;
        }
    }
    return result;
}

int64_t sys_recvmsg(struct thread *thread, const uint64_t *arguments)
{
    int fd = (int)arguments[0];
    int flags = (int)arguments[2];

    if (must_wait(fd, POLLIN, flags)) {
        return wait_for(thread, fd, POLLIN);
    }
    return finish(receive_message(thread, fd, arguments[1], flags));
}

/* An element of sendmmsg and recvmmsg: a message header and what became of it. */
struct guest_mmsghdr {
    struct msghdr header;
    uint32_t bytes;
    uint32_t pad;
};

static guest_addr element(guest_addr array, uint64_t index)
{
    return array + index * sizeof(struct guest_mmsghdr);
}

static bool write_bytes(struct thread *thread, guest_addr message, int64_t bytes)
{
    uint32_t count = (uint32_t)bytes;

    return thread_write(thread, message + offsetof(struct guest_mmsghdr, bytes), &count,
                        sizeof count);
}

/* Both may do less than they were asked to, and so never wait after the first
 * message. */
int64_t sys_sendmmsg(struct thread *thread, const uint64_t *arguments)
{
    uint64_t count = (uint32_t)arguments[2] > IOV_MAX ? IOV_MAX : (uint32_t)arguments[2];

    for (uint64_t i = 0; i < count; i++) {
        guest_addr at = element(arguments[1], i);
        uint64_t flags = arguments[3] | (i > 0 ? MSG_DONTWAIT : 0);
        const uint64_t one[] = {arguments[0], at, flags};
        int64_t result = sys_sendmsg(thread, one);
        if (result < 0) {
            return i > 0 && result != SYSCALL_BLOCKS ? (int64_t)i : result;
        }
        thread->wait.data[SOCKET_DONE] = 0;
        if (!write_bytes(thread, at, result)) {
            return -EFAULT;
        }
    }
    return (int64_t)count;
}

int64_t sys_recvmmsg(struct thread *thread, const uint64_t *arguments)
{
    int fd = (int)arguments[0];
    uint64_t count = (uint32_t)arguments[2] > IOV_MAX ? IOV_MAX : (uint32_t)arguments[2];
    int flags = (int)arguments[3] & ~MSG_WAITFORONE;

    if (count > 0 && must_wait(fd, POLLIN, flags)) {
        return wait_for(thread, fd, POLLIN);
    }
    for (uint64_t i = 0; i < count; i++) {
        guest_addr at = element(arguments[1], i);
        int64_t result = receive_message(thread, fd, at, flags | (i > 0 ? MSG_DONTWAIT : 0));
        if (result < 0) {
            return i > 0 ? (int64_t)i : finish(result);
        }
        if (!write_bytes(thread, at, result)) {
            return -EFAULT;
        }
    }
    return (int64_t)count;
}
