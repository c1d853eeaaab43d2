/* Where emitted code and assembly find the members of struct context. */
#ifndef STRATA_TRANSLATOR_RV64_CONTEXT_OFFSETS_H
#define STRATA_TRANSLATOR_RV64_CONTEXT_OFFSETS_H

#include "target_facts.h"

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
#define CONTEXT_BUILDER_COST 360
#define CONTEXT_MISS(kind) (368 + (kind)*8)
#define CONTEXT_MISSED(kind) (400 + (kind)*8)
#define CONTEXT_HOT 528
#define CONTEXT_SCRATCH 544
#define CONTEXT_GUARD 552
#define CONTEXT_ARRIVAL 560
#define CONTEXT_LOOKUPS 568

#ifndef __ASSEMBLER__

#include "translator/fragment/context.h"

#define CONTEXT_HAS(field, offset)                                                                 \
    _Static_assert(offsetof(struct context, field) == (offset), "emitted code depends on it")
CONTEXT_HAS(registers, CONTEXT_X(0));
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
CONTEXT_HAS(builder_cost, CONTEXT_BUILDER_COST);
CONTEXT_HAS(miss, CONTEXT_MISS(0));
CONTEXT_HAS(missed, CONTEXT_MISSED(0));
CONTEXT_HAS(hot, CONTEXT_HOT);
CONTEXT_HAS(scratch, CONTEXT_SCRATCH);
CONTEXT_HAS(guard, CONTEXT_GUARD);
CONTEXT_HAS(arrival, CONTEXT_ARRIVAL);
CONTEXT_HAS(lookups, CONTEXT_LOOKUPS);

#endif
#endif
