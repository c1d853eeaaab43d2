/* Makes and ends the contexts of threads, and gets all of them out of the cache. */
#include "translator/process/buffers.h"
#include "translator/process/thread.h"

#include "translator/fragment/arrival.h"
#include "translator/fragment/recorder.h"

#include "translator/tell/report.h"
#include "translator/process/signal.h"
#include "translator/fragment/dispatch.h"
#include "translator/fragment/lookups.h"
#include "translator/fragment/flush.h"
#include "translator/fragment/link.h"

#include <asm/errno.h>
#include <asm/signal.h>
#include <asm/unistd.h>
#include <linux/sched.h>

#define PAGE_BYTES UINT64_C(4096)
#define STACK_BYTES (64u * 1024)
#define MASK_BYTES 8L

static size_t page_up(size_t bytes)
{
    return (bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
}

/* The stack, the stack for signals, and the context between its tables, which may grow. */
struct context *thread_create(struct translator *translator)
{
    const unsigned bits =
        translator->options.lookup_fixed ? translator->lookup_bits : LOOKUP_BITS_MAX;
    const size_t before = STACK_BYTES + SIGNAL_BYTES + TARGET_LOOKUP_BYTES_BEFORE(bits);
    const size_t bytes =
        page_up(before + sizeof(struct context) + TARGET_LOOKUP_BYTES_BEHIND(bits));
    uint8_t *block = host_map(bytes, false);

    if (block == NULL) {
        return NULL;
    }
    struct context *context = (struct context *)(void *)(block + before);
    context->translator = translator;
    context->block = block;
    context->block_bytes = bytes;
    target_prepare(context);
    context->stack_top = block + STACK_BYTES;
    context->recording = (struct recording *)(void *)block; /* where the stack never comes */
    context->arrival = (struct arrival *)(void *)(block + sizeof(struct recording));
    context->signals = (struct signals *)(void *)(block + STACK_BYTES);
    for (unsigned kind = 0; kind < LOOKUP_KINDS; kind++) {
        context->missed[kind] = &translator->missed[kind];
    }
    target_lookup_clear(context);
    return context;
}

static void destroy(struct context *context)
{
    host_call(__NR_munmap, context->block, context->block_bytes);
}

void thread_add(struct context *context)
{
    struct translator *translator = context->translator;

    context->next = translator->threads;
    translator->threads = context;
}

static void remove(struct context *context)
{
    struct context **place = &context->translator->threads;

    while (*place != context) {
        place = &(*place)->next;
    }
    *place = context->next;
}

static bool is_anyone_inside(const struct translator *translator)
{
    for (const struct context *at = translator->threads; at != NULL; at = at->next) {
        if (__atomic_load_n(&at->inside, __ATOMIC_ACQUIRE) != 0) {
            return true;
        }
    }
    return false;
}

static void clear_lookups(struct translator *translator)
{
    for (struct context *at = translator->threads; at != NULL; at = at->next) {
        target_lookup_clear(at);
    }
}

/* A trampoline that makes a counter links its exit itself, perhaps just now: so
 * all is undone again and again. */
bool outside_bring_out(struct translator *translator)
{
    if (!translator->threaded || !is_anyone_inside(translator)) {
        return false;
    }
    __atomic_store_n(&translator->emptying, true, __ATOMIC_RELEASE);
    clear_lookups(translator);
    link_undo(translator);
    while (is_anyone_inside(translator)) {
        host_call(__NR_sched_yield);
        link_undo(translator);
    }
    __atomic_store_n(&translator->emptying, false, __ATOMIC_RELEASE);
    return true;
}

void thread_forget_others(struct context *context)
{
    context->next = NULL;
    context->translator->threads = context;
    context->translator->brk_lock = (struct lock){0}; /* perhaps one of them had it */
}

/* From now on code is changed while others execute it, for which all of it must
 * be written anew; and lookups are noted in tables that no thread takes along
 * when it ends. */
static bool begin_threads(struct translator *translator)
{
    if (translator->options.returns == RETURNS_FAST) {
        host_fail(STATUS_FAILED, "the program starts a thread, which --ret fast does not support; ",
                  "use --ret cache", NULL, NULL);
    }
    struct context *master = thread_create(translator);
    if (master == NULL) {
        return false;
    }
    flush_all(translator);
    translator->master = master;
    translator->threaded = true;
    translator->far_way_bytes = TARGET_FAR_WAY_BYTES;
    return true;
}

static struct context *create_child(const struct context *parent, const struct call *call)
{
    struct context *child = thread_create(parent->translator);

    if (child == NULL) {
        return NULL;
    }
    child->registers = parent->registers;
    child->callback = parent->callback;
    child->fetch_slot = parent->fetch_slot;
    child->slots = parent->slots;
    child->threshold = parent->threshold;
    child->target = parent->target + TARGET_CALL_BYTES;
    TARGET_CALL_RESULT(&child->registers) = 0;
    if (call->arguments[1] != 0) {
        TARGET_STACK_POINTER(&child->registers) = call->arguments[1];
    }
    if ((call->arguments[0] & CLONE_SETTLS) != 0) {
        TARGET_THREAD_POINTER(&child->registers) = call->arguments[TARGET_CLONE_THREAD_POINTER];
    }
    return child;
}

static void set_mask(uint64_t mask, uint64_t *old)
{
    host_call(__NR_rt_sigprocmask, (long)SIG_SETMASK, &mask, old, MASK_BYTES);
}

/* The child has its context in the place of a thread pointer.  No signal comes
 * before it can handle one. */
static int64_t start_child(const struct context *parent, struct context *child,
                           const struct call *call)
{
    struct call clone = *call;
    uint64_t mask;

    set_mask(~UINT64_C(0), &mask);
    /* If a signal waits, all are blocked, but only for this thread. */
    child->signals->mask = parent->pending ? parent->signals->mask : mask;
    child->signals->blocked_faults = parent->signals->blocked_faults;
    clone.arguments[0] |= CLONE_SETTLS;
    clone.arguments[1] = (uintptr_t)child->stack_top;
    clone.arguments[TARGET_CLONE_THREAD_POINTER] = (uintptr_t)child;
    const int64_t result = target_clone_call(&clone);
    set_mask(mask, NULL);
    return result;
}

_Noreturn void thread_begin(struct context *context)
{
    signal_start_thread(context);
    set_mask(context->signals->mask, NULL);
    target_resume(context);
}

static int64_t clone_thread(struct context *context, const struct call *call)
{
    struct translator *translator = context->translator;
    struct context *child = NULL;

    lock_acquire(&translator->lock);
    if (translator->threaded || begin_threads(translator)) {
        child = create_child(context, call);
    }
    if (child != NULL) {
        thread_add(child);
    }
    lock_release(&translator->lock);
    if (child == NULL) {
        return -EAGAIN;
    }
    const int64_t result = start_child(context, child, call);
    if (host_is_error(result)) {
        lock_acquire(&translator->lock);
        remove(child);
        lock_release(&translator->lock);
        destroy(child);
    }
    return result;
}

void thread_clone(struct context *context)
{
    const struct call call = system_read_call(context);

    outside_leave_cache(context);
    TARGET_CALL_RESULT(&context->registers) = (uint64_t)clone_thread(context, &call);
    context->target += TARGET_CALL_BYTES;
}

int64_t thread_exit(struct context *context, int status)
{
    struct translator *translator = context->translator;

    if (context->borrows) {
        host_exit(status);
    }
    set_mask(~UINT64_C(0), NULL);
    if (context->pending) { /* it may be for the whole process, and came before the end */
        return SIGNAL_RESTART;
    }
    buffers_before_end(translator);
    lock_acquire(&translator->lock);
    dispatch_add_up(translator);
    const bool last = translator->threads == context && context->next == NULL;
    if (!last) {
        remove(context);
    }
    lock_release(&translator->lock);
    if (last) {
        host_exit(report_end(translator, status));
    }
    target_exit_thread(context->block, context->block_bytes, status);
}
