/* How a program learns of Xstrata: an entry of its auxiliary vector; freestanding. */
#ifndef ISA_RV64_XSTRATA_ABI_H
#define ISA_RV64_XSTRATA_ABI_H

#include <stdint.h>

/* The letters "STRA".  Linux numbers its own entries from zero, far below. */
#define AT_STRATA 0x53545241

/* The entry's value, and what the CSR strfeat reads: one bit per feature. */
enum {
    XSTRATA_COUNTERS = 1,
    XSTRATA_LAST_WORDS = 8, /* bits 1 and 2 are of slices and helper contexts */
    XSTRATA_TIMES = 16,     /* instructions have cycles, and counters measure them */
    XSTRATA_FINDS = 32,     /* some hardware finds hot spots by itself */
    XSTRATA_EVICTIONS = 64, /* evictions are told */
};

/* What ctr.time reads of a counter: a number in its second operand. */
enum {
    XSTRATA_TIME_RETIRED,     /* executions that retired in some cycle */
    XSTRATA_TIME_CYCLES,      /* cycles from the retirement before each of these to its own */
    XSTRATA_TIME_MISSES,      /* of loads: those that did not find their line in the first level */
    XSTRATA_TIME_MISS_CYCLES, /* which these took from when they were issued until their data came */
    XSTRATA_TIME_COUNT,
};

/* What ic.sync says of the bytes that it makes visible; 9 to 31 are free. */
enum {
    XSTRATA_CODE_OTHER = 0,
    XSTRATA_CODE_FRAGMENT = 1,
    XSTRATA_CODE_TRAMPOLINE = 2,
    XSTRATA_CODE_COUNTER = 3,
    XSTRATA_CODE_TRANSLATOR = 4,
    XSTRATA_CODE_LOOKUP = 5,
    XSTRATA_CODE_ORIGINS = 6, /* no code: a translator says where its struct xstrata_origins is */
    XSTRATA_CODE_LAST_WORDS = 7, /* no code: where its struct xstrata_last_words is */
    XSTRATA_CODE_TRACE = 8, /* they stay what they are, and are the path of a trace */
};

/* Where in a program the code of a translator's fragments comes from, for who observes it: a table in the
 * program's memory, which is right for all code that is executed, at that time.
 *
 * Most code is a copy, in runs.  Behind each run stands a piece that is none: it
 * does what one instruction of the program does, or ends the fragment.  Run and
 * piece share a mark; marks have the order of the code. */
struct xstrata_mark {
    uint32_t piece;     /* the low half of its address */
    uint16_t run_bytes; /* of the copy before it */
    uint8_t
        own; /* from the piece's start to the program's own instruction in it, or 0; odd: it has none */
    uint8_t held; /* a register that the translator holds in all of the piece, or 0 */
    uint64_t pc;  /* of the instruction at the piece */
};

struct xstrata_origins {
    uint64_t code_start, code_end; /* of the cache */
    uint64_t marks;                /* the first one */
    uint64_t marks_next;           /* the address of the word that says where they end */
};

/* Traces of a translator, and the fragments that they took the place of, for who has counted what their code did: lists in
 * the program's memory, which the translator's report says the beginning of.  Addresses are of code in the cache, but for
 * `start` and `head`, which are the program's.  They are right for all code that is in the cache when the program ends.
 * Each begins a larger struct of the translator's own. */
#define XSTRATA_CHECKS 8

struct xstrata_fragment {
    uint64_t start;
    uint64_t entry;
    uint64_t landing;
    uint64_t code, end;
    uint64_t exits, exit_count; /* none: it ends with a lookup */
    uint64_t checks
        [XSTRATA_CHECKS]; /* code that lookups find it with: before its entry, or elsewhere; 0: none */
};

struct xstrata_block {
    uint64_t at; /* in the trace */
    uint64_t start;
    uint64_t fragment; /* the struct xstrata_fragment that was executed before */
};

struct xstrata_trace {
    uint64_t next; /* of all; 0 behind the last */
    uint64_t head;
    uint64_t code;
    uint64_t path_end; /* behind the last instruction of the path: what follows leaves it */
    uint64_t end;
    uint64_t first_block;         /* where its struct xstrata_blocks are, */
    uint32_t blocks, block_bytes; /* how many, and how far each is from the next */
    uint32_t check_bytes;         /* of a check that is elsewhere, at the most */
    uint32_t undone;              /* nothing leads to it any more */
};

/* What runs behind a program's last instruction if the program does not end itself: a signal kills it, or who
 * observes it has seen enough.  It begins at `entry` with `stack` as its stack pointer and `argument` in a0,
 * and ends with ebreak. */
struct xstrata_last_words {
    uint64_t entry;
    uint64_t stack;
    uint64_t argument;
};

#endif
