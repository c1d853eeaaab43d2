/* The delinquent load identification table. */
#include "machine/units/dlit.h"

static uint64_t bits_for(uint64_t highest)
{
    return 64 - (uint64_t)__builtin_clzll(highest);
}

/* The wait is kept as a sum that saturates where the mean is long enough. */
uint64_t dlit_storage_bits(void)
{
    const uint64_t pc = GUEST_SPACE_BITS - 1, age = bits_for(DLIT_TRIAL);
    const uint64_t executions = bits_for(DLIT_EXECUTIONS);
    const uint64_t waited = bits_for((DLIT_EXECUTIONS + 1) * DLIT_WAIT);
    return DLIT_ENTRIES * (pc + age + executions + waited + 2); /* and: in use, locked */
}

void dlit_drop(struct dlit *dlit, struct dlit_entry *entry)
{
    *entry = (struct dlit_entry){.pc = 0};
    dlit->used--;
    dlit->statistics.dropped++;
}

static struct dlit_entry *enter(struct dlit *dlit, guest_addr pc, uint64_t now, uint8_t *place)
{
    if (dlit->used == DLIT_ENTRIES) {
        dlit->statistics.full++;
        return NULL;
    }
    uint8_t free = 0;
    while (dlit->entries[free].pc != 0) {
        free++;
    }
    dlit->entries[free] = (struct dlit_entry){.pc = pc, .since = now};
    dlit->used++;
    dlit->statistics.entered++;
    *place = free;
    return &dlit->entries[free];
}

/* The trial is over: whether the load stays. */
static bool judge(struct dlit *dlit, struct dlit_entry *entry, uint64_t now)
{
    if (entry->executions < DLIT_EXECUTIONS || entry->waited <= DLIT_WAIT * entry->executions) {
        dlit_drop(dlit, entry);
        return false;
    }
    entry->locked = true;
    entry->since = now;
    entry->trial_executions = entry->executions;
    entry->trial_waited = entry->waited;
    entry->executions = entry->waited = 0;
    dlit->statistics.locked++;
    return true;
}

struct dlit_entry *dlit_retired(struct dlit *dlit, guest_addr pc, bool missed_second,
                                uint64_t waited, uint64_t now, uint8_t *place)
{
    struct dlit_entry *entry = &dlit->entries[*place];
    if (entry->pc != pc) {
        entry = missed_second ? enter(dlit, pc, now, place) : NULL;
        if (entry == NULL) {
            return NULL;
        }
    }
    entry->executions++;
    entry->waited += waited;
    if (!entry->locked && now - entry->since >= DLIT_TRIAL && !judge(dlit, entry, now)) {
        return NULL;
    }
    return entry;
}

void dlit_look(struct dlit *dlit, uint64_t now)
{
    for (unsigned i = 0; i < DLIT_ENTRIES; i++) {
        struct dlit_entry *entry = &dlit->entries[i];
        if (entry->pc != 0 && !entry->locked && now - entry->since >= DLIT_TRIAL) {
            judge(dlit, entry, now);
        }
    }
}
