/* The units that ask the engine to record instructions for the pipeline: all of them, or what warming needs. */
#include "base/check.h"
#include "machine/pipeline/tell.h"
#include "machine/units/origins.h"
#include "machine/engine/unit.h"

#include <stdlib.h>

struct recorder {
    struct unit unit;
    struct pipeline *pipeline;
};

/* Only while it is decoded is it known which instruction of the program a translator's copy is.  What is marked
 * in the program is a perfect load, or a trigger or a target of the slices that the program brings. */
static void note_origin(const struct pipeline *pipeline, struct static_insn *static_insn,
                        const struct watch_instruction *instruction)
{
    const struct origin origin =
        origins_find(pipeline->origins, instruction->pc, instruction->insn);
    uint8_t marked = static_insns_marked(pipeline->static_insns, origin.pc);
    if ((static_insn->flags & STATIC_LOAD) == 0) {
        marked &= (uint8_t)~STATIC_PERFECT;
    }
    static_insn->flags |= marked;
    static_insn->origin = origin.pc;
    static_insn->owner = (uint8_t)origin.owner;
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    struct pipeline *pipeline = ((struct recorder *)(void *)unit)->pipeline;
    struct static_insn *static_insn =
        static_insns_get(pipeline->static_insns, instruction->pc, instruction->insn);
    /* What is in memory that others read has no units of its own there. */
    if (UNLIKELY(pipeline->told != pipeline->told_always) && static_insn != NULL &&
        !static_insns_shared(pipeline->static_insns)) {
        ASSERT(tell_ask(pipeline, static_insn, instruction));
    }
    if (UNLIKELY(pipeline->origins != NULL) && static_insn != NULL) {
        note_origin(pipeline, static_insn, instruction);
    }
    return (struct watch_request){.events = WATCH_RECORD, .insn = static_insn};
}

/* For warming: only what touches something, and where a block begins, which says where the last one went. */
static struct watch_request watches_touches(struct unit *unit,
                                            const struct watch_instruction *instruction)
{
    struct watch_request request = watches(unit, instruction);
    const struct static_insn *static_insn = request.insn;
    if (static_insn != NULL && static_insn->site.kind == BRANCH_NONE &&
        (static_insn->flags & (STATIC_LOAD | STATIC_STORE | STATIC_PREFETCH)) == 0) {
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
