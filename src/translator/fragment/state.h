/* Where in the program code in the cache comes from: the table that maps any of its addresses back.
 */
#ifndef STRATA_TRANSLATOR_STATE_H
#define STRATA_TRANSLATOR_STATE_H

#include "translator/translator.h"

/* build.c makes sure that there is room. */
static inline void state_add_mark(struct translator *translator, const uint8_t *run,
                                  const uint8_t *piece, guest_addr pc)
{
    struct xstrata_mark *mark = translator->mark_next;

    mark->piece = (uint32_t)(uintptr_t)piece;
    mark->run_bytes = (uint16_t)(piece - run);
    mark->own = mark->held = 0;
    mark->pc = pc;
    /* Only now: a signal may make another thread look for its own mark. */
    __atomic_thread_fence(__ATOMIC_RELEASE);
    *(struct xstrata_mark *volatile *)&translator->mark_next = mark + 1;
}

/* The piece of the last mark has the program's own instruction at `own`; before
 * it, registers are only saved and borrowed. */
static inline void state_note_own(const struct translator *translator, const uint8_t *own)
{
    struct xstrata_mark *mark = translator->mark_next - 1;

    mark->own = (uint8_t)((uint32_t)(uintptr_t)own - mark->piece);
}

/* The last mark has no run, and a piece before and behind which `held` is held, too. */
static inline void state_note_held(const struct translator *translator, unsigned held)
{
    translator->mark_next[-1].held = (uint8_t)held;
}

/* Where the program is when `code` is about to be executed. */
struct state {
    guest_addr pc;
    const uint8_t *piece; /* registers have been borrowed since; `code` if none are */
    unsigned held;        /* as in the mark */
};

/* False if the program is between the beginning and the end of an instruction's
 * effects, or of a jump's: in the rest of a piece, in a trampoline, at a fragment's
 * indirect entry. */
bool state_find(const struct translator *translator, const uint8_t *code, struct state *state);

#endif
