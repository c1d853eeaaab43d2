/* The paper's counters in software where its Table 2 has them: in the taken trampolines, so that they count
 * branches that are taken, not executions of the head.
 *
 * Each exit that the placement policy chose has code of its own, through which it leads to its target from the
 * moment that both are built.  The counter itself is the slot of the target's address: it outlives fragments,
 * and several exits to one head share it.  So no fragment has such a counter, and none is dropped with one. */
#include "translator/fragment/counter_code.h"
#include "translator/fragment/link.h"
#include "translator/fragment/translator.h"

#include "base/check.h"

/* Counters belong to exits: the policies that give them to fragments are refused at the start. */
static void taken_make(struct translator *translator, struct fragment *fragment)
{
    (void)translator;
    ASSERT(fragment == NULL);
}

/* An exit that has no code stays unlinked: dispatch counts each time that it is taken. */
static void taken_link(struct translator *translator, struct exit *exit)
{
    struct fragment *to = link_find_or_wait(translator, exit);
    if (to == NULL) {
        return;
    }
    struct loop *loop = count_get_loop(translator->counts, exit->target);
    if (loop == NULL) { /* no more heads can be remembered */
        exit->counts = false;
        link_straight(translator, exit, to);
    } else if (counter_code_lead_through(translator, loop, exit, to)) {
        link_note(translator, exit, to);
    } else {
        translator->counts->totals.unplaced++;
    }
}

static void taken_taken(struct translator *translator, struct exit *exit, struct fragment *to)
{
    struct loop *loop = count_get_loop(translator->counts, to->start);
    if (loop == NULL) {
        exit->counts = false;
    } else {
        paper_counter_finish(translator, loop, PAPER_BEGUN);
    }
}

static struct reading taken_read(const struct translator *translator, const struct loop *loop)
{
    struct reading reading = paper_counter_read(translator, loop);
    reading.made = true;
    return reading;
}

/* Nothing of a loop is bound to a fragment. */
static void taken_drop(struct translator *translator, struct loop *loop)
{
    (void)translator;
    ASSERT(loop == NULL);
}

static void taken_drop_exit(struct translator *translator, const struct exit *exit)
{
    const uint8_t *code = target_taken_code(exit);

    if (code != NULL) {
        counter_code_forget(translator, code, count_get_loop(translator->counts, exit->target));
    }
}

static const uint8_t *taken_reached(struct translator *translator, struct loop *loop)
{
    taken_drop(translator, loop);
    return NULL;
}

/* It has been counted, and goes on at the head. */
static void taken_reached_late(struct translator *translator, struct loop *loop)
{
    (void)translator;
    (void)loop;
}

const struct counter_kind taken_counter = {.make = taken_make,
                                           .link = taken_link,
                                           .taken = taken_taken,
                                           .read = taken_read,
                                           .drop = taken_drop,
                                           .drop_exit = taken_drop_exit,
                                           .reached = taken_reached,
                                           .reached_late = taken_reached_late};
