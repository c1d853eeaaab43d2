/* Decides what the program goes on with, each time that it leaves the fragment cache. */
#include "translator/report.h"
#include "translator/signal.h"
#include "translator/target.h"
#include "translator/target_lookup.h"
#include "translator/translator.h"

#include "base/check.h"

/* Everything at once: what the program runs is built again in a moment, and
 * nothing can point to code that is gone. */
void flush_all(struct translator *translator)
{
    if (translator->options.returns == RETURNS_FAST) {
        host_fail(STATUS_FAILED, "the cache is full, or the program changed its code: --ret fast ",
                  "supports neither; use --ret cache, or a larger --cache", NULL, NULL);
    }
    dump_fragments(translator);
    count_flush(translator);
    cache_clear(&translator->cache);
    translator->pool_next = translator->pool;
    translator->mark_next = translator->marks;
    code_forget(translator);
    for (size_t i = 0; i <= translator->bucket_mask; i++) {
        translator->buckets[i] = (struct bucket){NULL, NULL};
    }
    target_lookup_clear(translator->context);
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
    fragment = build_fragment(context->translator, start, kind);
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
        fragment = build_fragment(context->translator, target, lookup);
    }
    return enter(context, fragment);
}

static const uint8_t *go_on_indirectly(struct context *context, unsigned lookup)
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
        return enter(context, build_fragment(translator, target, LOOKUP_INLINE));
    }
    if (fragment == NULL) {
        fragment = build_fragment(translator, target, lookup);
    } else if (mark != 0) {
        count_called(translator, fragment);
    }
    if (fragment != NULL) {
        fragment = note_lookup(context, lookup, mark, fragment);
    }
    return enter(context, fragment);
}

/* The exit itself may go in a flush, or when its fragment does. */
SELDOM static const uint8_t *dispatch_other(struct context *context, const struct exit *exit)
{
    struct translator *translator = context->translator;
    const guest_addr target = exit->target;

    switch (exit->kind) {
    case EXIT_DIRECT:
        break;
    case EXIT_INDIRECT:
        return go_on_indirectly(context, exit->lookup);
    case EXIT_CODE_CHANGED:
        flush_all(translator);
        break;
    case EXIT_RESUME:
        return go_on(context, context->target, LOOKUP_INLINE);
    case EXIT_SYSTEM_CALL:
        return go_on(context, system_call(context, target), LOOKUP_INLINE);
    case EXIT_HOT:
        context->target = target;
        return count_reached(translator, find_fragment(translator, target));
    }
    return go_on(context, target, LOOKUP_INLINE);
}

/* Nearly always a direct exit is taken for the first time, to code that is new. */
const uint8_t *dispatch(struct context *context, struct exit *exit)
{
    struct translator *translator = context->translator;

    translator->statistics.dispatches++;
    if (UNLIKELY(exit->kind != EXIT_DIRECT)) {
        return dispatch_other(context, exit);
    }
    const guest_addr target = exit->target;
    context->target = target;
    struct fragment *fragment = find_fragment(translator, target);
    if (LIKELY(fragment == NULL)) {
        fragment = build_fragment(translator, target, LOOKUP_INLINE);
    } else if (exit->counts) {
        count_taken(translator, exit, fragment);
    }
    return enter(context, fragment);
}
