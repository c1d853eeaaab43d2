/* Makes store-conditional fail as early as the architecture allows: after any other access to memory.
 *
 * Programs keep to that on their own; a translator that adds accesses of its own
 * between lr and sc would never get on. */
#include "machine/units/reservation.h"

#include <stdlib.h>

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    (void)unit;
    const unsigned flags = instruction->flags;
    const bool loads = (flags & WATCHED_LOAD) != 0, stores = (flags & WATCHED_STORE) != 0;
    const bool reserves = (flags & WATCHED_ATOMIC) != 0 && loads != stores; /* lr, sc */
    return (struct watch_request){.events = (loads || stores) && !reserves ? WATCH_MEMORY : 0u};
}

static void on_memory(struct unit *unit, const struct watch_event *event)
{
    (void)unit;
    event->hart->reserved = false;
}

static void destroy(struct unit *unit)
{
    free(unit);
}

static const struct unit_kind kind = {
    .name = "reservation", .watches = watches, .memory = on_memory, .destroy = destroy};

struct unit *reservation_unit_create(struct unit_host host)
{
    struct unit *unit = calloc(1, sizeof *unit);
    if (unit != NULL) {
        unit->kind = &kind;
        unit->host = host;
    }
    return unit;
}
