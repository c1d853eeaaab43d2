/* Fast returns: a call leaves the address of a landing in the cache, and a return just goes there.
 *
 * The landing is a jump to the fragment behind the call.  Programs can tell: they
 * see an address of the cache where they expect one of their own.  And code in the
 * cache must stay where it is, since nobody knows who holds such an address. */
#include "translator/rv64/lookup.h"

#include "base/check.h"

struct landing {
    uint32_t jump;
    uint32_t unused; /* so that the exit stands aligned */
    const struct exit *exit;
};

static const struct landing *add_landing(struct translator *translator, guest_addr after)
{
    struct landing *landing =
        (struct landing *)(void *)cache_add_trampoline(&translator->cache, sizeof *landing);
    struct builder builder = {.translator = translator, .at = (uint8_t *)&landing->jump};
    struct exit *exit = emit_leave(&builder, EXIT_DIRECT, after);
    landing->exit = exit;
    /* Fragments stand before their trampolines, a landing does not. */
    landing->jump = word_jal(X0, exit->trampoline - exit->site);
    link_exit(translator, exit);
    return landing;
}

void emit_fast_link(struct builder *builder, guest_addr after)
{
    const struct landing *landing = add_landing(builder->translator, after);

    emit_address(builder, RA, (const uint8_t *)landing);
}

guest_addr fast_return_address(struct translator *translator, guest_addr after)
{
    if (!cache_reserve(&translator->cache, TARGET_END_BYTES)) {
        flush_all(translator);
    }
    const uint8_t *end = translator->cache.trampolines;
    const struct landing *landing = add_landing(translator, after);
    target_sync(translator, CODE_TRAMPOLINE, translator->cache.trampolines, end);
    return (uintptr_t)landing;
}

guest_addr target_program_address(const struct translator *translator, guest_addr address)
{
    const struct cache *cache = &translator->cache;

    if (translator->options.returns != RETURNS_FAST || address < (uintptr_t)cache->start ||
        address >= (uintptr_t)cache->end) {
        return address;
    }
    return ((const struct landing *)(uintptr_t)address)->exit->target;
}
