/* Makes store-conditional fail as early as the architecture allows: after any other access to memory.
 *
 * Programs keep to that on their own; a translator that adds accesses of its own
 * between lr and sc would never get on. */
#include "machine/units/reservation.h"

#include <stdlib.h>

static struct watch_request watches(struct unit *unit, guest_addr pc, const struct rv64_insn *insn)
{
    (void)unit;
    (void)pc;
    const uint32_t flags = rv64_row(insn->op)->flags;
    const bool loads = (flags & INSN_LOAD) != 0, stores = (flags & INSN_STORE) != 0;
    const bool reserves = (flags & INSN_ATOMIC) != 0 && loads != stores; /* lr, sc */
    return (struct watch_request){.events = (loads || stores) && !reserves ? WATCH_MEMORY : 0u};
}

static void on_memory(struct unit *unit, struct hart *hart, guest_addr pc, guest_addr address,
                      const struct rv64_insn *insn)
{
    (void)unit;
    (void)pc;
    (void)address;
    (void)insn;
    hart->reserved = false;
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
