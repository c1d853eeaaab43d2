/* Indirect jumps: the code in a fragment that finds its way to the target's fragment.
 *
 * a0 leads there, and the entry of the fragment takes it back itself; or the scratch register does, if there is one.  The sieve
 * and the return cache jump to code that compares the target (lookup.c); so the
 * target must be in a register that this code knows: ra, where returns have it, or
 * a5, where most other jumps of compiled programs have it.  From other registers it is
 * moved to a5, and the program's own a5 comes back behind the comparison. */
#include "translator/rv64/lookup.h"

#include "base/check.h"

/* That an immediate operand can hold, above bit 0. */
#define INDEX_MASK_BITS 10

/* Whether indirect branches leave the cache. */
static bool records(const struct emitter *emitter)
{
    return UNLIKELY(emitter->special != NULL) && emitter->special->records;
}

/* The return address of a call, if it wants one.  Of a register that comes back from
 * the context, it must come from there; a0 is free, or the scratch register. */
static void emit_link(struct emitter *emitter, unsigned rd, bool comes_back, guest_addr after)
{
    const bool scratch = owns_gp(emitter->translator);

    if (comes_back || rd == TP || (rd == GP && scratch)) {
        const unsigned free = scratch ? GP : A0;
        emit_constant(emitter, free, after);
        emit_save(emitter, free, CONTEXT_X((int32_t)rd));
    } else {
        emit_return_address(emitter, rd, after);
    }
}

/* The target goes to `to`, and the register there has been saved. */
static void emit_target(struct emitter *emitter, unsigned to, unsigned rs1, int32_t imm)
{
    if (rs1 == TP || (rs1 == GP && owns_gp(emitter->translator))) {
        emit_restore(emitter, to, CONTEXT_X((int32_t)rs1));
        rs1 = to;
    }
    if (rs1 != to || imm != 0) {
        emit_word(emitter, word_i((uint32_t)MATCH_addi, to, rs1, imm));
    }
}

/* rd = the number of the target's entry, times two; or, without `twice`, that alone.  Bit 0 of the target, which a jump
 * ignores, must not lead between two entries. */
INLINE static void emit_number(struct emitter *emitter, unsigned rd, unsigned target, bool twice)
{
    const int32_t bits = (int32_t)emitter->translator->lookup_bits;

    emitter->lookup_site = emitter->at;
    if (twice) {
        emit_word(emitter, word_i((uint32_t)MATCH_andi, rd, target, (2 << bits) - 2));
    } else {
        emit_word(emitter, word_i((uint32_t)MATCH_slli, rd, target, 64 - 1 - bits));
        emit_word(emitter, word_i((uint32_t)MATCH_srli, rd, rd, 64 - bits));
    }
}

/* rd = the address of the target's entry, of two to the `size_bits` bytes, in a table that begins at the context, or
 * that ends there. */
INLINE static void emit_entry(struct emitter *emitter, unsigned rd, unsigned target,
                              int32_t size_bits, bool below)
{
    const bool twice = emitter->translator->lookup_bits <= INDEX_MASK_BITS;

    emit_number(emitter, rd, target, twice);
    if (twice && !below && emitter->translator->process.adds_shifted != 0) {
        emit_word(emitter, word_r((uint32_t)MATCH_sh3add, rd, rd, TP));
        return;
    }
    emit_word(emitter, word_i((uint32_t)MATCH_slli, rd, rd, size_bits - twice));
    emit_word(emitter, below ? word_r((uint32_t)MATCH_sub, rd, TP, rd)
                             : word_r((uint32_t)MATCH_add, rd, rd, TP));
}

/* rd = where the entry for this kind of lookup leads. */
INLINE static void emit_found(struct emitter *emitter, unsigned rd, unsigned target, unsigned kind)
{
    const bool below = lookup_is_below(emitter->translator, kind);

    emit_entry(emitter, rd, target, below ? BELOW_SIZE_BITS : LOOKUP_SIZE_BITS, below);
    emit_word(emitter, word_i((uint32_t)MATCH_ld, rd, rd,
                              below ? -(1 << BELOW_SIZE_BITS)
                                    : CONTEXT_LOOKUPS + (int32_t)LOOKUP_COLUMN(kind)));
}

/* Behind the number: a call that shall be counted looks for another target than a
 * jump to the same place (placement_counts_calls). */
static void emit_mark(struct emitter *emitter, unsigned target)
{
    emit_word(emitter, word_i((uint32_t)MATCH_ori, target, target, (int32_t)TARGET_CALL_MARK));
}

static void emit_jump(struct emitter *emitter, unsigned rs1)
{
    emit_word(emitter, word_i((uint32_t)MATCH_jalr, X0, rs1, 0));
}

/* Compares the target here, with two more registers: for its entry and its tag. */
static void emit_inline(struct emitter *emitter, unsigned rd, unsigned rs1, int32_t imm,
                        guest_addr after, bool marked)
{
    const bool looks = emitter->translator->options.indirect == INDIRECT_IBTC && !records(emitter);

    emit_save(emitter, A1, CONTEXT_X(A1));
    emit_save(emitter, A2, CONTEXT_X(A2));
    emit_save(emitter, A0, CONTEXT_X(A0));
    emit_target(emitter, A1, rs1, imm);
    emit_link(emitter, rd, rd >= A0 && rd <= A2, after);
    if (looks) {
        /* An odd target finds nothing that could match it, and dispatch clears the bit. */
        emit_entry(emitter, A0, A1, LOOKUP_SIZE_BITS, false);
        if (marked) {
            emit_mark(emitter, A1);
        }
        emit_word(emitter, word_i((uint32_t)MATCH_ld, A2, A0, CONTEXT_LOOKUPS));
        emit_word(emitter, word_r((uint32_t)MATCH_bne, 0, A2, A1) | branch_offset_bits(20));
        emit_word(emitter, word_i((uint32_t)MATCH_ld, A0, A0, CONTEXT_LOOKUPS + 8));
        emit_restore(emitter, A1, CONTEXT_X(A1));
        emit_restore(emitter, A2, CONTEXT_X(A2));
        emit_jump(emitter, A0);
    }
    emit_restore(emitter, A0, CONTEXT_MISS(LOOKUP_INLINE));
    if (!looks) {
        if (marked) {
            emit_mark(emitter, A1);
        }
        emitter->lookup_site = emitter->at;
    }
    emit_jump(emitter, A0);
}

/* With `free`, which is a0 or the scratch register. */
INLINE static void emit_sieve_through(struct emitter *emitter, unsigned free, unsigned rd,
                                      unsigned rs1, int32_t imm, guest_addr after, bool marked)
{
    const bool moved = rs1 != A5 || imm != 0 || rd == A5 || marked;

    if (moved) {
        emit_save(emitter, A5, CONTEXT_X(A5));
        emit_target(emitter, A5, rs1, imm);
    }
    if (free == A0) {
        emit_save(emitter, A0, CONTEXT_X(A0));
    }
    emit_link(emitter, rd, rd == free || rd == A5, after);
    emit_found(emitter, free, A5, moved ? LOOKUP_MOVED : LOOKUP_JUMP);
    if (marked) {
        emit_mark(emitter, A5);
    }
    emit_jump(emitter, free);
}

SELDOM static void emit_sieve_with_scratch(struct emitter *emitter, unsigned rd, unsigned rs1,
                                           int32_t imm, guest_addr after, bool marked)
{
    emit_sieve_through(emitter, GP, rd, rs1, imm, after, marked);
}

static void emit_sieve(struct emitter *emitter, unsigned rd, unsigned rs1, int32_t imm,
                       guest_addr after, bool marked)
{
    if (UNLIKELY(owns_gp(emitter->translator))) {
        emit_sieve_with_scratch(emitter, rd, rs1, imm, after, marked);
    } else {
        emit_sieve_through(emitter, A0, rd, rs1, imm, after, marked);
    }
}

INLINE static void emit_return_through(struct emitter *emitter, unsigned free)
{
    if (free == A0) {
        emit_save(emitter, A0, CONTEXT_X(A0));
    }
    emit_found(emitter, free, RA, LOOKUP_RETURN);
    emit_jump(emitter, free);
}

SELDOM static void emit_return_with_scratch(struct emitter *emitter)
{
    emit_return_through(emitter, GP);
}

static void emit_cached_return(struct emitter *emitter)
{
    if (UNLIKELY(owns_gp(emitter->translator))) {
        emit_return_with_scratch(emitter);
    } else {
        emit_return_through(emitter, A0);
    }
}

void emit_return(struct emitter *emitter, guest_addr after)
{
    if (UNLIKELY(records(emitter))) {
        emit_inline(emitter, X0, RA, 0, after, false);
        return;
    }
    switch (emitter->translator->options.returns) {
    case RETURNS_FAST:
        emitter->lookup_site = emitter->at;
        emit_jump(emitter, RA);
        break;
    case RETURNS_CACHE:
        emit_cached_return(emitter);
        break;
    case RETURNS_INDIRECT:
        emit_indirect(emitter, X0, RA, 0, after, false);
        break;
    }
}

void emit_indirect(struct emitter *emitter, unsigned rd, unsigned rs1, int32_t imm,
                   guest_addr after, bool marked)
{
    if (emitter->translator->options.indirect == INDIRECT_SIEVE && LIKELY(!records(emitter))) {
        emit_sieve(emitter, rd, rs1, imm, after, marked);
    } else {
        emit_inline(emitter, rd, rs1, imm, after, marked);
    }
}
