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

/* An instruction that names tp in some of its `operands`, with another register in tp's place that is none of
 * its own. */
static void emit_with_tp(struct emitter *emitter, uint32_t word, unsigned operands)
{
    const bool reads_rs1 = operands & OPERANDS_RS1 && field(word, 15) == TP;
    const bool reads_rs2 = operands & OPERANDS_RS2 && field(word, 20) == TP;
    const bool writes = operands & OPERANDS_RD && field(word, 7) == TP;
    const unsigned borrowed = choose_borrowed(word);

    emit_save(emitter, borrowed, CONTEXT_SPARE);
    if (reads_rs1 || reads_rs2) {
        emit_restore(emitter, borrowed, CONTEXT_X(TP));
    }
    /* In each field tp's number becomes the other's. */
    const uint32_t change = TP ^ borrowed;
    word ^= (reads_rs1 ? change << 15 : 0) | (reads_rs2 ? change << 20 : 0) |
            (writes ? change << 7 : 0);
    state_note_own(&emitter->translator->marks, emitter->at);
    emit_word(emitter, word);
    if (writes) {
        emit_save(emitter, borrowed, CONTEXT_X(TP));
    }
    emit_restore(emitter, borrowed, CONTEXT_SPARE);
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

static bool branch_names_tp(uint32_t word)
{
    return field(word, 15) == TP || field(word, 20) == TP;
}

SELDOM static void emit_branch_slowly(struct emitter *emitter, uint32_t word, struct exit *exits)
{
    emit_alignment(emitter);
    if (branch_names_tp(word)) {
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

/* What is neither a copy nor a branch. */
__attribute__((noinline)) static void emit_other(struct emitter *emitter, const struct step *step)
{
    struct fragment *fragment = emitter->fragment;
    const uint32_t detail = step->detail;

    switch (step->kind) {
    case STEP_REWRITE:
        emit_with_tp(emitter, detail, (unsigned)step->value);
        break;
    case STEP_CONSTANT:
        emit_register_constant(emitter, detail, step->value);
        break;
    case STEP_CALL:
        emit_return_address(emitter, field(detail, 7), step_end(step));
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
        emit_leave(emitter, fragment->exits);
        break;
    default:
        ASSERT(step == NULL); /* no such step */
    }
}

/* Of a whole, the ways out of its middle are the steps behind it. */
SELDOM static unsigned emit_whole(struct emitter *emitter, const struct plan *plan,
                                  const struct step *step, const uint8_t *code, struct side *sides,
                                  unsigned sides_before)
{
    struct fragment *fragment = emitter->fragment;
    struct exit *exits = fragment->exits + fragment->exit_count - plan->side_count;
    unsigned count = 0;

    while (step[1 + count].kind == STEP_SIDE) {
        count++;
    }
    whole_emit(emitter, step, code, exits + sides_before, sides + sides_before);
    return sides_before + count;
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

void target_emit(const struct plan *plan, struct emission *emission)
{
    struct translator *translator = emission->translator;
    struct fragment *fragment = emission->fragment;
    struct emitter emitter = {
        .translator = translator, .at = emission->at, .fragment = fragment, .lookup_site = NULL};
    const uint8_t *const trampolines_end = translator->cache.trampolines;
    const uint8_t *code = plan->code;
    struct side sides[TARGET_SIDES];
    unsigned side_count = 0;
    uint8_t *at;

    if (LIKELY(emission->lookup == LOOKUP_INLINE)) {
        at = write_beginning(fragment, emission->at);
    } else {
        emit_beginning_with_check(&emitter, emission->lookup);
        at = emitter.at;
    }
    fragment->entry = fragment->landing = at;
    const uint8_t *run = at;
    for (const struct step *step = plan->steps; step != plan->end; code += step++->bytes) {
        if (step->kind == STEP_COPY) {
            at = copy_run(at, code, step->bytes);
            continue;
        }
        if (UNLIKELY(step->kind == STEP_SIDE)) {
            continue;
        }
        state_add_mark(&translator->marks, run, at, step->pc);
        const uint32_t turned = (step->flags & STEP_TURNED) != 0 ? BRANCH_OPPOSITE : 0;
        const uint32_t word = step->detail ^ turned;
        if (step->kind == STEP_BRANCH && LIKELY(!translator->threaded && !branch_names_tp(word))) {
            at = write_branch(translator, at, word, fragment->exits);
            break;
        }
        emitter.at = at;
        if (step->kind == STEP_BRANCH) {
            emit_branch_slowly(&emitter, word, fragment->exits);
        } else if (UNLIKELY(step->kind == STEP_WHOLE)) {
            side_count = emit_whole(&emitter, plan, step, code, sides, side_count);
        } else {
            emit_other(&emitter, step);
        }
        run = at = emitter.at;
    }
    if (UNLIKELY(side_count != 0)) {
        emitter.at = at;
        emit_sides(&emitter, sides, side_count,
                   fragment->exits + fragment->exit_count - plan->side_count);
        at = emitter.at;
    }
    fragment->end = at;
    publish(fragment, emitter.lookup_site, translator, trampolines_end);
}
