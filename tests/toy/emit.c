/* Writes a plan into the cache as the toy's code. */
#include "emit.h"

#include "base/check.h"

void emit(struct emitter *emitter, enum toy_op op, unsigned rd, unsigned rs, int64_t imm)
{
    emitter->at += toy_encode(
        emitter->at,
        &(struct toy_insn){.op = (uint8_t)op, .rd = (uint8_t)rd, .rs = (uint8_t)rs, .imm = imm});
}

void emit_alignment(struct emitter *emitter)
{
    if (((uintptr_t)emitter->at & 1) == 0) { /* one byte of it stands before the displacement */
        emit(emitter, TOY_NOP, 0, 0, 0);
    }
}

uint8_t *emit_own_jump(struct emitter *emitter, const uint8_t *to)
{
    emit_alignment(emitter);
    emit(emitter, TOY_OWN_JUMP, 0, 0, 0);
    displacement_set(emitter->at - 2, to);
    return emitter->at - 2;
}

uint8_t *emit_own_branch(struct emitter *emitter, enum toy_condition condition, const uint8_t *to)
{
    emit_alignment(emitter);
    emit(emitter, TOY_OWN_BRANCH, condition, 0, 0);
    displacement_set(emitter->at - 2, to);
    return emitter->at - 2;
}

void emit_put_away(struct emitter *emitter)
{
    emit(emitter, TOY_OWN_SAVE, R0, 0, SLOT_REGISTER(R0));
    emit(emitter, TOY_OWN_SAVE, R1, 0, SLOT_REGISTER(R1));
    emit(emitter, TOY_OWN_SAVE_FLAGS, 0, 0, SLOT_FLAGS);
}

void emit_take_back(struct emitter *emitter)
{
    emit(emitter, TOY_OWN_RESTORE, R0, 0, SLOT_REGISTER(R0));
    emit(emitter, TOY_OWN_RESTORE, R1, 0, SLOT_REGISTER(R1));
    emit(emitter, TOY_OWN_RESTORE_FLAGS, 0, 0, SLOT_FLAGS);
}

/* What leads to a fragment by a register or from dispatch begins with a jump to what follows it, which can be
 * sent elsewhere: target_redirect. */
static void emit_beginning(struct emitter *emitter, unsigned lookup)
{
    struct fragment *fragment = emitter->fragment;

    fragment->code = emitter->at;
    if (lookup != LOOKUP_INLINE) {
        lookup_emit_check(emitter, lookup);
    }
    emit_alignment(emitter);
    const uint8_t *entry = emitter->at;
    emit_own_jump(emitter, emitter->at + 3);
    emit_take_back(emitter);
    ASSERT(emitter->at - entry == TARGET_INDIRECT_ENTRY_BYTES);
    fragment->entry = fragment->landing = emitter->at;
}

static void emit_exit(struct emitter *emitter, struct exit *exit)
{
    exit_emit(emitter->translator, exit, emit_own_jump(emitter, emitter->at));
}

/* Where the code of the last step aligns itself, the program is still before the instruction behind that. */
static void note_alignment(struct emitter *emitter)
{
    emit_alignment(emitter);
    state_note_own(&emitter->translator->marks, emitter->at);
}

/* The branch itself leads to the second exit. */
static void emit_branch(struct emitter *emitter, const struct step *step, struct exit *exits)
{
    const unsigned turned = (step->flags & STEP_TURNED) != 0;
    const unsigned condition = (step->detail >> 8 & 7) ^ turned;

    note_alignment(emitter);
    exit_emit(emitter->translator, &exits[1],
              emit_own_branch(emitter, (enum toy_condition)condition, emitter->at));
    emit_exit(emitter, &exits[0]);
}

/* Its address needs a register, which is none of the instruction's. */
static void emit_near(struct emitter *emitter, const struct step *step)
{
    const enum toy_op op = (step->detail & 255) == TOY_LOAD_NEAR ? TOY_LOAD8 : TOY_STORE8;
    const unsigned rd = step->detail >> 8 & 7;
    const unsigned borrowed = rd == R0 ? R1 : R0;

    emit(emitter, TOY_OWN_SAVE, borrowed, 0, SLOT_SPARE(0));
    emit(emitter, TOY_CONST64, borrowed, 0, (int64_t)step->value);
    state_note_own(&emitter->translator->marks, emitter->at);
    emit(emitter, op, rd, borrowed, 0);
    emit(emitter, TOY_OWN_RESTORE, borrowed, 0, SLOT_SPARE(0));
}

static void emit_rewritten(struct emitter *emitter, const struct step *step)
{
    if ((step->detail & 255) == TOY_ILLEGAL) {
        emit(emitter, TOY_ILLEGAL, 0, 0, 0);
    } else {
        emit_near(emitter, step);
    }
}

static void emit_call(struct emitter *emitter, const struct step *step)
{
    const struct translator *translator = emitter->translator;
    const guest_addr after = step_end(step);

    emit(emitter, TOY_OWN_PUSH, 0, 0,
         translator->options.returns == RETURNS_FAST
             ? (int64_t)(uintptr_t)fast_return_emit(emitter->translator, after)
             : (int64_t)after);
}

static void emit_other(struct emitter *emitter, const struct step *step)
{
    struct exit *exits = emitter->fragment->exits;

    switch (step->kind) {
    case STEP_REWRITE:
        emit_rewritten(emitter, step);
        break;
    case STEP_CONSTANT:
        emit(emitter, TOY_CONST64, step->detail >> 8 & 7, 0, (int64_t)step->value);
        break;
    case STEP_CALL:
        emit_call(emitter, step);
        if ((step->flags & STEP_LEAVES) != 0) {
            emit_exit(emitter, exits);
        }
        break;
    case STEP_JUMP:
        if ((step->flags & STEP_LEAVES) == 0) {
            break;
        } /* fall through */
    case STEP_ON:
        note_alignment(emitter);
        emit_exit(emitter, exits);
        break;
    case STEP_RETURN:
    case STEP_INDIRECT_JUMP:
    case STEP_INDIRECT_CALL:
        indirect_emit(emitter, step);
        break;
    case STEP_SYSTEM_CALL:
    case STEP_SYNC: /* nothing is ever linked: there is no need for a trampoline */
        emit(emitter, TOY_OWN_LEAVE, 0, 0, (int64_t)(uintptr_t)exits);
        break;
    default:
        ASSERT(step == NULL); /* no such step */
    }
}

/* A branch out of the middle of a trace. */
static void emit_guard(struct emitter *emitter, const struct step *step, struct exit *exit)
{
    const unsigned turned = (step->flags & STEP_TURNED) != 0;
    const unsigned condition = (step->detail >> 8 & 7) ^ turned;

    note_alignment(emitter);
    exit_emit(emitter->translator, exit,
              emit_own_branch(emitter, (enum toy_condition)condition, emitter->at));
}

void target_emit(const struct plan *plan, struct emission *emission)
{
    struct fragment *fragment = emission->fragment;
    struct emitter emitter = {.translator = emission->translator,
                              .at = emission->at,
                              .fragment = fragment,
                              .records = emission->special != NULL && emission->special->records};
    struct {
        const struct step *step;
        uint8_t *displacement;
        struct exit *second;
    } guards[TRACE_TARGETS];
    unsigned guard_count = 0;
    struct exit *sides = fragment->exits + fragment->exit_count - plan->side_count;
    const uint8_t **blocks = emission->special != NULL ? emission->special->blocks : NULL;
    const uint8_t *const trampolines_end = emission->translator->cache.trampolines;
    const uint8_t *code = plan->code;

    emit_beginning(&emitter, emission->lookup);
    const uint8_t *run = emitter.at;
    for (const struct step *step = plan->steps; step != plan->end; code += step++->bytes) {
        if (step->kind == STEP_COPY) {
            __builtin_memcpy(emitter.at, code, step->bytes);
            emitter.at += step->bytes;
        } else if (step->kind == STEP_WHOLE) {
            const unsigned count = whole_emit(&emitter, step, code, run, sides);
            sides += count;
            run = count != 0 ? emitter.at : run;
        } else if (step->kind == STEP_SECOND_TARGET) {
            guards[guard_count - 1].second = sides++;
        } else if (step->kind == STEP_BLOCK) {
            *blocks++ = emitter.at;
        } else if (step->kind != STEP_SIDE) {
            state_add_mark(&emitter.translator->marks, run, emitter.at, step->pc);
            if (step->kind == STEP_BRANCH) {
                emit_branch(&emitter, step, fragment->exits);
            } else if (step->kind == STEP_GUARD) {
                emit_guard(&emitter, step, sides++);
            } else if (step->kind == STEP_GUARD_TARGET) {
                guards[guard_count].step = step;
                guards[guard_count].second = NULL;
                guards[guard_count++].displacement = indirect_emit_guard(&emitter, step);
            } else {
                emit_other(&emitter, step);
            }
            run = emitter.at;
        }
    }
    for (unsigned i = 0; i < guard_count; i++) {
        emit_alignment(&emitter);
        indirect_emit_other(&emitter, guards[i].step, guards[i].displacement, guards[i].second);
    }
    fragment->end = emitter.at;
    target_sync(emitter.translator, CODE_FRAGMENT, fragment->code, fragment->end);
    target_sync(emitter.translator, CODE_TRAMPOLINE, emitter.translator->cache.trampolines,
                trampolines_end);
}
