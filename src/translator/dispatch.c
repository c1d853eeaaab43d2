/* Decides what the program goes on with, each time that it leaves the fragment cache. */
#include "translator/report.h"
#include "translator/signal.h"
#include "translator/target.h"
#include "translator/translator.h"

#include "base/check.h"

static void forget_lookups(struct context *context)
{
    for (size_t i = 0; i < 1 << LOOKUP_BITS; i++) {
        context->lookups[i].target = 0;
    }
    context->lookups[0].target = LOOKUP_EMPTY;
}

/* Everything at once: what the program runs is built again in a moment, and
 * nothing can point to code that is gone. */
void flush_all(struct translator *translator)
{
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
    forget_lookups(translator->context);
    translator->statistics.flushes++;
}

const uint8_t *dispatch(struct context *context, struct exit *exit)
{
    struct translator *translator = context->translator;
    /* Copied: the exit itself may go in a flush. */
    const enum exit_kind kind = exit->kind;
    guest_addr target = exit->target;
    translator->statistics.dispatches++;
    switch (kind) {
    case EXIT_DIRECT:
        break;
    case EXIT_INDIRECT:
        target = context->target & ~UINT64_C(1);
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
        fragment = build_fragment(translator, target);
    } else if (kind == EXIT_DIRECT && exit->counts) {
        count_taken(translator, exit, fragment);
    }
    if (fragment == NULL) {
        return signal_send_to_fault(context, target);
    }
    const uint8_t *entry = target_indirect_entry(fragment);
    if (kind == EXIT_INDIRECT) {
        struct lookup *lookup = &context->lookups[target / 2 % (1 << LOOKUP_BITS)];
        *lookup = (struct lookup){.target = target, .entry = entry};
    }
    return entry;
}
