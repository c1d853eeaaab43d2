/* Opens pages that system calls write to, before the kernel finds them protected.
 *
 * Most calls write little, to where an argument points; some write much, or to several places: buffers.def.  A
 * number that looks like an address opens a page for nothing, which does no harm.  What is missed fails with
 * EFAULT, and is repeated when all is open: right for a call that does nothing before it fails, and those that
 * take something first, such as a message, stand in the table or write little. */
#include "translator/process/buffers.h"

#include "translator/fragment/outside.h"
#include "translator/fragment/protect.h"
#include "translator/process/signal.h"
#include "translator/process/system.h"

#include <asm/unistd.h>
#include <linux/sched.h>
#include <linux/socket.h>
#include <linux/uio.h>

/* No less than any of the structures that the kernel fills in: stat, statx, rusage, utsname, siginfo. */
#define BUFFERS_SMALL_BYTES 512

struct msghdr_layout { /* struct user_msghdr, of which a libc's header has another opinion */
    uint64_t name;
    uint64_t name_bytes;
    uint64_t vector;
    uint64_t count;
    uint64_t control;
    uint64_t control_bytes;
    uint64_t flags;
};

/* What is done with each range that a call may write to. */
struct visit {
    void (*range)(struct visit *visit, guest_addr start, guest_addr end);
    struct translator *translator; /* for those that open pages */
    guest_addr start, end;         /* for those that look for a page */
    bool found;
};

static void see_bytes(struct visit *visit, guest_addr start, uint64_t bytes)
{
    if (bytes != 0) {
        visit->range(visit, start, bytes > ~start ? ~UINT64_C(0) : start + bytes);
    }
}

static void see_vector(struct visit *visit, guest_addr vector, uint64_t count)
{
    const struct iovec *ranges = (const struct iovec *)(uintptr_t)vector;

    for (uint64_t i = 0; i < count && i < UIO_MAXIOV; i++) {
        if (!signal_can_read((uintptr_t)&ranges[i], sizeof ranges[i])) {
            return; /* the kernel says so */
        }
        see_bytes(visit, (uintptr_t)ranges[i].iov_base, ranges[i].iov_len);
    }
}

static void see_message(struct visit *visit, guest_addr message)
{
    const struct msghdr_layout *header = (const struct msghdr_layout *)(uintptr_t)message;

    if (signal_can_read(message, sizeof *header)) {
        see_bytes(visit, header->name, BUFFERS_SMALL_BYTES);
        see_bytes(visit, header->control, header->control_bytes);
        see_vector(visit, header->vector, header->count);
    }
}

/* struct mmsghdr: a message, and how long it was. */
static void see_messages(struct visit *visit, guest_addr vector, uint64_t count)
{
    const uint64_t bytes = sizeof(struct msghdr_layout) + sizeof(uint64_t);

    see_bytes(visit, vector, count < UIO_MAXIOV ? count * bytes : UIO_MAXIOV * bytes);
    for (uint64_t i = 0; i < count && i < UIO_MAXIOV; i++) {
        see_message(visit, vector + i * bytes);
    }
}

static void see_large(struct visit *visit, const struct call *call)
{
    const uint64_t *arguments = call->arguments;

    switch (call->number) {
#define BUFFER(name, pointer, count, size)                                                         \
    case __NR_##name:                                                                              \
        see_bytes(visit, arguments[pointer], arguments[count] * (size));                           \
        break;
#define VECTOR(name, vector, count)                                                                \
    case __NR_##name:                                                                              \
        see_vector(visit, arguments[vector], arguments[count]);                                    \
        break;
#define QUIET(name)
#include "translator/process/buffers.def"
#undef BUFFER
#undef VECTOR
#undef QUIET
    case __NR_msgrcv: /* the message's type stands before its text */
        see_bytes(visit, arguments[1], arguments[2] + sizeof(uint64_t));
        break;
    case __NR_recvmsg:
        see_message(visit, arguments[1]);
        break;
    case __NR_recvmmsg:
        see_messages(visit, arguments[1], arguments[2]);
        break;
    default:
        break;
    }
}

/* Calls that only the target has tell of code, and write nothing. */
static bool writes_nothing(const struct call *call)
{
    switch (call->number) {
#define BUFFER(name, pointer, count, size)
#define VECTOR(name, vector, count)
#define QUIET(name) case __NR_##name:
#include "translator/process/buffers.def"
#undef BUFFER
#undef VECTOR
#undef QUIET
        return true;
    default:
        return target_system_handler(call->number) != NULL;
    }
}

static void see_call(struct visit *visit, const struct call *call)
{
    if (writes_nothing(call)) {
        return;
    }
    for (unsigned i = 0; i < CALL_ARGUMENTS; i++) {
        see_bytes(visit, call->arguments[i], BUFFERS_SMALL_BYTES);
    }
    see_large(visit, call);
}

static void open_range(struct visit *visit, guest_addr start, guest_addr end)
{
    protect_open_for_call(visit->translator, start, end);
}

static void look_in_range(struct visit *visit, guest_addr start, guest_addr end)
{
    visit->found |= start < visit->end && end > visit->start;
}

/* A thread may wait in a call for long: what it will write to must stay open. */
bool outside_may_write(const struct translator *translator, guest_addr start, guest_addr end)
{
    struct visit visit = {.range = look_in_range, .start = start, .end = end};

    for (const struct context *at = translator->threads; at != NULL; at = at->next) {
        if (at->call != NULL) {
            see_call(&visit, at->call);
        }
    }
    return visit.found;
}

/* The kernel writes there when a thread ends, and tells nobody if it cannot. */
static void note_thread_word(struct translator *translator, const struct call *call)
{
    if (call->number == __NR_set_tid_address) {
        protect_never(translator, call->arguments[0]);
    } else if (call->number == __NR_clone && (call->arguments[0] & CLONE_CHILD_CLEARTID) != 0) {
        protect_never(translator, call->arguments[4]);
    }
}

/* As the kernel has it: where the list of a thread's locks begins, how far a lock is from its place in the list,
 * and one that it was about to take. */
struct robust_head {
    guest_addr next;
    int64_t offset;
    guest_addr pending;
};
#define ROBUST_LOCKS 2048

static void note_lock(struct translator *translator, const struct robust_head *head,
                      guest_addr place)
{
    if (place != 0) {
        protect_never(translator, place + (uint64_t)head->offset);
    }
}

/* Locks that the thread holds: the kernel writes to them when it ends. */
static void note_locks(struct translator *translator)
{
    const struct robust_head *head = NULL;
    size_t bytes;

    if (host_is_error(host_call(__NR_get_robust_list, 0L, &head, &bytes)) || head == NULL ||
        !signal_can_read((uintptr_t)head, sizeof *head)) {
        return;
    }
    note_lock(translator, head, head->pending & ~UINT64_C(1));
    guest_addr place = head->next & ~UINT64_C(1); /* whose lowest bit says of what kind it is */
    for (unsigned i = 0; i < ROBUST_LOCKS && place != (uintptr_t)head; i++) {
        note_lock(translator, head, place);
        if (!signal_can_read(place, 3 * sizeof(uint64_t))) {
            return;
        }
        place = *(const guest_addr *)(uintptr_t)place & ~UINT64_C(1);
    }
}

void buffers_before_end(struct translator *translator)
{
    if (translator->options.code_changes == CHANGES_PROTECT) {
        lock_acquire(&translator->lock);
        note_locks(translator);
        lock_release(&translator->lock);
    }
}

void buffers_before_call(struct context *context, const struct call *call)
{
    struct translator *translator = context->translator;

    if (translator->options.code_changes != CHANGES_PROTECT) {
        return;
    }
    lock_acquire(&translator->lock);
    protect_mend(translator);
    note_thread_word(translator, call);
    if (protect_watches(translator)) {
        struct visit visit = {.range = open_range, .translator = translator};
        see_call(&visit, call);
    }
    context->call = call;
    lock_release(&translator->lock);
}

void buffers_after_call(struct context *context)
{
    context->call = NULL;
}

bool buffers_open_all(struct context *context)
{
    struct translator *translator = context->translator;

    lock_acquire(&translator->lock);
    const bool watches = protect_watches(translator);
    if (watches) {
        protect_open(translator, 0, ~UINT64_C(0));
    }
    lock_release(&translator->lock);
    return watches;
}
