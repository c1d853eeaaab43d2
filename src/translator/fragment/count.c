/* Remembers the heads of loops, gives them counters, and adds up what these counted. */
#include "translator/fragment/count.h"

#include "translator/fragment/detector.h"
#include "translator/fragment/link.h"
#include "translator/fragment/translator.h"

#include "base/check.h"

static const struct counter_kind *const kinds[] = {
    [COUNTERS_HW] = &hw_counter,
    [COUNTERS_SW] = &sw_counter,
    [COUNTERS_SW_EXACT] = &sw_counter,
    [COUNTERS_SW_PAPER] = &paper_counter,
    [COUNTERS_SW_PAPER_TAKEN] = &taken_counter,
};

void count_start(struct translator *translator)
{
    struct options *options = &translator->options;
    if (options->counters == COUNTERS_AUTO) {
        /* A profile is asked for with the statistics, and `sw` has none: it stops at the threshold. */
        const bool profile = options->stats_path != NULL || options->stats_fd >= 0;
        options->counters = translator->has_hardware ? COUNTERS_HW
                            : profile                ? COUNTERS_SW_EXACT
                                                     : COUNTERS_SW;
    }
    if (options->counters == COUNTERS_OFF) {
        return;
    }
    const struct detector *detector = options->detector;
    translator->placement = detector->heads == HEADS_PLACED ? placement_rules[options->placement]
                            : detector->heads == HEADS_OWN  ? detector->rule
                                                            : (struct placement_rule){0};
    if (options->counters == COUNTERS_SW_PAPER_TAKEN &&
        !placement_has_exits(&translator->placement)) {
        host_fail(STATUS_FAILED,
                  "--counters sw-paper-taken counts branches and jumps: use --placement backward, "
                  "paper or paper-strict",
                  NULL, NULL, NULL);
    }
    if (options->traces && kinds[options->counters]->lead == NULL) {
        host_fail(STATUS_FAILED, "--opt traces goes with --counters auto, hw, sw, sw-exact and off",
                  NULL, NULL, NULL);
    }
    if (options->counters == COUNTERS_HW && !translator->has_hardware) {
        host_fail(STATUS_FAILED, "--counters hw: this machine has no hardware counters", NULL, NULL,
                  NULL);
    }
    translator->counts = host_map(sizeof *translator->counts, false);
    if (translator->counts == NULL) {
        host_fail(STATUS_FAILED, "not enough memory for counters", NULL, NULL, NULL);
    }
    translator->counts->kind = translator->counts->chosen = kinds[options->counters];
    target_counter_start(translator->context);
    if (options->evicted_again && options->counters == COUNTERS_HW && !target_hw_tell()) {
        host_fail(STATUS_FAILED,
                  "--evicted again: this machine does not tell which counters it evicts", NULL,
                  NULL, NULL);
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
    return &counts->buckets[(head / TARGET_SHORTEST_INSTRUCTION ^ head >> 13) % LOOP_BUCKETS];
}

static struct loop *find_loop(struct counts *counts, guest_addr head)
{
    struct loop *loop = *loop_bucket(counts, head);
    while (loop != NULL && loop->head != head) {
        loop = loop->next;
    }
    return loop;
}

struct loop *count_get_loop(struct counts *counts, guest_addr head)
{
    struct loop *loop = find_loop(counts, head);
    if (loop != NULL || counts->loop_count == LOOPS) {
        counts->totals.overflows += loop == NULL;
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

bool count_attach(struct counts *counts, struct fragment *fragment)
{
    if (fragment->loop != NULL) {
        return true;
    }
    struct loop *loop = count_get_loop(counts, fragment->start);
    if (loop == NULL) {
        return false;
    }
    loop->removed = true;
    loop->fragment = fragment;
    fragment->loop = loop;
    return true;
}

void count_detach(struct loop *loop)
{
    loop->fragment->loop = NULL;
    loop->fragment = NULL;
}

/* The processor does what it is told in this order; the compiler must, too. */
static void keep_order(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void count_settle(struct counts *counts, struct loop *loop, uint64_t executions)
{
    counts->settling.executions = executions;
    keep_order();
    counts->settling.loop = loop;
    keep_order();
    loop->executions = executions;
}

void count_settled(struct counts *counts)
{
    keep_order();
    counts->settling.loop = NULL;
}

bool count_may_want_path(const struct translator *translator, const struct loop *loop)
{
    return translator->optimizer != NULL && !loop->profiled;
}

bool count_wants_path(const struct translator *translator, const struct loop *loop)
{
    return loop->hot && (count_may_want_path(translator, loop) || loop->trial != 0);
}

uint64_t count_threshold(const struct translator *translator, const struct loop *loop)
{
    const uint64_t threshold = translator->options.threshold;
    if (UNLIKELY(loop->hot)) {
        return count_wants_path(translator, loop) ? threshold : 0;
    }
    return threshold == 0 ? 0 : threshold - loop->executions;
}

void count_note_hot(struct counts *counts, struct loop *loop)
{
    counts->totals.callbacks += !loop->hot;
    loop->hot = true;
}

static struct reading read_loop(const struct translator *translator, const struct loop *loop)
{
    const struct counts *counts = translator->counts;
    if (loop == counts->settling.loop) {
        return (struct reading){.executions = counts->settling.executions};
    }
    return counts->kind->read(translator, loop);
}

void count_passed(struct translator *translator, struct loop *loop, struct passage *passage)
{
    const struct counter_kind *kind = translator->counts->kind;

    loop->passed |= kind->pass == NULL;
    if (kind->pass != NULL) {
        kind->pass(translator, loop, passage);
    }
}

bool count_knows(struct counts *counts, guest_addr head)
{
    return find_loop(counts, head) != NULL;
}

void count_show(struct translator *translator, struct loop *loop)
{
    if (UNLIKELY(loop->hidden)) {
        loop->unseen = read_loop(translator, loop).executions;
        loop->hidden = false;
    }
}

/* The policy wants it.  Traces that were made before pass the head without counting it as one. */
static void make_shown(struct translator *translator, struct fragment *fragment)
{
    const bool shown = fragment->loop != NULL && !fragment->loop->hidden;

    translator->counts->kind->make(translator, fragment);
    if (fragment->loop == NULL) {
        return;
    }
    count_show(translator, fragment->loop);
    for (struct holder *at = fragment->holders; !shown && at != NULL; at = at->next) {
        if (at->passage.tag != NULL) {
            count_passed(translator, fragment->loop, &at->passage);
        }
    }
}

void count_built(struct translator *translator, struct fragment *fragment)
{
    const struct detector *detector = translator->options.detector;

    if (detector->built != NULL) {
        detector->built(translator, fragment);
    } else {
        make_shown(translator, fragment);
    }
}

void count_taken(struct translator *translator, struct exit *exit, struct fragment *to)
{
    translator->counts->kind->taken(translator, exit, to);
}

void count_grown(struct translator *translator, struct fragment *fragment)
{
    const bool known = count_knows(translator->counts, fragment->start);

    translator->counts->kind->make(translator, fragment);
    if (!known && fragment->loop != NULL) {
        fragment->loop->hidden = true;
    }
}

void count_make_when_taken(struct translator *translator, struct exit *exit, struct fragment *to)
{
    exit->counts = false;
    if (LIKELY(!exit->grows)) {
        make_shown(translator, to);
    } else {
        count_grown(translator, to);
    }
    if (exit->to == NULL) {
        link_exit(translator, exit);
    }
}

void count_link(struct translator *translator, struct exit *exit)
{
    struct fragment *to = link_find_or_wait(translator, exit);

    if (to != NULL && to->loop != NULL && (exit->grows || !to->loop->hidden)) {
        link_straight(translator, exit, to);
    }
}

void count_called(struct translator *translator, struct fragment *to)
{
    if (translator->options.detector->called != NULL) {
        translator->options.detector->called(translator, to->start);
    }
    make_shown(translator, to);
}

void count_unlink(struct fragment *to, struct exit *exit)
{
    struct loop *loop = to->loop;
    if (loop != NULL && loop->maker == exit) {
        loop->made |= target_hw_linked(exit);
        loop->maker = NULL;
    }
}

void count_drop(struct translator *translator, const struct fragment *fragment)
{
    struct loop *loop = fragment->loop;
    if (loop != NULL) {
        translator->counts->kind->drop(translator, loop);
        loop->fragment = NULL;
        count_settled(translator->counts);
    }
    if (translator->counts != NULL && translator->counts->kind->drop_exit != NULL) {
        for (uint64_t i = 0; i < fragment->exit_count; i++) {
            translator->counts->kind->drop_exit(translator, &fragment->exits[i]);
        }
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
        if (loop->fragment != NULL) {
            counts->kind->drop(translator, loop);
            loop->fragment = NULL;
            count_settled(counts);
        }
    }
    counts->placed_count = 0;
}

const uint8_t *count_reached(struct translator *translator, struct fragment *fragment)
{
    struct loop *loop = fragment->loop;
    ASSERT(loop != NULL && loop->fragment == fragment);
    const uint8_t *on = translator->counts->kind->reached(translator, loop);
    count_note_hot(translator->counts, loop);
    return on;
}

void count_reached_late(struct translator *translator, guest_addr head)
{
    struct loop *loop = find_loop(translator->counts, head);
    translator->counts->kind->reached_late(translator, loop);
    count_note_hot(translator->counts, loop);
}

/* What was counted while it was hidden, where traces pass it, or while paths were recorded, calls nobody back. */
static bool is_hot(const struct translator *translator, const struct loop *loop,
                   uint64_t executions)
{
    const uint64_t threshold = translator->options.threshold;
    const bool enough = threshold != 0 && executions >= threshold;

    return (loop->hot && loop->unseen == 0) || (enough && translator->optimizer != NULL);
}

void count_each(const struct translator *translator,
                void (*visit)(void *argument, const struct loop_counts *counts), void *argument)
{
    const struct counts *counts = translator->counts;
    for (unsigned i = 0; counts != NULL && i < counts->loop_count; i++) {
        const struct loop *loop = &counts->loops[i];
        if (loop->hidden) {
            continue;
        }
        const struct reading reading = read_loop(translator, loop);
        /* A counter that was evicted after the loop was shown may take with it what was counted before. */
        const uint64_t executions =
            reading.executions > loop->unseen ? reading.executions - loop->unseen : 0;
        const struct loop_counts found = {.head = loop->head,
                                          .executions = executions,
                                          .hot = is_hot(translator, loop, executions),
                                          .evicted = loop->evicted || reading.evicted,
                                          .partial = reading.partial || loop->evicted ||
                                                     loop->passed || reading.evicted};
        if (found.executions != 0 || found.evicted) {
            visit(argument, &found);
        }
    }
}

struct count_totals count_get_totals(const struct translator *translator)
{
    const struct counts *counts = translator->counts;
    if (counts == NULL) {
        return (struct count_totals){0};
    }
    struct count_totals totals = counts->totals;
    for (unsigned i = 0; i < counts->loop_count; i++) {
        const struct reading reading = read_loop(translator, &counts->loops[i]);
        totals.created += reading.made;
        totals.evicted += reading.evicted;
    }
    if (counts->chosen == &paper_counter || counts->chosen == &taken_counter) {
        totals.collisions = paper_counter_collisions(counts);
    }
    return totals;
}
