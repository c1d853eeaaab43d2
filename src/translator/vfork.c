/* A process that borrows its parent's memory until it executes another program or ends: vfork.
 *
 * It runs in the same cache, with the same context and on the same stack of the
 * translator, while its parent stands still in the call.  What is a process's
 * own and lies in that memory is put away before and taken back behind it: the
 * registers, the stack, what the program asked for about signals, the reports.
 * Code that the child had translated stays.
 *
 * Where the parent has other threads, they may stand still, too, and on some hosts
 * the memory is only a copy: so the child begins with none of them in the cache,
 * and with a lock that is free. */
#include "translator/exec.h"
#include "translator/signal.h"
#include "translator/system.h"
#include "translator/thread.h"

#include "base/check.h"

#include <asm/errno.h>
#include <asm/signal.h>
#include <asm/unistd.h>

#define MASK_BYTES 8L
#define PAGE_BYTES 4096u
/* From dispatch to here; a few hundred bytes. */
#define STACK_WORDS 512

struct kept {
    uint64_t x[32];
    struct signals signals;
    struct signal_action actions[SIGNALS + 1];
    struct reports reports;
    bool borrowed; /* the child was here: it has the same memory */
    uint64_t stack[STACK_WORDS];
};
#define KEPT_BYTES ((sizeof(struct kept) + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1))

static void keep(struct kept *kept, const struct context *context)
{
    const struct translator *translator = context->translator;

    __builtin_memcpy(kept->x, context->x, sizeof kept->x);
    kept->signals = *context->signals;
    __builtin_memcpy(kept->actions, translator->actions, sizeof kept->actions);
    kept->reports = translator->reports;
}

static void take_back(const struct kept *kept, struct context *context)
{
    struct translator *translator = context->translator;

    __builtin_memcpy(context->x, kept->x, sizeof kept->x);
    *context->signals = kept->signals;
    __builtin_memcpy(translator->actions, kept->actions, sizeof kept->actions);
    translator->reports = kept->reports;
    context->pending = 0;        /* of a child that died with one, */
    thread_leave_cache(context); /* or there */
    exec_forget(context);
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
