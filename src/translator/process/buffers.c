/* Opens pages that system calls write to, before the kernel finds them protected.
 *
 * Most calls write little, to where an argument points; some write much, or to several places: buffers.def.  A
 * number that looks like an address opens a page for nothing, which does no harm.  What is missed fails with
 * EFAULT, and is repeated when all is open: right for a call that does nothing before it fails, and those that
 * take something first, such as a message, stand in the table or write little. */
#include "translator/process/buffers.h"

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

static void open_bytes(struct translator *translator, guest_addr start, uint64_t bytes)
{
    if (bytes != 0) {
        protect_open(translator, start, bytes > ~start ? ~UINT64_C(0) : start + bytes);
    }
}

static void open_vector(struct translator *translator, guest_addr vector, uint64_t count)
{
    const struct iovec *ranges = (const struct iovec *)(uintptr_t)vector;

    for (uint64_t i = 0; i < count && i < UIO_MAXIOV; i++) {
        if (!signal_can_read((uintptr_t)&ranges[i], sizeof(uint64_t) * 3)) {
            return; /* the kernel says so */
        }
        open_bytes(translator, (uintptr_t)ranges[i].iov_base, ranges[i].iov_len);
    }
}

static void open_message(struct translator *translator, guest_addr message)
{
    const struct msghdr_layout *header = (const struct msghdr_layout *)(uintptr_t)message;

    if (signal_can_read(message, sizeof *header)) {
        open_bytes(translator, header->name, BUFFERS_SMALL_BYTES);
        open_bytes(translator, header->control, header->control_bytes);
        open_vector(translator, header->vector, header->count);
    }
}

/* struct mmsghdr: a message, and how long it was. */
static void open_messages(struct translator *translator, guest_addr vector, uint64_t count)
{
    const uint64_t bytes = sizeof(struct msghdr_layout) + sizeof(uint64_t);

    open_bytes(translator, vector, count < UIO_MAXIOV ? count * bytes : UIO_MAXIOV * bytes);
    for (uint64_t i = 0; i < count && i < UIO_MAXIOV; i++) {
        open_message(translator, vector + i * bytes);
    }
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

static void open_large(struct translator *translator, const struct call *call)
{
    const uint64_t *arguments = call->arguments;

    switch (call->number) {
#define BUFFER(name, pointer, count, size)                                                         \
    case __NR_##name:                                                                              \
        open_bytes(translator, arguments[pointer], arguments[count] * (size));                     \
        break;
#define VECTOR(name, vector, count)                                                                \
    case __NR_##name:                                                                              \
        open_vector(translator, arguments[vector], arguments[count]);                              \
        break;
#include "translator/process/buffers.def"
#undef BUFFER
#undef VECTOR
    case __NR_recvmsg:
        open_message(translator, arguments[1]);
        break;
    case __NR_recvmmsg:
        open_messages(translator, arguments[1], arguments[2]);
        break;
    default:
        break;
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
        for (unsigned i = 0; i < CALL_ARGUMENTS; i++) {
            open_bytes(translator, call->arguments[i], BUFFERS_SMALL_BYTES);
        }
        open_large(translator, call);
    }
    lock_release(&translator->lock);
}

bool buffers_open_all(struct context *context)
{
    struct translator *translator = context->translator;

    lock_acquire(&translator->lock);
    const bool watches = protect_watches(translator);
    if (watches) {
        open_bytes(translator, 0, ~UINT64_C(0));
    }
    lock_release(&translator->lock);
    return watches;
}
