/* Dynamic speculative precomputation: puts the tables together. */
#include "machine/helpers/dsp.h"

#include "machine/helpers/helpers.h"
#include "machine/pipeline/parameters.h"
#include "machine/pipeline/window.h"
#include "machine/state/statistics.h"
#include "machine/helpers/dlit.h"
#include "machine/helpers/rib.h"
#include "machine/helpers/sit.h"

#include <stdlib.h>

struct dsp {
    struct unit unit;
    const struct parameters *parameters;
    struct helpers *helpers;
    struct dlit dlit;
    struct rib rib;
    struct sit sit;
    unsigned context; /* that the buffer follows */
    uint64_t instructions;
    uint64_t next_look;
};

/* Whether a slice is to be made for a load, and how; the buffer is free. */
static const struct slice_rules *wants_slice(struct dsp *dsp, const struct dlit_entry *load)
{
    const struct sit_entry *entry = load->hopeless ? NULL : sit_find(&dsp->sit, load->pc, true);
    return entry == NULL       ? NULL
           : entry->rebuild    ? &slice_rules_optimized
           : entry->slice == 0 ? &slice_rules_simple
                               : NULL;
}

/* No slice for the load of the entry, nor a better one. */
static void failed(struct dsp *dsp, struct sit_entry *entry)
{
    if (++entry->failures < dsp->parameters->dsp_tries) {
        return;
    }
    entry->rebuild = false;
    if (entry->slice == 0) {
        dlit_find(&dsp->dlit, entry->load)->hopeless = true;
        entry->load = 0;
    }
}

static void install(struct dsp *dsp, struct sit_entry *entry, const struct slice *slice)
{
    const unsigned number = slice->length <= dsp->parameters->dsp_slice_instructions
                                ? helpers_add(dsp->helpers, slice, 0)
                                : 0;
    if (number == 0) {
        failed(dsp, entry);
        return;
    }
    if (entry->slice != 0) {
        helpers_remove(dsp->helpers, entry->slice);
        dsp->sit.optimized++;
        entry->optimized = true;
    }
    dsp->sit.installed++;
    entry->slice = number;
    entry->rebuild = false;
    entry->failures = 0;
    entry->seen = (struct slice_ledger){.triggers = 0};
}

/* The load needs no slice any more, or none helps. */
static void leave(struct dsp *dsp, struct sit_entry *entry)
{
    if (entry->slice != 0) {
        helpers_remove(dsp->helpers, entry->slice);
    }
    if (dsp->rib.recording && dsp->rib.load == entry->load) {
        dsp->rib.recording = false;
    }
    entry->load = 0;
}

static void look_at(struct dsp *dsp, struct dlit_entry *load)
{
    struct sit_entry *entry = sit_find(&dsp->sit, load->pc, false);
    load->unused_looks = load->executions == 0 ? load->unused_looks + 1 : 0;
    if (load->unused_looks == dsp->parameters->dsp_unused_looks) {
        if (entry != NULL) {
            dsp->sit.destroyed += entry->slice != 0;
            leave(dsp, entry);
        }
        dlit_drop(&dsp->dlit, load);
        return;
    }
    if (entry != NULL && entry->slice != 0) {
        switch (sit_look(&dsp->sit, entry, helpers_ledger(dsp->helpers, entry->slice), load)) {
        case SIT_KEEP:
            break;
        case SIT_OPTIMIZE:
            entry->rebuild = true;
            break;
        case SIT_GIVE_UP:
            leave(dsp, entry);
            load->hopeless = true;
            dsp->sit.given_up++;
            break;
        }
    }
    load->executions = load->waited = 0;
}

static void look(struct dsp *dsp)
{
    dsp->next_look = dsp->instructions + dsp->parameters->dsp_look;
    dlit_look(&dsp->dlit, dsp->instructions);
    for (unsigned i = 0; i < dsp->parameters->dsp_dlit_entries; i++) {
        if (dsp->dlit.entries[i].locked) {
            look_at(dsp, &dsp->dlit.entries[i]);
        }
    }
}

static void record(struct dsp *dsp, const struct slice_retired *retired)
{
    struct slice slice;
    switch (rib_retired(&dsp->rib, retired, &slice)) {
    case RIB_WAITS:
        break;
    case RIB_SLICE:
        install(dsp, sit_find(&dsp->sit, dsp->rib.load, false), &slice);
        break;
    case RIB_FAILED:
        failed(dsp, sit_find(&dsp->sit, dsp->rib.load, false));
        break;
    }
}

static void on_retired(struct unit *unit, const struct watch_event *event)
{
    struct dsp *dsp = (struct dsp *)(void *)unit;
    const struct watch_instruction *instruction = event->instruction;
    const struct slice_retired retired = {
        .pc = instruction->pc, .address = event->address, .word = instruction->insn->word};
    if (event->helper) {
        return;
    }
    if (++dsp->instructions >= dsp->next_look) {
        look(dsp);
    }
    if (dsp->rib.recording && dsp->context == event->context) {
        record(dsp, &retired);
    }
    if (!(instruction->flags & WATCHED_LOAD)) {
        return;
    }
    const bool missed_second = event->level == WATCH_L3 || event->level == WATCH_MAIN_MEMORY;
    const struct dlit_entry *load =
        dlit_retired(&dsp->dlit, retired.pc, missed_second, event->times.done - event->times.issued,
                     dsp->instructions);
    if (load != NULL && load->locked && !dsp->rib.recording) {
        const struct slice_rules *rules = wants_slice(dsp, load);
        if (rules != NULL) {
            dsp->context = event->context;
            rib_begin(&dsp->rib, &retired, rules);
        }
    }
}

static struct unit_cost cost(const struct unit *unit)
{
    const struct dsp *dsp = (const struct dsp *)(const void *)unit;
    const struct parameters *p = dsp->parameters;
    /* All entries of the first table are compared with a load that retires, those of the last with a trigger. */
    return (struct unit_cost){.storage_bits = dlit_storage_bits(p) +
                                              rib_storage_bits(&dsp->rib, dsp->sit.may_optimize) +
                                              sit_storage_bits(p),
                              .comparators = p->dsp_dlit_entries + p->dsp_sit_entries,
                              .adders = 2};
}

static void destroy(struct unit *unit)
{
    free(unit);
}

static const struct unit_kind kind = {.version = UNIT_VERSION,
                                      .name = "dsp",
                                      .meaning = "finds delinquent loads and makes slices for them",
                                      .timed = WATCH_RETIRED,
                                      .retired = on_retired,
                                      .cost = cost,
                                      .destroy = destroy};

struct dsp *dsp_create(const struct parameters *parameters, struct helpers *helpers, bool optimize)
{
    struct dsp *dsp = calloc(1, sizeof *dsp);
    if (dsp != NULL) {
        dsp->unit.kind = &kind;
        dsp->parameters = dsp->dlit.parameters = dsp->sit.parameters = parameters;
        dsp->rib.entries = (unsigned)parameters->dsp_rib_entries;
        dsp->helpers = helpers;
        dsp->sit.may_optimize = optimize;
        dsp->next_look = parameters->dsp_look;
    }
    return dsp;
}

struct unit *dsp_unit(struct dsp *dsp)
{
    return &dsp->unit;
}

void dsp_report(const struct dsp *dsp, struct statistics *s)
{
    const struct dlit_statistics *dlit = &dsp->dlit.statistics;
    const struct rib_statistics *rib = &dsp->rib.statistics;
    const uint64_t storage[] = {dlit_storage_bits(dsp->parameters),
                                rib_storage_bits(&dsp->rib, dsp->sit.may_optimize),
                                sit_storage_bits(dsp->parameters)};
    s->begin(s, "dsp");
    s->begin(s, "dlit");
    s->number(s, "entered", dlit->entered);
    s->number(s, "locked", dlit->locked);
    s->number(s, "dropped", dlit->dropped);
    s->number(s, "full", dlit->full);
    s->number(s, "storage_bits", storage[0]);
    s->end(s);
    s->begin(s, "rib");
    s->number(s, "recordings", rib->recordings);
    s->number(s, "overflows", rib->overflows);
    s->number(s, "slices", rib->slices);
    s->number(s, "refused", rib->refused);
    s->number(s, "storage_bits", storage[1]);
    s->end(s);
    s->begin(s, "sit");
    s->number(s, "installed", dsp->sit.installed);
    s->number(s, "optimized", dsp->sit.optimized);
    s->number(s, "given_up", dsp->sit.given_up);
    s->number(s, "destroyed", dsp->sit.destroyed);
    s->number(s, "full", dsp->sit.full);
    s->number(s, "storage_bits", storage[2]);
    s->end(s);
    s->end(s);
}
