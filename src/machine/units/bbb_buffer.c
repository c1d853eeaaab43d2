/* The branch behaviour buffer: its entries, its timers and the hot spot detection counter. */
#include "machine/units/bbb_buffer.h"

#include "machine/units/bits.h"

#include <stdlib.h>
#include <string.h>

static uint64_t limit_of(unsigned bits)
{
    return (UINT64_C(1) << bits) - 1;
}

bool bbb_buffer_create(struct bbb_buffer *buffer, const struct bbb_sizes *sizes)
{
    *buffer = (struct bbb_buffer){.sizes = *sizes, .detection = limit_of(sizes->detection_bits)};
    buffer->entries = calloc(sizes->sets * sizes->ways, sizeof *buffer->entries);
    return buffer->entries != NULL;
}

void bbb_buffer_destroy(struct bbb_buffer *buffer)
{
    free(buffer->entries);
}

static struct bbb_entry *set_of(const struct bbb_buffer *buffer, uint64_t pc)
{
    return &buffer->entries[pc / 2 % buffer->sizes.sets * buffer->sizes.ways];
}

static uint64_t tag_of(const struct bbb_buffer *buffer, uint64_t pc)
{
    return pc / 2 / buffer->sizes.sets;
}

static struct bbb_entry *look_up(const struct bbb_buffer *buffer, uint64_t pc)
{
    struct bbb_entry *set = set_of(buffer, pc);
    const uint64_t tag = tag_of(buffer, pc);

    for (uint64_t i = 0; i < buffer->sizes.ways; i++) {
        if (set[i].executed != 0 && set[i].tag == tag) {
            return &set[i];
        }
    }
    return NULL;
}

const struct bbb_entry *bbb_buffer_find(const struct bbb_buffer *buffer, uint64_t pc)
{
    return look_up(buffer, pc);
}

/* An entry for a branch that has none: a free one, or that of the least executed branch that is no candidate; NULL if
 * the set is full of candidates. */
static struct bbb_entry *take_entry(struct bbb_buffer *buffer, uint64_t pc)
{
    struct bbb_entry *set = set_of(buffer, pc);
    struct bbb_entry *least = NULL;

    for (uint64_t i = 0; i < buffer->sizes.ways; i++) {
        if (!set[i].candidate && (least == NULL || set[i].executed < least->executed)) {
            least = &set[i];
        }
    }
    if (least != NULL) {
        buffer->counts.replaced += least->executed != 0;
        *least = (struct bbb_entry){.tag = tag_of(buffer, pc)};
    }
    return least;
}

static void count(struct bbb_buffer *buffer, struct bbb_entry *entry, bool taken)
{
    if (entry->executed == limit_of(buffer->sizes.counter_bits)) {
        buffer->counts.saturated++;
        return;
    }
    entry->executed++;
    entry->taken += taken;
    if (!entry->candidate && entry->executed >= buffer->sizes.candidate) {
        entry->candidate = true;
        buffer->counts.candidates++;
    }
}

/* Whether it is a candidate, this execution included. */
static bool record(struct bbb_buffer *buffer, uint64_t pc, bool taken)
{
    struct bbb_entry *entry = look_up(buffer, pc);

    entry = entry != NULL ? entry : take_entry(buffer, pc);
    if (entry == NULL) {
        buffer->counts.unrecorded++;
        return false;
    }
    count(buffer, entry, taken);
    return entry->candidate;
}

/* True if the counter reaches zero by it.  It stays there while there is a hot spot. */
static bool move_detection(struct bbb_buffer *buffer, bool candidate)
{
    const struct bbb_sizes *sizes = &buffer->sizes;
    const uint64_t room = limit_of(sizes->detection_bits) - buffer->detection;

    if (buffer->hot) {
        return false;
    }
    if (candidate) {
        buffer->detection -=
            sizes->decrement < buffer->detection ? sizes->decrement : buffer->detection;
    } else {
        buffer->detection += sizes->increment < room ? sizes->increment : room;
    }
    return buffer->detection == 0;
}

static void refresh(struct bbb_buffer *buffer)
{
    buffer->since_refresh = 0;
    buffer->counts.refreshes++;
    for (uint64_t i = 0; i < buffer->sizes.sets * buffer->sizes.ways; i++) {
        struct bbb_entry *entry = &buffer->entries[i];
        if (!entry->candidate && entry->executed != 0) {
            entry->executed = 0;
            buffer->counts.thrown_out++;
        }
    }
}

static void clear(struct bbb_buffer *buffer)
{
    const uint64_t entries = buffer->sizes.sets * buffer->sizes.ways;

    memset(buffer->entries, 0, entries * sizeof *buffer->entries);
    buffer->detection = limit_of(buffer->sizes.detection_bits);
    buffer->since_refresh = buffer->since_clear = 0;
    buffer->hot = false;
    buffer->counts.clears++;
}

/* The clear timer starts anew at a hot spot, which so lasts as long as a whole turn of it. */
static enum bbb_outcome detect(struct bbb_buffer *buffer)
{
    buffer->hot = true;
    buffer->since_clear = 0;
    return BBB_DETECTED;
}

enum bbb_outcome bbb_buffer_branch(struct bbb_buffer *buffer, uint64_t pc, bool taken, bool frozen)
{
    bool detected = false;

    buffer->counts.branches++;
    if (!frozen) {
        detected = move_detection(buffer, record(buffer, pc, taken));
        if (++buffer->since_refresh == buffer->sizes.refresh) {
            refresh(buffer);
        }
    }
    if (detected) {
        return detect(buffer);
    }
    if (++buffer->since_clear == buffer->sizes.clear) {
        clear(buffer);
        return BBB_CLEARED;
    }
    return BBB_GOES_ON;
}

uint64_t bbb_buffer_candidates(const struct bbb_buffer *buffer)
{
    uint64_t candidates = 0;

    for (uint64_t i = 0; i < buffer->sizes.sets * buffer->sizes.ways; i++) {
        candidates += buffer->entries[i].candidate;
    }
    return candidates;
}

/* An entry has its tag, both counters and the candidate's flag; beside the entries there are the detection counter, its
 * state and the two timers.  A look-up compares the tags of one set, and its ways by their executions where one is
 * replaced; the executions are compared with the candidate's number, and the timers with theirs.  Adders count
 * executions, taken ones, both timers and the detection counter. */
struct unit_cost bbb_buffer_cost(const struct bbb_buffer *buffer)
{
    const struct bbb_sizes *sizes = &buffer->sizes;
    const unsigned index_bits = sizes->sets > 1 ? bits_for(sizes->sets - 1) : 0;
    const uint64_t entry_bits = HALFWORD_BITS - index_bits + 2u * sizes->counter_bits + 1;

    return (struct unit_cost){.storage_bits =
                                  sizes->sets * sizes->ways * entry_bits + sizes->detection_bits +
                                  1 + bits_for(sizes->refresh - 1) + bits_for(sizes->clear - 1),
                              .comparators = sizes->ways + (sizes->ways - 1) + 1 + 2,
                              .adders = 5};
}
