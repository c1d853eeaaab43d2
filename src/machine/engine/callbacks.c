/* Callbacks: code of the program that hardware calls, one at a time on each context. */
#include "machine/engine/callbacks.h"

#include "base/check.h"
#include "machine/engine/unit.h"

#include <stdlib.h>
#include <string.h>

static void enqueue(struct hart *hart, struct pending_callback callback)
{
    if (hart->pending_count == hart->pending_capacity) {
        hart->pending_capacity = hart->pending_capacity * 2 + 8;
        hart->pending = realloc(hart->pending, hart->pending_capacity * sizeof *hart->pending);
        ASSERT(hart->pending != NULL);
    }
    hart->pending[hart->pending_count++] = callback;
}

void callbacks_raise(struct hart *hart, struct unit *unit, guest_addr callback, uint64_t argument)
{
    enqueue(hart,
            (struct pending_callback){.argument = argument, .callback = callback, .unit = unit});
}

void callbacks_raise_eviction(struct hart *hart, struct unit *unit, guest_addr callback,
                              uint64_t tag, uint64_t gone)
{
    enqueue(hart, (struct pending_callback){
                      .argument = tag, .callback = callback, .gone = gone, .unit = unit});
}

/* The one that has waited longest. */
static void start_next(struct hart *hart)
{
    const struct pending_callback next = hart->pending[0];

    hart->pending_count--;
    memmove(hart->pending, hart->pending + 1, hart->pending_count * sizeof next);
    if (next.unit->kind->callback_begins != NULL) {
        next.unit->kind->callback_begins(next.unit, next.argument);
    }
    hart->in_callback = true;
    hart->callback_argument = next.argument;
    hart->callback_gone = next.gone;
    hart->pc = next.callback & ~UINT64_C(1); /* as jalr does */
}

void callbacks_begin(struct hart *hart, bool counted)
{
    ASSERT(callbacks_due(hart));
    hart->callback_return = hart->pc;
    /* An instruction that a callback stands before may have been counted before an earlier one. */
    const bool skipped = hart->skip_count_at == hart->pc;
    hart->callback_before = counted || skipped ? hart->pc : HART_NO_ADDRESS;
    hart->skip_count_at = HART_NO_ADDRESS;
    start_next(hart);
}

bool callbacks_return(struct hart *hart)
{
    if (!hart->in_callback) {
        return false;
    }
    if (hart->pending_count > 0) {
        start_next(hart);
        return true;
    }
    /* Only the instruction that the callbacks stood before was counted already. */
    if (hart->callback_return == hart->callback_before) {
        hart->skip_count_at = hart->callback_return;
    }
    hart->in_callback = false;
    hart->pc = hart->callback_return;
    return true;
}

void callbacks_release(struct hart *hart)
{
    free(hart->pending);
    hart->pending = NULL;
    hart->pending_count = hart->pending_capacity = 0;
}
