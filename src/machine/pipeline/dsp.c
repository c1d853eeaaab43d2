/* Dynamic speculative precomputation: puts the tables together. */
#include "machine/pipeline/dsp.h"

#include "machine/pipeline/helpers.h"
#include "machine/pipeline/window.h"
#include "machine/statistics.h"
#include "machine/units/dlit.h"
#include "machine/units/rib.h"
#include "machine/units/sit.h"

#include <stdlib.h>

#define TRIES 4 /* to make a slice of a load */

struct dsp {
    struct helpers *helpers;
    struct dlit dlit;
    struct rib rib;
    struct sit sit;
    unsigned context; /* that the buffer follows */
    uint64_t instructions;
    uint64_t next_look;
};

struct dsp *dsp_create(struct helpers *helpers, bool optimize)
{
    struct dsp *dsp = calloc(1, sizeof *dsp);
    if (dsp != NULL) {
        dsp->helpers = helpers;
        dsp->sit.may_optimize = optimize;
        dsp->next_look = SIT_LOOK;
    }
    return dsp;
}

void dsp_destroy(struct dsp *dsp)
{
    free(dsp);
}

/* Whether a slice is to be made for a load, and how; the buffer is free. */
static const struct slice_rules *wants_slice(struct dsp *dsp, const struct dlit_entry *load)
{
    const struct sit_entry *entry = sit_find(&dsp->sit, load->pc, true);
    if (entry == NULL || entry->given_up || entry->failures >= TRIES) {
        return NULL;
    }
    return entry->rebuild ? &slice_rules_optimized : entry->slice == 0 ? &slice_rules_simple : NULL;
}

static void install(struct dsp *dsp, const struct slice *slice)
{
    struct sit_entry *entry = sit_find(&dsp->sit, dsp->rib.load, false);
    if (entry == NULL) {
        return;
    }
    const unsigned number =
        slice->length <= SIT_SLICE_INSTRUCTIONS ? helpers_add(dsp->helpers, slice, 0) : 0;
    if (number == 0) {
        entry->failures++;
        entry->rebuild = false;
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
    entry->seen = (struct slice_ledger){.triggers = 0};
}

static void failed(struct dsp *dsp)
{
    struct sit_entry *entry = sit_find(&dsp->sit, dsp->rib.load, false);
    if (entry != NULL && ++entry->failures >= TRIES) {
        entry->rebuild = false;
    }
}

static void drop_slice(struct dsp *dsp, struct sit_entry *entry)
{
    helpers_remove(dsp->helpers, entry->slice);
    entry->slice = 0;
}

static void look_at(struct dsp *dsp, struct dlit_entry *load, struct sit_entry *entry)
{
    switch (sit_look(&dsp->sit, entry, helpers_ledger(dsp->helpers, entry->slice), load)) {
    case SIT_KEEP:
        break;
    case SIT_OPTIMIZE:
        entry->rebuild = true;
        break;
    case SIT_GIVE_UP:
        drop_slice(dsp, entry);
        entry->given_up = true;
        dsp->sit.given_up++;
        break;
    case SIT_DESTROY:
        drop_slice(dsp, entry);
        *entry = (struct sit_entry){.load = 0};
        dlit_drop(&dsp->dlit, load);
        dsp->sit.destroyed++;
        break;
    }
}

static void look(struct dsp *dsp)
{
    dsp->next_look = dsp->instructions + SIT_LOOK;
    dlit_look(&dsp->dlit, dsp->instructions);
    for (unsigned i = 0; i < DLIT_ENTRIES; i++) {
        struct dlit_entry *load = &dsp->dlit.entries[i];
        struct sit_entry *entry = load->locked ? sit_find(&dsp->sit, load->pc, false) : NULL;
        if (entry != NULL && entry->slice != 0) {
            look_at(dsp, load, entry);
        }
        load->executions = load->waited = 0;
    }
}

void dsp_retired(struct dsp *dsp, unsigned context, const struct entry *entry, uint64_t issued)
{
    struct slot *slot = entry->slot;
    const struct slice_retired retired = {
        .pc = slot->site.pc, .address = entry->address, .word = slot->word};
    if (++dsp->instructions >= dsp->next_look) {
        look(dsp);
    }
    if (dsp->rib.recording && dsp->context == context) {
        struct slice slice;
        switch (rib_retired(&dsp->rib, &retired, &slice)) {
        case RIB_WAITS:
            break;
        case RIB_SLICE:
            install(dsp, &slice);
            break;
        case RIB_FAILED:
            failed(dsp);
            break;
        }
    }
    if (!(slot->flags & SLOT_LOAD)) {
        return;
    }
    const bool missed_second = entry->cause == CAUSE_l3 || entry->cause == CAUSE_memory;
    const struct dlit_entry *load =
        dlit_retired(&dsp->dlit, retired.pc, missed_second, entry->done - issued, dsp->instructions,
                     &slot->dlit);
    if (load != NULL && load->locked && !dsp->rib.recording) {
        const struct slice_rules *rules = wants_slice(dsp, load);
        if (rules != NULL) {
            dsp->context = context;
            rib_begin(&dsp->rib, &retired, rules);
        }
    }
}

void dsp_report(const struct dsp *dsp, struct statistics *s)
{
    const struct dlit_statistics *dlit = &dsp->dlit.statistics;
    const struct rib_statistics *rib = &dsp->rib.statistics;
    const uint64_t storage[] = {dlit_storage_bits(), rib_storage_bits(dsp->sit.may_optimize),
                                sit_storage_bits()};
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
