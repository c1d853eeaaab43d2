/* Tells units what happens in the pipeline. */
#include "machine/pipeline/tell.h"

#include "isa/rv64/decode.h"

#include <stdlib.h>

static uint8_t level_of(const struct entry *entry)
{
    switch (entry->cause) {
    case CAUSE_l2:
        return WATCH_L2;
    case CAUSE_l3:
        return WATCH_L3;
    case CAUSE_memory:
        return WATCH_MAIN_MEMORY;
    default:
        return WATCH_L1;
    }
}

/* A unit that has no `watches` does not choose. */
static bool chooses(const struct unit *unit)
{
    return unit->kind->watches != NULL;
}

void tell(struct pipeline *pipeline, enum watch what, uint32_t id, struct watch_event *event)
{
    const struct entry *entry = entry_of(pipeline, id);
    const struct static_insn *static_insn = entry->insn;
    const struct entry_times *times = &pipeline->times[id];
    struct rv64_insn insn;

    rv64_decode(static_insn->word, &insn);
    const struct watch_instruction instruction = watch_instruction_of(static_insn->site.pc, &insn);
    event->instruction = &instruction;
    event->cycle = pipeline->now;
    event->address = entry->address;
    event->context = context_of(pipeline, id);
    event->helper = (static_insn->flags & STATIC_HELPER) != 0;
    event->measured = pipeline->measuring;
    event->level = level_of(entry);
    event->cause = entry->cause;
    event->times = (struct watch_times){.fetched = times->fetched,
                                        .dispatched = times->dispatched,
                                        .issued = times->issued,
                                        .done = entry->done};
    for (unsigned i = 0; (pipeline->told_always & what) != 0 && i < pipeline->units->count; i++) {
        struct unit *unit = pipeline->units->units[i];
        if ((unit->kind->timed & what) != 0 && !chooses(unit)) {
            unit_function(unit->kind, what)(unit, event);
        }
    }
    if (static_insn->watch != NULL && (static_insn->watch->events & what) != 0) {
        watch_site_tell(static_insn->watch, what, event);
    }
}

void tell_units(struct pipeline *pipeline, struct unit_set *units)
{
    pipeline->units = units;
    pipeline->told = pipeline->told_always = 0;
    for (unsigned i = 0; i < units->count; i++) {
        pipeline->told |= units->units[i]->kind->timed;
        pipeline->told_always |= chooses(units->units[i]) ? 0 : units->units[i]->kind->timed;
    }
}

/* A static instruction has one as soon as a unit wants to hear of it, with room for all units. */
static struct watch_site *site_of(struct pipeline *pipeline, struct static_insn *static_insn)
{
    if (static_insn->watch == NULL) {
        struct watch_site *site = calloc(1, watch_site_bytes(pipeline->units->count));
        if (site == NULL) {
            return NULL;
        }
        site->next = pipeline->sites;
        static_insn->watch = pipeline->sites = site;
    }
    return static_insn->watch;
}

static bool add_watcher(struct pipeline *pipeline, struct static_insn *static_insn,
                        struct watcher watcher, const struct watch_instruction *instruction)
{
    struct watch_site *site = site_of(pipeline, static_insn);
    if (site == NULL) {
        return false;
    }
    site->insn = *instruction->insn;
    site->instruction = watch_instruction_of(instruction->pc, &site->insn);
    site->watchers[site->count++] = watcher;
    site->events |= watcher.events;
    return true;
}

bool tell_ask(struct pipeline *pipeline, struct static_insn *static_insn,
              const struct watch_instruction *instruction)
{
    bool enough = true;

    if (static_insn->watch != NULL) {
        static_insn->watch->events = static_insn->watch->count = 0;
    }
    for (unsigned i = 0; i < pipeline->units->count; i++) {
        struct unit *unit = pipeline->units->units[i];
        if (unit->kind->timed == 0 || !chooses(unit)) {
            continue;
        }
        const struct watch_request request = unit->kind->watches(unit, instruction);
        if (request.events & WATCH_CYCLES) {
            static_insn->cycles = request.total;
        }
        const struct watcher watcher = {.unit = unit,
                                        .events = request.events & unit->kind->timed & WATCH_TIMED,
                                        .own = request.own};
        enough &= watcher.events == 0 || add_watcher(pipeline, static_insn, watcher, instruction);
    }
    return enough;
}

void tell_destroy(struct pipeline *pipeline)
{
    while (pipeline->sites != NULL) {
        struct watch_site *next = pipeline->sites->next;
        free(pipeline->sites);
        pipeline->sites = next;
    }
}
