/* Where blocks begin, for units that put together the path that the program takes.
 *
 * A block begins where a conditional branch leads, taken or not, where an indirect jump leads, and where a direct jump
 * leads backward.  Direct jumps forward and direct calls are in the middle of one.  Where a block would consist of
 * nothing but a direct jump it begins where that leads: so trampolines are no blocks. */
#ifndef STRATA_MACHINE_UNITS_BLOCKS_H
#define STRATA_MACHINE_UNITS_BLOCKS_H

#include "machine/engine/unit.h"
#include "machine/state/hart.h"
#include "machine/units/finds.h"

/* How control goes on at a branch or jump, for the path that it is on. */
enum flow {
    FLOW_WITHIN, /* in the same block: a direct call, or a direct jump forward */
    FLOW_BLOCK,  /* in another block */
    FLOW_BACK, /* in another block, by a direct branch or jump to the same or a lower address that is no call */
};

/* What units that follow paths hear of. */
static inline bool blocks_watched(const struct watch_instruction *instruction)
{
    return (instruction->flags & (WATCHED_CONDITIONAL | WATCHED_JUMP)) != 0;
}

/* Callbacks are no part of what the program executes: the path goes on behind them. */
static inline bool blocks_counts(const struct watch_event *event)
{
    return !event->hart->in_callback;
}

enum flow blocks_flow(const struct watch_event *event);
/* Where the program goes on. */
uint64_t blocks_next(const struct watch_event *event);

static inline void blocks_begin(struct find *path, uint64_t head)
{
    path->count = 1;
    path->blocks[0] = head;
}

/* As blocks_flow; but if the direct jump of the event is all that the last block of the path consists of, that block is
 * taken out, and a jump forward leads to another one: it may become the path's first. */
enum flow blocks_advance(struct find *path, const struct watch_event *event);
/* Whether a block of the path begins at the address. */
bool blocks_include(const struct find *path, uint64_t address);

#endif
