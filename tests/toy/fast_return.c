/* Fast returns: a call pushes the address of a stop in the cache, and a return just goes there. */
#include "emit.h"

#include "translator/fragment/link.h"

/* An aligned jump to the fragment behind the call, and whose it is. */
#define STOP_EXIT_BYTES 8
#define STOP_BYTES (STOP_EXIT_BYTES + sizeof(struct exit *))

const uint8_t *fast_return_emit(struct translator *translator, guest_addr after)
{
    uint8_t *stop = cache_add_trampoline(&translator->cache, STOP_BYTES);
    struct emitter emitter = {.translator = translator, .at = stop};
    struct exit *exit = pool_take(&translator->pool, sizeof *exit);

    exit->target = after;
    __builtin_memcpy(stop + STOP_EXIT_BYTES, &exit, sizeof exit);
    exit_emit(translator, exit, emit_own_jump(&emitter, emitter.at));
    link_exit(translator, exit);
    return stop;
}

guest_addr target_program_address(const struct translator *translator, guest_addr address)
{
    const uint8_t *stop = (const uint8_t *)(uintptr_t)address;
    const struct exit *exit;

    if (translator->options.returns != RETURNS_FAST || stop < translator->cache.start ||
        stop >= translator->cache.end) {
        return address;
    }
    __builtin_memcpy(&exit, stop + STOP_EXIT_BYTES, sizeof exit);
    return exit->target;
}
