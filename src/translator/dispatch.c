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
    translator->noted = (struct code_range){0, 0};
    for (size_t i = 0; i < translator->bucket_count; i++) {
        translator->buckets[i] = NULL;
        translator->waiting[i] = NULL;
    }
    target_lookup_clear(translator->context);
    translator->statistics.flushes++;
}

/* The next lookup finds the fragment.  If that needs more room than there is, the
 * cache is emptied, and the fragment is another then. */
static struct fragment *note_lookup(struct context *context, unsigned kind,
                                    struct fragment *fragment)
{
    if (target_lookup_add(context, kind, fragment)) {
        return fragment;
    }
    const guest_addr start = fragment->start;
    flush_all(context->translator);
    fragment = build_fragment(context->translator, start, kind);
    if (fragment != NULL) {
        ASSERT(target_lookup_add(context, kind, fragment));
    }
    return fragment;
}

const uint8_t *dispatch(struct context *context, struct exit *exit)
{
    struct translator *translator = context->translator;
    /* Copied: the exit itself may go in a flush. */
    const enum exit_kind kind = exit->kind;
    const unsigned lookup = exit->lookup;
    guest_addr target = exit->target;
    translator->statistics.dispatches++;
    switch (kind) {
    case EXIT_DIRECT:
        break;
    case EXIT_INDIRECT:
        target = target_program_address(translator, context->target & ~UINT64_C(1));
        translator->statistics.lookup_misses++;
        break;
    case EXIT_CODE_CHANGED:
        flush_all(translator);
        break;
    case EXIT_RESUME:
        target = context->target;
        break;
    case EXIT_SYSTEM_CALL:
        target = system_call(context, target);
        break;
    case EXIT_HOT:
        context->target = target;
        return count_reached(translator, find_fragment(translator, target));
    }
    context->target = target;
    struct fragment *fragment = find_fragment(translator, target);
    if (fragment == NULL) {
        fragment = build_fragment(translator, target, lookup);
    } else if (kind == EXIT_DIRECT && exit->counts) {
        count_taken(translator, exit, fragment);
    }
    if (fragment != NULL && kind == EXIT_INDIRECT) {
        fragment = note_lookup(context, lookup, fragment);
    }
    return fragment != NULL ? target_indirect_entry(fragment)
                            : signal_send_to_fault(context, target);
}
