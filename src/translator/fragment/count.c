/* Remembers the heads of loops, gives them counters, and adds up what these counted. */
#include "translator/fragment/count.h"

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
    translator->notice_built = translator->placement.all;
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
    loop->removed = false;
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

uint64_t count_threshold(const struct translator *translator, const struct loop *loop)
{
    const uint64_t threshold = translator->options.threshold;
    return loop->hot || threshold == 0 ? 0 : threshold - loop->executions;
}

/* The hardware counter that a loop has now, or had and does not know to be gone. */
struct reading {
    uint64_t executions; /* of the loop, with those of earlier counters */
    bool made, evicted;
};

static struct reading read_hardware(const struct translator *translator, const struct loop *loop)
{
    struct reading reading = {.executions = loop->executions};
    if (loop->fragment == NULL) {
        return reading;
    }
    const uint64_t count = target_counter_read(loop->fragment->entry);
    if (count != NO_COUNTER) {
        reading.made = true;
        reading.executions += count;
        return reading;
    }
    if (!loop->made && (loop->maker == NULL || !target_made_counter(loop->maker))) {
        return reading;
    }
    reading.made = reading.evicted = true;
    if (loop->hot && reading.executions < translator->options.threshold) {
        reading.executions = translator->options.threshold; /* so many it has surely had */
    }
    return reading;
}

static void add_reading(const struct reading *reading, struct count_totals *totals)
{
    totals->created += reading->made;
    totals->evicted += reading->evicted;
}

/* Takes over what the loop's hardware counter says, for it goes or has gone. */
static void close_hardware(struct translator *translator, struct loop *loop)
{
    const struct reading reading = read_hardware(translator, loop);
    struct count_totals *totals = &translator->counts->totals;
    add_reading(&reading, totals);
    totals->dropped += reading.made && !reading.evicted;
    loop->executions = reading.executions;
    loop->evicted |= reading.evicted;
    loop->made = false;
    loop->maker = NULL;
}

/* Nobody may make a counter unseen while there is or was another: what an evicted
 * one had counted would look like nothing.  So only one exit at a time can. */
static void make_hardware(struct translator *translator, struct fragment *fragment)
{
    if (!attach_tag(translator->counts, fragment) ||
        target_counter_read(fragment->entry) != NO_COUNTER) {
        return;
    }
    struct loop *loop = fragment->loop;
    if (loop->maker != NULL && !target_made_counter(loop->maker)) {
        target_link(translator, loop->maker, fragment);
        loop->maker = NULL;
    }
    close_hardware(translator, loop);
    target_counter_new(fragment->entry, count_threshold(translator, loop));
    loop->made = true;
}

static bool link_hardware(struct translator *translator, struct exit *exit, struct fragment *to)
{
    struct counts *counts = translator->counts;
    if (!attach_tag(counts, to) || target_counter_read(to->entry) != NO_COUNTER) {
        target_link(translator, exit, to);
        return true;
    }
    struct loop *loop = to->loop;
    if (loop->maker != NULL && !target_made_counter(loop->maker)) {
        return false;
    }
    close_hardware(translator, loop);
    /* A part of the threshold is nothing that the exit's code could say. */
    if ((loop->executions != 0 && count_threshold(translator, loop) != 0) ||
        !target_link_new_counter(translator, exit, to)) {
        return false;
    }
    loop->maker = exit;
    counts->written = exit->counter;
    translator->notice_built = true;
    return true;
}

/* Gives `fragment` a counter at once, if it has none and can have one. */
static void make_counter(struct translator *translator, struct fragment *fragment)
{
    struct counts *counts = translator->counts;
    const enum counters kind = translator->options.counters;
    if (kind == COUNTERS_HW) {
        make_hardware(translator, fragment);
        return;
    }
    if (fragment->loop != NULL || !attach(counts, fragment)) {
        return;
    }
    struct loop *loop = fragment->loop;
    if (loop->hot && kind == COUNTERS_SW) {
        loop->removed = true; /* nothing is left to find out */
        return;
    }
    if (!target_count_begin(translator, loop)) {
        counts->totals.unplaced++;
        detach(loop);
        return;
    }
    if (loop->hot && kind == COUNTERS_SW_EXACT) {
        target_count_pass(translator, loop);
    }
    unsigned place = counts->placed_count; /* nearly always: code grows upwards */
    while (place > 0 && counts->placed[place - 1]->code > loop->code) {
        counts->placed[place] = counts->placed[place - 1];
        place--;
    }
    counts->placed[place] = loop;
    __atomic_signal_fence(__ATOMIC_RELEASE); /* a signal that comes now searches them */
    counts->placed_count++;
    counts->totals.created++;
    relink_incoming(translator, fragment);
}

void count_built(struct translator *translator, struct fragment *fragment)
{
    struct counts *counts = translator->counts;
    translator->notice_built = translator->placement.all;
    if (counts == NULL) {
        return;
    }
    if (counts->written != NULL) {
        target_name_new_counter(translator, counts->written);
        counts->written = NULL;
    }
    if (translator->placement.all) {
        make_counter(translator, fragment);
    }
}

bool count_link(struct translator *translator, struct exit *exit, struct fragment *to)
{
    if (counts_in_hardware(translator)) {
        return link_hardware(translator, exit, to);
    }
    if (to->loop == NULL) {
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

void count_called(struct translator *translator, struct fragment *to)
{
    make_counter(translator, to);
}

void count_unlink(struct fragment *to, struct exit *exit)
{
    struct loop *loop = to->loop;
    if (loop != NULL && loop->maker == exit) {
        loop->made |= target_made_counter(exit);
        loop->maker = NULL;
    }
    exit->counter = NULL;
}

static uint64_t read_slot(const struct counts *counts, guest_addr head)
{
    const struct slot *slot = &counts->slots[count_slot(head)];
    return slot->head == head ? slot->count : 0;
}

/* All executions that software has counted. */
static uint64_t read_software(const struct translator *translator, const struct loop *loop)
{
    if (translator->options.counters == COUNTERS_SW_PAPER) {
        return read_slot(translator->counts, loop->head);
    }
    if (loop->fragment == NULL || loop->removed) {
        return loop->executions;
    }
    return loop->executions + target_count_read(translator, loop);
}

/* Its counter is dropped, its count kept. */
static void drop(struct translator *translator, struct loop *loop)
{
    if (counts_in_hardware(translator)) {
        close_hardware(translator, loop);
        target_counter_drop(loop->fragment->entry);
    } else {
        loop->executions = read_software(translator, loop);
        translator->counts->totals.dropped += !loop->removed;
    }
    loop->fragment = NULL;
}

static void forget_tag(struct counts *counts, const struct loop *loop)
{
    struct loop **place = tag_bucket(counts, loop->fragment->entry);
    while (*place != loop) {
        place = &(*place)->next_tag;
    }
    *place = loop->next_tag;
}

/* A signal may search them meanwhile: each is there at least once. */
static void forget_place(struct counts *counts, const struct loop *loop)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < counts->placed_count; i++) {
        if (counts->placed[i] != loop) {
            counts->placed[kept++] = counts->placed[i];
        }
    }
    counts->placed_count = kept;
}

void count_drop(struct translator *translator, const struct fragment *fragment)
{
    struct loop *loop = fragment->loop;
    if (loop == NULL) {
        return;
    }
    if (counts_in_hardware(translator)) {
        forget_tag(translator->counts, loop);
    } else {
        forget_place(translator->counts, loop);
    }
    drop(translator, loop);
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
        if (counts_in_hardware(translator)) {
            *tag_bucket(counts, loop->fragment->entry) = NULL;
        }
        drop(translator, loop);
    }
    counts->written = NULL;
    counts->placed_count = 0;
}

/* Again after a handler that came in between, or, with `sw-paper`, from 0 on. */
static void note_hot(struct counts *counts, struct loop *loop)
{
    counts->totals.callbacks += !loop->hot;
    loop->hot = true;
}

const uint8_t *count_reached(struct translator *translator, struct fragment *fragment)
{
    struct loop *loop = fragment->loop;
    const uint8_t *on = target_indirect_entry(fragment);
    ASSERT(loop != NULL && loop->fragment == fragment);
    switch (translator->options.counters) {
    case COUNTERS_SW:
        loop->executions = read_software(translator, loop);
        loop->removed = true;
        target_count_end(translator, loop);
        relink_incoming(translator, fragment);
        break;
    case COUNTERS_SW_EXACT:
        /* It comes through the counter again, perhaps after a signal's handler. */
        target_count_back(translator, loop);
        target_count_pass(translator, loop);
        break;
    default:
        target_count_back(translator, loop);
        on = target_count_resume(loop);
        break;
    }
    note_hot(translator->counts, loop);
    return on;
}

/* The last that begins at `code` or before it. */
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

void count_each(const struct translator *translator,
                void (*visit)(void *argument, const struct loop_counts *counts), void *argument)
{
    const struct counts *counts = translator->counts;
    for (unsigned i = 0; counts != NULL && i < counts->loop_count; i++) {
        const struct loop *loop = &counts->loops[i];
        struct reading reading;
        if (counts_in_hardware(translator)) {
            reading = read_hardware(translator, loop);
        } else {
            reading = (struct reading){.executions = read_software(translator, loop)};
        }
        const struct loop_counts found = {.head = loop->head,
                                          .executions = reading.executions,
                                          .hot = loop->hot,
                                          .evicted = loop->evicted || reading.evicted};
        if (found.executions != 0 || found.evicted) {
            visit(argument, &found);
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

struct count_totals count_get_totals(const struct translator *translator)
{
    const struct counts *counts = translator->counts;
    if (counts == NULL) {
        return (struct count_totals){0};
    }
    struct count_totals totals = counts->totals;
    for (unsigned i = 0; counts_in_hardware(translator) && i < counts->loop_count; i++) {
        const struct reading reading = read_hardware(translator, &counts->loops[i]);
        add_reading(&reading, &totals);
    }
    if (translator->options.counters == COUNTERS_SW_PAPER) {
        totals.collisions = slot_collisions(counts);
    }
    return totals;
}
