/* Empties the cache: everything at once, since what the program runs is built again in a moment and then
 * nothing can point to code that is gone; or single fragments, whose code has changed. */
#include "translator/fragment/flush.h"

#include "translator/fragment/arrival.h"
#include "translator/fragment/lookups.h"
#include "translator/fragment/link.h"
#include "translator/fragment/optimizer.h"
#include "translator/fragment/outside.h"
#include "translator/fragment/recorder.h"
#include "translator/fragment/trace.h"
#include "translator/fragment/translator.h"

#include "base/check.h"

static void begin(struct translator *translator)
{
    outside_bring_out(translator);
    if (translator->options.returns == RETURNS_FAST) {
        host_fail(STATUS_FAILED, "the cache is full, or the program changed its code: --ret fast ",
                  "supports neither; use --ret cache, or a larger --cache", NULL, NULL);
    }
    outside_before_flush(translator);
    optimizer_settle(translator);
    count_flush(translator);
    optimizer_forget(translator);
    changes_forget(translator);
    code_ranges_forget(&translator->code);
    translator->lookup_count = 0;
    translator->statistics.flushes++;
}

/* Tables of lookups have no entry that leads to code that is gone. */
static void end(struct translator *translator)
{
    for (struct context *at = translator->threads; at != NULL; at = at->next) {
        target_lookup_clear(at);
    }
    target_lookup_clear(translator->master);
    if (UNLIKELY(translator->optimizer != NULL)) {
        target_announce(translator); /* who counts what code does begins anew */
    }
    arrival_move(translator);
}

void flush_all(struct translator *translator)
{
    begin(translator);
    space_clear(translator);
    end(translator);
}

/* Where most of it was code that changed, it would not be in use. */
static bool should_grow(const struct translator *translator)
{
    const struct cache *cache = &translator->cache;

    return !translator->options.cache_fixed &&
           cache->dead_bytes < (size_t)(cache->end - cache->start) / 2;
}

void flush_full(struct translator *translator)
{
    const bool grow = should_grow(translator);

    begin(translator);
    if (grow) {
        space_grow(translator);
        changes_grow(translator);
    } else {
        space_clear(translator);
    }
    end(translator);
}

void flush_for_lookups(struct translator *translator)
{
    begin(translator);
    space_clear(translator);
    translator->lookup_bits = translator->lookup_bits + LOOKUP_BITS_STEP < LOOKUP_BITS_MAX
                                  ? translator->lookup_bits + LOOKUP_BITS_STEP
                                  : LOOKUP_BITS_MAX;
    end(translator);
}

void flush_cut(struct translator *translator, struct fragment *fragment)
{
    if (UNLIKELY(translator->optimizer != NULL)) {
        trace_drop_holders(translator, fragment);
        recorder_drop_copy(translator, fragment->start);
    }
    link_detach(translator, fragment);
    target_lookup_remove(translator, fragment);
}

void flush_fragment(struct translator *translator, struct fragment *fragment)
{
    for (unsigned i = 0; i < fragment->exit_count; i++) {
        fragment->exits[i].dead = true;
    }
    count_drop(translator, fragment);
    translator->cache.dead_bytes += (size_t)(fragment->end - fragment->code);
}
