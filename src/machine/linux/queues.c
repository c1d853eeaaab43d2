/* Serves threads that wait for System V semaphores and messages, those that wait longest first. */
#include "machine/linux/queues.h"

#include "machine/linux/time.h"
#include "machine/linux/wait.h"

#include <errno.h>

/* How long it takes until the host is asked again: at first little, since what other processes do for one another is
 * often done at once; then twice as long each time. */
#define SHORTEST_SPAN UINT64_C(20000)
#define LONGEST_SPAN UINT64_C(1000000)

/* What is gone has no number any more, and the host can only say so; but who waits for it knows that it was there. */
static int64_t after_wait(int64_t result)
{
    return result == -EINVAL ? -EIDRM : result;
}

static void serve(struct thread *thread, int64_t result)
{
    thread->wait.served = true;
    thread->wait.served_result = after_wait(result);
    thread->wait.woken = true;
}

/* The one behind `order` that waits longest. */
static struct thread *next_waiter(const struct process *process, uint64_t order)
{
    struct thread *next = NULL;

    for (struct thread *thread = thread_first(process); thread != NULL;
         thread = thread_next(thread)) {
        const struct thread_wait *wait = &thread->wait;
        if (thread->task.state == TASK_WAITING && wait->queue != NULL && !wait->served &&
            wait->queue_order > order &&
            (next == NULL || wait->queue_order < next->wait.queue_order)) {
            next = thread;
        }
    }
    return next;
}

/* Serving one may make it possible to serve another that waits longer: so from the first one again. */
void queues_changed(struct process *process)
{
    uint64_t order = 0;

    for (struct thread *thread; (thread = next_waiter(process, order)) != NULL;) {
        int64_t result = thread->wait.queue->attempt(thread, &thread->hart.x[REGISTER_A0]);
        order = result >= 0 ? 0 : thread->wait.queue_order;
        if (result != SYSCALL_BLOCKS) {
            serve(thread, result);
        }
    }
}

static int64_t wait_for_change(struct thread *thread, const struct queue_kind *kind)
{
    struct thread_wait *wait = &thread->wait;
    uint64_t *span = &wait->data[QUEUE_SPAN];

    if (wait->queue == NULL) {
        wait->queue_order = ++thread->process->queue_sequence;
        wait->queue = kind;
        wait->never_restarts = true;
    }
    *span = *span == 0 ? SHORTEST_SPAN : *span < LONGEST_SPAN / 2 ? *span * 2 : LONGEST_SPAN;
    uint64_t again = time_after(thread->process, *span);
    uint64_t deadline = wait->data[QUEUE_DEADLINE];
    return wait_in_real_time(thread, again < deadline ? again : deadline);
}

int64_t queues_call(struct thread *thread, const uint64_t *arguments, const struct queue_kind *kind)
{
    struct thread_wait *wait = &thread->wait;

    if (wait->served) {
        return wait->served_result;
    }
    int64_t result = kind->attempt(thread, arguments);
    if (result == SYSCALL_BLOCKS) {
        bool late = schedule_now(&thread->process->schedule) >= wait->data[QUEUE_DEADLINE];
        return late ? -EAGAIN : wait_for_change(thread, kind);
    }
    wait->queue = NULL;
    if (result >= 0) {
        queues_changed(thread->process);
    }
    return wait->resumed ? after_wait(result) : result;
}

bool queues_wait_in_host(struct thread *thread, uint64_t nanoseconds)
{
    const uint64_t *arguments = &thread->hart.x[REGISTER_A0];
    int64_t result = thread->wait.queue->block(thread, arguments, nanoseconds);

    if (result != SYSCALL_BLOCKS && result != -EINTR) {
        serve(thread, result);
    }
    return result != SYSCALL_BLOCKS;
}
