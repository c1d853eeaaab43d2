/* The slice information table. */
#include "machine/units/sit.h"

#include "machine/pipeline/parameters.h"

#include <stddef.h>

struct sit_entry *sit_find(struct sit *sit, guest_addr load, bool enter)
{
    struct sit_entry *free = NULL;
    for (unsigned i = 0; i < sit->parameters->dsp_sit_entries; i++) {
        struct sit_entry *entry = &sit->entries[i];
        if (entry->load == load) {
            return entry;
        }
        free = entry->load == 0 && free == NULL ? entry : free;
    }
    if (!enter) {
        return NULL;
    }
    sit->full += free == NULL;
    if (free != NULL) {
        *free = (struct sit_entry){.load = load};
    }
    return free;
}

/* Its load waits almost as long as before. */
static bool does_badly(const struct sit *sit, const struct dlit_entry *load)
{
    return load->waited > sit->parameters->dsp_wait * load->executions &&
           4 * load->waited * load->trial_executions > 3 * load->trial_waited * load->executions;
}

/* Of waiting for the load, at most: some of it would have been hidden.  Each instruction of a slice takes about as
 * much of the main thread's time as one of its own. */
static int64_t cycles_saved(const struct dlit_entry *load)
{
    return (int64_t)(load->trial_waited * load->executions / load->trial_executions) -
           (int64_t)load->waited;
}

enum sit_advice sit_look(const struct sit *sit, struct sit_entry *entry,
                         const struct slice_ledger *ledger, const struct dlit_entry *load)
{
    const uint64_t started =
        ledger->started + ledger->chained - entry->seen.started - entry->seen.chained;
    const uint64_t executed = ledger->instructions - entry->seen.instructions;
    entry->seen = *ledger;
    if (load->executions < sit->parameters->dsp_executions) {
        return SIT_KEEP;
    }
    const bool useless =
        started >= sit->parameters->dsp_started && cycles_saved(load) < (int64_t)executed;
    const bool badly = does_badly(sit, load);
    if ((useless || badly) && sit->may_optimize && !entry->optimized && entry->failures == 0) {
        return SIT_OPTIMIZE;
    }
    return useless ? SIT_GIVE_UP : SIT_KEEP;
}

/* An entry: valid, trigger and load, live-ins, start, length and chain point in the slice cache, numbers of
 * slices under way and used, and the counters by which it is judged. */
uint64_t sit_storage_bits(const struct parameters *p)
{
    const uint64_t pc = GUEST_SPACE_BITS - 1, registers = 32, places = 3 * 6, throttle = 2 * 10;
    const uint64_t counters = 4 * 17, instruction = 32;
    return p->dsp_sit_entries * (1 + 2 * pc + registers + places + throttle + counters +
                                 p->dsp_slice_instructions * instruction);
}
