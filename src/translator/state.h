/* Where in the program code in the cache comes from: the table that maps any of its addresses back.
 *
 * Most code is a copy, in which addresses run beside the program's.  Each piece
 * that is not has a mark, in the order of its addresses, as fragments are built. */
#ifndef STRATA_TRANSLATOR_STATE_H
#define STRATA_TRANSLATOR_STATE_H

#include "translator/target.h"
#include "translator/translator.h"

struct mark {
    uint32_t start;  /* of the piece, from the cache's beginning */
    uint16_t bytes;
    uint16_t own;    /* from the start to the program's own instruction in it, or one of below */
    guest_addr pc;   /* of the instruction that it stands for */
    guest_addr next; /* of the copy behind it, or MARK_LAST */
};

/* `own` of a piece in which the registers are the program's at its start only,
 * and of one that fetches them first. */
#define MARK_NONE 0
#define MARK_ENTRY UINT16_MAX
/* Odd: no instruction stands there. */
#define MARK_LAST 1

/* Says that what stands between `start` and builder->at does what the program
 * does between `pc` and builder->pc. */
static inline void state_mark(struct builder *builder, const uint8_t *start, guest_addr pc,
                              unsigned own, bool goes_on)
{
    struct translator *translator = builder->translator;

    translator->marks[translator->mark_count++] =
        (struct mark){.start = (uint32_t)(start - translator->cache.start),
                      .bytes = (uint16_t)(builder->at - start),
                      .own = (uint16_t)own,
                      .pc = pc,
                      .next = goes_on ? builder->pc : MARK_LAST};
}

/* The piece that `code` is in, or that the copy around it follows; NULL if it is
 * no fragment's: a trampoline's. */
const struct mark *state_find(const struct translator *translator, const uint8_t *code);

#endif
