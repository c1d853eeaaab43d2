/* The table of the paper's software counters, for C and assembly. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_PAPER_SLOT_H
#define STRATA_TRANSLATOR_FRAGMENT_PAPER_SLOT_H

#define PAPER_SLOT_BITS 12
#define PAPER_SLOT_SHIFT 5 /* bytes of a slot, as a power of two */
#define PAPER_SLOT_HEAD 8

#ifndef __ASSEMBLER__

#include "translator/fragment/context.h"

struct paper_slot {
    uint64_t resets; /* each adds the slot's own address: one instruction does it */
    guest_addr head; /* 0 while empty */
    uint64_t count;
    const void *callback;
};
#define PAPER_SLOTS (1 << PAPER_SLOT_BITS)
_Static_assert(sizeof(struct paper_slot) == 1 << PAPER_SLOT_SHIFT &&
                   offsetof(struct paper_slot, head) == PAPER_SLOT_HEAD,
               "assembly depends on it");

static inline size_t paper_slot_of(guest_addr head)
{
    return head / TARGET_SHORTEST_INSTRUCTION % PAPER_SLOTS;
}

#endif
#endif
