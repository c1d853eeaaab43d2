/* What the translator keeps for one thread of the program: the register file of the program and where things are.
 *
 * On RV64 the thread pointer points here all the time, so that code in the
 * cache can save a register without touching the program's stack.  Emitted code
 * and rv64/enter.S know the offsets: CONTEXT_* below. */
#ifndef STRATA_TRANSLATOR_CONTEXT_H
#define STRATA_TRANSLATOR_CONTEXT_H

#define CONTEXT_X(number) ((number) * 8)
#define CONTEXT_LEAVE 256
#define CONTEXT_MISS 264
#define CONTEXT_STACK 272
#define CONTEXT_TARGET 280
#define CONTEXT_INDIRECT 288
#define CONTEXT_SPARE 296
#define CONTEXT_SPARE_END 328
#define CONTEXT_PENDING 328
#define CONTEXT_SIGNALS 336
#define CONTEXT_CALLBACK 344
#define CONTEXT_FETCH_SLOT 352
#define CONTEXT_SLOTS 360
#define CONTEXT_THRESHOLD 368
#define CONTEXT_LOOKUPS 376

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

/* One entry of the table that code in the cache looks indirect targets up in. */
struct lookup {
    guest_addr target;
    const uint8_t *entry;
};
/* An empty entry is all zero, as new memory is: no target that is looked up there
 * is zero, but in the first one, which is empty with an odd target. */
#define LOOKUP_EMPTY 1
#define LOOKUP_BITS 12

struct context {
    uint64_t x[32];     /* the program's; x[4], its thread pointer, is always here */
    const void *leave;  /* where trampolines go, to call dispatch */
    const void *miss;   /* where lookups go that fail */
    void *stack_top;    /* the translator's own stack */
    guest_addr target;  /* of the lookup that failed; in dispatch, where the program goes on */
    const struct exit *indirect; /* what every failed lookup leaves through */
    uint64_t spare[4];  /* for a register that emitted code needs for a moment */
    uint32_t pending;   /* 1 while a signal waits until the translator leaves for the program */
    struct signals *signals;
    const void *callback;   /* what counters call at their threshold */
    const void *fetch_slot; /* sw-paper's: a routine, its table */
    struct slot *slots;
    uint64_t threshold;
    struct lookup lookups[1 << LOOKUP_BITS];
    struct translator *translator;
};

#define CONTEXT_HAS(field, offset) \
    _Static_assert(offsetof(struct context, field) == (offset), "emitted code depends on it")
CONTEXT_HAS(leave, CONTEXT_LEAVE);
CONTEXT_HAS(miss, CONTEXT_MISS);
CONTEXT_HAS(stack_top, CONTEXT_STACK);
CONTEXT_HAS(target, CONTEXT_TARGET);
CONTEXT_HAS(indirect, CONTEXT_INDIRECT);
CONTEXT_HAS(spare, CONTEXT_SPARE);
CONTEXT_HAS(pending, CONTEXT_PENDING);
CONTEXT_HAS(signals, CONTEXT_SIGNALS);
CONTEXT_HAS(callback, CONTEXT_CALLBACK);
CONTEXT_HAS(fetch_slot, CONTEXT_FETCH_SLOT);
CONTEXT_HAS(slots, CONTEXT_SLOTS);
CONTEXT_HAS(threshold, CONTEXT_THRESHOLD);
CONTEXT_HAS(lookups, CONTEXT_LOOKUPS);

#endif
#endif
