/* Builds a fragment: scan the program's code into a plan, let passes have it, emit it, link it. */
#include "translator/fragment/build.h"

#include "translator/fragment/detector.h"
#include "translator/fragment/flush.h"
#include "translator/fragment/link.h"
#include "translator/fragment/translator.h"

#include "base/check.h"

/* Of how many instructions from plan->pc on it is known that the program may execute them, and of how many
 * the plan has room for; 0 if not of the first. */
INLINE static uint64_t count_readable(struct translator *translator, struct plan *plan)
{
    const uint64_t room = plan->limit - plan->instructions;
    const bool far_from_end = plan->pc - translator->window.start < translator->window_safe_bytes;

    plan->readable_end = translator->window.end;
    if (LIKELY(far_from_end && !translator->changes.indexed)) {
        return room;
    }
    uint64_t readable = far_from_end ? room : fetch_count(translator, plan->pc);
    plan->readable_end = translator->window.end > plan->pc
                             ? translator->window.end
                             : plan->pc + readable * TARGET_LONGEST_INSTRUCTION;
    if (translator->changes.indexed) {
        readable = changes_limit(translator, plan, readable);
    }
    return readable < room ? readable : room;
}

INLINE static void note_code(struct translator *translator, guest_addr start, guest_addr end)
{
    const bool one_page = (start ^ (end - 1)) < CODE_PAGE;

    if (UNLIKELY(!one_page || !code_ranges_know(&translator->code, start))) {
        code_ranges_add(&translator->code, start, end);
    }
}

/* A branch to itself is a loop, too. */
static bool closes_loop(guest_addr from, guest_addr target)
{
    return target <= from;
}

/* A direct jump or call that is not followed ends the plan.  A backward jump does under every policy, and with none:
 * it would hide the loop, and what counters cost could not be compared.  A call does that is to be counted, or
 * that may write to the code behind it. */
INLINE static bool follows(const struct translator *translator, const struct step *step)
{
    const bool ends = step->kind == STEP_JUMP ? closes_loop(step->pc, step->value)
                                              : placement_counts_calls(&translator->placement) ||
                                                    translator->placement.ends_at_calls;

    return translator->options.follow && (step->flags & STEP_STORES) == 0 && !ends;
}

bool build_follows(const struct translator *translator, const struct step *step)
{
    return follows(translator, step);
}

/* What becomes of the step that the scan ended with.  True if the plan goes on at plan->pc. */
static bool decide(const struct translator *translator, struct plan *plan)
{
    struct step *last = plan->end - 1;

    if (LIKELY(last->kind == STEP_BRANCH)) {
        /* Of a branch's two ways one needs a jump more: it is the one that leaves a loop, and the one
         * that jumps over code. */
        if (!closes_loop(last->pc, last->value)) {
            last->flags = STEP_TURNED;
        }
        return false;
    }
    switch (last->kind) {
    case STEP_JUMP:
    case STEP_CALL:
        if (follows(translator, last)) {
            plan->pc = last->value;
            return true;
        }
        last->flags = STEP_LEAVES;
        return false;
    case STEP_INDIRECT_CALL:
        last->flags = placement_counts_calls(&translator->placement) ? STEP_MARKED : 0;
        return false;
    case STEP_INDIRECT_JUMP:
    case STEP_RETURN:
    case STEP_SYSTEM_CALL:
    case STEP_SYNC:
        return false;
    default: /* straight code that was cut: what follows may not be readable */
        if (UNLIKELY((last->flags & STEP_STORES) != 0)) {
            plan_go_on(plan); /* what follows may be other code behind the store */
            return false;
        }
        return true;
    }
}

/* Up to the next transfer of control.  False if nothing was added: not readable, too long, or whole and too
 * long. */
INLINE static bool scan_part(struct translator *translator, struct plan *plan)
{
    const uint64_t limit = count_readable(translator, plan);
    const guest_addr pc = plan->pc;

    if (LIKELY(limit != 0)) {
        target_scan(plan, limit);
    }
    if (UNLIKELY(limit < TARGET_WHOLE_INSTRUCTIONS)) {
        /* It may be cut where code could not be read: if that changes, it is made anew. */
        code_ranges_add(&translator->code, pc, plan->readable_end + 1);
    }
    if (UNLIKELY(plan->pc == pc)) {
        return false;
    }
    note_code(translator, pc, plan->pc);
    return true;
}

bool build_scan(struct translator *translator, struct plan *plan)
{
    return scan_part(translator, plan);
}

/* From one transfer of control to the next. */
INLINE static bool scan(struct translator *translator, struct plan *plan)
{
    do {
        if (UNLIKELY(!scan_part(translator, plan))) {
            if (plan->end == plan->steps) {
                return false;
            }
            plan_go_on(plan);
            return true;
        }
    } while (decide(translator, plan));
    return true;
}

/* A part of build_fragment, which is why it stands apart from build_plan: that is for those who only want to
 * see a plan. */
INLINE static bool make_plan(struct context *context, guest_addr start, struct plan *plan)
{
    struct translator *translator = context->translator;
    bool executable;

    context->reading = 1;
    for (;;) {
        plan_begin(plan, start);
        executable = scan(translator, plan);
        if (LIKELY(context->spoiled == 0)) {
            break;
        }
        /* A part of it could not be read: once more, up to there. */
        context->spoiled = 0;
        translator->unreadable = context->unreadable;
        fetch_forget_window(translator);
    }
    context->reading = 0;
    if (UNLIKELY(!executable)) {
        translator->unreadable = 0;
    }
    return executable;
}

bool build_plan(struct context *context, guest_addr start, struct plan *plan)
{
    return make_plan(context, start, plan);
}

/* Whether the target of an exit of `fragment` shall get a counter when the exit is taken. */
static bool wants_counter(const struct translator *translator, const struct fragment *fragment,
                          enum way way, guest_addr from, guest_addr target)
{
    const struct placement_rule *rule = &translator->placement;

    return (rule->ways >> way & 1) != 0 && (!rule->backward || closes_loop(from, target)) &&
           (rule->built == BUILT_OR_NOT ||
            (rule->built == BUILT_OR_OWN && target == fragment->start) ||
            index_find(&translator->index, target) != NULL);
}

static void make_exit(const struct translator *translator, const struct fragment *fragment,
                      struct exit *exit, enum way way, guest_addr from, guest_addr target)
{
    exit->target = target;
    exit->counts = wants_counter(translator, fragment, way, from, target);
}

/* Of all but branches. */
static void make_last_exit(const struct translator *translator, struct fragment *fragment,
                           const struct step *last)
{
    struct exit *exit = fragment->exits;

    switch (last->kind) {
    case STEP_JUMP:
        make_exit(translator, fragment, exit, WAY_JUMP, last->pc, last->value);
        break;
    case STEP_CALL:
        make_exit(translator, fragment, exit, WAY_CALL, last->pc, last->value);
        if (UNLIKELY(translator->options.detector->called != NULL)) {
            translator->options.detector->called(translator, last->value);
        }
        break;
    case STEP_SYSTEM_CALL:
    case STEP_SYNC:
        exit->kind = last->kind == STEP_SYNC ? EXIT_CODE_CHANGED : EXIT_SYSTEM_CALL;
        exit->target = step_end(last);
        break;
    case STEP_ON:
        exit->target = last->value;
        break;
    default:
        break;
    }
}

SELDOM static void make_side_exits(const struct translator *translator, struct fragment *fragment,
                                   const struct plan *plan)
{
    struct exit *exit = fragment->exits + fragment->exit_count - plan->side_count;

    for (const struct step *step = plan->steps; step != plan->end; step++) {
        if (step->kind == STEP_SECOND_TARGET) { /* of a jump that no policy counts */
            exit++->target = step->value;
        } else if (step->kind == STEP_SIDE || step->kind == STEP_GUARD) {
            const enum way way = (step->flags & STEP_ALWAYS) != 0 ? WAY_JUMP : WAY_BRANCH;
            make_exit(translator, fragment, exit++, way, step->pc, step->value);
        }
    }
}

/* The fragment of a plan, and its ways out, of which those of the last step come first. */
static struct fragment *make_fragment(struct translator *translator, const struct plan *plan)
{
    const struct step *last = plan->end - 1;
    const bool branches = LIKELY(last->kind == STEP_BRANCH);
    const uint64_t count = (branches ? 2 : step_exits(last)) + plan->side_count;
    struct fragment *fragment =
        pool_take(&translator->pool, sizeof *fragment + count * sizeof(struct exit));

    fragment->start = plan->start;
    fragment->exits = (struct exit *)(void *)(fragment + 1);
    fragment->exit_count = count;
    if (branches) {
        /* The way that needs a jump more comes first. */
        const bool turned = (last->flags & STEP_TURNED) != 0;
        fragment->exits[turned].target = step_end(last);
        make_exit(translator, fragment, &fragment->exits[!turned], WAY_BRANCH, last->pc,
                  last->value);
    } else {
        make_last_exit(translator, fragment, last);
    }
    if (UNLIKELY(plan->side_count != 0)) {
        make_side_exits(translator, fragment, plan);
    }
    return fragment;
}

/* From the plan to code that the processor sees.  The only one who makes fragments and has plans written, so that the
 * compiler makes all of it one function. */
__attribute__((noinline)) static struct fragment *emit(struct translator *translator,
                                                       const struct plan *plan, unsigned lookup,
                                                       const struct emission_special *special)
{
    struct cache *cache = &translator->cache;
    struct fragment *fragment = make_fragment(translator, plan);
    struct emission emission = {.translator = translator,
                                .fragment = fragment,
                                .lookup = lookup,
                                .special = special,
                                .at = cache->fragments};
    target_emit(plan, &emission);
    cache_commit(cache, fragment->end);
    translator->statistics.fragments++;
    translator->statistics.instructions_translated += plan->instructions;
    return fragment;
}

/* What was translated before is not counted again. */
SELDOM struct fragment *build_emit(struct translator *translator, const struct plan *plan,
                                   const struct emission_special *special)
{
    const struct statistics before = translator->statistics;
    struct fragment *fragment = emit(translator, plan, LOOKUP_INLINE, special);

    translator->statistics = before;
    return fragment;
}

/* The ways out of a fragment that is in the index: a loop of one fragment finds its own head. */
INLINE static void link_from(struct translator *translator, struct fragment *fragment)
{
    struct exit *end = fragment->exits + fragment->exit_count;

    for (struct exit *exit = fragment->exits; exit != end; exit++) {
        if (UNLIKELY(exit->kind != EXIT_DIRECT)) {
            continue;
        }
        if (UNLIKELY(exit->counts)) {
            translator->counts->kind->link(translator, exit);
        } else {
            link_exit(translator, exit);
        }
    }
}

SELDOM void build_link(struct translator *translator, struct fragment *fragment)
{
    link_from(translator, fragment);
}

/* The exits that wait for a fragment, which is in the index now. */
static void link_to(struct translator *translator, struct fragment *fragment)
{
    struct exit *exit;

    if (UNLIKELY(fragment->guarded)) {
        return;
    }
    while ((exit = link_take_waiting(translator, fragment)) != NULL) {
        if (UNLIKELY(exit->counts)) {
            translator->counts->kind->link(translator, exit);
        } else {
            link_straight(translator, exit, fragment);
        }
    }
}

static void make_room(struct translator *translator)
{
    if (UNLIKELY(!space_has_room(translator)) && !space_use_more(translator)) {
        flush_full(translator);
    }
}

struct fragment *build_fragment(struct context *context, guest_addr start, unsigned lookup)
{
    struct translator *translator = context->translator;
    struct plan *plan = &translator->plan;
    bool guarded = false;

    if (UNLIKELY(translator->changes.asleep_count != 0)) {
        struct fragment *woken = changes_wake(context, start);
        if (woken != NULL) {
            link_to(translator, woken);
            return woken;
        }
    }
    make_room(translator);
    if (UNLIKELY(!make_plan(context, start, plan))) {
        return NULL;
    }
    if (UNLIKELY(translator->changes.indexed)) {
        guarded = changes_guard(translator, plan);
    }
    struct fragment *fragment = emit(translator, plan, guarded ? LOOKUP_INLINE : lookup, NULL);
    if (UNLIKELY(translator->changes.indexed)) {
        fragment->guarded = guarded;
        changes_note(translator, fragment, plan);
    }
    if (UNLIKELY(translator->placement.all)) {
        count_built(translator, fragment);
    }
    fragment->before = translator->index.last;
    translator->index.last = fragment;
    index_add(&translator->index, fragment);
    /* In this order, so that the exit which closes a loop makes its counter, not the one that entered it. */
    link_from(translator, fragment);
    link_to(translator, fragment);
    return fragment;
}

const uint8_t *build_alone(struct context *context, guest_addr pc)
{
    struct translator *translator = context->translator;
    struct plan *plan = &translator->plan;

    make_room(translator);
    plan_begin(plan, pc);
    context->reading = 1;
    target_scan(plan, 1);
    context->reading = context->spoiled = 0; /* what cannot be read faults where it is executed */
    struct step *last = plan->end - 1;
    if (last->kind == STEP_CALL) { /* where calls write to memory */
        last->flags |= STEP_LEAVES;
    }
    if (!step_ends(last)) {
        plan_go_on(plan);
    }
    struct fragment *fragment = emit(translator, plan, LOOKUP_INLINE, NULL);
    translator->cache.dead_bytes +=
        (size_t)(fragment->end - fragment->code); /* as soon as it was executed */
    return fragment_indirect_entry(fragment);
}
