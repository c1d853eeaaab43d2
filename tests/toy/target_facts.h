/* What the translator's core must know of the toy as numbers and types. */
#ifndef TARGET_FACTS_H
#define TARGET_FACTS_H

#include "toy.h"

/* The kinds of lookups of indirect targets. */
#define LOOKUP_INLINE 0 /* the code that jumps compares the target itself */
#define LOOKUP_SIEVE 1  /* a chain of code that compares it */
#define LOOKUP_RETURN 2 /* of returns: compared by code, which a table for returns alone leads to */
#define LOOKUP_KINDS 3

/* Words that emitted code may put registers into for a moment. */
#define TARGET_SPARE_WORDS 3
#define TARGET_SAVED_WORDS 1

struct target_registers {
    uint64_t r[TOY_REGISTERS];
    uint64_t flags; /* enum toy_flags */
};

#define TARGET_LONGEST_INSTRUCTION 9
#define TARGET_SHORTEST_INSTRUCTION 1

/* A jump through a register wants all bits of an address as they are; no memory is where the highest is set. */
#define TARGET_IGNORED_ADDRESS_BITS UINT64_C(0)
#define TARGET_CALL_MARK (UINT64_C(1) << 63)

/* A call that is followed needs most, if calls leave addresses in the cache: what such an address leads to, a
 * trampoline and the way to a target that is far. */
#define TARGET_INSTRUCTION_BYTES 80
#define TARGET_END_BYTES 200
/* The most bytes of a trace, and of its part among the trampolines. */
#define TARGET_TRACE_BYTES 4096
#define TARGET_TRACE_TRAMPOLINE_BYTES 4096
#define TARGET_SIDES 4
#define TARGET_WHOLE_INSTRUCTIONS 10
#define TARGET_FAR_WAY_BYTES 24

/* The most that code takes which checks whether a fragment is what a lookup looks for. */
#define TARGET_CHECK_BYTES 26u

/* Passes leave the toy's own traces alone (target_open).  These are for lists of ops that are written by hand, in which
 * there are 32 registers, as on RV64: own ones, of which one is for a moment; the stack pointer; and those that can be
 * put away. */
#define TARGET_OWN_REGISTERS UINT32_C(0x00000018)
#define TARGET_SCRATCH_REGISTER 3
#define TARGET_NEVER_SPARE UINT32_C(0x00000004)
#define TARGET_KEPT_REGISTERS UINT32_C(0x0ffc0300)

#define TARGET_LOOKUP_BYTES_BEFORE(bits) ((size_t)0)
#define TARGET_LOOKUP_BYTES_BEHIND(bits) (sizeof(union target_lookup) << (bits))

/* A displacement has 16 bits.  The last chunks even of the smallest cache are too far from the first. */
#define TARGET_JUMP_REACH (INT64_C(1) << 15)
#define TARGET_CHUNK_BYTES (16u * 1024)

/* A jump to what follows, which can be sent elsewhere; two registers and the flags come back. */
#define TARGET_INDIRECT_ENTRY_BYTES 9

/* A counter has its cell behind its code, and counts in ones. */
#define TOY_CELL 40
#define TARGET_CELL_OF(code, cache_bytes)                                                          \
    ((void)(cache_bytes), (uint64_t *)(void *)((code) + TOY_CELL))
#define TARGET_CELL_UNIT(cell) ((void)(cell), UINT64_C(1))

/* The displacement that an exit leaves its fragment by. */
struct target_site {
    uint8_t *displacement;
    uint8_t *trampoline; /* where it leads while unlinked */
    uint8_t *
        maker; /* a trampoline that makes a counter, or counts, in the other one's place; or NULL */
};

/* The toy's fetch sees code only after target_sync: this is what it sees of the cache. */
struct target_process {
    uint8_t *visible;
    size_t visible_bytes;
    unsigned announcements;
    uint64_t syncs[5]; /* by enum code_class */
};

/* The code that checks targets for one fragment, by the kind of lookup: as a jump finds it and, with
 * TARGET_CALL_MARK, as a call does; NULL where there is none. */
struct target_checks {
    const uint8_t *of[2][LOOKUP_KINDS];
};

union target_lookup {
    struct {
        uint64_t target; /* LOOKUP_INLINE */
        const uint8_t *entry;
        const uint8_t
            *checks[LOOKUP_KINDS - 1]; /* the first of its chain, for each of the others */
    };
};

#endif
