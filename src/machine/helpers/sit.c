/* The slice information table. */
#include "machine/helpers/sit.h"

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

enum sit_advice sit_look(const struct sit *sit, struct sit_entry *entry,
                         const struct slice_ledger *ledger, const struct dlit_entry *load)
{
    const struct slice_ledger *seen = &entry->seen;
    const uint64_t started = ledger->started + ledger->chained - seen->started - seen->chained;
    const uint64_t used = ledger->timely + ledger->late - seen->timely - seen->late;
    /* That its load waits less or more than in its trial says little of the slice: others work for the same lines, and
     * the program goes on to other data.  Lines that the program used are its own. */
    const uint64_t evicted = ledger->evicted - seen->evicted;
    const bool useless =
        used * sit->parameters->dsp_starts_per_line < started || 2 * evicted > used;
    entry->seen = *ledger;
    if (started < sit->parameters->dsp_started) {
        return SIT_KEEP;
    }
    if ((useless || does_badly(sit, load)) && sit->may_optimize && !entry->optimized &&
        entry->failures < sit->parameters->dsp_tries) {
        return SIT_OPTIMIZE;
    }
    return useless ? SIT_GIVE_UP : SIT_KEEP;
}

/* An entry: valid, trigger and load, live-ins, start, length and chain point in the slice cache, numbers of
 * slices under way and used, and the counters by which it is judged.  Those count what became of the lines that the
 * slice brought: each line of the first level has the number of its slice, or none. */
uint64_t sit_storage_bits(const struct parameters *p)
{
    const uint64_t lines = p->l1d_line != 0 ? p->l1d_bytes / p->l1d_line : 0;
    const uint64_t owner = 64 - (uint64_t)__builtin_clzll(p->dsp_sit_entries | 1);
    const uint64_t pc = GUEST_SPACE_BITS - 1, registers = 32, places = 3 * 6, throttle = 2 * 10;
    const uint64_t counters = 4 * 17, instruction = 32;
    return p->dsp_sit_entries * (1 + 2 * pc + registers + places + throttle + counters +
                                 p->dsp_slice_instructions * instruction) +
           lines * owner;
}
