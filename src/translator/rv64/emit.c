/* Writes a plan into the cache as RV64 code. */
#include "translator/rv64/emit.h"
#include "translator/rv64/opcodes.h"

#include "base/check.h"

static unsigned field(uint32_t word, unsigned low)
{
    return word >> low & 31;
}

/* What emit_exit does, at `at`; returns what is behind the jump. */
static uint8_t *write_exit(struct translator *translator, uint8_t *at, struct exit *exit,
                           uint8_t *branch)
{
    uint8_t *place = translator->cache.trampolines - TRAMPOLINE_BYTES - translator->far_way_bytes;

    translator->cache.trampolines = place;
    *(struct trampoline *)(void *)place =
        (struct trampoline){TRAMPOLINE_SAVE_AND_LOAD, TRAMPOLINE_LEAVE, exit};
    exit->site.jump = at;
    exit->site.branch = branch;
    exit->site.trampoline = place;
    put_word(at, word_jal_forward(X0, place - at));
    return at + 4;
}

void emit_exit(struct emitter *emitter, struct exit *exit, uint8_t *branch)
{
    emitter->at = write_exit(emitter->translator, emitter->at, exit, branch);
}

/* A register that none of the three fields of `word` names. */
static unsigned choose_borrowed(uint32_t word)
{
    unsigned borrowed = A0;

    while (field(word, 7) == borrowed || field(word, 15) == borrowed ||
           field(word, 20) == borrowed) {
        borrowed++;
    }
    return borrowed;
}

/* The same instruction with another register where tp stands in some of its `operands`. */
static uint32_t replace_tp(uint32_t word, unsigned operands, unsigned by)
{
    const uint32_t change = TP ^ by;

    return word ^ ((operands & OPERANDS_RS1 && field(word, 15) == TP ? change << 15 : 0) |
                   (operands & OPERANDS_RS2 && field(word, 20) == TP ? change << 20 : 0) |
                   (operands & OPERANDS_RD && field(word, 7) == TP ? change << 7 : 0));
}

static bool reads(uint32_t word, unsigned operands, unsigned reg)
{
    return (operands & OPERANDS_RS1 && field(word, 15) == reg) ||
           (operands & OPERANDS_RS2 && field(word, 20) == reg);
}

static bool writes(uint32_t word, unsigned operands, unsigned reg)
{
    return operands & OPERANDS_RD && field(word, 7) == reg;
}

/* An instruction that names tp in some of its `operands`, with `held` in tp's place. */
static void emit_with_tp(struct emitter *emitter, uint32_t word, unsigned operands, unsigned held)
{
    if (reads(word, operands, TP)) {
        emit_restore(emitter, held, CONTEXT_X(TP));
    }
    state_note_own(&emitter->translator->marks, emitter->at);
    emit_word(emitter, replace_tp(word, operands, held));
    if (writes(word, operands, TP)) {
        emit_save(emitter, held, CONTEXT_X(TP));
    }
}

/* With a register in its place that is none of the instruction's own. */
static void emit_with_borrowed(struct emitter *emitter, uint32_t word, unsigned operands)
{
    const unsigned borrowed = choose_borrowed(word);

    emit_save(emitter, borrowed, CONTEXT_SPARE);
    emit_with_tp(emitter, word, operands, borrowed);
    emit_restore(emitter, borrowed, CONTEXT_SPARE);
}

/* Where gp is the translator's: an instruction that names it, or tp, or both.  The program's gp comes to gp for the
 * moment; if it is not named, gp takes tp's place. */
SELDOM static void emit_beside_scratch(struct emitter *emitter, uint32_t word, unsigned operands)
{
    const bool reads_gp = reads(word, operands, GP), writes_gp = writes(word, operands, GP);

    if (!reads_gp && !writes_gp) {
        emit_with_tp(emitter, word, operands, GP);
        return;
    }
    if (reads_gp) {
        emit_restore(emitter, GP, CONTEXT_X(GP));
    }
    if (reads(word, operands, TP) || writes(word, operands, TP)) {
        emit_with_borrowed(emitter, word, operands);
    } else {
        state_note_own(&emitter->translator->marks, emitter->at);
        emit_word(emitter, word);
    }
    if (writes_gp) {
        emit_save(emitter, GP, CONTEXT_X(GP));
    }
}

/* tp's own value comes from the context.  The second exit is where the branch goes. */
SELDOM static void emit_branch_with_tp(struct emitter *emitter, uint32_t word, struct exit *exits)
{
    const unsigned rs1 = field(word, 15), rs2 = field(word, 20);
    unsigned borrowed = A0;
    while (rs1 == borrowed || rs2 == borrowed) {
        borrowed++;
    }
    emit_save(emitter, borrowed, CONTEXT_SPARE);
    emit_restore(emitter, borrowed, CONTEXT_X(TP));
    word &= ~(31u << 15 | 31u << 20);
    emit_word(emitter, word_r(word, 0, rs1 == TP ? borrowed : rs1, rs2 == TP ? borrowed : rs2) |
                           branch_offset_bits(12));
    emit_restore(emitter, borrowed, CONTEXT_SPARE);
    emit_exit(emitter, &exits[0], NULL);
    emit_restore(emitter, borrowed, CONTEXT_SPARE);
    emit_exit(emitter, &exits[1], NULL);
}

/* A branch, and a jump for each way out: b +8; j; j.  Linked, the branch itself may go to one of the two
 * targets, and the other takes a jump more: each is one word to patch. */
static uint8_t *write_branch(struct translator *translator, uint8_t *at, uint32_t word,
                             struct exit *exits)
{
    put_word(at, word | branch_offset_bits(8));
    return write_exit(translator, write_exit(translator, at + 4, &exits[0], NULL), &exits[1], at);
}

static bool branch_names(uint32_t word, unsigned reg)
{
    return field(word, 15) == reg || field(word, 20) == reg;
}

/* gp and tp are neighbours. */
static bool branch_names_own(uint32_t word)
{
    return field(word, 15) - GP <= TP - GP || field(word, 20) - GP <= TP - GP;
}

SELDOM static void emit_branch_slowly(struct emitter *emitter, uint32_t word, struct exit *exits)
{
    if (emitter->translator->process.owns_gp != 0 && branch_names(word, GP)) {
        emit_restore(emitter, GP, CONTEXT_X(GP));
    }
    emit_alignment(emitter);
    if (branch_names(word, TP)) {
        emit_branch_with_tp(emitter, word, exits);
    } else {
        emitter->at = write_branch(emitter->translator, emitter->at, word, exits);
    }
}

static void emit_leave(struct emitter *emitter, struct exit *exit)
{
    emit_alignment(emitter);
    emit_exit(emitter, exit, NULL);
}

/* What must be remembered while code is written, and is too much for the stack of a function that all fragments go
 * through. */
struct parts {
    struct special_emitter special;
    struct side
        sides[TARGET_SIDES +
              TRACE_SIDES]; /* branches out of the middle, whose exits follow behind the end */
};
_Static_assert(sizeof(struct parts) <= sizeof((struct target_process *)NULL)->parts,
               "target_facts.h has room for it");

static struct parts *parts_of(const struct emitter *emitter)
{
    return (struct parts *)(void *)emitter->translator->process.parts;
}

void emit_side_branch(struct emitter *emitter, uint32_t word, const struct item *item)
{
    parts_of(emitter)->sides[emitter->side_count++] =
        (struct side){.branch = emitter->at, .held = 0, .item = item};
    emit_word(emitter, word);
}

void emit_no_side(struct emitter *emitter)
{
    emitter->special->side_exits[emitter->side_count].kind = EXIT_NEVER;
    parts_of(emitter)->sides[emitter->side_count++] = (struct side){.branch = NULL, .held = 0};
}

/* A branch of a trace leaves it from the middle. */
static void emit_guard(struct emitter *emitter, const struct step *step)
{
    const uint32_t turned = (step->flags & STEP_TURNED) != 0 ? BRANCH_OPPOSITE : 0;

    emit_alignment(emitter);
    emit_side_branch(emitter, step->detail ^ turned, NULL);
}

/* The exit of a second target is in the code of the guard before it. */
void emit_second_target(struct emitter *emitter)
{
    struct special_emitter *trace = emitter->special;

    trace->guards[trace->guard_count - 1].second = &trace->side_exits[emitter->side_count];
    parts_of(emitter)->sides[emitter->side_count++] = (struct side){.branch = NULL, .held = 0};
}

static void forget_gp(struct emitter *emitter, bool changes)
{
    if (UNLIKELY(emitter->special != NULL) && changes) {
        emitter->special->knows_gp = false;
    }
}

/* The exits of branches in the middle of the fragment. */
SELDOM static void emit_sides(struct emitter *emitter, const struct side *sides, unsigned count,
                              struct exit *exits)
{
    for (unsigned i = 0; i < count; i++) {
        uint8_t *branch = sides[i].branch;
        if (branch == NULL) {
            continue;
        }
        emit_alignment(emitter);
        put_word(branch, get_word(branch) | branch_offset_bits(emitter->at - branch));
        if (sides[i].item != NULL && items_has_way_out(emitter, sides[i].item)) {
            uint8_t *const stub = emitter->at;
            items_emit_way_out(emitter, sides[i].item);
            emit_alignment(emitter);
            emit_exit(emitter, &exits[i], NULL);
            exits[i].site.stub = stub;
            continue;
        }
        whole_give_back(emitter, sides[i].held);
        emit_exit(emitter, &exits[i], sides[i].held == 0 ? branch : NULL);
    }
}

/* What stands before the entry: whoever comes through a register has the program's a0 in the context, and
 * takes it back there. */
#define TAKE_BACK WORD_I(MATCH_ld, A0, TP, CONTEXT_X(A0))

/* Entries are aligned, so that their first run can be copied in few instructions; but for those with a check
 * before them, of which there are few. */
#define ENTRY_ALIGNMENT 8

static uint8_t *write_beginning(struct fragment *fragment, uint8_t *at)
{
    at += (TARGET_INDIRECT_ENTRY_BYTES - (uintptr_t)at) & (ENTRY_ALIGNMENT - 1);
    fragment->code = at;
    *(uint32_t *)(void *)at = TAKE_BACK;
    return at + 4;
}

SELDOM static void emit_beginning_with_check(struct emitter *emitter, unsigned lookup)
{
    emit_alignment(emitter);
    emitter->fragment->code = emitter->at;
    emit_check(emitter, lookup);
    emit_word(emitter, TAKE_BACK);
}

/* By eight bytes where both are aligned, which may write a few more than there are; else by halves. */
static uint8_t *copy_run(uint8_t *at, const uint8_t *code, unsigned bytes)
{
    uint8_t *const end = at + bytes;

    if (LIKELY((((uintptr_t)at | (uintptr_t)code) & 7) == 0)) {
        do {
            *(uint64_t *)(void *)at = *(const uint64_t *)(const void *)code;
            at += 8;
            code += 8;
        } while (at < end);
        return end;
    }
    while (at < end) {
        *(uint16_t *)(void *)at = *(const uint16_t *)(const void *)code;
        at += 2;
        code += 2;
    }
    return end;
}

/* Sides are written with the whole before them; the others say something of the steps around them, and have no mark. */
static bool step_has_code(const struct step *step)
{
    return step->kind < STEP_SIDE || step->kind > STEP_BLOCK;
}

SELDOM static void note_without_code(struct emitter *emitter, const struct step *step)
{
    if (step->kind == STEP_SECOND_TARGET) {
        emit_second_target(emitter);
    } else if (step->kind == STEP_BLOCK) {
        *emitter->special->blocks++ = emitter->at;
    }
}

/* What only traces have. */
SELDOM static void emit_trace_step(struct emitter *emitter, const struct step *step)
{
    switch (step->kind) {
    case STEP_GUARD:
        emit_guard(emitter, step);
        break;
    case STEP_GUARD_TARGET:
        guard_emit(emitter, step);
        break;
    default:
        ASSERT(step->kind == STEP_CALL);
        guard_emit_call(emitter, field(step->detail, 7), step_end(step));
    }
}

/* What is neither a copy nor a branch nor a whole. */
__attribute__((noinline)) void emit_step(struct emitter *emitter, const struct step *step)
{
    struct fragment *fragment = emitter->fragment;
    const uint32_t detail = step->detail;

    switch (step->kind) {
    case STEP_REWRITE:
        if (LIKELY(emitter->translator->process.owns_gp == 0)) {
            emit_with_borrowed(emitter, detail, (unsigned)step->value);
        } else {
            forget_gp(emitter, true);
            emit_beside_scratch(emitter, detail, (unsigned)step->value);
        }
        break;
    case STEP_CONSTANT:
        forget_gp(emitter, detail == GP || detail == TP);
        emit_register_constant(emitter, detail, step->value);
        break;
    case STEP_CALL:
        if (UNLIKELY(emitter->special != NULL)) {
            emit_trace_step(emitter, step);
        } else {
            emit_return_address(emitter, field(detail, 7), step_end(step));
        }
        /* fall through */
    case STEP_JUMP:
        if ((step->flags & STEP_LEAVES) != 0) {
            emit_leave(emitter, fragment->exits);
        }
        break;
    case STEP_RETURN:
        emit_return(emitter, step_end(step));
        break;
    case STEP_INDIRECT_JUMP:
    case STEP_INDIRECT_CALL:
        emit_indirect(emitter, field(detail, 7), field(detail, 15), (int32_t)detail >> 20,
                      step_end(step), (step->flags & STEP_MARKED) != 0);
        break;
    case STEP_SYSTEM_CALL:
    case STEP_SYNC:
        emit_exit(emitter, fragment->exits, NULL);
        break;
    case STEP_ON:
        emit_alignment(emitter);
        state_note_on(&emitter->translator->marks, emitter->at);
        emit_exit(emitter, fragment->exits, NULL);
        break;
    default:
        emit_trace_step(emitter, step);
    }
}

/* Of a whole, the ways out of its middle are the steps behind it. */
SELDOM void emit_whole(struct emitter *emitter, const struct plan *plan, const struct step *step,
                       const uint8_t *code)
{
    struct fragment *fragment = emitter->fragment;
    struct exit *exits = fragment->exits + fragment->exit_count - plan->side_count;
    const unsigned before = emitter->side_count;

    forget_gp(emitter, true);

    whole_emit(emitter, step, code, exits + before, parts_of(emitter)->sides + before);
    while (step[1].kind == STEP_SIDE) {
        emitter->side_count++;
        step++;
    }
}

void emit_last_step(struct emitter *emitter, const struct step *last)
{
    if (last->kind == STEP_BRANCH) {
        const uint32_t turned = (last->flags & STEP_TURNED) != 0 ? BRANCH_OPPOSITE : 0;
        emit_branch_slowly(emitter, last->detail ^ turned, emitter->fragment->exits);
    } else {
        emit_step(emitter, last);
    }
}

/* The processor sees the fragment, and the trampolines up to `trampolines_end`; the machine's statistics tell
 * them apart, and lookups too: `lookup_site` is what each that ends the fragment executes once, or NULL. */
static void publish(const struct fragment *fragment, const uint8_t *lookup_site,
                    struct translator *translator, const uint8_t *trampolines_end)
{
    const uint8_t *trampolines = translator->cache.trampolines;

    if (UNLIKELY(!translator->has_hardware)) {
        target_sync(translator, CODE_ALL, NULL, NULL);
        return;
    }
    target_sync(translator, CODE_FRAGMENT, fragment->code, fragment->end);
    if (lookup_site != NULL) {
        target_sync(translator, CODE_LOOKUP, lookup_site, lookup_site + sizeof(uint32_t));
    }
    target_sync(translator, CODE_TRAMPOLINE, trampolines, trampolines_end);
}

/* What is done where guarded targets turn out to be others; returns what is behind it. */
SELDOM static uint8_t *emit_misses(struct emitter *emitter, uint8_t *at)
{
    emitter->at = at;
    for (unsigned i = 0; i < emitter->special->guard_count; i++) {
        guard_emit_miss(emitter, &emitter->special->guards[i]);
    }
    return emitter->at;
}

SELDOM static void begin_special(const struct plan *plan, const struct emission_special *special,
                                 struct emitter *emitter)
{
    const struct fragment *fragment = emitter->fragment;
    struct special_emitter *trace = &parts_of(emitter)->special;

    trace->knows_gp = false;
    trace->records = special->records;
    trace->blocks = special->blocks;
    trace->side_exits = fragment->exits + fragment->exit_count - plan->side_count;
    trace->guard_count = 0;
    trace->plan = plan;
    trace->way_outs = special->way_outs;
    trace->shares = special->shares;
    trace->ops = special->ops;
    trace->placed = special->placed;
    trace->entrance = special->entrance;
    trace->log = NULL;
    emitter->special = trace;
}

void target_emit(const struct plan *plan, struct emission *emission)
{
    struct translator *translator = emission->translator;
    struct fragment *fragment = emission->fragment;
    struct emitter emitter = {.translator = translator,
                              .at = emission->at,
                              .fragment = fragment,
                              .special = NULL,
                              .side_count = 0,
                              .lookup_site = NULL};
    const uint8_t *const trampolines_end = translator->cache.trampolines;
    const uint8_t *code = plan->code;
    uint8_t *at;

    if (UNLIKELY(emission->special != NULL)) {
        begin_special(plan, emission->special, &emitter);
    }
    if (LIKELY(emission->lookup == LOOKUP_INLINE)) {
        at = write_beginning(fragment, emission->at);
    } else {
        emit_beginning_with_check(&emitter, emission->lookup);
        at = emitter.at;
    }
    fragment->entry = fragment->landing = at;
    const uint8_t *run = at;
    const struct step *first = plan->steps;
    if (UNLIKELY(emitter.special != NULL) && emitter.special->placed != NULL) {
        emitter.at = at;
        items_emit(&emitter, plan);
        at = emitter.at;
        first = plan->end;
    }
    for (const struct step *step = first; step != plan->end; code += step++->bytes) {
        if (step->kind == STEP_COPY) {
            at = copy_run(at, code, step->bytes);
            continue;
        }
        if (UNLIKELY(!step_has_code(step))) {
            emitter.at = at;
            note_without_code(&emitter, step);
            continue;
        }
        state_add_mark(&translator->marks, run, at, step->pc);
        const uint32_t turned = (step->flags & STEP_TURNED) != 0 ? BRANCH_OPPOSITE : 0;
        const uint32_t word = step->detail ^ turned;
        if (step->kind == STEP_BRANCH && LIKELY(!translator->threaded && !branch_names_own(word))) {
            at = write_branch(translator, at, word, fragment->exits);
            break;
        }
        emitter.at = at;
        if (step->kind == STEP_BRANCH) {
            emit_branch_slowly(&emitter, word, fragment->exits);
        } else if (UNLIKELY(step->kind == STEP_WHOLE)) {
            emit_whole(&emitter, plan, step, code);
        } else {
            emit_step(&emitter, step);
        }
        run = at = emitter.at;
    }
    if (UNLIKELY(emitter.side_count != 0)) {
        emitter.at = at;
        emit_sides(&emitter, parts_of(&emitter)->sides, emitter.side_count,
                   fragment->exits + fragment->exit_count - plan->side_count);
        at = emitter.at;
    }
    if (UNLIKELY(emitter.special != NULL)) {
        at = emit_misses(&emitter, at);
    }
    if (UNLIKELY(emitter.special != NULL) && emitter.special->placed != NULL) {
        items_emit_rest(&emitter);
        at = emitter.at;
        *emission->special->log = emitter.special->log;
    }
    fragment->end = at;
    publish(fragment, emitter.lookup_site, translator, trampolines_end);
}
