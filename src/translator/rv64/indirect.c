/* Indirect jumps: the code in a fragment that finds its way to the target's fragment.
 *
 * a0 leads there, and the entry of the fragment takes it back itself.  The sieve
 * and the return cache jump to code that compares the target (lookup.c); so the
 * target must be in a register that this code knows: ra, where returns have it, or
 * a5, where most other jumps of compiled programs have it.  From other registers it is
 * moved to a5, and the program's own a5 comes back behind the comparison. */
#include "translator/rv64/lookup.h"

/* That an immediate operand can hold, above bit 0. */
#define INDEX_MASK_BITS 10

/* The return address of a call, if it wants one.  Of a register that comes back from
 * the context, it must come from there; a0 is free. */
static void emit_link(struct builder *builder, unsigned rd, bool comes_back, guest_addr after)
{
    if (comes_back || rd == TP) {
        emit_constant(builder, A0, after);
        emit_save(builder, A0, CONTEXT_X((int32_t)rd));
    } else {
        emit_return_address(builder, rd, after);
    }
}

/* The target goes to `to`, and the register there has been saved. */
static void emit_target(struct builder *builder, unsigned to, unsigned rs1, int32_t imm)
{
    if (rs1 == TP) {
        emit_restore(builder, to, CONTEXT_X(TP));
        rs1 = to;
    }
    if (rs1 != to || imm != 0) {
        emit_word(builder, word_i((uint32_t)MATCH_addi, to, rs1, imm));
    }
}

/* rd = target / 2 % entries * `size`, with a size of two to the `size_bits`.  Bit 0 of
 * the target, which a jump ignores, must not lead between two entries. */
static void emit_index(struct builder *builder, unsigned rd, unsigned target, unsigned size_bits)
{
    const int32_t bits = (int32_t)builder->translator->options.lookup_bits;
    const int32_t size = (int32_t)size_bits;

    builder->lookup_site = builder->at;
    if (bits <= INDEX_MASK_BITS) {
        emit_word(builder, word_i((uint32_t)MATCH_andi, rd, target, (2 << bits) - 2));
        emit_word(builder, word_i((uint32_t)MATCH_slli, rd, rd, size - 1));
    } else {
        emit_word(builder, word_i((uint32_t)MATCH_slli, rd, target, 64 - 1 - bits));
        emit_word(builder, word_i((uint32_t)MATCH_srli, rd, rd, 64 - bits));
        emit_word(builder, word_i((uint32_t)MATCH_slli, rd, rd, size));
    }
}

/* Behind the index: a call that shall be counted looks for another target than a
 * jump to the same place (placement_marks_calls). */
static bool is_marked(const struct builder *builder, unsigned rd)
{
    return rd != X0 && placement_marks_calls(&builder->translator->placement);
}

static void emit_mark(struct builder *builder, unsigned rd, unsigned target)
{
    if (is_marked(builder, rd)) {
        emit_word(builder, word_i((uint32_t)MATCH_ori, target, target, PLACEMENT_CALL_MARK));
    }
}

static void emit_jump(struct builder *builder, unsigned rs1)
{
    emit_word(builder, word_i((uint32_t)MATCH_jalr, X0, rs1, 0));
}

/* Compares the target here, with two more registers: for its entry and its tag. */
static void emit_inline(struct builder *builder, unsigned rd, unsigned rs1, int32_t imm,
                        guest_addr after)
{
    const bool looks = builder->translator->options.indirect == INDIRECT_IBTC;

    emit_save(builder, A1, CONTEXT_X(A1));
    emit_save(builder, A2, CONTEXT_X(A2));
    emit_save(builder, A0, CONTEXT_X(A0));
    emit_target(builder, A1, rs1, imm);
    emit_link(builder, rd, rd >= A0 && rd <= A2, after);
    if (looks) {
        /* An odd target finds nothing that could match it, and dispatch clears the bit. */
        emit_index(builder, A0, A1, LOOKUP_SIZE_BITS);
        emit_mark(builder, rd, A1);
        emit_word(builder, word_r((uint32_t)MATCH_add, A0, A0, TP));
        emit_word(builder, word_i((uint32_t)MATCH_ld, A2, A0, CONTEXT_LOOKUPS));
        emit_word(builder, word_r((uint32_t)MATCH_bne, 0, A2, A1) | branch_offset_bits(20));
        emit_word(builder, word_i((uint32_t)MATCH_ld, A0, A0, CONTEXT_LOOKUPS + 8));
        emit_restore(builder, A1, CONTEXT_X(A1));
        emit_restore(builder, A2, CONTEXT_X(A2));
        emit_jump(builder, A0);
    }
    emit_restore(builder, A0, CONTEXT_MISS(LOOKUP_INLINE));
    if (!looks) {
        emit_mark(builder, rd, A1);
        builder->lookup_site = builder->at;
    }
    emit_jump(builder, A0);
}

static void emit_sieve(struct builder *builder, unsigned rd, unsigned rs1, int32_t imm,
                       guest_addr after)
{
    const bool moved = rs1 != A5 || imm != 0 || rd == A5 || is_marked(builder, rd);
    const int32_t column = moved ? 8 : 0;

    if (moved) {
        emit_save(builder, A5, CONTEXT_X(A5));
        emit_target(builder, A5, rs1, imm);
    }
    emit_save(builder, A0, CONTEXT_X(A0));
    emit_link(builder, rd, rd == A0 || rd == A5, after);
    emit_index(builder, A0, A5, LOOKUP_SIZE_BITS);
    emit_mark(builder, rd, A5);
    emit_word(builder, word_r((uint32_t)MATCH_add, A0, A0, TP));
    emit_word(builder, word_i((uint32_t)MATCH_ld, A0, A0, CONTEXT_LOOKUPS + column));
    emit_jump(builder, A0);
}

/* Its table grows from the context downwards. */
void emit_cached_return(struct builder *builder)
{
    emit_save(builder, A0, CONTEXT_X(A0));
    emit_index(builder, A0, RA, RETURN_SIZE_BITS);
    emit_word(builder, word_r((uint32_t)MATCH_sub, A0, TP, A0));
    emit_word(builder, word_i((uint32_t)MATCH_ld, A0, A0, -8));
    emit_jump(builder, A0);
}

void emit_indirect(struct builder *builder, unsigned rd, unsigned rs1, int32_t imm,
                   guest_addr after)
{
    const struct options *options = &builder->translator->options;
    const bool returns = rd == X0 && rs1 == RA && imm == 0;

    if (returns && options->returns == RETURNS_FAST) {
        builder->lookup_site = builder->at;
        emit_jump(builder, RA);
    } else if (returns && options->returns == RETURNS_CACHE) {
        emit_cached_return(builder);
    } else if (options->indirect == INDIRECT_SIEVE) {
        emit_sieve(builder, rd, rs1, imm, after);
    } else {
        emit_inline(builder, rd, rs1, imm, after);
    }
}
