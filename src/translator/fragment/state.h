/* Where in the program code in the cache comes from: the table that maps any of its addresses back.
 *
 * Most code is a copy, in runs.  Behind each run stands a piece that is none: it does what one step of a plan
 * does, or ends the fragment.  Run and piece share a mark; marks have the order of the code. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_STATE_H
#define STRATA_TRANSLATOR_FRAGMENT_STATE_H

#include "translator/fragment/context.h"

#include <stdbool.h>

struct mark {
    uint32_t piece;     /* the low half of its address */
    uint16_t run_bytes; /* of the copy before it */
    uint8_t own;        /* from the piece's start to the program's own instruction in it, or 0 */
    uint8_t held;       /* a register that the translator holds in all of the piece, or 0 */
    guest_addr pc;      /* of the instruction at the piece */
};

struct marks {
    struct mark *start, *next;
    struct mark *last; /* behind it, a fragment might find too little room */
    struct mark *end;
};

/* There is room: space.c makes sure of it. */
static inline void state_add_mark(struct marks *marks, const uint8_t *run, const uint8_t *piece,
                                  guest_addr pc)
{
    struct mark *mark = marks->next;

    mark->piece = (uint32_t)(uintptr_t)piece;
    mark->run_bytes = (uint16_t)(piece - run);
    mark->own = mark->held = 0;
    mark->pc = pc;
    /* Only now: a signal may make another thread look for its own mark. */
    __atomic_thread_fence(__ATOMIC_RELEASE);
    *(struct mark *volatile *)&marks->next = mark + 1;
}

/* The piece of the last mark has the program's own instruction at `own`; before it, registers are only saved
 * and borrowed. */
static inline void state_note_own(const struct marks *marks, const uint8_t *own)
{
    struct mark *mark = marks->next - 1;

    mark->own = (uint8_t)((uint32_t)(uintptr_t)own - mark->piece);
}

/* The piece of the last mark does nothing for the program up to and with its instruction at `on`: it only leads to what
 * the mark has the address of.  No instruction begins at an odd distance. */
static inline void state_note_on(const struct marks *marks, const uint8_t *on)
{
    state_note_own(marks, on + 1);
}

/* The last mark has no run, and a piece before and behind which `held` is held, too. */
static inline void state_note_held(const struct marks *marks, unsigned held)
{
    marks->next[-1].held = (uint8_t)held;
}

/* Where the program is when `code` is about to be executed. */
struct state {
    guest_addr pc;
    const uint8_t *piece; /* registers have been borrowed since; `code` if none are */
    unsigned held;        /* as in the mark */
};

/* False if the program is between the beginning and the end of an instruction's effects, or of a jump's: in
 * the rest of a piece, in a trampoline, at a fragment's indirect entry. */
bool state_find(const struct translator *translator, const uint8_t *code, struct state *state);

#endif
