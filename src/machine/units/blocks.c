/* Where blocks begin, for units that put together the path that the program takes. */
#include "machine/units/blocks.h"

static bool is_direct_jump(const struct watch_event *event)
{
    const unsigned kinds = WATCHED_JUMP | WATCHED_INDIRECT | WATCHED_CALL;

    return (event->instruction->flags & kinds) == WATCHED_JUMP;
}

enum flow blocks_flow(const struct watch_event *event)
{
    const unsigned flags = event->instruction->flags;
    const bool conditional = (flags & WATCHED_CONDITIONAL) != 0;
    const bool backward = event->taken && event->address <= event->instruction->pc;

    if ((conditional || is_direct_jump(event)) && backward) {
        return FLOW_BACK;
    }
    return conditional || (flags & WATCHED_INDIRECT) != 0 ? FLOW_BLOCK : FLOW_WITHIN;
}

uint64_t blocks_next(const struct watch_event *event)
{
    return event->taken ? event->address : event->instruction->pc + event->instruction->bytes;
}

enum flow blocks_advance(struct find *path, const struct watch_event *event)
{
    const enum flow flow = blocks_flow(event);

    if (!is_direct_jump(event) || path->count == 0 ||
        path->blocks[path->count - 1] != event->instruction->pc) {
        return flow;
    }
    path->count--;
    return flow == FLOW_WITHIN ? FLOW_BLOCK : flow;
}

bool blocks_include(const struct find *path, uint64_t address)
{
    bool included = false;

    for (unsigned i = 0; i < path->count && !included; i++) {
        included = path->blocks[i] == address;
    }
    return included;
}
