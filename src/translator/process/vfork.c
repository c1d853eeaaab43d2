/* New processes: with a copy of the memory, or borrowing it until they execute another program or end.
 *
 * One that borrows it, vfork's, runs in the same cache, with the same context and on
 * the same stack of the translator, while its parent stands still in the call.  What is a process's
 * own and lies in that memory is put away before and taken back behind it: the
 * registers, the stack, what the program asked for about signals, the reports.
 * Code that the child had translated stays.
 *
 * Where the parent has other threads, they may stand still, too, and on some hosts
 * the memory is only a copy: so the child begins with none of them in the cache,
 * and with a lock that is free. */
#include "translator/fragment/flush.h"
#include "translator/process/descriptors.h"
#include "translator/process/execve.h"
#include "translator/host/output.h"
#include "translator/tell/report.h"
#include "translator/process/signal.h"
#include "translator/process/system.h"
#include "translator/process/thread.h"

#include "base/check.h"

#include <asm/errno.h>
#include <asm/signal.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/sched.h>

#define MASK_BYTES 8L
#define PAGE_BYTES 4096u
/* From dispatch to here; a few hundred bytes. */
#define STACK_WORDS 512

struct kept {
    struct target_registers registers;
    struct signals signals;
    struct actions actions; /* the child's, unless it shares them */
    struct reports reports;
    bool borrowed; /* the child was here: it has the same memory */
    uint64_t stack[STACK_WORDS];
};
#define KEPT_BYTES ((sizeof(struct kept) + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1))

static void keep(struct kept *kept, const struct context *context)
{
    kept->registers = context->registers;
    kept->signals = *context->signals;
    kept->actions = *context->signals->actions;
    kept->reports = context->translator->reports;
}

static void take_back(const struct kept *kept, struct context *context)
{
    struct translator *translator = context->translator;

    context->registers = kept->registers;
    *context->signals = kept->signals;
    translator->reports = kept->reports;
    context->pending = 0;         /* of a child that died with one, */
    outside_leave_cache(context); /* or there */
    execve_forget(context);
    context->borrows = 0;
}

/* Signals are blocked as long as it is not clear whose the memory is. */
int64_t vfork_call(struct context *context, const struct call *call)
{
    const uint64_t all = UINT64_MAX;
    const uint8_t *top = context->stack_top;
    struct lock *lock = &context->translator->lock;
    uint64_t mask;

    host_call(__NR_rt_sigprocmask, (long)SIG_SETMASK, &all, &mask, MASK_BYTES);
    if (context->pending) { /* it blocks them all already */
        return SIGNAL_RESTART;
    }
    struct kept *kept = host_map(KEPT_BYTES, false);
    int64_t result = -ENOMEM;
    if (kept != NULL) {
        ASSERT((size_t)(top - (const uint8_t *)__builtin_frame_address(0)) <
               sizeof kept->stack / 2);
        keep(kept, context);
        lock_acquire(lock);
        if (context->translator->threads->next != NULL) {
            flush_all(context->translator);
        }
        result = target_vfork(call, kept->stack);
        if (result == 0) {
            context->borrows = 1;
            if ((call->arguments[0] & CLONE_SIGHAND) == 0) {
                context->signals->actions = &kept->actions;
            }
            kept->borrowed = true;
            lock_release(lock);
        } else {
            if (kept->borrowed) {
                lock_wake(lock);
            } else {
                lock_release(lock);
            }
            take_back(kept, context);
            host_call(__NR_munmap, kept, KEPT_BYTES);
        }
    }
    host_call(__NR_rt_sigprocmask, (long)SIG_SETMASK, &mask, NULL, MASK_BYTES);
    return result;
}

/* Between a parent that waits and its child: the child has the one end open until it executes
 * another program or ends. */
struct gate {
    int32_t ends[2];
    bool used;
};

/* The kernel would make the parent wait inside the call, with the lock, and so all its
 * threads.  What shares descriptors, too, has no end of its own: there it is so. */
static bool needs_gate(const struct context *context, uint64_t flags)
{
    return (flags & CLONE_VFORK) != 0 && (flags & CLONE_FILES) == 0 &&
           context->translator->threads->next != NULL;
}

static void open_gate(struct gate *gate, struct call *call)
{
    if (!host_is_error(host_call(__NR_pipe2, gate->ends, (long)O_CLOEXEC))) {
        gate->used = true;
        gate->ends[0] = (int32_t)host_move_up(gate->ends[0]);
        gate->ends[1] = (int32_t)host_move_up(gate->ends[1]);
        call->arguments[0] &= ~(uint64_t)CLONE_VFORK;
    }
}

static void close_end(int64_t fd)
{
    host_call(__NR_close, fd);
}

/* Signals that come meanwhile wait, as in the kernel. */
static void wait_at_gate(const struct gate *gate)
{
    char none;

    while (host_call(__NR_read, (int64_t)gate->ends[0], &none, sizeof none) == -EINTR) {
    }
    close_end(gate->ends[0]);
}

/* Nobody waits for the child of a child. */
static void begin_copy(struct context *context, const struct gate *gate, bool shares_files)
{
    struct reports *reports = &context->translator->reports;

    thread_forget_others(context);
    report_forked(context->translator, shares_files);
    if (reports->parent_fd != OUTPUT_NONE) {
        close_end(reports->parent_fd);
        reports->parent_fd = OUTPUT_NONE;
    }
    if (gate->used) {
        close_end(gate->ends[0]);
        reports->parent_fd = gate->ends[1];
    }
}

/* The child has only this thread, and a lock that is its own.  No other process shall
 * have its end of the gate, so that is closed before another thread can make one. */
int64_t vfork_copy(struct context *context, const struct call *call)
{
    struct call copy = *call;
    struct gate gate = {.used = false};

    lock_acquire(&context->translator->lock);
    if (needs_gate(context, call->arguments[0])) {
        open_gate(&gate, &copy);
    }
    const int64_t result = system_pass(context, &copy);
    if (result == 0) {
        begin_copy(context, &gate, (call->arguments[0] & CLONE_FILES) != 0);
    } else if (gate.used) {
        close_end(gate.ends[1]);
    }
    lock_release(&context->translator->lock);
    if (result != 0 && gate.used) {
        wait_at_gate(&gate);
    }
    return result;
}
