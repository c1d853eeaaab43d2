/* Writes a plan into the cache as RV64 code. */
#include "translator/rv64/emit.h"

#include "base/check.h"
#include "isa/rv64/decode.h"

static unsigned field(uint32_t word, unsigned low)
{
    return word >> low & 31;
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

/* An instruction that names tp, with another register in tp's place that is none of its own. */
static void emit_with_tp(struct emitter *emitter, uint32_t word)
{
    struct rv64_insn insn;
    rv64_decode(word, &insn);
    const uint32_t flags = rv64_row(insn.op)->flags;
    const bool reads_rs1 = flags & INSN_RS1_INT && field(word, 15) == TP;
    const bool reads_rs2 = flags & INSN_RS2_INT && field(word, 20) == TP;
    const bool writes = flags & INSN_RD_INT && field(word, 7) == TP;
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
static void emit_branch(struct emitter *emitter, const struct step *step, struct exit *exits)
{
    const uint32_t word =
        (step->flags & STEP_TURNED) != 0 ? step->detail ^ BRANCH_OPPOSITE : step->detail;

    emit_alignment(emitter);
    if (UNLIKELY(field(word, 15) == TP || field(word, 20) == TP)) {
        emit_branch_with_tp(emitter, word, exits);
        return;
    }
    uint8_t *branch = emitter->at;
    emit_word(emitter, word | branch_offset_bits(8));
    emit_exit(emitter, &exits[0], NULL);
    emit_exit(emitter, &exits[1], branch);
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

/* Whoever comes through a register has the program's a0 in the context, and takes it back here. */
static void emit_beginning(struct emitter *emitter, unsigned lookup)
{
    struct fragment *fragment = emitter->fragment;

    emit_alignment(emitter);
    fragment->code = emitter->at;
    if (UNLIKELY(lookup != LOOKUP_INLINE)) {
        emit_check(emitter, lookup);
    }
    emit_restore(emitter, A0, CONTEXT_X(A0));
    fragment->entry = fragment->landing = emitter->at;
}

/* In halves, since the cache is aligned to no more; eight bytes at a time, for runs are short. */
static void emit_copy(struct emitter *emitter, const uint8_t *code, unsigned bytes)
{
    const uint16_t *from = (const uint16_t *)(const void *)code;
    uint16_t *to = (uint16_t *)(void *)emitter->at;
    const uint16_t *end = from + bytes / 2;

    emitter->at += bytes;
    while (from + 4 <= end) {
        const uint16_t a = from[0], b = from[1], c = from[2], d = from[3];
        to[0] = a;
        to[1] = b;
        to[2] = c;
        to[3] = d;
        from += 4;
        to += 4;
    }
    while (from < end) {
        *to++ = *from++;
    }
}

/* What is neither a copy nor a branch. */
static void emit_other(struct emitter *emitter, const struct step *step)
{
    struct fragment *fragment = emitter->fragment;
    const uint32_t detail = step->detail;

    switch (step->kind) {
    case STEP_REWRITE:
        emit_with_tp(emitter, detail);
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
                                  const struct step *step, const uint8_t *code,
                                  struct side *sides, unsigned sides_before)
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

void target_emit(const struct plan *plan, struct emission *emission)
{
    struct emitter emitter = {
        .translator = emission->translator, .at = emission->at, .fragment = emission->fragment};
    struct fragment *fragment = emission->fragment;
    const uint8_t *code = plan->code;
    struct side sides[TARGET_SIDES];
    unsigned side_count = 0;

    emit_beginning(&emitter, emission->lookup);
    const uint8_t *run = emitter.at;
    for (const struct step *step = plan->steps; step != plan->end; code += step++->bytes) {
        if (step->kind == STEP_COPY) {
            emit_copy(&emitter, code, step->bytes);
            continue;
        }
        if (UNLIKELY(step->kind == STEP_SIDE)) {
            continue;
        }
        state_add_mark(&emitter.translator->marks, run, emitter.at, step->pc);
        if (LIKELY(step->kind == STEP_BRANCH)) {
            emit_branch(&emitter, step, fragment->exits);
        } else if (UNLIKELY(step->kind == STEP_WHOLE)) {
            side_count = emit_whole(&emitter, plan, step, code, sides, side_count);
        } else {
            emit_other(&emitter, step);
        }
        run = emitter.at;
    }
    if (UNLIKELY(side_count != 0)) {
        emit_sides(&emitter, sides, side_count,
                   fragment->exits + fragment->exit_count - plan->side_count);
    }
    fragment->end = emitter.at;
    emission->lookup_site = emitter.lookup_site;
}
