/* The delinquent load identification table. */
#include "machine/helpers/dlit.h"

#include "machine/pipeline/parameters.h"

#include <stddef.h>

static uint64_t bits_for(uint64_t highest)
{
    return highest == 0 ? 0 : 64 - (uint64_t)__builtin_clzll(highest);
}

/* An entry has two sums of executions and of waits: of the trial, by which later ones are judged, and since the last
 * look.  A sum grows for as long as a trial or the time between two looks, whichever is longer; a load can wait in
 * each instruction of it for as long as memory takes. */
uint64_t dlit_storage_bits(const struct parameters *p)
{
    const uint64_t longest = p->dsp_trial > p->dsp_look ? p->dsp_trial : p->dsp_look;
    const uint64_t pc = GUEST_SPACE_BITS - 1, age = bits_for(p->dsp_trial);
    const uint64_t executions = bits_for(longest);
    const uint64_t waited = bits_for(longest * p->memory_cycles);
    const uint64_t flags = 3; /* in use, locked, hopeless */
    return p->dsp_dlit_entries *
           (pc + age + 2 * (executions + waited) + bits_for(p->dsp_unused_looks) + flags);
}

static uint16_t *filter_of(struct dlit *dlit, guest_addr pc)
{
    return &dlit->filter[pc / 2 % DLIT_FILTER];
}

void dlit_drop(struct dlit *dlit, struct dlit_entry *entry)
{
    --*filter_of(dlit, entry->pc);
    *entry = (struct dlit_entry){.pc = 0};
    dlit->used--;
    dlit->statistics.dropped++;
}

struct dlit_entry *dlit_find(struct dlit *dlit, guest_addr pc)
{
    for (unsigned i = 0; *filter_of(dlit, pc) != 0 && i < dlit->parameters->dsp_dlit_entries; i++) {
        if (dlit->entries[i].pc == pc) {
            return &dlit->entries[i];
        }
    }
    return NULL;
}

static struct dlit_entry *enter(struct dlit *dlit, guest_addr pc, uint64_t now)
{
    if (dlit->used == dlit->parameters->dsp_dlit_entries) {
        dlit->statistics.full++;
        return NULL;
    }
    unsigned free = 0;
    while (dlit->entries[free].pc != 0) {
        free++;
    }
    dlit->entries[free] = (struct dlit_entry){.pc = pc, .since = now};
    dlit->used++;
    ++*filter_of(dlit, pc);
    dlit->statistics.entered++;
    return &dlit->entries[free];
}

/* The trial is over: whether the load stays. */
static bool judge(struct dlit *dlit, struct dlit_entry *entry)
{
    const struct parameters *p = dlit->parameters;
    if (entry->executions < p->dsp_executions || entry->waited <= p->dsp_wait * entry->executions) {
        dlit_drop(dlit, entry);
        return false;
    }
    entry->locked = true;
    entry->trial_executions = entry->executions;
    entry->trial_waited = entry->waited;
    entry->executions = entry->waited = 0;
    dlit->statistics.locked++;
    return true;
}

static bool is_over(const struct dlit *dlit, const struct dlit_entry *entry, uint64_t now)
{
    return !entry->locked && now - entry->since >= dlit->parameters->dsp_trial;
}

struct dlit_entry *dlit_retired(struct dlit *dlit, guest_addr pc, bool missed_second,
                                uint64_t waited, uint64_t now)
{
    struct dlit_entry *entry = dlit_find(dlit, pc);
    if (entry == NULL) {
        entry = missed_second ? enter(dlit, pc, now) : NULL;
        if (entry == NULL) {
            return NULL;
        }
    }
    entry->executions++;
    entry->waited += waited;
    return is_over(dlit, entry, now) && !judge(dlit, entry) ? NULL : entry;
}

void dlit_look(struct dlit *dlit, uint64_t now)
{
    for (unsigned i = 0; i < dlit->parameters->dsp_dlit_entries; i++) {
        struct dlit_entry *entry = &dlit->entries[i];
        if (entry->pc != 0 && is_over(dlit, entry, now)) {
            judge(dlit, entry);
        }
    }
}
