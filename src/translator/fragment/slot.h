/* The table of the paper's software counters, for C and assembly. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_SLOT_H
#define STRATA_TRANSLATOR_FRAGMENT_SLOT_H

#define SLOT_BITS 12
#define SLOT_SHIFT 5 /* bytes of a slot, as a power of two */
#define SLOT_HEAD 8

#ifndef __ASSEMBLER__

#include "translator/fragment/context.h"

struct slot {
    uint64_t resets; /* each adds the slot's own address: one instruction does it */
    guest_addr head; /* 0 while empty */
    uint64_t count;
    const void *callback;
};
#define SLOTS (1 << SLOT_BITS)
_Static_assert(sizeof(struct slot) == 1 << SLOT_SHIFT && offsetof(struct slot, head) == SLOT_HEAD,
               "assembly depends on it");

static inline size_t slot_of(guest_addr head)
{
    return head / TARGET_SHORTEST_INSTRUCTION % SLOTS;
}

#endif
#endif
