/* What the translator's core must know of RV64 as numbers and types: registers, sizes, kinds of lookups.
 *
 * The core finds this header by the include path, so that it names no target.  Assembly includes it, too. */
#ifndef TARGET_FACTS_H
#define TARGET_FACTS_H

/* The kinds of lookups of indirect targets (indirect.c). */
#define LOOKUP_INLINE 0 /* the code that jumps compares the target itself */
#define LOOKUP_JUMP 1   /* the sieve's: the target is in a5, where the program has it */
#define LOOKUP_MOVED 2  /* the sieve's: the target was moved to a5 */
#define LOOKUP_RETURN 3 /* the return cache's */
#define LOOKUP_KINDS 4

/* Words that emitted code may put registers into for a moment. */
#define TARGET_SPARE_WORDS 4

#ifndef __ASSEMBLER__

#include "isa/rv64/xstrata_abi.h"

#include <stdint.h>

/* The program's integer registers.  x[4], its thread pointer, is always here: the register itself is the
 * translator's.  So is x[3], gp, once the translator has taken it (target_take_scratch). */
struct target_registers {
    uint64_t x[32];
};

/* Which of them have a meaning for Linux. */
#define TARGET_STACK_POINTER(registers) ((registers)->x[2])
#define TARGET_THREAD_POINTER(registers) ((registers)->x[4])
#define TARGET_CALL_NUMBER(registers) ((registers)->x[17])
#define TARGET_CALL_ARGUMENT(registers, index) ((registers)->x[10 + (index)])
#define TARGET_CALL_RESULT(registers) ((registers)->x[10])
/* Of the instruction that does a system call. */
#define TARGET_CALL_BYTES 4
/* Of clone: which argument is the new thread pointer. */
#define TARGET_CLONE_THREAD_POINTER 3

/* EM_RISCV of the ELF header. */
#define TARGET_ELF_MACHINE 243

/* The floating-point registers and their status, in the words of a signal frame. */
#define TARGET_FLOAT_WORDS 66

/* Of the program's instructions. */
#define TARGET_LONGEST_INSTRUCTION 4
#define TARGET_SHORTEST_INSTRUCTION 2

/* Bits of an address that a jump through a register ignores, and the one that a call which shall be
 * counted is looked up with: no instruction is at such an address. */
#define TARGET_IGNORED_ADDRESS_BITS UINT64_C(1)
#define TARGET_CALL_MARK UINT64_C(1)

/* The most bytes of the cache that one instruction can take, with what it keeps among the trampolines; and
 * that the last one of a fragment can.  A branch out of the middle of a fragment can take a few more, which
 * others do not need. */
#define TARGET_INSTRUCTION_BYTES 48
#define TARGET_END_BYTES 256
/* The most bytes of a trace, so that the branches in it reach what stands behind its end; and of its part among the
 * trampolines. */
#define TARGET_TRACE_BYTES 3584
#define TARGET_TRACE_TRAMPOLINE_BYTES 8192
/* The most branches that leave one fragment from its middle. */
#define TARGET_SIDES 16
/* The most instructions that stay whole, from lr to sc.  Processors let a store succeed at last if the loop has
 * no more than 16, which stand one behind the other; a few more harm nobody. */
#define TARGET_WHOLE_INSTRUCTIONS 25
/* Of the way to a target that is out of a jump's reach, which stands behind a trampoline where that may be
 * needed again: with threads, and where fragments go one by one.  A multiple of 8. */
#define TARGET_FAR_WAY_BYTES 16

/* Registers, one bit each: the translator's own (gp and tp), of which gp is for whatever code in the cache needs for a
 * moment; sp; and those that neither callbacks nor the way to dispatch put away (s0 to s11). */
#define TARGET_OWN_REGISTERS UINT32_C(0x00000018)
#define TARGET_SCRATCH_REGISTER 3
#define TARGET_NEVER_SPARE UINT32_C(0x00000004)
#define TARGET_KEPT_REGISTERS UINT32_C(0x0ffc0300)

/* Words that a callback saves registers in which comes between any two instructions of the cache. */
#define TARGET_SAVED_WORDS 17

/* The most that code takes which checks, with a scratch register, whether a fragment is what a lookup looks for. */
#define TARGET_CHECK_BYTES 56u

/* What the tables of lookups take before the context, and behind it. */
#define TARGET_LOOKUP_BYTES_BEFORE(bits) ((size_t)8 << (bits))
#define TARGET_LOOKUP_BYTES_BEHIND(bits) ((size_t)16 << (bits))
/* How far a jump between two places in the cache reaches, to either side. */
#define TARGET_JUMP_REACH (INT64_C(1) << 20)
/* Of the cache, in which each fragment reaches its trampolines: half of that, so that most links between
 * neighbours are in reach, too. */
#define TARGET_CHUNK_BYTES (512u * 1024)

/* Where control enters a fragment from dispatch or from an indirect jump: so far before its entry. */
#define TARGET_INDIRECT_ENTRY_BYTES 4

/* The word that the code of a counter counts in lies a whole cache behind its third instruction, so that one
 * auipc makes its address; and this address is what each execution adds to it, so that no second register
 * is needed. */
#define TARGET_CELL_OF(code, cache_bytes) ((uint64_t *)(uintptr_t)((code) + 8 + (cache_bytes)))
#define TARGET_CELL_UNIT(cell) ((uint64_t)(uintptr_t)(cell))

/* The jump that an exit leaves its fragment by, as it can be patched. */
struct target_site {
    uint8_t *jump;   /* goes to the trampoline, or to a fragment */
    uint8_t *branch; /* a conditional branch that leads to the jump, or NULL */
    uint8_t
        *trampoline; /* where the jump goes while unlinked; the way to a target that is too far */
    uint8_t *
        maker; /* a trampoline that makes a counter, or counts, in the other one's place; or NULL */
    uint8_t *stub; /* where what the exit does begins, in front of the jump; NULL: with the jump */
    uint8_t *
        around; /* of a trace that goes around: the word that leads to its entry, or to `stub`; or NULL */
};

/* The context of the thread that runs the translator. */
#define TARGET_CURRENT_CONTEXT()                                                                   \
    __extension__({                                                                                \
        struct context *current_context;                                                           \
        __asm__("mv %0, tp" : "=r"(current_context));                                              \
        current_context;                                                                           \
    })

/* What the target keeps for the whole process. */
struct target_process {
    struct xstrata_origins origins; /* what target_announce shows */
    struct xstrata_last_words last_words;
    uint64_t signal_return; /* where handlers return to, if that is in the cache */
    uint64_t owns_gp;       /* 1 once target_take_scratch was called */
    uint64_t adds_shifted;  /* 1 if the processor has Zba */
    uint64_t parts[448];    /* what target_emit must remember of a trace while it writes it */
};

/* The entry of the auxiliary vector by which a processor says that it has counters, and more for translators;
 * programs do not see it. */
#define TARGET_HARDWARE_AUXV AT_STRATA

/* The code that checks targets for one fragment, by the kind of lookup: as a jump finds it and, with
 * TARGET_CALL_MARK, as a call does; NULL where there is none.  And as a jump finds it near the trace that the fragment
 * leads to. */
struct target_checks {
    const uint8_t *of[2][LOOKUP_KINDS];
    const uint8_t *near[LOOKUP_KINDS];
};

/* One entry of the table that code in the cache looks indirect targets up in: for LOOKUP_INLINE, or the
 * code that checks targets, for jumps and returns. */
union target_lookup {
    struct {
        uint64_t target;
        const uint8_t *entry;
    };
    const uint8_t *checks[2];
};

#endif
#endif
