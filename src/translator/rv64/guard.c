/* Guards of traces: branches, and comparisons of indirect targets with the one that was seen. */
#include "translator/rv64/emit.h"
#include "translator/rv64/opcodes.h"

#include "base/check.h"
#include "isa/rv64/decode.h"

static unsigned field(uint32_t word, unsigned low)
{
    return word >> low & 31;
}

static bool is_own(unsigned reg)
{
    return reg == TP || reg == GP;
}

/* gp and tp are not where the program has them. */
bool target_can_guard(const struct step *step)
{
    const bool branch = step->kind == STEP_BRANCH;

    return !is_own(field(step->detail, 15)) && (!branch || !is_own(field(step->detail, 20)));
}

/* Whether any of the instructions from `code` on, in `bytes`, writes to ra.  All that
 * can have the register in the same bits. */
static bool writes_ra(const uint8_t *code, unsigned bytes)
{
    for (const uint8_t *const end = code + bytes; code < end;) {
        const uint32_t half = *(const uint16_t *)(const void *)code;
        struct rv64_insn insn;
        if (field(half, 7) == RA) {
            rv64_decode(get_word(code), &insn);
            if ((rv64_row(insn.op)->flags & INSN_RD_INT) != 0 && insn.rd == RA) {
                return true;
            }
        }
        code += (half & 3) == 3 ? 4 : 2;
    }
    return false;
}

/* Goes back from the return, step by step: a call that leaves its address in ra is the one that it returns from, if
 * nothing behind it writes to ra. */
bool target_returns_to(const struct plan *plan, guest_addr to)
{
    const struct step *step = plan->end - 1;
    const uint8_t *code = plan->code_end - step->bytes;

    while (step != plan->steps) {
        step--;
        code -= step->bytes;
        switch (step->kind) {
        case STEP_CALL:
        case STEP_GUARD_TARGET:
            if (field(step->detail, 7) == RA) {
                return step_end(step) == to;
            }
            break;
        case STEP_GUARD:
        case STEP_JUMP:
        case STEP_SIDE:
            break;
        default:
            if (writes_ra(code, step->bytes)) {
                return false;
            }
        }
    }
    return false;
}

void guard_emit_known(struct emitter *emitter, uint64_t value)
{
    struct special_emitter *trace = emitter->special;
    const int64_t step = (int64_t)(value - trace->gp);

    if (trace->knows_gp && step >= -2048 && step < 2048) {
        if (step != 0) {
            emit_word(emitter, word_i((uint32_t)MATCH_addi, GP, GP, (int32_t)step));
        }
    } else {
        emit_constant(emitter, GP, value);
    }
    trace->knows_gp = true;
    trace->gp = value;
}

void guard_emit_call(struct emitter *emitter, unsigned rd, guest_addr after)
{
    struct special_emitter *trace = emitter->special;
    const int64_t step = (int64_t)(after - trace->gp);

    if (trace->knows_gp && step >= -2048 && step < 2048 && !is_own(rd) && rd != X0) {
        emit_word(emitter, word_i((uint32_t)MATCH_addi, rd, GP, (int32_t)step));
    } else {
        emit_step(emitter, &(struct step){.kind = STEP_CONSTANT, .detail = rd, .value = after});
    }
}

void guard_emit_comparison(struct emitter *emitter, const struct step *step, const uint8_t reg[2],
                           uint64_t value, const struct item *item)
{
    struct special_emitter *trace = emitter->special;

    if (reg[1] == NO_REGISTER) {
        guard_emit_known(emitter, value);
    }
    emit_alignment(emitter);
    trace->guards[trace->guard_count++] = (struct target_guard){.branch = emitter->at,
                                                                .step = step,
                                                                .item = item,
                                                                .knows_gp = trace->knows_gp,
                                                                .gp = trace->gp};
    if (item != NULL) { /* where the target is: not in the program's register, perhaps */
        state_note_own(&emitter->translator->marks, emitter->at);
    }
    emit_word(emitter, word_r((uint32_t)MATCH_bne, 0, reg[0],
                              reg[1] != NO_REGISTER ? reg[1] : (uint32_t)GP));
}

/* Bit 0 of a target, which a jump ignores, is set nowhere: what has it goes the long way. */
void guard_emit(struct emitter *emitter, const struct step *step)
{
    const uint32_t detail = step->detail;

    if ((step->flags & STEP_KNOWN) == 0) {
        const uint64_t value = step->value - (uint64_t)(int64_t)((int32_t)detail >> 20);
        const uint8_t reg[2] = {(uint8_t)field(detail, 15), NO_REGISTER};
        guard_emit_comparison(emitter, step, reg, value, NULL);
    }
    guard_emit_call(emitter, field(detail, 7), step_end(step));
}

/* Where the target is the second one: the exit. */
static void emit_second(struct emitter *emitter, const struct target_guard *guard)
{
    const struct step *step = guard->step;
    const uint32_t detail = step->detail;

    guard_emit_known(emitter, step[1].value - (uint64_t)(int64_t)((int32_t)detail >> 20));
    uint8_t *other = emitter->at;
    emit_word(emitter, word_r((uint32_t)MATCH_bne, 0, field(detail, 15), GP));
    guard_emit_call(emitter, field(detail, 7), step_end(step));
    emit_alignment(emitter);
    emit_exit(emitter, guard->second, NULL);
    put_word(other, get_word(other) | branch_offset_bits(emitter->at - other));
}

/* The first few times through dispatch. */
static void emit_growth(struct emitter *emitter, const struct step *jump, uint8_t *branch)
{
    struct guard_site *site = pool_take(&emitter->translator->pool, sizeof *site);

    emit_alignment(emitter);
    site->branch = branch;
    site->jump = emitter->at;
    emitter->at += 4;
    site->lookup = emitter->at;
    emit_step(emitter, jump);
    put_word(site->jump, word_jal(X0, emitter->at - site->jump));
    emit_constant(emitter, GP, (uintptr_t)site);
    emit_save(emitter, GP, CONTEXT_GUARD);
    emitter->special->records = true;
    emit_step(emitter, jump);
    emitter->special->records = false;
}

void guard_emit_miss(struct emitter *emitter, const struct target_guard *guard)
{
    struct step jump = *guard->step;

    emit_alignment(emitter);
    put_word(guard->branch,
             get_word(guard->branch) | branch_offset_bits(emitter->at - guard->branch));
    emitter->special->knows_gp = guard->knows_gp;
    emitter->special->gp = guard->gp;
    const bool leaves = guard->item != NULL && items_has_way_out(emitter, guard->item);
    const uint8_t *const way_out = emitter->at;
    if (leaves) {
        items_emit_way_out(emitter, guard->item);
    }
    emitter->special->way_outs[guard->step - emitter->special->plan->steps] =
        (uint8_t)target_length(way_out, emitter->at);
    if (guard->second != NULL) {
        emit_second(emitter, guard);
    }
    jump.kind = (jump.flags & STEP_RETURNS) != 0 ? STEP_RETURN : STEP_INDIRECT_CALL;
    jump.flags = 0;
    if (emitter->translator->options.counters != COUNTERS_SW_EXACT) {
        emit_growth(emitter, &jump, guard->second == NULL && !leaves ? guard->branch : NULL);
    } else {
        emit_step(emitter, &jump);
    }
}

void target_guard_settle(struct translator *translator, const struct guard_site *site)
{
    uint8_t *at = site->branch != NULL ? site->branch : site->jump;
    const int64_t offset = site->lookup - at;

    patch_word(at, at == site->jump
                       ? word_jal(X0, offset)
                       : (get_word(at) & ~BRANCH_OFFSET_MASK) | branch_offset_bits(offset));
    target_sync(translator, CODE_FRAGMENT, at, at + sizeof(uint32_t));
}

/* Of the last step, TARGET_END_BYTES are there in any case. */
unsigned target_trace_bytes(const struct step *step)
{
    enum { ALIGNMENT = 2, BRANCH = 4, EXIT = 4, CONSTANT = 8, LOOKUP = 68 };

    switch (step->kind) {
    case STEP_COPY:
        return step->bytes + ALIGNMENT;
    case STEP_GUARD:
        return ALIGNMENT + BRANCH + ALIGNMENT + EXIT;
    case STEP_GUARD_TARGET:
        return (step->flags & STEP_KNOWN) != 0
                   ? CONSTANT
                   : 2 * (CONSTANT + ALIGNMENT) + BRANCH + EXIT + CONSTANT + 4 + 2 * LOOKUP;
    case STEP_SECOND_TARGET:
        return CONSTANT + BRANCH + CONSTANT + ALIGNMENT + EXIT;
    case STEP_CONSTANT:
    case STEP_CALL:
        return 2 * CONSTANT;
    case STEP_REWRITE:
        return 7 * 4;
    case STEP_WHOLE:
        return 8u * step->bytes + 64;
    case STEP_SIDE:
        return ALIGNMENT + EXIT + 12;
    default:
        return 0;
    }
}
