/* Keeps a detector and its counters to regions of the program, and to a time.
 *
 * Both are tables of functions, which others call: with --region a copy of each is called instead, whose functions ask
 * first.  So nothing is asked, and nothing executed, where there is no region.
 *
 * Heads outside of all places get no counter.  Time is another matter: a loop that goes on for hours leaves the cache
 * through its counter alone, so that it has to be counted before its time begins.  One that is hot too early is asked again
 * after half of the executions that at its pace lie between now and then, and so nearly at the time itself, for as many
 * callbacks as that number has binary digits.  The first that is asked in time brings all others. */
#include "translator/detect/found.h"
#include "translator/detect/regions.h"
#include "translator/fragment/link.h"
#include "translator/fragment/recorder.h"
#include "translator/fragment/translator.h"

/* Executions that a loop waits at most: who waits longer is asked in between. */
#define WAIT_MOST (UINT64_C(1) << 30)

static struct regions *regions_of(const struct translator *translator)
{
    return translator->options.regions;
}

/* Where the head is remembered, or would be: then it is 0. */
static guest_addr *find_outside(struct regions *regions, guest_addr head)
{
    unsigned place = (unsigned)(head / TARGET_SHORTEST_INSTRUCTION ^ head >> 13) % REGION_HEADS;

    while (regions->outside[place] != 0 && regions->outside[place] != head) {
        place = (place + 1) % REGION_HEADS;
    }
    return &regions->outside[place];
}

/* When all are remembered that can be, others are left out of the sum. */
static void note_outside(struct regions *regions, guest_addr head)
{
    guest_addr *place = find_outside(regions, head);

    if (*place == 0 && regions->heads_outside < REGION_HEADS / 4 * 3) {
        *place = head;
        regions->heads_outside++;
    }
}

static uint64_t now(const struct translator *translator)
{
    return target_clock(translator) - regions_of(translator)->began;
}

static struct region_pace *pace_of(const struct translator *translator, const struct loop *loop)
{
    return &regions_of(translator)->paces[loop - translator->counts->loops];
}

/* The time has begun: loops that were too early call at their next execution. */
static void arrive(struct translator *translator)
{
    struct counts *counts = translator->counts;
    struct regions *regions = regions_of(translator);

    if (regions->arrived || now(translator) < regions->from) {
        return;
    }
    regions->arrived = true;
    for (unsigned i = 0; i < counts->loop_count; i++) {
        struct loop *loop = &counts->loops[i];
        if (pace_of(translator, loop)->asked != 0 && loop->fragment != NULL && !loop->profiled) {
            counts->kind->again(translator, loop, 1);
        }
    }
}

static bool includes(struct translator *translator, guest_addr pc)
{
    arrive(translator);
    return regions_find(translator, pc) != NULL;
}

/* Where branches and jumps alone give heads counters, only the optimizer asks for another, which is no loop's. */
static void make(struct translator *translator, struct fragment *fragment)
{
    if (includes(translator, fragment->start)) {
        translator->counts->chosen->make(translator, fragment);
    } else if (!placement_has_exits(&translator->placement)) {
        note_outside(regions_of(translator), fragment->start);
    }
}

/* One that leads outside is as any other that does not count.  As link_exit, which is left alone: a third caller makes the
 * compiler take it out of line for the others, and each fragment that is built costs some instructions more. */
static void link_uncounted(struct translator *translator, struct exit *exit)
{
    exit->counts = false;
    struct fragment *to = link_find_or_wait(translator, exit);
    if (to != NULL) {
        link_straight(translator, exit, to);
    }
}

/* A head is outside when an exit to it is taken, as a counter comes into being: before that the exit is not linked. */
static void link(struct translator *translator, struct exit *exit)
{
    if (includes(translator, exit->target)) {
        translator->counts->chosen->link(translator, exit);
    } else if (exit->grows || *find_outside(regions_of(translator), exit->target) != 0) {
        link_uncounted(translator, exit);
    } else {
        link_find_or_wait(translator, exit);
    }
}

/* It is not linked: else the program would not have come to dispatch. */
static void taken(struct translator *translator, struct exit *exit, struct fragment *to)
{
    if (includes(translator, to->start)) {
        translator->counts->chosen->taken(translator, exit, to);
        return;
    }
    if (!exit->grows) {
        note_outside(regions_of(translator), to->start);
    }
    link_uncounted(translator, exit);
}

/* After how many executions the loop is asked again.  Of one that hardware has found nothing has been counted yet: then few
 * executions more say how long one takes. */
static uint64_t wait_of(const struct translator *translator, const struct loop *loop,
                        uint64_t asked)
{
    const struct regions *regions = regions_of(translator);
    struct region_pace *pace = pace_of(translator, loop);
    const uint64_t executions = translator->counts->kind->read(translator, loop).executions;
    const uint64_t counted = executions > pace->executions ? executions - pace->executions : 0;
    const uint64_t each = counted != 0 ? (asked - pace->asked) / counted : UINT64_MAX;
    const uint64_t half = (regions->from - asked) / (each != 0 ? each : 1) / 2;
    const uint64_t least = translator->options.threshold != 0 ? translator->options.threshold : 1;

    *pace = (struct region_pace){.asked = asked, .executions = executions};
    return half < least ? least : half < WAIT_MOST ? half : WAIT_MOST;
}

/* Whether `time` is not the time of a loop that is hot.  It is read once: what decides whether the loop waits decides how
 * long, too.  `counted` is as for optimizer_allows. */
static bool is_another_time(struct translator *translator, struct loop *loop, uint64_t time,
                            bool counted)
{
    const struct counter_kind *kind = translator->counts->kind;
    struct regions *regions = regions_of(translator);

    if (time >= regions->until) {
        regions->too_late++;
        optimizer_leave_plain(translator, loop, counted);
        return true;
    }
    if (time >= regions->from) {
        arrive(translator);
        return false;
    }
    const uint64_t wait = wait_of(translator, loop, time);
    if (counted) {
        kind->uncount(translator, loop);
    }
    loop->profiled = false;
    kind->again(translator, loop, wait);
    regions->too_early++;
    return true;
}

static const uint8_t *hot(struct context *context, struct fragment *fragment, const uint8_t *plain)
{
    struct translator *translator = context->translator;

    if (is_another_time(translator, fragment->loop, now(translator), true)) {
        recorder_abandon(context);
        return plain;
    }
    return regions_of(translator)->asked->hot(context, fragment, plain);
}

/* One that is too early is remembered as one that must wait. */
static void wait_found(struct translator *translator, struct fragment *fragment,
                       const struct path *path, uint64_t time)
{
    count_called(translator, fragment);
    struct loop *loop = fragment->loop;
    if (loop == NULL) {
        return; /* no more can be remembered */
    }
    count_note_hot(translator->counts, loop);
    found_keep(translator->optimizer, loop, path);
    is_another_time(translator, loop, time, false);
}

static const uint8_t *found(struct context *context, struct fragment *fragment,
                            const struct path *path)
{
    struct translator *translator = context->translator;
    struct regions *regions = regions_of(translator);
    const uint64_t time = now(translator);

    if (!includes(translator, fragment->start)) {
        regions->finds_outside++;
        return fragment_indirect_entry(fragment);
    }
    if (time >= regions->until) {
        regions->too_late++;
        return fragment_indirect_entry(fragment);
    }
    if (time < regions->from) {
        wait_found(translator, fragment, path, time);
        return fragment_indirect_entry(fragment);
    }
    return regions->asked->found(context, fragment, path);
}

static void check_times(const struct translator *translator)
{
    const struct regions *regions = regions_of(translator);

    if (regions->from >= regions->until) {
        host_fail(STATUS_FAILED, "--region: until must be later than from", NULL, NULL, NULL);
    }
    if ((regions->from_given || regions->until_given) && translator->optimizer == NULL) {
        host_fail(STATUS_FAILED,
                  "--region from and until are when traces are made: they go with --opt traces",
                  NULL, NULL, NULL);
    }
}

/* For the first time. */
static void find_places(struct translator *translator)
{
    struct regions *regions = regions_of(translator);

    regions_look(translator);
    for (unsigned i = 0; i < regions->place_count && !translator->changes.mapping.listed; i++) {
        if (regions->places[i].file != NULL) {
            host_fail(STATUS_FAILED, "--region: ",
                      "/proc/self/maps cannot be read, which says where files are mapped", NULL,
                      NULL);
        }
    }
    if (regions->range_count == 0) {
        mapped_add_addresses(regions);
    }
}

void regions_start(struct translator *translator)
{
    struct regions *regions = regions_of(translator);
    struct counts *counts = translator->counts;

    if (regions == NULL) {
        return;
    }
    if (counts == NULL) {
        host_fail(STATUS_FAILED,
                  "--region is where hot spots are looked for, and --counters off looks for none",
                  NULL, NULL, NULL);
    }
    regions->began = target_clock(translator);
    regions->until = regions->until_given ? regions->until : UINT64_MAX;
    check_times(translator);
    regions->asked = translator->options.detector;
    regions->detector = *regions->asked;
    regions->detector.hot = hot;
    regions->detector.found = regions->asked->found != NULL ? found : NULL;
    translator->options.detector = &regions->detector;
    regions->kind = *counts->kind;
    regions->kind.make = make;
    regions->kind.link = link;
    regions->kind.taken = taken;
    counts->kind = &regions->kind;
    find_places(translator);
}
