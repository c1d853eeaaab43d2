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
    const struct slot *slot = entry->slot;
    const struct entry_times *times = &pipeline->times[id];
    struct rv64_insn insn;

    rv64_decode(slot->word, &insn);
    const struct watch_instruction instruction = watch_instruction_of(slot->site.pc, &insn);
    event->instruction = &instruction;
    event->cycle = pipeline->now;
    event->address = entry->address;
    event->context = context_of(pipeline, id);
    event->helper = (slot->flags & SLOT_HELPER) != 0;
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
    if (slot->watch != NULL && (slot->watch->events & what) != 0) {
        watch_site_tell(slot->watch, what, event);
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

/* A slot has one as soon as a unit wants to hear of it, with room for all units. */
static struct watch_site *site_of(struct pipeline *pipeline, struct slot *slot)
{
    if (slot->watch == NULL) {
        struct watch_site *site = calloc(1, watch_site_bytes(pipeline->units->count));
        if (site == NULL) {
            return NULL;
        }
        site->next = pipeline->sites;
        slot->watch = pipeline->sites = site;
    }
    return slot->watch;
}

static bool add_watcher(struct pipeline *pipeline, struct slot *slot, struct watcher watcher,
                        const struct watch_instruction *instruction)
{
    struct watch_site *site = site_of(pipeline, slot);
    if (site == NULL) {
        return false;
    }
    site->insn = *instruction->insn;
    site->instruction = watch_instruction_of(instruction->pc, &site->insn);
    site->watchers[site->count++] = watcher;
    site->events |= watcher.events;
    return true;
}

bool tell_ask(struct pipeline *pipeline, struct slot *slot,
              const struct watch_instruction *instruction)
{
    bool enough = true;

    if (slot->watch != NULL) {
        slot->watch->events = slot->watch->count = 0;
    }
    for (unsigned i = 0; i < pipeline->units->count; i++) {
        struct unit *unit = pipeline->units->units[i];
        if (unit->kind->timed == 0 || !chooses(unit)) {
            continue;
        }
        const struct watch_request request = unit->kind->watches(unit, instruction);
        const struct watcher watcher = {
            .unit = unit, .events = request.events & unit->kind->timed, .own = request.own};
        enough &= watcher.events == 0 || add_watcher(pipeline, slot, watcher, instruction);
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
