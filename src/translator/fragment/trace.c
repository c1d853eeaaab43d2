/* Makes a trace of a path: one plan, guards in the place of its branches, and the way there. */
#include "translator/fragment/trace.h"

#include "translator/fragment/ahead.h"
#include "translator/fragment/build.h"
#include "translator/fragment/detector.h"
#include "translator/fragment/link.h"
#include "translator/fragment/translator.h"
#include "translator/fragment/trial.h"
#include "translator/fragment/unroll.h"

#include "base/check.h"

/* What one trace may need at the most. */
#define TRACE_POOL_NEED                                                                            \
    (sizeof(struct log) + ITEMS_MAX * sizeof(struct log_event) + sizeof(struct fragment) +         \
     (TRACE_SIDES + TARGET_SIDES + 4) * sizeof(struct exit) +                                      \
     TRACE_BLOCKS * sizeof(struct holder) + TRACE_TARGETS * sizeof(struct guard_site) +            \
     sizeof(struct path) + sizeof(struct trial) + sizeof(struct entrance) + LEDGER_BYTES +         \
     LEDGER_SHARES_BYTES + TARGET_END_BYTES)
#define TRACE_MARK_NEED (2 * PLAN_STEPS + OPS_MAX)
#define TRACE_CACHE_NEED (TARGET_TRACE_BYTES + TARGET_TRACE_TRAMPOLINE_BYTES + 2 * TARGET_END_BYTES)

/* How far along a path a plan has come. */
struct walk {
    const struct path *path;
    unsigned block;   /* the number of the block whose code is scanned now */
    unsigned guards;  /* branches and targets that are guarded */
    unsigned targets; /* of these, indirect ones */
    uint64_t bytes;   /* that its code takes at the most */
};

/* Where the program went on behind the block; 0 if that is not known. */
static guest_addr following(const struct walk *walk)
{
    return walk->block + 1 < walk->path->count ? walk->path->blocks[walk->block + 1]
                                               : walk->path->next;
}

static bool is_last(const struct walk *walk)
{
    return walk->block + 1 >= walk->path->count;
}

/* The plan ends with a branch, both ways of which leave it. */
static bool end_with_branch(struct step *branch)
{
    /* Of the two ways one needs a jump more: as in build.c, the one that leaves a loop. */
    if (branch->value > branch->pc) {
        branch->flags = STEP_TURNED;
    }
    return false;
}

/* Each of these returns whether the plan goes on at plan->pc. */

static bool pass_branch(struct walk *walk, struct plan *plan, struct step *branch)
{
    const guest_addr next = following(walk);
    const bool taken = next == branch->value;

    if (next == 0 || is_last(walk) || (!taken && next != step_end(branch)) ||
        plan->side_count >= TRACE_SIDES || !target_can_guard(branch)) {
        return end_with_branch(branch);
    }
    branch->kind = STEP_GUARD;
    if (taken) {
        branch->flags = STEP_TURNED;
        branch->value = step_end(branch);
    }
    plan->side_count++;
    plan->pc = next;
    walk->block++;
    walk->guards++;
    return true;
}

/* What a fragment follows is no end of a block; what it does not follow leads to the next. */
static bool pass_direct(const struct translator *translator, struct walk *walk, struct plan *plan,
                        struct step *jump)
{
    if (build_follows(translator, jump)) {
        plan->pc = jump->value;
        return true;
    }
    if (is_last(walk) || following(walk) != jump->value || (jump->flags & STEP_STORES) != 0) {
        jump->flags = STEP_LEAVES;
        return false;
    }
    walk->block++;
    walk->guards++; /* a jump less is a gain, too */
    plan->pc = jump->value;
    return true;
}

static bool pass_indirect(const struct translator *translator, struct walk *walk, struct plan *plan,
                          struct step *jump)
{
    const guest_addr next = following(walk);

    if (next == 0 || walk->targets == TRACE_TARGETS || !target_can_guard(jump)) {
        if (jump->kind == STEP_INDIRECT_CALL && placement_counts_calls(&translator->placement)) {
            jump->flags = STEP_MARKED;
        }
        return false;
    }
    if (jump->kind == STEP_RETURN) {
        jump->flags = STEP_RETURNS | (target_returns_to(plan, next) ? STEP_KNOWN : 0);
    } else if (jump->kind == STEP_INDIRECT_CALL) {
        jump->flags = STEP_CALLS;
    }
    jump->kind = STEP_GUARD_TARGET;
    jump->value = next;
    const guest_addr second = walk->path->second[walk->block];
    if ((jump->flags & STEP_KNOWN) == 0 && second != 0 && plan->side_count < TRACE_SIDES) {
        plan_add(plan, STEP_SECOND_TARGET, jump->pc, 0)->value = second;
        plan->side_count++;
    }
    plan->pc = next;
    walk->targets++;
    walk->guards++;
    if (is_last(walk)) {
        plan_go_on(plan);
        return false;
    }
    walk->block++;
    return true;
}

static bool pass(const struct translator *translator, struct walk *walk, struct plan *plan)
{
    struct step *last = plan->end - 1;

    switch (last->kind) {
    case STEP_BRANCH:
        return pass_branch(walk, plan, last);
    case STEP_JUMP:
    case STEP_CALL:
        return pass_direct(translator, walk, plan, last);
    case STEP_INDIRECT_JUMP:
    case STEP_INDIRECT_CALL:
    case STEP_RETURN:
        return pass_indirect(translator, walk, plan, last);
    case STEP_SYSTEM_CALL:
    case STEP_SYNC:
        return false;
    default: /* straight code that was cut */
        return true;
    }
}

/* The loop whose head `pc` is, if that is counted where a trace passes it. */
static struct loop *loop_at(const struct translator *translator, guest_addr pc)
{
    const struct fragment *fragment = index_find(&translator->index, pc);

    return fragment != NULL && fragment->loop != NULL && !fragment->loop->hidden ? fragment->loop
                                                                                 : NULL;
}

/* Back to where the plan was: it ends there. */
static void end_before(struct plan *plan, struct step *end, guest_addr pc)
{
    while (plan->end != end) {
        const struct step *step = --plan->end;
        plan->code_end -= step->bytes;
        plan->side_count -= step_exits(step) != 0 && !step_ends(step);
    }
    plan->pc = pc;
    plan_go_on(plan);
}

/* Scans and decides, up to the next transfer of control.  False if the trace goes on no further. */
static bool add_part(struct translator *translator, struct walk *walk, struct plan *plan)
{
    struct step *const before = plan->end;
    const guest_addr pc = plan->pc;
    const unsigned block = walk->block;

    if (!optimizer_may_change(translator, pc) || !build_scan(translator, plan)) {
        plan_go_on(plan);
        return false;
    }
    const bool more = pass(translator, walk, plan);
    for (const struct step *step = before; step != plan->end; step++) {
        walk->bytes += target_trace_bytes(step);
    }
    if (walk->bytes > TARGET_TRACE_BYTES) {
        end_before(plan, before, pc);
        return false;
    }
    if (before->kind == STEP_JUMP && before != plan->steps && before[-1].kind == STEP_BLOCK &&
        loop_at(translator, pc) != NULL) {
        end_before(plan, before - 1, pc); /* it takes no code, and could not be counted here */
        return false;
    }
    if (more && plan->instructions + TARGET_WHOLE_INSTRUCTIONS > TRACE_INSTRUCTIONS) {
        plan_go_on(plan);
        return false;
    }
    if (more && walk->block != block) {
        plan_add(plan, STEP_BLOCK, plan->pc, 0)->value = plan->pc;
    }
    return more;
}

bool trace_plan(struct context *context, const struct path *path, struct plan *plan,
                unsigned *straightened)
{
    struct translator *translator = context->translator;
    struct walk walk = {.path = path, .block = 0, .guards = 0, .targets = 0, .bytes = 0};

    plan_begin(plan, path->blocks[0]);
    plan->limit = TRACE_INSTRUCTIONS;
    context->reading = 1;
    while (add_part(translator, &walk, plan)) {
    }
    context->reading = 0;
    if (context->spoiled != 0) {
        context->spoiled = 0;
        return false;
    }
    /* A head that takes no code could not be counted where its trace begins; and one whose block alone is too long for a
     * trace would lead to itself. */
    *straightened = walk.guards;
    return optimizer_may_change(translator, plan->start) && !plan->careful &&
           plan->steps[0].kind != STEP_JUMP && plan->steps[0].kind != STEP_ON;
}

/* A jump from near the one reaches what is near the other. */
static bool reaches(const uint8_t *from, const uint8_t *to)
{
    const int64_t reach = TARGET_JUMP_REACH - 2 * TARGET_END_BYTES;

    return from - to < reach && to - from < reach;
}

static bool has_room(struct translator *translator)
{
    const struct pool *pool = &translator->pool;
    const struct marks *marks = &translator->marks;

    return (space_has_room(translator) || space_use_more(translator)) &&
           (size_t)(pool->end - pool->next) >= TRACE_POOL_NEED &&
           marks->end - marks->next >= TRACE_MARK_NEED &&
           cache_reserve(&translator->cache, TRACE_CACHE_NEED);
}

void trace_attach(struct translator *translator, struct fragment *fragment, struct fragment *trace)
{
    fragment->trace = trace;
    fragment->landing = trace != NULL ? trace->landing : fragment->entry;
    target_redirect(translator, fragment,
                    trace != NULL ? trace->landing - TARGET_INDIRECT_ENTRY_BYTES : NULL);
    link_again(translator, fragment);
}

/* What the trace is left to often becomes the beginning of another one.  An exact counter in software would cost more
 * than that could gain. */
static void let_grow(const struct translator *translator, struct fragment *trace)
{
    if (translator->options.counters == COUNTERS_SW_EXACT || !translator->options.detector->grows) {
        return;
    }
    for (uint64_t i = 0; i < trace->exit_count; i++) {
        struct exit *exit = &trace->exits[i];
        if (exit->kind == EXIT_DIRECT && !exit->counts && exit->target != trace->start) {
            exit->counts = exit->grows = true;
        }
    }
}

bool trace_lead(struct translator *translator, struct loop *loop, struct fragment *trace,
                struct ledger *ledger)
{
    struct fragment *old = loop->fragment->trace;

    if (!translator->counts->kind->lead(translator, loop, trace)) {
        return false;
    }
    if (old != NULL) {
        translator->cache.dead_bytes += (size_t)(old->end - old->code);
        ledger_undone(loop);
    }
    if (ledger != NULL) {
        translator->cache.dead_bytes -= (size_t)(trace->end - trace->code);
        ledger->told.undone = false;
    }
    loop->ledger = ledger;
    loop->traced = trace != NULL;
    return true;
}

void trace_drop_holders(struct translator *translator, struct fragment *fragment)
{
    for (const struct holder *at = fragment->holders; at != NULL; at = at->next) {
        if (at->head->trace == at->trace) {
            trace_lead(translator, at->head->loop, NULL, NULL);
            trial_record_again(translator, at->head->loop);
            translator->optimizer->totals.changed++;
        }
        trial_forget(at->head->loop, at->trace);
    }
    fragment->holders = NULL;
}

/* Whether the plan has the same code for each block of it that the block's fragment was made from, so that both go when
 * that changes. */
static bool is_current(const struct translator *translator, const struct plan *plan)
{
    const uint8_t *code = plan->code;
    const struct fragment *fragment = index_find(&translator->index, plan->start);
    uint64_t bytes = 0;

    for (const struct step *step = plan->steps; step != plan->end; step++) {
        if (step->kind == STEP_BLOCK) {
            fragment = index_find(&translator->index, step->value);
            bytes = 0;
        }
        if (fragment == NULL || fragment->guarded ||
            !originals_have(fragment->original, code, bytes, step->bytes)) {
            return false;
        }
        code += step->bytes;
        bytes += step->bytes;
    }
    return true;
}

static struct holder *note_holder(struct translator *translator, struct fragment *of,
                                  struct fragment *head, const uint8_t *tag)
{
    struct holder *holder = pool_take(&translator->pool, sizeof *holder);

    *holder = (struct holder){
        .head = head, .trace = head->trace, .passage = {.tag = tag}, .next = of->holders};
    of->holders = holder;
    return holder;
}

/* The heads of other loops are counted in the trace, too.  A block whose fragment has gone is of code that does not
 * change: else there would be no trace. */
static void note_holders(struct translator *translator, const struct plan *plan,
                         struct fragment *head, const uint8_t *const *blocks)
{
    note_holder(translator, head, head, NULL);
    for (const struct step *step = plan->steps; step != plan->end; step++) {
        if (step->kind != STEP_BLOCK) {
            continue;
        }
        struct fragment *of = index_find(&translator->index, step->value);
        if (of != NULL) {
            struct holder *holder = note_holder(translator, of, head, *blocks);
            if (of->loop != NULL && !of->loop->hidden) {
                count_passed(translator, of->loop, &holder->passage);
            }
        }
        blocks++;
    }
}

/* What may be executed more at the entrance, for each register that is compared; and the fewest turns for which that pays. */
#define COMPARISON_COST 3
#define SPECIAL_TURNS 4
/* Whether a turn takes so much less than in the trace that the loop leads to that this is worth it. */
static bool pays_entrance(const struct arranged *placed, const struct fragment *trace)
{
    const unsigned compared = count_bits(placed->compared);

    return compared <= TRACE_COMPARISONS &&
           placed->length + compared * COMPARISON_COST / SPECIAL_TURNS < trace->instructions;
}

/* What passes make of the plan, which is the loop's of `fragment`; NULL if it stays as it is. */
static const struct arranged *optimize(struct translator *translator, const struct plan *plan,
                                       const struct fragment *fragment, struct recipe recipe,
                                       const struct looks *looks)
{
    struct optimizer *optimizer = translator->optimizer;
    struct ops *ops = &optimizer->ops;
    struct arranged *placed = &optimizer->placed;

    ops->passes = translator->options.passes;
    ops->alone = !translator->threaded && !translator->shares_memory;
    ops->adds_loads = !translator->shares_memory; /* what is shared may be a device's */
    ops->assumed = 0;
    placed->plain_length = 0;
    if (ops->passes == 0 || !target_open(plan, ops) || !number_run(ops) ||
        (recipe.special && !specialize_run(ops, looks->same, looks->values))) {
        return NULL;
    }
    if (recipe.ahead) {
        ahead_find(translator, fragment->loop, ops);
    } else {
        ops->ahead_count = 0;
    }
    /* Not where a counter stands in front of each turn. */
    const bool puts_away = ops->loops && recipe.spares && !ops->plain_sides &&
                           translator->options.counters != COUNTERS_SW_EXACT;
    const uint32_t spares = puts_away ? TARGET_KEPT_REGISTERS : 0;
    if (!place_run(&optimizer->place, ops, spares, placed) ||
        (recipe.special && !pays_entrance(placed, fragment->trace)) ||
        target_placed_bytes(plan, ops, placed) > TARGET_TRACE_BYTES) {
        return NULL;
    }
    optimizer->passed += placed->plain;
    if (placed->executed >= placed->plain && placed->touches == 0) {
        return NULL;
    }
    optimizer->left_out += placed->executed < placed->plain ? placed->plain - placed->executed : 0;
    return placed;
}

/* Of a trace of the loop of `fragment`, which leads to another one so far, if it compares registers where it is entered. */
static struct entrance *make_entrance(struct translator *translator,
                                      const struct fragment *fragment,
                                      const struct arranged *placed)
{
    if (placed == NULL || placed->compared == 0) {
        return NULL;
    }
    struct entrance *entrance = pool_take(&translator->pool, sizeof *entrance);
    *entrance = (struct entrance){.exit = {.kind = EXIT_DIFFERS, .target = fragment->start},
                                  .saves = fragment->trace->instructions - placed->length};
    return entrance;
}

/* Who observes the processor wants to know.  The path ends with the branch that it ends with, or where the program is led
 * elsewhere.  One that is a single fragment needs no other code: the fragment is told of as its trace. */
SELDOM static void tell(struct translator *translator, const struct plan *plan,
                        const struct fragment *trace)
{
    const uint8_t *end = plan->end[-1].kind == STEP_BRANCH
                             ? target_exit_begin(&trace->exits[0])
                             : target_last_way(trace, trace->exit_count > plan->side_count);

    target_sync(translator, CODE_TRACE, trace->entry, end);
}

enum trace_made trace_make(struct context *context, struct fragment *fragment,
                           const struct path *chosen, struct recipe recipe,
                           const struct looks *looks)
{
    struct path unrolled;
    const struct path *path = chosen;
    struct translator *translator = context->translator;
    struct optimizer *optimizer = translator->optimizer;
    struct plan *plan = &translator->plan;

    if (!has_room(translator) || !reaches(fragment->code, translator->cache.fragments)) {
        optimizer->totals.abandoned++;
        return TRACE_IMPOSSIBLE;
    }
    if (recipe.unrolled) {
        unrolled = *chosen;
        unroll(&unrolled);
        path = &unrolled;
    }
    unsigned straightened;
    const bool planned = trace_plan(context, path, plan, &straightened);
    const struct arranged *placed =
        planned && recipe.passes ? optimize(translator, plan, fragment, recipe, looks) : NULL;
    if (recipe.special && placed == NULL) {
        return TRACE_NO_BETTER;
    }
    const bool gains = straightened != 0 || placed != NULL;
    const bool later = recipe.passes ? !recipe.measured && ahead_measures(translator)
                                     : translator->options.passes != 0;
    if (planned && !gains && later) {
        return TRACE_TOO_EARLY;
    }
    if (!planned || (!gains && !recipe.measured)) {
        if (UNLIKELY(planned && translator->options.tells_traces)) {
            tell(translator, plan, fragment);
        }
        optimizer->totals.plain++;
        return TRACE_IMPOSSIBLE;
    }
    if (translator->changes.indexed && !is_current(translator, plan)) {
        optimizer->totals.abandoned++;
        return TRACE_IMPOSSIBLE;
    }
    if (recipe.ahead && ahead_must(fragment->loop) && (placed == NULL || placed->touches == 0)) {
        return TRACE_IMPOSSIBLE;
    }
    const uint8_t *blocks[TRACE_BLOCKS];
    struct log *log = NULL;
    const struct emission_special special = {
        .blocks = blocks,
        .ops = &optimizer->ops,
        .placed = placed,
        .way_outs = optimizer->way_outs,
        .shares = placed != NULL && ledger_counts(translator) ? optimizer->shares : NULL,
        .entrance = make_entrance(translator, fragment, placed),
        .log = &log};
    struct fragment *trace = build_emit(translator, plan, &special);
    if (UNLIKELY(translator->options.tells_traces)) {
        tell(translator, plan, trace);
    }
    trace->entrance = special.entrance;
    trace->instructions = (uint16_t)(placed != NULL  ? placed->length
                                     : recipe.passes ? optimizer->placed.plain_length
                                                     : 0);
    if (log != NULL) {
        optimizer_add_log(optimizer, log);
    }
    if (!trace_lead(translator, fragment->loop, trace, NULL)) {
        translator->cache.dead_bytes += (size_t)(trace->end - trace->code);
        optimizer->totals.abandoned++;
        return TRACE_IMPOSSIBLE;
    }
    note_holders(translator, plan, fragment, blocks);
    ledger_open(translator, fragment, plan, &special);
    struct path *kept = pool_take(&translator->pool, sizeof *kept);
    *kept = *path;
    trace->path = kept;
    let_grow(translator, trace);
    build_link(translator, trace);
    optimizer->totals.traces++;
    optimizer->totals.special += trace->entrance != NULL;
    return TRACE_MADE;
}
