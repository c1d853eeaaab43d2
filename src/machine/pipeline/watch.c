/* The unit that asks the engine to record all instructions for the pipeline. */
#include "machine/pipeline/window.h"
#include "machine/units/unit.h"

#include <stdlib.h>

struct recorder {
    struct unit unit;
    struct pipeline *pipeline;
};

static struct watch_request watches(struct unit *unit, guest_addr pc, const struct rv64_insn *insn)
{
    struct slots *slots = ((struct recorder *)(void *)unit)->pipeline->slots;
    return (struct watch_request){.events = WATCH_RECORD, .slot = slots_get(slots, pc, insn)};
}

static void destroy(struct unit *unit)
{
    free(unit);
}

static const struct unit_kind kind = {.name = "recorder", .watches = watches, .destroy = destroy};

struct unit *pipeline_unit_create(struct pipeline *pipeline, struct unit_host host)
{
    struct recorder *recorder = calloc(1, sizeof *recorder);
    if (recorder == NULL) {
        return NULL;
    }
    recorder->unit = (struct unit){.kind = &kind, .host = host};
    recorder->pipeline = pipeline;
    return &recorder->unit;
}
