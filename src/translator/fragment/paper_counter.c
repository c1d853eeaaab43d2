/* The paper's counters in software: a hashed array in memory, whose slots change hands (its Table 2). */
#include "translator/fragment/counter_code.h"
#include "translator/fragment/translator.h"

static struct paper_slot *slot_of(const struct translator *translator, const struct loop *loop)
{
    return &translator->counts->slots[paper_slot_of(loop->head)];
}

/* How often a head took the slot, an empty one at first. */
static uint64_t slot_takers(const struct paper_slot *slot)
{
    return count_additions(slot->resets, (uintptr_t)slot);
}

struct reading paper_counter_read(const struct translator *translator, const struct loop *loop)
{
    const struct paper_slot *slot = slot_of(translator, loop);
    return (struct reading){.executions = slot->head == loop->head ? slot->count : 0,
                            .partial = slot_takers(slot) > 1};
}

/* Another thread may have taken the slot for another head meanwhile. */
void paper_counter_take_back(const struct translator *translator, const struct loop *loop)
{
    struct paper_slot *slot = slot_of(translator, loop);
    slot->count -= slot->head == loop->head;
}

void paper_counter_finish(const struct translator *translator, struct loop *loop,
                          enum paper_progress progress)
{
    struct paper_slot *slot = slot_of(translator, loop);

    if (progress == PAPER_BEGUN && slot->head != loop->head) {
        __atomic_fetch_add(&slot->resets, (uintptr_t)slot, __ATOMIC_RELAXED);
        progress = PAPER_RESET_NOTED;
    }
    if (progress == PAPER_RESET_NOTED) {
        slot->head = loop->head;
        slot->count = 0;
    }
    slot->count += progress != PAPER_COUNTED;
    if (slot->count == translator->options.threshold && slot->head == loop->head) {
        count_note_hot(translator->counts, loop);
    }
}

uint64_t paper_counter_collisions(const struct counts *counts)
{
    uint64_t collisions = 0;
    for (unsigned i = 0; i < PAPER_SLOTS; i++) {
        const struct paper_slot *slot = &counts->slots[i];
        if (slot->resets != 0) { /* the first one took an empty slot */
            collisions += slot_takers(slot) - 1;
        }
    }
    return collisions;
}

static void paper_make(struct translator *translator, struct fragment *fragment)
{
    struct counts *counts = translator->counts;
    if (fragment->loop != NULL || !count_attach(counts, fragment)) {
        return;
    }
    if (counter_code_place(translator, fragment->loop)) {
        counter_code_pass_through(translator, fragment->loop);
    } else {
        counts->totals.unplaced++;
        count_detach(fragment->loop);
    }
}

static void paper_drop(struct translator *translator, struct loop *loop)
{
    counter_code_forget(translator, loop->code, loop);
    loop->executions = paper_counter_read(translator, loop).executions;
    translator->counts->totals.dropped++;
}

/* It is counted behind the check: a signal's handler may come first. */
static const uint8_t *paper_reached(struct translator *translator, struct loop *loop)
{
    paper_counter_take_back(translator, loop);
    return loop->code + target_paper_layout.resume;
}

/* The slot counts on. */
static void paper_reached_late(struct translator *translator, struct loop *loop)
{
    paper_counter_take_back(translator, loop);
}

const struct counter_kind paper_counter = {.make = paper_make,
                                           .link = count_link,
                                           .taken = count_make_when_taken,
                                           .read = paper_counter_read,
                                           .drop = paper_drop,
                                           .reached = paper_reached,
                                           .reached_late = paper_reached_late};
