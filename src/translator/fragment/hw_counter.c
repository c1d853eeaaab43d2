/* Counters that the processor has: made by the exits that lead to a loop's head, or by the translator. */
#include "translator/fragment/link.h"
#include "translator/fragment/translator.h"

#include "base/check.h"

#define NO_COUNTER UINT64_MAX /* what reading an evicted one gives */

/* Loops are found by their tags, for callbacks. */
static struct loop **tag_bucket(struct counts *counts, const uint8_t *tag)
{
    return &counts->tags[((uintptr_t)tag / TARGET_SHORTEST_INSTRUCTION) % LOOP_BUCKETS];
}

static bool attach(struct counts *counts, struct fragment *fragment)
{
    if (!count_attach(counts, fragment)) {
        return false;
    }
    struct loop **bucket = tag_bucket(counts, fragment->entry);
    fragment->loop->next_tag = *bucket;
    *bucket = fragment->loop;
    return true;
}

/* Whether `fragment` has a counter now, or can have none: there are too many loops. */
static bool has_counter(struct counts *counts, struct fragment *fragment)
{
    return fragment->loop == NULL ? !attach(counts, fragment)
                                  : target_hw_read(fragment->entry) != NO_COUNTER;
}

static void forget_tag(struct counts *counts, const struct loop *loop)
{
    struct loop **place = tag_bucket(counts, loop->fragment->entry);
    while (*place != loop) {
        place = &(*place)->next_tag;
    }
    *place = loop->next_tag;
}

static bool has_made(const struct loop *loop)
{
    return loop->made || (loop->maker != NULL && target_hw_linked(loop->maker));
}

static struct reading hw_read(const struct translator *translator, const struct loop *loop)
{
    struct reading reading = {.executions = loop->executions};
    if (loop->fragment == NULL) {
        return reading;
    }
    const uint64_t count = target_hw_read(loop->fragment->entry);
    if (count != NO_COUNTER) {
        reading.made = true;
        reading.executions += count;
        return reading;
    }
    if (!has_made(loop)) {
        return reading;
    }
    reading.made = reading.evicted = true;
    if (loop->hot && reading.executions < translator->options.threshold) {
        reading.executions = translator->options.threshold; /* so many it has surely had */
    }
    return reading;
}

/* Takes over what the loop's counter says, for it goes or has gone: count_settled comes then. */
static void close(struct translator *translator, struct loop *loop)
{
    const struct reading reading = hw_read(translator, loop);
    struct count_totals *totals = &translator->counts->totals;
    loop->evicted |= reading.evicted;
    count_settle(translator->counts, loop, reading.executions);
    totals->created += reading.made;
    totals->evicted += reading.evicted;
    totals->dropped += reading.made && !reading.evicted;
    loop->made = false;
    loop->maker = NULL;
}

/* Nobody may make a counter unseen while there is or was another: what an evicted
 * one had counted would look like nothing.  So only one exit at a time can. */
static void hw_make(struct translator *translator, struct fragment *fragment)
{
    if (has_counter(translator->counts, fragment)) {
        return;
    }
    struct loop *loop = fragment->loop;
    if (loop->maker != NULL && !target_hw_linked(loop->maker)) {
        target_link(translator, loop->maker, fragment);
        loop->maker = NULL;
    }
    close(translator, loop);
    count_settled(translator->counts);
    target_hw_new(fragment->entry, count_threshold(translator, loop));
    loop->made = true;
}

/* Lets the exit make the counter of `to`, if there is none and nobody else may. */
static void link_to_head(struct translator *translator, struct exit *exit, struct fragment *to)
{
    const bool known = to->loop != NULL;
    if (has_counter(translator->counts, to)) {
        link_straight(translator, exit, to);
        return;
    }
    struct loop *loop = to->loop;
    if (known && loop->maker != NULL && !target_hw_linked(loop->maker)) {
        return;
    }
    if (known) {
        close(translator, loop);
        count_settled(translator->counts);
    }
    /* A part of the threshold is nothing that the exit's code could say. */
    const bool whole = loop->executions == 0 || count_threshold(translator, loop) == 0;
    if (whole && target_hw_link(translator, exit, to)) {
        loop->maker = exit;
        link_note(translator, exit, to);
    }
}

static void hw_link(struct translator *translator, struct exit *exit)
{
    struct fragment *to = link_find_or_wait(translator, exit);

    if (to != NULL) {
        link_to_head(translator, exit, to);
    }
}

static void hw_drop(struct translator *translator, struct loop *loop)
{
    forget_tag(translator->counts, loop);
    close(translator, loop);
    target_hw_drop(loop->fragment->entry);
}

void hw_counter_callback(struct context *context, const uint8_t *tag)
{
    struct counts *counts = context->translator->counts;
    struct loop *loop = *tag_bucket(counts, tag);
    while (loop != NULL && loop->fragment->entry != tag) {
        loop = loop->next_tag;
    }
    ASSERT(loop != NULL);
    count_note_hot(counts, loop);
}

/* Hardware calls back instead. */
static const uint8_t *hw_reached(struct translator *translator, struct loop *loop)
{
    (void)translator;
    ASSERT(loop == NULL);
    return NULL;
}

static void hw_reached_late(struct translator *translator, struct loop *loop)
{
    hw_reached(translator, loop);
}

const struct counter_kind hw_counter = {.make = hw_make,
                                        .link = hw_link,
                                        .taken = count_make_when_taken,
                                        .read = hw_read,
                                        .drop = hw_drop,
                                        .reached = hw_reached,
                                        .reached_late = hw_reached_late};
