/* Decides what the program goes on with, each time that it leaves the fragment cache. */
#include "translator/fragment/dispatch.h"

#include "translator/fragment/arrival.h"
#include "translator/fragment/build.h"
#include "translator/fragment/detector.h"
#include "translator/fragment/flush.h"
#include "translator/fragment/lookups.h"
#include "translator/fragment/outside.h"
#include "translator/fragment/protect.h"
#include "translator/fragment/recorder.h"
#include "translator/fragment/trace.h"
#include "translator/fragment/translator.h"
#include "translator/fragment/trial.h"

#include "base/check.h"

/* The next lookup finds the fragment.  If that needs more room than there is, the
 * cache is emptied, and the fragment is another then. */
static struct fragment *note_lookup(struct context *context, unsigned kind, guest_addr mark,
                                    struct fragment *fragment)
{
    struct translator *translator = context->translator;
    const guest_addr start = fragment->start;
    if (UNLIKELY(fragment->guarded)) {
        return fragment; /* each lookup fails, and comes here */
    }
    const bool crowded = translator->lookup_count >= LOOKUPS_PER_ENTRY << translator->lookup_bits &&
                         !translator->options.lookup_fixed &&
                         translator->lookup_bits < LOOKUP_BITS_MAX;

    if (LIKELY(!crowded) && target_lookup_add(context, kind, start | mark, fragment)) {
        return fragment;
    }
    if (crowded) {
        flush_for_lookups(translator);
    } else {
        flush_full(translator);
    }
    fragment = build_fragment(context, start, kind);
    if (fragment != NULL && !fragment->guarded) {
        ASSERT(target_lookup_add(context, kind, start, fragment));
    }
    return fragment;
}

/* `fragment` is for context->target; there is none if that cannot be executed. */
static const uint8_t *enter(struct context *context, const struct fragment *fragment)
{
    return LIKELY(fragment != NULL) ? fragment_indirect_entry(fragment)
                                    : outside_fault(context, context->target);
}

/* The fragment for `target`, NULL if there is none, or if it was made from other code than there is now. */
INLINE static struct fragment *find_current(struct context *context, guest_addr target)
{
    struct fragment *fragment = index_find(&context->translator->index, target);

    if (fragment != NULL && UNLIKELY(fragment->guarded) && changes_spoil(context, fragment)) {
        return NULL;
    }
    return fragment;
}

static const uint8_t *go_on(struct context *context, guest_addr target, unsigned lookup)
{
    context->target = target;
    struct fragment *fragment = find_current(context, target);
    if (fragment == NULL) {
        fragment = build_fragment(context, target, lookup);
    }
    return enter(context, fragment);
}

/* A guard of a trace led elsewhere, for the first few times: what it led to may become the beginning of another trace. */
SELDOM static const uint8_t *go_on_unguarded(struct context *context)
{
    struct translator *translator = context->translator;
    struct guard_site *guard = context->guard;
    const guest_addr target = context->target & ~TARGET_IGNORED_ADDRESS_BITS;

    context->guard = NULL;
    if (++guard->misses == GUARD_MISSES) {
        target_guard_settle(translator, guard);
    }
    context->target = target;
    struct fragment *fragment = find_current(context, target);
    if (fragment == NULL) {
        fragment = build_fragment(context, target, LOOKUP_INLINE);
    } else if (translator->options.detector->grows) {
        count_grown(translator, fragment);
    }
    return enter(context, fragment);
}

__attribute__((noinline)) static const uint8_t *go_on_indirectly(struct context *context,
                                                                 unsigned lookup)
{
    struct translator *translator = context->translator;
    guest_addr mark = 0; /* of a call that counts */

    if (UNLIKELY(context->guard != NULL)) {
        return go_on_unguarded(context);
    }
    if (placement_counts_calls(&translator->placement)) {
        mark = context->target & TARGET_CALL_MARK;
    }
    const guest_addr ignored = TARGET_IGNORED_ADDRESS_BITS | mark;
    const guest_addr target = target_program_address(translator, context->target & ~ignored);
    context->target = target;
    translator->statistics.lookup_misses++;
    struct fragment *fragment = find_current(context, target);
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
    context->target = outside_system_call(context, next);
    const uint8_t *detour = take_detour(context);
    return detour != NULL ? detour : go_on(context, context->target, LOOKUP_INLINE);
}

/* From a fragment that records to the next; or to one that does not, if the path ends here. */
static const uint8_t *go_on_recorded(struct context *context, const struct exit *exit)
{
    const bool direct = exit->kind == EXIT_RECORD;
    guest_addr target = exit->target;
    bool counts = exit->counts;

    if (!direct) {
        const guest_addr mark = placement_counts_calls(&context->translator->placement)
                                    ? context->target & TARGET_CALL_MARK
                                    : 0;
        target = context->target & ~(TARGET_IGNORED_ADDRESS_BITS | mark);
        counts = mark != 0;
    }
    context->target = target;
    const uint8_t *copy = recorder_continue(context, target, counts);
    return copy != NULL ? copy : go_on(context, target, LOOKUP_INLINE);
}

/* Hardware has found a path that begins at `target`. */
SELDOM static const uint8_t *go_on_found(struct context *context, guest_addr target)
{
    struct translator *translator = context->translator;
    struct fragment *fragment = index_find(&translator->index, target);

    recorder_abandon(context);
    if (fragment == NULL || fragment->guarded || fragment->trace != NULL) {
        return go_on(context, target, LOOKUP_INLINE); /* another thread was here before */
    }
    context->target = target;
    translator->statistics.finds++;
    return translator->options.detector->found(context, fragment, &context->arrival->path);
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
    case EXIT_RECORD:
    case EXIT_RECORD_INDIRECT:
        return go_on_recorded(context, exit);
    case EXIT_RESUME:
        recorder_abandon(context);
        protect_mend(translator);
        return go_on(context, context->target, LOOKUP_INLINE);
    case EXIT_STORE:
        recorder_abandon(context);
        return protect_store(context, target);
    case EXIT_SYSTEM_CALL:
        return go_on_after_call(context, target);
    case EXIT_DIFFERS: {
        struct fragment *fragment = index_find(&translator->index, target);
        if (fragment != NULL && fragment->loop != NULL) {
            trial_differs(context, fragment);
        }
        break;
    }
    case EXIT_FOUND:
        return go_on_found(context, target);
    case EXIT_HOT: {
        struct fragment *fragment = index_find(&translator->index, target);
        if (fragment == NULL || fragment->loop == NULL) {
            count_reached_late(translator, target);
            break;
        }
        context->target = target;
        const bool wanted = count_may_want_path(translator, fragment->loop);
        const uint8_t *plain = count_reached(translator, fragment);
        if (wanted) {
            return translator->options.detector->hot(context, fragment, plain);
        }
        if (fragment->loop->trial != 0) {
            trial_review(context, fragment);
        }
        return plain;
    }
    }
    return go_on(context, target, LOOKUP_INLINE);
}

SELDOM static const uint8_t *go_on_counted(struct context *context, struct exit *exit,
                                           struct fragment *fragment)
{
    count_taken(context->translator, exit, fragment);
    return fragment_indirect_entry(fragment);
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
    struct fragment *fragment = find_current(context, target);
    if (LIKELY(fragment == NULL)) {
        fragment = build_fragment(context, target, LOOKUP_INLINE);
    } else if (exit->counts) {
        return go_on_counted(context, exit, fragment);
    }
    return enter(context, fragment);
}

/* Another thread has emptied the cache while this one, which a guard of a trace led elsewhere, waited for the lock. */
SELDOM static const uint8_t *go_on_without_guard(struct context *context)
{
    context->guard = NULL;
    return go_on(context, context->target & ~TARGET_IGNORED_ADDRESS_BITS, LOOKUP_INLINE);
}

/* An exit that is not linked, but could be.  As long as the thread is in the cache nothing goes
 * that it finds there; and what is in the index is complete. */
static const uint8_t *find_without_lock(struct context *context, const struct exit *exit)
{
    struct translator *translator = context->translator;

    if (exit->kind != EXIT_DIRECT || exit->counts ||
        __atomic_load_n(&translator->emptying, __ATOMIC_ACQUIRE)) {
        return NULL;
    }
    const struct fragment *fragment = index_find(&translator->index, exit->target);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (fragment == NULL || (fragment->guarded && changes_differ(context, fragment))) {
        return NULL;
    }
    context->target = exit->target;
    __atomic_fetch_add(&context->dispatches, 1, __ATOMIC_RELAXED);
    return fragment_indirect_entry(fragment);
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
    outside_leave_cache(context);
    if (kind == EXIT_SYSTEM_CALL) {
        context->target = outside_system_call(context, target);
        const uint8_t *detour = take_detour(context);
        if (detour != NULL) {
            return detour;
        }
    }
    lock_acquire(&translator->lock);
    if (UNLIKELY(translator->options.evicted_again) && translator->counts != NULL) {
        hw_counter_catch_up(translator);
    }
    if (UNLIKELY(context->guard != NULL) && flushes != translator->statistics.flushes) {
        translator->statistics.dispatches++;
        entry = go_on_without_guard(context);
    } else if (kind == EXIT_SYSTEM_CALL) {
        translator->statistics.dispatches++;
        entry = go_on(context, context->target, LOOKUP_INLINE);
    } else if (flushes != translator->statistics.flushes && kind != EXIT_INDIRECT &&
               kind != EXIT_RESUME && kind != EXIT_STORE && kind != EXIT_HOT &&
               kind != EXIT_FOUND && kind != EXIT_RECORD_INDIRECT) { /* whose exits stay */
        translator->statistics.dispatches++;
        entry = go_on(context, target, LOOKUP_INLINE);
    } else {
        entry = dispatch_alone(context, exit);
    }
    outside_enter_cache(context);
    lock_release(&translator->lock);
    return entry;
}

const uint8_t *dispatch(struct context *context, struct exit *exit)
{
    return UNLIKELY(context->translator->threaded) ? dispatch_among_threads(context, exit)
                                                   : dispatch_alone(context, exit);
}

void dispatch_add_up(struct translator *translator)
{
    for (struct context *at = translator->threads; at != NULL; at = at->next) {
        translator->statistics.dispatches +=
            __atomic_exchange_n(&at->dispatches, 0, __ATOMIC_RELAXED);
    }
}
