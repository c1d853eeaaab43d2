/* The unit that keeps the main thread's registers at triggers, for the slices that start there. */
#include "machine/pipeline/helpers.h"
#include "machine/units/unit.h"

#include <stdlib.h>

struct capture_unit {
    struct unit unit;
    struct helpers *helpers;
};

static struct helpers *helpers_of(struct unit *unit)
{
    return ((struct capture_unit *)(void *)unit)->helpers;
}

static struct watch_request watches(struct unit *unit, guest_addr pc, const struct rv64_insn *insn)
{
    (void)insn;
    return (struct watch_request){.events =
                                      helpers_triggers(helpers_of(unit), pc) ? WATCH_RETIRE : 0};
}

static void retire(struct unit *unit, struct hart *hart, guest_addr pc,
                   const struct rv64_insn *insn)
{
    (void)insn;
    helpers_capture(helpers_of(unit), hart, pc);
}

static void destroy(struct unit *unit)
{
    free(unit);
}

static const struct unit_kind kind = {
    .name = "capture", .watches = watches, .retire = retire, .destroy = destroy};

struct unit *helpers_unit_create(struct helpers *helpers, struct unit_host host)
{
    struct capture_unit *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return NULL;
    }
    own->unit = (struct unit){.kind = &kind, .host = host};
    own->helpers = helpers;
    helpers_set_host(helpers, host);
    return &own->unit;
}
