/* System V message queues: the host's, with the waiting left to the scheduler. */
#include "machine/linux/files.h"
#include "machine/linux/queues.h"
#include "machine/linux/syscall.h"

#include <errno.h>
#include <linux/msg.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The type of a message, and then its text.  The kernel looks at the type first, and copies from the start to the end:
 * no further than the guest's space, whose last page is never mapped. */
static void *message_buffer(struct thread *thread, guest_addr message)
{
    return guest_buffer(thread, message, sizeof(int64_t));
}

static int64_t attempt_send(struct thread *thread, const uint64_t *arguments)
{
    int flags = (int)arguments[3];
    int64_t result =
        files_result(syscall(SYS_msgsnd, (int)arguments[0], message_buffer(thread, arguments[1]),
                             arguments[2], flags | IPC_NOWAIT));

    return result == -EAGAIN && (flags & IPC_NOWAIT) == 0 ? SYSCALL_BLOCKS : result;
}

static int64_t attempt_receive(struct thread *thread, const uint64_t *arguments)
{
    int flags = (int)arguments[4];

    if ((flags & MSG_COPY) != 0 && (flags & IPC_NOWAIT) == 0) {
        return -EINVAL;
    }
    int64_t result =
        files_result(syscall(SYS_msgrcv, (int)arguments[0], message_buffer(thread, arguments[1]),
                             arguments[2], arguments[3], flags | IPC_NOWAIT));
    return result == -ENOMSG && (flags & IPC_NOWAIT) == 0 ? SYSCALL_BLOCKS : result;
}

int64_t sys_msgsnd(struct thread *thread, const uint64_t *arguments)
{
    static const struct queue_kind kind = {attempt_send, NULL};

    thread->wait.data[QUEUE_DEADLINE] = WAIT_FOREVER;
    return queues_call(thread, arguments, &kind);
}

int64_t sys_msgrcv(struct thread *thread, const uint64_t *arguments)
{
    static const struct queue_kind kind = {attempt_receive, NULL};

    thread->wait.data[QUEUE_DEADLINE] = WAIT_FOREVER;
    return queues_call(thread, arguments, &kind);
}

/* struct msqid64_ds is the same in all 64-bit Linux ABIs. */
int64_t sys_msgctl(struct thread *thread, const uint64_t *arguments)
{
    int64_t result = files_result(syscall(SYS_msgctl, (int)arguments[0], (int)arguments[1],
                                          guest_pointer(thread, arguments[2])));

    if (result >= 0) {
        queues_changed(thread->process); /* it may be gone, or have more room */
    }
    return result;
}
