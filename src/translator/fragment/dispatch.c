/* Decides what the program goes on with, each time that it leaves the fragment cache. */
#include "translator/fragment/changes.h"
#include "translator/tell/report.h"
#include "translator/process/signal.h"
#include "translator/target.h"
#include "translator/target_lookup.h"
#include "translator/process/thread.h"
#include "translator/translator.h"

#include "base/check.h"

/* Everything at once: what the program runs is built again in a moment, and
 * nothing can point to code that is gone. */
void flush_all(struct translator *translator)
{
    thread_bring_out(translator);
    thread_clear_lookups(translator);
    if (translator->options.returns == RETURNS_FAST) {
        host_fail(STATUS_FAILED, "the cache is full, or the program changed its code: --ret fast ",
                  "supports neither; use --ret cache, or a larger --cache", NULL, NULL);
    }
    dump_fragments(translator);
    count_flush(translator);
    cache_clear(&translator->cache);
    build_clear(translator);
    changes_forget(translator);
    code_forget(translator);
    for (size_t i = 0; i <= translator->bucket_mask; i++) {
        translator->buckets[i] = (struct bucket){NULL, NULL};
    }
    target_lookup_clear(translator->master);
    translator->statistics.flushes++;
}

/* The next lookup finds the fragment.  If that needs more room than there is, the
 * cache is emptied, and the fragment is another then. */
static struct fragment *note_lookup(struct context *context, unsigned kind, guest_addr mark,
                                    struct fragment *fragment)
{
    const guest_addr start = fragment->start;
    if (target_lookup_add(context, kind, start | mark, fragment)) {
        return fragment;
    }
    flush_all(context->translator);
    fragment = build_fragment(context, start, kind);
    if (fragment != NULL) {
        ASSERT(target_lookup_add(context, kind, start, fragment));
    }
    return fragment;
}

/* `fragment` is for context->target; there is none if that cannot be executed. */
static const uint8_t *enter(struct context *context, const struct fragment *fragment)
{
    return LIKELY(fragment != NULL) ? target_indirect_entry(fragment)
                                    : signal_send_to_fault(context, context->target);
}

static const uint8_t *go_on(struct context *context, guest_addr target, unsigned lookup)
{
    context->target = target;
    struct fragment *fragment = find_fragment(context->translator, target);
    if (fragment == NULL) {
        fragment = build_fragment(context, target, lookup);
    }
    return enter(context, fragment);
}

__attribute__((noinline)) static const uint8_t *go_on_indirectly(struct context *context,
                                                                 unsigned lookup)
{
    struct translator *translator = context->translator;
    guest_addr mark = 0; /* of a call that counts */

    if (placement_marks_calls(&translator->placement)) {
        mark = context->target & PLACEMENT_CALL_MARK;
    }
    const guest_addr target = target_program_address(translator, context->target & ~UINT64_C(1));
    context->target = target;
    translator->statistics.lookup_misses++;
    struct fragment *fragment = find_fragment(translator, target);
    if (fragment == NULL && mark != 0) { /* the next call comes here again, to be counted */
        return enter(context, build_fragment(context, target, LOOKUP_INLINE));
    }
    if (fragment == NULL) {
        fragment = build_fragment(context, target, lookup);
    } else if (mark != 0) {
        count_called(translator, fragment);
    }
    if (fragment != NULL) {
        fragment = note_lookup(context, lookup, mark, fragment);
    }
    return enter(context, fragment);
}

/* A call that starts a thread goes on elsewhere. */
static const uint8_t *take_detour(struct context *context)
{
    const uint8_t *detour = context->detour;

    context->detour = NULL;
    return detour;
}

static const uint8_t *go_on_after_call(struct context *context, guest_addr next)
{
    context->target = system_call(context, next);
    const uint8_t *detour = take_detour(context);
    return detour != NULL ? detour : go_on(context, context->target, LOOKUP_INLINE);
}

/* For no direct and no indirect one.  The exit itself may go in a flush. */
SELDOM static const uint8_t *dispatch_other(struct context *context, const struct exit *exit)
{
    struct translator *translator = context->translator;
    const guest_addr target = exit->target;

    switch (exit->kind) {
    case EXIT_DIRECT:
    case EXIT_INDIRECT:
        break;
    case EXIT_CODE_CHANGED:
        changes_apply(context);
        break;
    case EXIT_RESUME:
        return go_on(context, context->target, LOOKUP_INLINE);
    case EXIT_SYSTEM_CALL:
        return go_on_after_call(context, target);
    case EXIT_HOT:
        context->target = target;
        return count_reached(translator, find_fragment(translator, target));
    }
    return go_on(context, target, LOOKUP_INLINE);
}

SELDOM static const uint8_t *go_on_counted(struct context *context, struct exit *exit,
                                           struct fragment *fragment)
{
    count_taken(context->translator, exit, fragment);
    return target_indirect_entry(fragment);
}

/* Nearly always a direct exit is taken for the first time, to code that is new. */
static const uint8_t *dispatch_alone(struct context *context, struct exit *exit)
{
    struct translator *translator = context->translator;

    translator->statistics.dispatches++;
    if (UNLIKELY(exit->kind != EXIT_DIRECT)) {
        return exit->kind == EXIT_INDIRECT ? go_on_indirectly(context, exit->lookup)
                                           : dispatch_other(context, exit);
    }
    const guest_addr target = exit->target;
    context->target = target;
    struct fragment *fragment = find_fragment(translator, target);
    if (LIKELY(fragment == NULL)) {
        fragment = build_fragment(context, target, LOOKUP_INLINE);
    } else if (exit->counts) {
        return go_on_counted(context, exit, fragment);
    }
    return enter(context, fragment);
}

/* An exit that is not linked, but could be.  As long as the thread is in the cache nothing goes
 * that it finds there; and what is in a bucket is complete if nothing is being built. */
static const uint8_t *find_without_lock(struct context *context, const struct exit *exit)
{
    struct translator *translator = context->translator;

    if (exit->kind != EXIT_DIRECT || exit->counts ||
        __atomic_load_n(&translator->emptying, __ATOMIC_ACQUIRE)) {
        return NULL;
    }
    const struct fragment *fragment = find_fragment(translator, exit->target);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (fragment == NULL || __atomic_load_n(&translator->building, __ATOMIC_ACQUIRE) != NULL) {
        return NULL;
    }
    context->target = exit->target;
    __atomic_fetch_add(&context->dispatches, 1, __ATOMIC_RELAXED);
    return target_indirect_entry(fragment);
}

/* The thread comes out of the cache before it takes the lock, so that nobody waits
 * for it; but then the exit may go, if another thread empties the cache first. */
SELDOM static const uint8_t *dispatch_among_threads(struct context *context, struct exit *exit)
{
    struct translator *translator = context->translator;
    const uint64_t flushes = translator->statistics.flushes;
    const enum exit_kind kind = exit->kind;
    const guest_addr target = exit->target;
    const uint8_t *entry = find_without_lock(context, exit);

    if (entry != NULL) {
        return entry;
    }
    thread_leave_cache(context);
    if (kind == EXIT_SYSTEM_CALL) {
        context->target = system_call(context, target);
        const uint8_t *detour = take_detour(context);
        if (detour != NULL) {
            return detour;
        }
    }
    lock_acquire(&translator->lock);
    if (kind == EXIT_SYSTEM_CALL) {
        translator->statistics.dispatches++;
        entry = go_on(context, context->target, LOOKUP_INLINE);
    } else if (flushes != translator->statistics.flushes && kind != EXIT_INDIRECT &&
               kind != EXIT_RESUME) { /* whose exits stay */
        translator->statistics.dispatches++;
        entry = go_on(context, target, LOOKUP_INLINE);
    } else {
        entry = dispatch_alone(context, exit);
    }
    thread_enter_cache(context);
    lock_release(&translator->lock);
    return entry;
}

const uint8_t *dispatch(struct context *context, struct exit *exit)
{
    return UNLIKELY(context->translator->threaded) ? dispatch_among_threads(context, exit)
                                                   : dispatch_alone(context, exit);
}
