/* Remembers the heads of loops, gives them counters, and adds up what these counted. */
#include "translator/count.h"

#include "translator/target.h"
#include "translator/target_count.h"
#include "translator/translator.h"

#include "base/check.h"

#define NO_COUNTER UINT64_MAX /* what reading an evicted one gives */

size_t count_cache_bytes(size_t cache_bytes)
{
    return cache_bytes; /* each byte of code could have a cell at the same distance */
}

static bool counts_in_hardware(const struct translator *translator)
{
    return translator->options.counters == COUNTERS_HW;
}

void count_start(struct translator *translator)
{
    struct options *options = &translator->options;
    if (options->counters == COUNTERS_AUTO) {
        options->counters = translator->has_xstrata ? COUNTERS_HW : COUNTERS_SW;
    }
    if (options->counters == COUNTERS_OFF) {
        return;
    }
    translator->placement = placement_rules[options->placement];
    translator->count_next_built = translator->placement.all;
    if (counts_in_hardware(translator) && !translator->has_xstrata) {
        host_fail(STATUS_FAILED, "--counters hw: this machine has no hardware counters", NULL, NULL,
                  NULL);
    }
    translator->counts = host_map(sizeof *translator->counts, false);
    if (translator->counts == NULL) {
        host_fail(STATUS_FAILED, "not enough memory for counters", NULL, NULL, NULL);
    }
    if (counts_in_hardware(translator)) {
        target_counter_start(translator->context, options->threshold);
    } else {
        target_count_start(translator->context, translator->counts, options->threshold);
    }
}

/* The inverse of an odd number modulo 2^64: each round doubles the right bits. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd; /* right in 3 bits */
    for (unsigned bits = 3; bits < 64; bits *= 2) {
        x *= 2 - odd * x;
    }
    return x;
}

uint64_t count_additions(uint64_t sum, uint64_t amount)
{
    unsigned zeros = 0;
    while ((amount >> zeros & 1) == 0) {
        zeros++;
    }
    return (sum >> zeros) * inverse(amount >> zeros) << zeros >> zeros;
}

static struct loop **loop_bucket(struct counts *counts, guest_addr head)
{
    return &counts->buckets[(head >> 1 ^ head >> 13) % LOOP_BUCKETS];
}

static struct loop *find_loop(struct counts *counts, guest_addr head)
{
    struct loop *loop = *loop_bucket(counts, head);
    while (loop != NULL && loop->head != head) {
        loop = loop->next;
    }
    return loop;
}

/* NULL if there are too many: the head is then never counted. */
static struct loop *get_loop(struct counts *counts, guest_addr head)
{
    struct loop *loop = find_loop(counts, head);
    if (loop != NULL || counts->loop_count == LOOPS) {
        return loop;
    }
    struct loop **bucket = loop_bucket(counts, head);
    loop = &counts->loops[counts->loop_count++];
    loop->head = head;
    loop->reached = (struct exit){.kind = EXIT_HOT, .target = head};
    loop->next = *bucket;
    *bucket = loop;
    return loop;
}

static struct loop **tag_bucket(struct counts *counts, const uint8_t *tag)
{
    return &counts->tags[((uintptr_t)tag >> 1) % LOOP_BUCKETS];
}

/* Connects the record of fragment's head with it; false if there is none. */
static bool attach(struct counts *counts, struct fragment *fragment)
{
    if (fragment->loop != NULL) {
        return true;
    }
    struct loop *loop = get_loop(counts, fragment->start);
    if (loop == NULL) {
        counts->totals.overflows++;
        return false;
    }
    loop->fragment = fragment;
    loop->made = false;
    loop->removed = false;
    loop->passed = false;
    fragment->loop = loop;
    return true;
}

static void detach(struct loop *loop)
{
    loop->fragment->loop = NULL;
    loop->fragment = NULL;
}

static bool attach_tag(struct counts *counts, struct fragment *fragment)
{
    const bool known = fragment->loop != NULL;
    if (!attach(counts, fragment)) {
        return false;
    }
    if (!known) {
        struct loop **bucket = tag_bucket(counts, fragment->entry);
        fragment->loop->next_tag = *bucket;
        *bucket = fragment->loop;
    }
    return true;
}

static void relink_incoming(struct translator *translator, const struct fragment *fragment)
{
    for (struct exit *exit = fragment->incoming; exit != NULL; exit = exit->next) {
        target_link(translator, exit, fragment);
    }
}

/* Gives `fragment` a counter at once, if it has none and can have one. */
static void make_counter(struct translator *translator, struct fragment *fragment)
{
    struct counts *counts = translator->counts;
    if (counts_in_hardware(translator)) {
        if (attach_tag(counts, fragment)) {
            target_counter_new(fragment->entry);
            fragment->loop->made = true;
        }
        return;
    }
    if (fragment->loop != NULL || !attach(counts, fragment)) {
        return;
    }
    struct loop *loop = fragment->loop;
    if (loop->hot && translator->options.counters == COUNTERS_SW) {
        loop->removed = true; /* nothing is left to find out */
        return;
    }
    if (!target_count_begin(translator, loop)) {
        counts->totals.unplaced++;
        detach(loop);
        return;
    }
    counts->placed[counts->placed_count++] = loop;
    counts->totals.created++;
    relink_incoming(translator, fragment);
}

void count_built(struct translator *translator, struct fragment *fragment)
{
    struct counts *counts = translator->counts;
    if (counts->written != NULL) {
        target_name_new_counter(translator, counts->written);
        counts->written = NULL;
    }
    if (translator->placement.all) {
        make_counter(translator, fragment);
    }
    translator->count_next_built = translator->placement.all;
}

bool count_link(struct translator *translator, struct exit *exit, struct fragment *to)
{
    struct counts *counts = translator->counts;
    if (counts_in_hardware(translator)) {
        if (attach_tag(counts, to) && target_counter_read(to->entry) == NO_COUNTER) {
            const bool linked = target_link_new_counter(translator, exit, to);
            counts->written = exit->counter;
            translator->count_next_built = true;
            return linked;
        }
    } else if (to->loop == NULL) {
        return false;
    }
    target_link(translator, exit, to);
    return true;
}

void count_taken(struct translator *translator, struct exit *exit, struct fragment *to)
{
    exit->counts = false;
    make_counter(translator, to);
    if (exit->to == NULL) {
        link_exit(translator, exit);
    }
}

/* Whether `loop` has had a hardware counter for its present fragment. */
static bool was_made(const struct loop *loop)
{
    bool made = loop->made;
    for (const struct exit *exit = loop->fragment->incoming; exit != NULL && !made;
         exit = exit->next) {
        made = exit->counter != NULL && target_made_counter(exit);
    }
    return made;
}

static uint64_t read_slot(const struct counts *counts, guest_addr head)
{
    const struct slot *slot = &counts->slots[count_slot(head)];
    return slot->head == head ? slot->count : 0;
}

/* What its present counter counted. */
static uint64_t read_live(struct translator *translator, const struct loop *loop)
{
    if (translator->options.counters == COUNTERS_SW_PAPER) {
        return read_slot(translator->counts, loop->head);
    }
    if (loop->fragment == NULL) {
        return 0;
    }
    if (counts_in_hardware(translator)) {
        const uint64_t count = target_counter_read(loop->fragment->entry);
        return count == NO_COUNTER ? 0 : count;
    }
    return loop->removed ? 0 : target_count_read(translator, loop);
}

static void add_hardware_totals(const struct loop *loop, struct count_totals *totals)
{
    if (was_made(loop)) {
        totals->created++;
        totals->evicted += target_counter_read(loop->fragment->entry) == NO_COUNTER;
    }
}

void count_flush(struct translator *translator)
{
    struct counts *counts = translator->counts;
    if (counts == NULL) {
        return;
    }
    for (unsigned i = 0; i < counts->loop_count; i++) {
        struct loop *loop = &counts->loops[i];
        if (loop->fragment == NULL) {
            continue;
        }
        if (translator->options.counters != COUNTERS_SW_PAPER) {
            loop->executions += read_live(translator, loop);
        }
        if (counts_in_hardware(translator)) {
            add_hardware_totals(loop, &counts->totals);
            target_counter_drop(loop->fragment->entry);
            *tag_bucket(counts, loop->fragment->entry) = NULL;
        }
        loop->fragment = NULL;
    }
    counts->written = NULL;
    counts->placed_count = 0;
}

static void note_hot(struct counts *counts, struct loop *loop)
{
    loop->hot = true;
    counts->totals.callbacks++;
}

const uint8_t *count_reached(struct translator *translator, struct fragment *fragment)
{
    struct loop *loop = fragment->loop;
    ASSERT(loop != NULL && loop->fragment == fragment);
    note_hot(translator->counts, loop);
    switch (translator->options.counters) {
    case COUNTERS_SW:
        loop->executions += target_count_read(translator, loop);
        loop->removed = true;
        target_count_end(translator, loop);
        relink_incoming(translator, fragment);
        break;
    case COUNTERS_SW_EXACT:
        /* It comes through the counter again, perhaps after a signal's handler. */
        loop->executions += target_count_read(translator, loop) - 1;
        loop->passed = true;
        target_count_pass(translator, loop);
        break;
    default:
        return target_count_resume(loop);
    }
    return target_indirect_entry(fragment);
}

/* The last that begins at `code` or before it: they are placed one behind the other. */
const struct loop *count_find_code(const struct translator *translator, const uint8_t *code)
{
    const struct counts *counts = translator->counts;
    unsigned low = 0;
    unsigned high = counts != NULL ? counts->placed_count : 0;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (counts->placed[middle]->code <= code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0 || code >= counts->placed[low - 1]->code + target_count_bytes(translator)) {
        return NULL;
    }
    return counts->placed[low - 1];
}

void count_callback(struct context *context, const uint8_t *tag)
{
    struct counts *counts = context->translator->counts;
    struct loop *loop = *tag_bucket(counts, tag);
    while (loop != NULL && loop->fragment->entry != tag) {
        loop = loop->next_tag;
    }
    ASSERT(loop != NULL);
    note_hot(counts, loop);
}

void count_each(struct translator *translator,
                void (*visit)(void *argument, guest_addr head, uint64_t executions, bool hot),
                void *argument)
{
    struct counts *counts = translator->counts;
    for (unsigned i = 0; counts != NULL && i < counts->loop_count; i++) {
        const struct loop *loop = &counts->loops[i];
        const uint64_t executions = loop->executions + read_live(translator, loop);
        if (executions != 0) {
            visit(argument, loop->head, executions, loop->hot);
        }
    }
}

static uint64_t slot_collisions(const struct counts *counts)
{
    uint64_t collisions = 0;
    for (unsigned i = 0; i < SLOTS; i++) {
        const struct slot *slot = &counts->slots[i];
        if (slot->resets != 0) { /* the first one took an empty slot */
            collisions += count_additions(slot->resets, (uintptr_t)slot) - 1;
        }
    }
    return collisions;
}

struct count_totals count_get_totals(struct translator *translator)
{
    struct counts *counts = translator->counts;
    if (counts == NULL) {
        return (struct count_totals){0};
    }
    struct count_totals totals = counts->totals;
    for (unsigned i = 0; counts_in_hardware(translator) && i < counts->loop_count; i++) {
        if (counts->loops[i].fragment != NULL) {
            add_hardware_totals(&counts->loops[i], &totals);
        }
    }
    if (translator->options.counters == COUNTERS_SW_PAPER) {
        totals.collisions = slot_collisions(counts);
    }
    return totals;
}
