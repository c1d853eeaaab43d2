/* Counters that the processor has: made by the exits that lead to a loop's head, or by the translator. */
#include "translator/fragment/ahead.h"
#include "translator/fragment/link.h"
#include "translator/fragment/trace.h"
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
    struct loop **bucket = tag_bucket(counts, fragment_tag(fragment));
    fragment->loop->next_tag = *bucket;
    *bucket = fragment->loop;
    return true;
}

/* Whether `fragment` has a counter now, or can have none: there are too many loops. */
static bool has_counter(struct counts *counts, struct fragment *fragment)
{
    return fragment->loop == NULL ? !attach(counts, fragment)
                                  : target_hw_read(fragment_tag(fragment)) != NO_COUNTER;
}

static void forget_tag(struct counts *counts, const struct loop *loop)
{
    struct loop **place = tag_bucket(counts, fragment_tag(loop->fragment));
    while (*place != loop) {
        place = &(*place)->next_tag;
    }
    *place = loop->next_tag;
}

static bool has_made(const struct loop *loop)
{
    return loop->made || (loop->maker != NULL && target_hw_linked(loop->maker));
}

/* Without what was counted where traces pass it. */
static struct reading read_head(const struct translator *translator, const struct loop *loop)
{
    struct reading reading = {.executions = loop->executions};
    if (loop->fragment == NULL) {
        return reading;
    }
    const uint64_t count = target_hw_read(fragment_tag(loop->fragment));
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

static uint64_t count_passages(const struct loop *loop)
{
    uint64_t sum = 0;

    for (const struct passage *at = loop->passages; at != NULL; at = at->next) {
        const uint64_t count = target_hw_read(at->tag);
        sum += count != NO_COUNTER ? count - at->before : 0;
    }
    return sum;
}

static struct reading hw_read(const struct translator *translator, const struct loop *loop)
{
    struct reading reading = read_head(translator, loop);

    reading.executions += count_passages(loop);
    return reading;
}

static void drop_passages(struct translator *translator, struct loop *loop)
{
    for (const struct passage *at = loop->passages; at != NULL; at = at->next) {
        target_hw_drop(at->tag);
        translator->counts->totals.dropped++;
    }
    loop->passages = NULL;
}

/* A table of few entries has better uses for them.  In one that has any number there may be a counter already: the
 * ledger's. */
static void hw_pass(struct translator *translator, struct loop *loop, struct passage *passage)
{
    if (!target_hw_unlimited()) {
        loop->passed = true;
        return;
    }
    const uint64_t count = target_hw_read(passage->tag);

    if (count == NO_COUNTER) {
        target_hw_new(passage->tag, 0);
    }
    passage->before = count != NO_COUNTER ? count : 0;
    passage->next = loop->passages;
    loop->passages = passage;
    translator->counts->totals.created++;
}

/* Takes over what the loop's counter says, for it goes or has gone: count_settled comes then. */
static void close(struct translator *translator, struct loop *loop)
{
    const struct reading reading = read_head(translator, loop);
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
    target_hw_new(fragment_tag(fragment), count_threshold(translator, loop));
    loop->made = true;
}

/* Lets the exit make the counter of `to`, if there is none and nobody else may. */
static void link_to_head(struct translator *translator, struct exit *exit, struct fragment *to)
{
    const bool known = to->loop != NULL;
    if (translator->optimizer != NULL && !known && !exit->grows) {
        return; /* dispatch must hear of the first time: traces may pass the head */
    }
    const bool hides = exit->grows && !count_knows(translator->counts, to->start);
    const bool counted = has_counter(translator->counts, to);
    struct loop *loop = to->loop;
    if (loop != NULL) {
        loop->hidden |= hides;
        if (loop->hidden && !exit->grows) {
            return; /* it is shown when the exit is taken */
        }
    }
    if (counted) {
        link_straight(translator, exit, to);
        return;
    }
    if (known && loop->maker != NULL && !target_hw_linked(loop->maker)) {
        return;
    }
    if (known) {
        close(translator, loop);
        count_settled(translator->counts);
    }
    /* A part of the threshold is nothing that the exit's code could say. */
    const uint64_t threshold = count_threshold(translator, loop);
    const bool whole = threshold == 0 || threshold == translator->options.threshold;
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
    target_hw_drop(fragment_tag(loop->fragment));
    if (fragment_tag(loop->fragment) != loop->fragment->entry) {
        /* A thread that was about to make a counter may have done so after the tag moved. */
        target_hw_drop(loop->fragment->entry);
    }
    const uint64_t passed = count_passages(loop);
    drop_passages(translator, loop);
    loop->executions += passed;
}

static struct loop *find_by_tag(struct counts *counts, const uint8_t *tag)
{
    struct loop *loop = *tag_bucket(counts, tag);
    while (loop != NULL && fragment_tag(loop->fragment) != tag) {
        loop = loop->next_tag;
    }
    return loop;
}

void hw_counter_callback(struct context *context, const uint8_t *tag)
{
    struct counts *counts = context->translator->counts;
    struct loop *loop = find_by_tag(counts, tag);
    if (UNLIKELY(loop == NULL)) {
        /* Another thread let the loop lead to a trace while this one was about to make its counter. */
        ASSERT(context->translator->optimizer != NULL && context->translator->threaded);
        return;
    }
    count_note_hot(counts, loop);
    if (count_wants_path(context->translator, loop)) {
        context->hot = &loop->reached;
        const struct fragment *trace = loop->fragment->trace;
        target_hw_leave(trace != NULL ? trace->hot : NULL);
    }
}

/* The counter calls back at `threshold` executions from the start, if there is one; its count stays. */
static void set_threshold(const struct loop *loop, uint64_t more)
{
    const uint8_t *tag = fragment_tag(loop->fragment);
    const uint64_t count = target_hw_read(tag);

    if (count != NO_COUNTER) {
        target_hw_new(tag, more == 0 ? 0 : count + more);
    }
}

/* Its counter has gone, and the next one will count it. */
static void hw_reached_late(struct translator *translator, struct loop *loop)
{
    (void)translator;
    loop->executions--;
}

static void hw_again(struct translator *translator, struct loop *loop, uint64_t executions)
{
    (void)translator;
    set_threshold(loop, executions);
}

static void hw_calm(struct translator *translator, struct loop *loop)
{
    (void)translator;
    if (loop->fragment != NULL) {
        set_threshold(loop, 0);
    }
}

/* The loop gets another counter, at the tag of its fragment; `uncounted` executions were counted that have not
 * happened. */
static void replace(struct translator *translator, struct loop *loop, const uint8_t *tag,
                    uint64_t uncounted)
{
    struct counts *counts = translator->counts;

    if (target_hw_read(tag) == NO_COUNTER) {
        return;
    }
    const uint64_t count = target_hw_read(tag) - uncounted;
    count_settle(counts, loop, loop->executions + count);
    ledger_carry(loop, count);
    ahead_carry(translator, loop, tag);
    target_hw_drop(tag);
    counts->totals.created++;
    counts->totals.dropped++;
    target_hw_new(fragment_tag(loop->fragment), 0);
    loop->made = true;
    loop->maker = NULL;
    count_settled(counts);
}

static void hw_uncount(struct translator *translator, struct loop *loop)
{
    replace(translator, loop, fragment_tag(loop->fragment), 1);
}

/* The program left in the callback: the head was counted, and has not been executed.  Another thread may have done
 * meanwhile what it left for. */
static const uint8_t *hw_reached(struct translator *translator, struct loop *loop)
{
    if (!count_may_want_path(translator, loop)) {
        hw_uncount(translator, loop);
    }
    return fragment_indirect_entry(loop->fragment);
}

/* The tag moves with the head. */
static bool hw_lead(struct translator *translator, struct loop *loop, struct fragment *trace)
{
    struct counts *counts = translator->counts;
    struct fragment *fragment = loop->fragment;
    const uint8_t *tag = fragment_tag(fragment);

    if (loop->maker != NULL && !target_hw_linked(loop->maker)) {
        loop->maker = NULL; /* it will be linked without making a counter */
    }
    forget_tag(counts, loop);
    trace_attach(translator, fragment, trace);
    struct loop **bucket = tag_bucket(counts, fragment_tag(fragment));
    loop->next_tag = *bucket;
    *bucket = loop;
    replace(translator, loop, tag, 0);
    return true;
}

/* Whether another counter of the loop would be of use: one that is hot already is known, unless the optimizer still wants
 * its path; and a loop with a trace is the ledger's. */
static bool is_worth_counting(const struct translator *translator, const struct loop *loop)
{
    return loop->fragment != NULL && loop->fragment->trace == NULL &&
           count_threshold(translator, loop) != 0;
}

/* What the loop has been counted for sure.  If it got another counter before this one's count was told, the sum may be more
 * than the threshold, though neither has reached it: then the next one shall. */
static uint64_t with_gone(const struct translator *translator, const struct loop *loop,
                          uint64_t gone)
{
    const uint64_t threshold = translator->options.threshold;
    const uint64_t sum = loop->executions + gone;

    return !loop->hot && threshold != 0 && sum >= threshold ? threshold - 1 : sum;
}

/* The counter of the loop has been evicted, and had counted so much.  All exits to it come to dispatch, and so to hw_make,
 * when they are taken next: the code that made the counter could not say a part of the threshold.  If only one did, a loop
 * that is mostly executed by the others would go on uncounted.  Code that is about to make a counter is left alone: another
 * thread may be executing it, and would link its exit behind our back. */
static void arm_again(struct translator *translator, struct loop *loop, uint64_t gone)
{
    struct counts *counts = translator->counts;

    count_settle(counts, loop, with_gone(translator, loop, gone));
    loop->evicted = true; /* until it is counted again it may be executed in other ways */
    if (loop->fragment == NULL || target_hw_read(fragment_tag(loop->fragment)) != NO_COUNTER) {
        count_settled(counts);
        return;
    }
    counts->totals.created += has_made(loop);
    counts->totals.evicted += has_made(loop);
    loop->made = false;
    if (loop->maker != NULL && target_hw_linked(loop->maker)) {
        loop->maker = NULL;
    }
    count_settled(counts);
    if (is_worth_counting(translator, loop)) {
        counts->totals.rearmed += link_let_go(translator, loop->fragment, loop->maker);
    }
}

/* Where threads run, only who has the lock may change links: those that come to dispatch. */
static void wait_for_lock(struct counts *counts, struct loop *loop, uint64_t gone)
{
    __atomic_fetch_add(&loop->gone, gone, __ATOMIC_RELAXED);
    if (!__atomic_exchange_n(&loop->waits, UINT32_C(1), __ATOMIC_ACQ_REL)) {
        struct loop *first = __atomic_load_n(&counts->waiting, __ATOMIC_RELAXED);
        do {
            loop->next_waiting = first;
        } while (!__atomic_compare_exchange_n(&counts->waiting, &first, loop, true,
                                              __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    }
}

void hw_counter_catch_up(struct translator *translator)
{
    struct loop *loop =
        __atomic_exchange_n(&translator->counts->waiting, (struct loop *)NULL, __ATOMIC_ACQUIRE);

    while (loop != NULL) {
        struct loop *next = loop->next_waiting;
        __atomic_store_n(&loop->waits, UINT32_C(0), __ATOMIC_RELEASE);
        arm_again(translator, loop,
                  __atomic_exchange_n(&loop->gone, UINT64_C(0), __ATOMIC_RELAXED));
        loop = next;
    }
}

void hw_counter_evicted(struct context *context, const uint8_t *tag)
{
    struct translator *translator = context->translator;
    struct loop *loop = find_by_tag(translator->counts, tag);

    if (loop == NULL) {
        return; /* its fragment has gone, or it counted something else */
    }
    if (translator->threaded) {
        wait_for_lock(translator->counts, loop, target_hw_gone());
    } else {
        arm_again(translator, loop, target_hw_gone());
    }
}

const struct counter_kind hw_counter = {.make = hw_make,
                                        .link = hw_link,
                                        .taken = count_make_when_taken,
                                        .read = hw_read,
                                        .drop = hw_drop,
                                        .reached = hw_reached,
                                        .reached_late = hw_reached_late,
                                        .again = hw_again,
                                        .calm = hw_calm,
                                        .uncount = hw_uncount,
                                        .pass = hw_pass,
                                        .lead = hw_lead};
