/* What the translator keeps for one thread of the program: the register file of the program and where things are.
 *
 * On RV64 the thread pointer points here all the time, so that code in the
 * cache can save a register without touching the program's stack.  Emitted code
 * and rv64/enter.S know the offsets: CONTEXT_* below. */
#ifndef STRATA_TRANSLATOR_CONTEXT_H
#define STRATA_TRANSLATOR_CONTEXT_H

#define CONTEXT_X(number) ((number)*8)
#define CONTEXT_LEAVE 256
#define CONTEXT_STACK 264
#define CONTEXT_TARGET 272
#define CONTEXT_SPARE 280
#define CONTEXT_SPARE_END 312
#define CONTEXT_PENDING 312
#define CONTEXT_SIGNALS 320
#define CONTEXT_CALLBACK 328
#define CONTEXT_FETCH_SLOT 336
#define CONTEXT_SLOTS 344
#define CONTEXT_THRESHOLD 352
#define CONTEXT_MISS(kind) (360 + (kind)*8)
#define CONTEXT_MISSED(kind) (392 + (kind)*8)
#define CONTEXT_LOOKUPS 496

/* The kinds of lookups of indirect targets (rv64/indirect.c). */
#define LOOKUP_INLINE 0 /* the code that jumps compares the target itself */
#define LOOKUP_JUMP 1   /* the others jump to code that does: the sieve's two, */
#define LOOKUP_MOVED 2
#define LOOKUP_RETURN 3 /* and the return cache's */
#define LOOKUP_KINDS 4

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

/* Addresses of the program.  Code in the cache is a pointer: the compiler then
 * rejects the confusion. */
typedef uint64_t guest_addr;

struct translator;
struct exit;
struct signals;
struct slot;

/* One entry of the table that code in the cache looks indirect targets up in:
 * for LOOKUP_INLINE, or the code that checks targets, for the two of the sieve. */
union lookup {
    struct {
        guest_addr target;
        const uint8_t *entry;
    };
    const uint8_t *checks[2];
};

struct context {
    uint64_t x[32];    /* the program's; x[4], its thread pointer, is always here */
    const void *leave; /* where trampolines go, to call dispatch */
    void *stack_top;   /* the translator's own stack */
    guest_addr target; /* of the lookup that failed; in dispatch, where the program goes on */
    uint64_t spare[4]; /* for a register that emitted code needs for a moment */
    uint32_t pending;  /* 1 while a signal waits until the translator leaves for the program */
    struct signals *signals;
    const void *callback;   /* what counters call at their threshold */
    const void *fetch_slot; /* sw-paper's: a routine, its table */
    struct slot *slots;
    uint64_t threshold;
    const void *miss[LOOKUP_KINDS];          /* where lookups go that fail, by kind, */
    const struct exit *missed[LOOKUP_KINDS]; /* and what they leave through */
    struct translator *translator;
    struct context *next; /* of translator->threads */
    const void *detour;   /* what dispatch goes to instead of a fragment, once, or NULL */
    void *block;          /* the memory that all of the thread's things are in */
    size_t block_bytes;
    uint64_t dispatches; /* not yet among those of translator->statistics */
    uint32_t inside;     /* 1 while it is in the cache, or about to be */
    uint32_t borrows;    /* 1 while another process has it, which borrows the memory (vfork.c) */
    void *words;         /* memory that execve needs (exec.c), or NULL */
    size_t words_bytes;
    union lookup lookups[]; /* the return cache grows from the context downwards */
};

#define CONTEXT_HAS(field, offset)                                                                 \
    _Static_assert(offsetof(struct context, field) == (offset), "emitted code depends on it")
CONTEXT_HAS(leave, CONTEXT_LEAVE);
CONTEXT_HAS(stack_top, CONTEXT_STACK);
CONTEXT_HAS(target, CONTEXT_TARGET);
CONTEXT_HAS(spare, CONTEXT_SPARE);
CONTEXT_HAS(pending, CONTEXT_PENDING);
CONTEXT_HAS(signals, CONTEXT_SIGNALS);
CONTEXT_HAS(callback, CONTEXT_CALLBACK);
CONTEXT_HAS(fetch_slot, CONTEXT_FETCH_SLOT);
CONTEXT_HAS(slots, CONTEXT_SLOTS);
CONTEXT_HAS(threshold, CONTEXT_THRESHOLD);
CONTEXT_HAS(miss, CONTEXT_MISS(0));
CONTEXT_HAS(missed, CONTEXT_MISSED(0));
CONTEXT_HAS(lookups, CONTEXT_LOOKUPS);

#endif
#endif
