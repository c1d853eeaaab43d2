/* Fast returns: a call leaves the address of a stop in the cache, and a return just goes there.
 *
 * The stop is a jump to the fragment behind the call.  Programs can tell: they
 * see an address of the cache where they expect one of their own.  And code in the
 * cache must stay where it is, since nobody knows who holds such an address. */
#include "translator/fragment/flush.h"
#include "translator/fragment/link.h"
#include "translator/rv64/emit.h"

#include "base/check.h"

struct stop {
    uint32_t jump;
    uint32_t unused; /* so that the exit stands aligned */
    const struct exit *exit;
};

static const struct stop *add_stop(struct translator *translator, guest_addr after)
{
    struct stop *stop =
        (struct stop *)(void *)cache_add_trampoline(&translator->cache, sizeof *stop);
    struct emitter emitter = {.translator = translator, .at = (uint8_t *)&stop->jump};
    struct exit *exit = pool_take(&translator->pool, sizeof *exit);

    exit->target = after;
    emit_exit(&emitter, exit, NULL);
    stop->exit = exit;
    /* Fragments stand before their trampolines, a stop does not. */
    stop->jump = word_jal(X0, exit->site.trampoline - exit->site.jump);
    link_exit(translator, exit);
    return stop;
}

void emit_fast_link(struct emitter *emitter, guest_addr after)
{
    const struct stop *stop = add_stop(emitter->translator, after);

    emit_address(emitter, RA, (const uint8_t *)stop);
}

guest_addr fast_return_address(struct translator *translator, guest_addr after)
{
    if (!cache_reserve(&translator->cache, TARGET_END_BYTES)) {
        flush_all(translator);
    }
    const uint8_t *end = translator->cache.trampolines;
    const struct stop *stop = add_stop(translator, after);
    target_sync(translator, CODE_TRAMPOLINE, translator->cache.trampolines, end);
    return (uintptr_t)stop;
}

guest_addr target_program_address(const struct translator *translator, guest_addr address)
{
    const struct cache *cache = &translator->cache;

    if (translator->options.returns != RETURNS_FAST || address < (uintptr_t)cache->start ||
        address >= (uintptr_t)cache->end) {
        return address;
    }
    return ((const struct stop *)(uintptr_t)address)->exit->target;
}
