/* Complete: results come, and wake what waits for them. */
#include "machine/pipeline/tell.h"

void complete_at(struct pipeline *pipeline, uint32_t id, uint64_t done)
{
    struct entry *entry = entry_of(pipeline, id);
    const unsigned place = done % EVENT_CYCLES;
    entry->state = ENTRY_ISSUED;
    entry->done = done;
    entry->next_event = pipeline->wheel[place];
    pipeline->wheel[place] = id;
    set_bit(pipeline->wheel_used, place);
}

uint64_t complete_next(const struct pipeline *pipeline)
{
    const unsigned words = EVENT_CYCLES / 64;
    const unsigned first = (pipeline->now + 1) % EVENT_CYCLES;
    for (unsigned i = 0; i <= words; i++) {
        const unsigned word = (first / 64 + i) % words;
        uint64_t bits = pipeline->wheel_used[word];
        if (i == 0) {
            bits &= UINT64_MAX << first % 64;
        } else if (i == words) {
            bits &= ~(UINT64_MAX << first % 64);
        }
        if (bits != 0) {
            const unsigned place = word * 64 + (unsigned)__builtin_ctzll(bits);
            return pipeline->now + 1 + (place + EVENT_CYCLES - first) % EVENT_CYCLES;
        }
    }
    return NO_CYCLE;
}

static void wake(struct pipeline *pipeline, uint32_t link)
{
    while (link != NO_ENTRY) {
        const uint32_t id = link / OPERANDS;
        const unsigned operand = link % OPERANDS;
        struct entry *entry = entry_of(pipeline, id);
        link = entry->links[operand];
        if (operand == OPERAND_ADDRESS && entry->insn->flags & STATIC_STORE) {
            issue_store_known(pipeline, id);
        }
        if (--entry->waiting == 0) {
            issue_make_ready(pipeline, id);
        }
    }
}

bool complete_stage(struct pipeline *pipeline)
{
    const unsigned place = pipeline->now % EVENT_CYCLES;
    uint32_t id = pipeline->wheel[place];
    bool any = false;
    if (id == NO_ENTRY) {
        return false;
    }
    pipeline->wheel[place] = NO_ENTRY;
    clear_bit(pipeline->wheel_used, place);
    while (id != NO_ENTRY) {
        struct entry *entry = entry_of(pipeline, id);
        const uint32_t next = entry->next_event;
        if (entry->done != pipeline->now) { /* another time around */
            complete_at(pipeline, id, entry->done);
        } else {
            any = true;
            entry->state = ENTRY_DONE;
            if (tell_is_wanted(pipeline, entry->insn, WATCH_FILLED) && tell_has_missed(entry)) {
                tell(pipeline, WATCH_FILLED, id, &(struct watch_event){0});
            }
            if (entry->mispredicted) {
                fetch_redirect(pipeline, &pipeline->contexts[context_of(pipeline, id)]);
            }
            const uint32_t dependents = entry->dependents;
            entry->dependents = NO_ENTRY;
            wake(pipeline, dependents);
        }
        id = next;
    }
    return any;
}
