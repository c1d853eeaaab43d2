/* Records which way the program takes from the head of a hot loop on, and names the most common path. */
#include "translator/fragment/recorder.h"

#include "translator/fragment/build.h"
#include "translator/fragment/detector.h"
#include "translator/fragment/effort.h"
#include "translator/fragment/recipe.h"
#include "translator/fragment/trace.h"
#include "translator/fragment/translator.h"
#include "translator/fragment/trial.h"

#include "base/check.h"

/* The profile of a loop, made if there is none.  If too many are under way, it takes the place of another, whose loop
 * may never be executed again; if it is, it begins anew. */
static struct path_profile *get_profile(struct optimizer *optimizer, struct loop *loop)
{
    struct path_profile *place = NULL;

    for (unsigned i = 0; i < PATH_PROFILES; i++) {
        struct path_profile *profile = &optimizer->profiles[i];
        if (profile->loop == loop) {
            return profile;
        }
        place = profile->loop == NULL ? profile : place;
    }
    if (place == NULL) {
        place = &optimizer->profiles[optimizer->next_profile++ % PATH_PROFILES];
    }
    place->loop = loop;
    place->count = 0;
    place->looks.count = 0;
    return place;
}

/* What calls the kernel, or changes code, is not recorded: a path ends with it. */
static bool can_record(const struct plan *plan)
{
    const struct step *last = plan->end - 1;

    return last->kind != STEP_SYSTEM_CALL && last->kind != STEP_SYNC && !plan->careful;
}

/* Whether it has the code that the fragment was made from: both go when that changes. */
static bool is_current(const struct translator *translator, const struct plan *plan)
{
    const struct fragment *fragment = index_find(&translator->index, plan->start);

    return !translator->changes.indexed ||
           (fragment != NULL && originals_have(fragment->original, plan->code, 0,
                                               (uint64_t)(plan->code_end - plan->code)));
}

static struct fragment *build_copy(struct context *context, guest_addr start)
{
    struct translator *translator = context->translator;
    struct optimizer *optimizer = translator->optimizer;
    struct plan *plan = &translator->plan;

    if ((!space_has_room(translator) && !space_use_more(translator)) ||
        !build_plan(context, start, plan) || !can_record(plan) || !is_current(translator, plan)) {
        return NULL;
    }
    struct fragment *copy =
        build_emit(translator, plan, &(struct emission_special){.records = true});
    for (uint64_t i = 0; i < copy->exit_count; i++) {
        copy->exits[i].kind = EXIT_RECORD;
    }
    copy->instructions = (uint16_t)plan->instructions;
    index_add(&optimizer->recorded, copy);
    optimizer->totals.copies++;
    return copy;
}

void recorder_drop_copy(struct translator *translator, guest_addr start)
{
    struct index *recorded = &translator->optimizer->recorded;
    const struct fragment *copy = index_find(recorded, start);

    if (copy != NULL) {
        index_remove(recorded, copy);
    }
}

/* Where the program goes on in a copy of its code that records; NULL if there is none. */
static const uint8_t *enter_copy(struct context *context, guest_addr start)
{
    struct fragment *copy = index_find(&context->translator->optimizer->recorded, start);

    if (copy == NULL) {
        copy = build_copy(context, start);
    }
    if (copy == NULL) {
        return NULL;
    }
    context->recording->bytes += (uint64_t)(copy->end - copy->entry);
    context->recording->instructions += copy->instructions;
    return fragment_indirect_entry(copy);
}

void recorder_abandon(struct context *context)
{
    if (context->recording->profile != NULL) {
        context->recording->profile = NULL;
        context->missed[LOOKUP_INLINE] = &context->translator->missed[LOOKUP_INLINE];
    }
}

static bool same_path(const struct path *a, const struct path *b)
{
    if (a->count != b->count || a->next != b->next) {
        return false;
    }
    for (unsigned i = 1; i < a->count; i++) {
        if (a->blocks[i] != b->blocks[i]) {
            return false;
        }
    }
    return true;
}

static bool all_agree(const struct path_profile *profile)
{
    for (unsigned i = 1; i < profile->count; i++) {
        if (!same_path(&profile->samples[0], &profile->samples[i])) {
            return false;
        }
    }
    return true;
}

/* No more iterations are recorded than were enough to call the loop hot. */
static bool is_complete(const struct translator *translator, const struct path_profile *profile)
{
    const struct effort_limits limits = effort_get_limits(profile->effort);
    const unsigned samples = translator->options.detector->samples;

    if (samples != 0) {
        return profile->count >= samples;
    }
    return profile->count >= limits.samples || profile->count >= translator->options.threshold ||
           (profile->count >= limits.agreeing && all_agree(profile));
}

/* Whether two samples go on in the same way behind their first `count` blocks, or both end there. */
static bool go_on_alike(const struct path *a, const struct path *b, unsigned count)
{
    if (count == a->count || count == b->count) {
        return a->count == b->count && a->next == b->next;
    }
    return a->blocks[count] == b->blocks[count];
}

/* Samples that have gone the same way so far. */
struct group {
    unsigned bits; /* one for each */
    unsigned size;
    const struct path *first;
};

/* Of the samples in `group` those that go on behind `count` blocks as most of them do. */
static struct group find_most(const struct path_profile *profile, const struct group *group,
                              unsigned count)
{
    struct group most = {0, 0, NULL};

    for (unsigned i = 0; i < profile->count; i++) {
        struct group same = {0, 0, &profile->samples[i]};
        if ((group->bits >> i & 1) == 0) {
            continue;
        }
        for (unsigned j = i; j < profile->count; j++) {
            if ((group->bits >> j & 1) != 0 &&
                go_on_alike(same.first, &profile->samples[j], count)) {
                same.bits |= 1u << j;
                same.size++;
            }
        }
        if (same.size > most.size) {
            most = same;
        }
    }
    return most;
}

/* Where the samples in `group` go most often behind `count` blocks, but for those in `most`; 0 if none does. */
static guest_addr find_second(const struct path_profile *profile, const struct group *group,
                              const struct group *most, unsigned count)
{
    const struct group others = {.bits = group->bits & ~most->bits};
    const struct path *second = find_most(profile, &others, count).first;

    return second == NULL ? 0 : second->count == count ? second->next : second->blocks[count];
}

/* Of eight samples so many must be left, or the path ends: what a trace does worse behind a guard that fails must not
 * outweigh what it does better.  If what came of that brings little, as before a jump to many places, a longer path
 * with fewer of them is tried against it. */
static unsigned least_of_eight(const struct loop *loop)
{
    return trial_looks_further(loop) ? 2 : 3;
}

/* The path that most samples take, block by block. */
static struct path choose_path(const struct path_profile *profile)
{
    struct path path = {.count = 1, .turns = 1, .next = 0, .blocks = {profile->loop->head}};
    struct group group = {(1u << profile->count) - 1, profile->count, NULL};
    const unsigned least = least_of_eight(profile->loop);

    for (;;) {
        const struct group most = find_most(profile, &group, path.count);
        if (most.size * 8 < profile->count * least) {
            break;
        }
        path.second[path.count - 1] = find_second(profile, &group, &most, path.count);
        if (most.first->count == path.count) {
            path.next = most.first->next;
            break;
        }
        path.blocks[path.count] = most.first->blocks[path.count];
        path.count++;
        group = most;
    }
    if (path.next != profile->loop->head && path.count > PATH_BLOCKS_OPEN) {
        path.count = PATH_BLOCKS_OPEN;
        path.next = path.blocks[PATH_BLOCKS_OPEN];
    }
    return path;
}

/* All that is needed is known. */
static void finish(struct context *context, struct path_profile *profile)
{
    struct translator *translator = context->translator;
    struct loop *loop = profile->loop;
    const struct path path = choose_path(profile);

    profile->loop = NULL;
    loop->profiled = true;
    loop->effort = profile->effort;
    translator->counts->kind->calm(translator, loop);
    if (loop->fragment != NULL) {
        loop->traced = trial_make(context, loop->fragment, &path, &profile->looks);
    }
}

/* The path of the iteration is known as far as it is recorded. */
static void end_sample(struct context *context, guest_addr next)
{
    struct recording *recording = context->recording;
    struct path_profile *profile = recording->profile;

    recorder_abandon(context);
    if (profile->loop == NULL || profile->loop->head != recording->path.blocks[0]) {
        return; /* meanwhile the profile is complete, or another loop's */
    }
    profile->effort = effort_for(context->translator, profile->loop, recording->instructions);
    struct path *sample = &profile->samples[profile->count++];
    sample->count = recording->path.count;
    sample->next = next;
    for (unsigned i = 0; i < sample->count; i++) {
        sample->blocks[i] = recording->path.blocks[i];
    }
    context->translator->optimizer->totals.recorded++;
    if (is_complete(context->translator, profile)) {
        finish(context, profile);
    }
}

/* The head is about to be executed in a copy, which no counter sees; the first time it was counted before. */
static const uint8_t *begin_sample(struct context *context, struct path_profile *profile,
                                   bool counted)
{
    struct recording *recording = context->recording;
    struct loop *loop = profile->loop;

    recording->bytes = recording->instructions = 0;
    recording->limits = (struct effort_limits){0};
    const uint8_t *copy = enter_copy(context, loop->head);

    if (copy == NULL) {
        profile->loop = NULL;
        context->translator->optimizer->totals.abandoned++;
        return NULL;
    }
    recording->profile = profile;
    recording->path.count = 1;
    recording->path.blocks[0] = loop->head;
    context->missed[LOOKUP_INLINE] = &context->translator->optimizer->missed;
    loop->executions += !counted;
    return copy;
}

static const uint8_t *begin(struct context *context, struct fragment *fragment,
                            const uint8_t *plain)
{
    struct translator *translator = context->translator;
    struct optimizer *optimizer = translator->optimizer;
    struct loop *loop = fragment->loop;

    recorder_abandon(context);
    if (!optimizer_allows(translator, fragment, true)) {
        return plain;
    }
    struct path_profile *profile = get_profile(optimizer, loop);
    if (recipe_wants_looks(translator)) {
        looks_take(&profile->looks, context);
    }
    const uint8_t *copy = begin_sample(context, profile, true);
    if (copy == NULL) {
        optimizer_leave_plain(translator, loop, true);
        return plain;
    }
    translator->counts->kind->again(translator, loop, 1);
    return copy;
}

/* Whether a path ends behind its last block: exact counters in software stand before the heads of loops. */
static bool ends_path(const struct translator *translator, const struct path_step *step)
{
    const bool exact = translator->options.counters == COUNTERS_SW_EXACT;
    const struct detector *detector = translator->options.detector;
    const struct fragment *fragment = step->fragment;

    if (detector->ends_path != NULL && detector->ends_path(step)) {
        return true;
    }
    return fragment == NULL || fragment->guarded ||
           !optimizer_may_change(translator, fragment->start) ||
           (exact && fragment->loop != NULL && !fragment->loop->hidden);
}

static bool reaches_limits(const struct recording *recording)
{
    return recording->path.count >= recording->limits.blocks ||
           recording->bytes > recording->limits.code_bytes;
}

/* Whether the path is as long as the loop is worth.  What is known of it by now is the least that an iteration executes: the
 * longer the path, the larger is the loop's share, and the more of it may follow.  So limits need a look only where the
 * path has come to those that were known. */
static bool is_full(const struct translator *translator, struct recording *recording)
{
    if (!reaches_limits(recording)) {
        return false;
    }
    recording->limits = effort_get_limits(
        effort_for(translator, recording->profile->loop, recording->instructions));
    return reaches_limits(recording);
}

static const uint8_t *go_on(struct context *context, guest_addr target, bool counts)
{
    struct translator *translator = context->translator;
    struct recording *recording = context->recording;
    struct path_profile *profile = recording->profile;
    struct path *path = &recording->path;
    if (profile->loop != NULL && target == profile->loop->head) {
        end_sample(context, target);
        return profile->loop != NULL ? begin_sample(context, profile, false) : NULL;
    }
    struct fragment *fragment = index_find(&translator->index, target);
    if (counts && fragment != NULL) {
        count_called(translator, fragment);
    }
    const struct path_step step = {.target = target, .fragment = fragment, .back = counts};
    if (ends_path(translator, &step) || profile->loop == NULL || is_full(translator, recording)) {
        end_sample(context, target);
        return NULL;
    }
    path->blocks[path->count++] = target;
    const uint8_t *copy = enter_copy(context, target);
    if (copy == NULL) {
        end_sample(context, 0);
        return NULL;
    }
    if (fragment->loop != NULL) {
        fragment->loop->executions++; /* which no counter sees */
    }
    return copy;
}

/* Leaving the cache, and coming back, are not seen from here. */
#define DISPATCH_COST 80

static uint64_t cost_since(const struct translator *translator, uint64_t began)
{
    return target_clock(translator) - began + (translator->has_hardware ? DISPATCH_COST : 0);
}

const uint8_t *recorder_begin(struct context *context, struct fragment *fragment,
                              const uint8_t *plain)
{
    struct translator *translator = context->translator;
    struct loop *loop = fragment->loop;
    const uint64_t began = target_clock(translator), first_cycle = target_cycles(translator);
    const uint8_t *on = begin(context, fragment, plain);
    const uint64_t cost = cost_since(translator, began);

    optimizer_spend(translator, loop, cost, target_cycles(translator) - first_cycle);
    translator->optimizer->asked += on == plain ? cost : 0;
    return on;
}

const uint8_t *recorder_continue(struct context *context, guest_addr target, bool counts)
{
    struct translator *translator = context->translator;
    struct path_profile *profile = context->recording->profile;

    if (profile == NULL) {
        return NULL; /* it was abandoned, and the program was still in a copy */
    }
    struct loop *loop = profile->loop; /* it may be another's meanwhile */
    const uint64_t began = target_clock(translator), first_cycle = target_cycles(translator);
    const uint8_t *on = go_on(context, target, counts);
    if (loop != NULL) {
        optimizer_spend(translator, loop, cost_since(translator, began),
                        target_cycles(translator) - first_cycle);
    }
    return on;
}
