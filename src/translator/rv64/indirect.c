/* Indirect jumps: a lookup in the context's table, inline.
 *
 * Three registers are needed: for the target, the entry and its tag.  The entry
 * of the fragment that is found takes a0 back itself. */
#include "translator/rv64/rv64.h"

/* The target goes into a0 and the return address where it belongs; the program's
 * a0 to a2 are in the context then. */
static void emit_operands(struct builder *builder, unsigned rd, unsigned rs1, int32_t imm,
                          guest_addr after)
{
    emit_save(builder, A0, CONTEXT_X(A0));
    emit_save(builder, A1, CONTEXT_X(A1));
    emit_save(builder, A2, CONTEXT_X(A2));
    if (rs1 == TP) {
        emit_restore(builder, A0, CONTEXT_X(TP));
        rs1 = A0;
    }
    if (rs1 != A0 || imm != 0) {
        emit_word(builder, word_i((uint32_t)MATCH_addi, A0, rs1, imm));
    }
    if ((rd >= A0 && rd <= A2) || rd == TP) { /* comes back from the context */
        emit_constant(builder, A1, after);
        emit_save(builder, A1, CONTEXT_X((int32_t)rd));
    } else if (rd != X0) {
        emit_constant(builder, rd, after);
    }
}

static void emit_miss(struct builder *builder)
{
    emit_restore(builder, A1, CONTEXT_MISS);
    emit_word(builder, word_i((uint32_t)MATCH_jalr, X0, A1, 0));
}

void emit_indirect(struct builder *builder, unsigned rd, unsigned rs1, int32_t imm,
                   guest_addr after)
{
    emit_operands(builder, rd, rs1, imm, after);
    if (builder->translator->options.indirect == INDIRECT_BUILDER) {
        emit_miss(builder);
        return;
    }
    /* context->lookups[target / 2 % entries]; an odd target finds nothing that
     * could match it, and dispatch clears the bit. */
    emit_word(builder, word_i((uint32_t)MATCH_slli, A1, A0, 64 - 1 - LOOKUP_BITS));
    emit_word(builder, word_i((uint32_t)MATCH_srli, A1, A1, 64 - 4 - LOOKUP_BITS));
    emit_word(builder, word_r((uint32_t)MATCH_add, A1, A1, TP));
    emit_word(builder, word_i((uint32_t)MATCH_ld, A2, A1, CONTEXT_LOOKUPS));
    emit_word(builder, word_r((uint32_t)MATCH_bne, 0, A2, A0) | branch_offset_bits(20));
    emit_word(builder, word_i((uint32_t)MATCH_ld, A0, A1, CONTEXT_LOOKUPS + 8));
    emit_restore(builder, A1, CONTEXT_X(A1));
    emit_restore(builder, A2, CONTEXT_X(A2));
    emit_word(builder, word_i((uint32_t)MATCH_jalr, X0, A0, 0));
    emit_miss(builder);
}
