/* Writes what several steps need: constants, jumps, and the ways out of a fragment. */
#include "translator/rv64/emit.h"

#include "base/check.h"

void emit_constant(struct emitter *emitter, unsigned rd, uint64_t value)
{
    const int64_t wanted = (int64_t)value;
    const int32_t low = low_part(wanted);
    uint8_t *at = emitter->at;
    emitter->at = at + 8;
    if (wanted == (int32_t)wanted) {
        if (UNLIKELY(wanted == low)) {
            put_word(at, word_i((uint32_t)MATCH_addi, rd, X0, low));
            emitter->at = at + 4;
            return;
        }
        put_word(at, word_u((uint32_t)MATCH_lui, rd, (int32_t)(uint32_t)(wanted - low)));
        if (UNLIKELY(low == 0)) {
            emitter->at = at + 4;
        } else {
            put_word(at + 4, word_i((uint32_t)MATCH_addiw, rd, rd, low));
        }
        return;
    }
    /* Too large for an immediate: it stands among the trampolines. */
    uint8_t *literal = cache_add_trampoline(&emitter->translator->cache, sizeof value);
    *(uint64_t *)(void *)literal = value;
    const int64_t offset = literal - at;
    const int32_t rest = low_part(offset);
    put_word(at, word_u((uint32_t)MATCH_auipc, rd, (int32_t)(offset - rest)));
    put_word(at + 4, word_i((uint32_t)MATCH_ld, rd, rd, rest));
}

/* tp's place is the context; so is gp's, if it is the translator's. */
SELDOM static void emit_own_constant(struct emitter *emitter, unsigned rd, uint64_t value)
{
    if (emitter->translator->process.owns_gp != 0) {
        emit_constant(emitter, GP, value);
        emit_save(emitter, GP, CONTEXT_X((int32_t)rd));
    } else if (rd == GP) {
        emit_constant(emitter, GP, value);
    } else {
        emit_save(emitter, A0, CONTEXT_SPARE);
        emit_constant(emitter, A0, value);
        emit_save(emitter, A0, CONTEXT_X(TP));
        emit_restore(emitter, A0, CONTEXT_SPARE);
    }
}

void emit_register_constant(struct emitter *emitter, unsigned rd, uint64_t value)
{
    if (rd == TP || rd == GP) {
        emit_own_constant(emitter, rd, value);
    } else if (rd != X0) {
        emit_constant(emitter, rd, value);
    }
}

void emit_address(struct emitter *emitter, unsigned rd, const uint8_t *code)
{
    const int64_t offset = code - emitter->at;
    const int32_t low = low_part(offset);

    emit_word(emitter, word_u((uint32_t)MATCH_auipc, rd, (int32_t)(offset - low)));
    emit_word(emitter, word_i((uint32_t)MATCH_addi, rd, rd, low));
}

void emit_return_address(struct emitter *emitter, unsigned rd, guest_addr after)
{
    if (rd == RA && emitter->translator->options.returns == RETURNS_FAST) {
        emit_fast_link(emitter, after);
    } else {
        emit_register_constant(emitter, rd, after);
    }
}

void emit_far_jump(struct emitter *emitter, const uint8_t *to)
{
    const int64_t offset = to - emitter->at;
    const int32_t low = low_part(offset);

    if (jal_reaches(offset)) {
        emit_word(emitter, word_jal(X0, offset));
        return;
    }
    emit_word(emitter, word_u((uint32_t)MATCH_auipc, A0, (int32_t)(offset - low)));
    emit_word(emitter, word_i((uint32_t)MATCH_jalr, X0, A0, low));
}
