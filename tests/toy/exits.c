/* The ways out of a fragment: trampolines, and the ways to targets that are far. */
#include "emit.h"

#include "base/check.h"

_Static_assert(TARGET_CHUNK_BYTES <= TARGET_JUMP_REACH, "each trampoline is in reach of a jump");

/* For a target that is far there is room behind it, where other threads may be in the trampoline itself. */
void exit_emit(struct translator *translator, struct exit *exit, uint8_t *displacement)
{
    uint8_t *place =
        cache_add_trampoline(&translator->cache, TRAMPOLINE_BYTES + translator->far_way_bytes);
    struct emitter emitter = {.translator = translator, .at = place};

    emit(&emitter, TOY_OWN_LEAVE, 0, 0, (int64_t)(uintptr_t)exit);
    exit->site = (struct target_site){.displacement = displacement, .trampoline = place};
    displacement_set(displacement, place);
}

void exit_emit_far(struct emitter *emitter, const struct fragment *to)
{
    const uint8_t *start = emitter->at;

    emit_put_away(emitter);
    emit(emitter, TOY_CONST64, R0, 0, (int64_t)(uintptr_t)fragment_indirect_entry(to));
    emit(emitter, TOY_JUMP_REGISTER, 0, R0, 0);
    ASSERT(emitter->at - start <= TRAMPOLINE_BYTES && emitter->at - start <= TARGET_FAR_WAY_BYTES);
}
