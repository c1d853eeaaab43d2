/* The units that ask the engine to record instructions for the pipeline: all of them, or what warming needs. */
#include "base/check.h"
#include "machine/origins.h"
#include "machine/pipeline/tell.h"
#include "machine/engine/unit.h"

#include <stdlib.h>

struct recorder {
    struct unit unit;
    struct pipeline *pipeline;
};

/* Only while it is decoded is it known which load of the program a translator's copy is. */
static void note_load(const struct pipeline *pipeline, struct slot *slot,
                      const struct watch_instruction *instruction)
{
    const struct origin origin =
        origins_find(pipeline->origins, instruction->pc, instruction->insn);
    if (slots_marked(pipeline->slots, origin.pc) & SLOT_PERFECT) {
        slot->flags |= SLOT_PERFECT;
    }
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    struct pipeline *pipeline = ((struct recorder *)(void *)unit)->pipeline;
    struct slot *slot = slots_get(pipeline->slots, instruction->pc, instruction->insn);
    /* What is in memory that others read has no units of its own there. */
    if (UNLIKELY(pipeline->told != pipeline->told_always) && slot != NULL &&
        !slots_shared(pipeline->slots)) {
        ASSERT(tell_ask(pipeline, slot, instruction));
    }
    if (UNLIKELY(pipeline->origins != NULL) && slot != NULL && slot->flags & SLOT_LOAD) {
        note_load(pipeline, slot, instruction);
    }
    return (struct watch_request){.events = WATCH_RECORD, .slot = slot};
}

/* For warming: only what touches something, and where a block begins, which says where the last one went. */
static struct watch_request watches_touches(struct unit *unit,
                                            const struct watch_instruction *instruction)
{
    struct watch_request request = watches(unit, instruction);
    const struct slot *slot = request.slot;
    if (slot->site.kind == BRANCH_NONE &&
        (slot->flags & (SLOT_LOAD | SLOT_STORE | SLOT_PREFETCH)) == 0) {
        request.events = WATCH_RECORD_FIRST;
    }
    return request;
}

static void destroy(struct unit *unit)
{
    free(unit);
}

static const struct unit_kind recorder = {
    .name = "recorder", .watches = watches, .destroy = destroy};
static const struct unit_kind toucher = {
    .name = "toucher", .watches = watches_touches, .destroy = destroy};

static struct unit *create(const struct unit_kind *kind, struct pipeline *pipeline,
                           struct unit_host host)
{
    struct recorder *unit = calloc(1, sizeof *unit);
    if (unit == NULL) {
        return NULL;
    }
    unit->unit = (struct unit){.kind = kind, .host = host};
    unit->pipeline = pipeline;
    return &unit->unit;
}

struct unit *pipeline_unit_create(struct pipeline *pipeline, struct unit_host host)
{
    return create(&recorder, pipeline, host);
}

struct unit *pipeline_warm_unit_create(struct pipeline *pipeline, struct unit_host host)
{
    return create(&toucher, pipeline, host);
}
