/* Indirect jumps: the code in a fragment that finds its way to the target's fragment.
 *
 * The target is in R0, and R1 leads to its fragment; both and the flags are in the context meanwhile.  The
 * sieve and the return cache jump to code that compares the target (lookup.c). */
#include "emit.h"

/* R1 becomes the address of the entry for the target in R0. */
static void emit_entry_address(struct emitter *emitter)
{
    const int64_t mask = ((int64_t)1 << emitter->translator->lookup_bits) - 1;
    unsigned shift = 0;

    while (sizeof(union target_lookup) >> shift != 1) {
        shift++;
    }
    emit(emitter, TOY_MOV, R1, R0, 0);
    emit(emitter, TOY_AND32, R1, 0, mask);
    emit(emitter, TOY_SHL, R1, 0, shift);
    emit(emitter, TOY_OWN_CONTEXT, R1, 0, 0);
    emit(emitter, TOY_ADD32, R1, 0, (int64_t)offsetof(struct context, lookups));
}

static void emit_chain(struct emitter *emitter, unsigned kind)
{
    emit_entry_address(emitter);
    emit(emitter, TOY_LOAD8, R1, R1,
         (int64_t)(offsetof(union target_lookup, checks) + (kind - 1) * sizeof(uint8_t *)));
    emit(emitter, TOY_JUMP_REGISTER, 0, R1, 0);
}

static void emit_inline(struct emitter *emitter)
{
    emit_entry_address(emitter);
    emit(emitter, TOY_CMP_MEMORY, R0, R1, offsetof(union target_lookup, target));
    uint8_t *fails = emit_own_branch(emitter, IF_OTHER, emitter->at);
    emit(emitter, TOY_LOAD8, R1, R1, offsetof(union target_lookup, entry));
    emit(emitter, TOY_JUMP_REGISTER, 0, R1, 0);
    displacement_set(fails, emitter->at);
    emit(emitter, TOY_OWN_MISS, 0, 0, LOOKUP_INLINE);
}

static void emit_lookup(struct emitter *emitter, bool returns)
{
    const struct options *options = &emitter->translator->options;

    if (emitter->records) {
        emit(emitter, TOY_OWN_MISS, 0, 0, LOOKUP_INLINE);
    } else if (returns && options->returns == RETURNS_CACHE) {
        emit_chain(emitter, LOOKUP_RETURN);
    } else if (options->indirect == INDIRECT_SIEVE) {
        emit_chain(emitter, LOOKUP_SIEVE);
    } else if (options->indirect == INDIRECT_IBTC) {
        emit_inline(emitter);
    } else {
        emit(emitter, TOY_OWN_MISS, 0, 0, LOOKUP_INLINE);
    }
}

static const uint8_t *return_address(struct emitter *emitter, guest_addr after)
{
    return emitter->translator->options.returns == RETURNS_FAST
               ? fast_return_emit(emitter->translator, after)
               : (const uint8_t *)(uintptr_t)after;
}

/* The target goes to R0; R1 and the flags are free then. */
static void emit_target(struct emitter *emitter, const struct step *step, bool returns, bool calls)
{
    const struct translator *translator = emitter->translator;

    emit_put_away(emitter);
    if (returns) {
        /* Up to here, where it may fault, nothing of the program's has changed. */
        state_note_own(&translator->marks, emitter->at);
        emit(emitter, TOY_POP, R0, 0, 0);
    } else {
        emit(emitter, TOY_MOV, R0, step->detail >> 16 & 7, 0);
    }
    if (calls) {
        state_note_own(&translator->marks, emitter->at);
        emit(emitter, TOY_OWN_PUSH, 0, 0,
             (int64_t)(uintptr_t)return_address(emitter, step_end(step)));
    }
}

void indirect_emit(struct emitter *emitter, const struct step *step)
{
    const bool returns = step->kind == STEP_RETURN;

    if (returns && emitter->translator->options.returns == RETURNS_FAST) {
        emit(emitter, TOY_RETURN, 0, 0, 0);
        return;
    }
    emit_target(emitter, step, returns, step->kind == STEP_INDIRECT_CALL);
    if ((step->flags & STEP_MARKED) != 0) {
        emit(emitter, TOY_CONST64, R1, 0, (int64_t)TARGET_CALL_MARK);
        emit(emitter, TOY_OR, R0, R1, 0);
    }
    emit_lookup(emitter, returns);
}

bool target_can_guard(const struct step *step)
{
    (void)step;
    return true;
}

/* As many as one instruction of the program takes at the most. */
unsigned target_trace_bytes(const struct step *step)
{
    return step->kind == STEP_COPY ? step->bytes : TARGET_INSTRUCTION_BYTES;
}

/* Its guards never go through dispatch. */
void target_guard_settle(struct translator *translator, const struct guard_site *site)
{
    (void)translator;
    (void)site;
}

/* What a return leads to is in memory, where anybody may change it. */
bool target_returns_to(const struct plan *plan, guest_addr to)
{
    (void)plan;
    (void)to;
    return false;
}

uint8_t *indirect_emit_guard(struct emitter *emitter, const struct step *step)
{
    emit_target(emitter, step, (step->flags & STEP_RETURNS) != 0, (step->flags & STEP_CALLS) != 0);
    emit(emitter, TOY_CONST64, R1, 0, (int64_t)step->value);
    emit(emitter, TOY_CMP, R0, R1, 0);
    uint8_t *other = emit_own_branch(emitter, IF_OTHER, emitter->at);
    emit_take_back(emitter);
    return other;
}

/* R0 has the target. */
static void emit_second(struct emitter *emitter, const struct step *step, struct exit *second)
{
    emit(emitter, TOY_CONST64, R1, 0, (int64_t)step[1].value);
    emit(emitter, TOY_CMP, R0, R1, 0);
    uint8_t *other = emit_own_branch(emitter, IF_OTHER, emitter->at);
    emit_take_back(emitter);
    exit_emit(emitter->translator, second, emit_own_jump(emitter, emitter->at));
    emit_alignment(emitter);
    displacement_set(other, emitter->at);
}

void indirect_emit_other(struct emitter *emitter, const struct step *step, uint8_t *displacement,
                         struct exit *second)
{
    displacement_set(displacement, emitter->at);
    if (second != NULL) {
        emit_second(emitter, step, second);
    }
    emit_lookup(emitter, (step->flags & STEP_RETURNS) != 0);
}
