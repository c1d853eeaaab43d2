/* Copies RV64 instructions into the cache, and rewrites those that depend on where they stand.
 *
 * Nearly all instructions are copied as they are.  The others are
 *
 *   auipc, and the link of a call   the program's address as a constant
 *   jal, c.j                        nothing: translation goes on at the target
 *   conditional branches            a branch, and a jump for each way out
 *   jalr, c.jr, c.jalr              a lookup in the context's table (indirect.c)
 *   ecall                           a trip to dispatch
 *   what uses tp                    the same with a borrowed register: tp is the translator's
 *
 * Which is which is read off the major opcode; only those are decoded. */
#include "translator/rv64/rv64.h"

#include "isa/rv64/decode.h"
#include "isa/rv64/encode.h"

/* Major opcodes (bits 6..2) of 32-bit instructions that are not simply copied. */
#define SPECIAL_OPCODES                                                        \
    (1u << (0x17 >> 2) | 1u << (0x63 >> 2) | 1u << (0x67 >> 2) | 1u << (0x6f >> 2) | \
     1u << (0x73 >> 2) | 1u << (0x0f >> 2) | 1u << (0x0b >> 2))

/* True if the word is copied as it is, whatever its operands mean: none of the
 * places where a register can stand holds the thread pointer's number. */
static bool copied_word(uint32_t word)
{
    return !(SPECIAL_OPCODES >> (word >> 2 & 31) & 1) && (word >> 7 & 31) != TP &&
           (word >> 15 & 31) != TP && (word >> 20 & 31) != TP;
}

/* Quadrant and funct3 of the compressed instructions that are not simply copied:
 * c.j, c.beqz, c.bnez, and the group of c.jr, c.jalr and c.ebreak. */
#define SPECIAL_HALVES (1u << (5 << 2 | 1) | 1u << (6 << 2 | 1) | 1u << (7 << 2 | 1) | \
                        1u << (4 << 2 | 2))

static bool copied_half(uint16_t half)
{
    const unsigned kind = (unsigned)(half >> 13 << 2 | (half & 3));
    return !(SPECIAL_HALVES >> kind & 1) && (half >> 7 & 31) != TP && (half >> 2 & 31) != TP;
}

static uint32_t fetch(guest_addr pc)
{
    const uint16_t *halves = (const uint16_t *)(uintptr_t)pc;
    uint32_t word = halves[0];
    if ((word & 3) == 3) {
        word |= (uint32_t)halves[1] << 16;
    }
    return word;
}

/* An instruction whose operands include tp, with another register in its place
 * that is none of its own. */
static void translate_with_tp(struct builder *builder, struct rv64_insn *insn)
{
    const uint32_t flags = rv64_row(insn->op)->flags;
    unsigned borrowed = A0;
    while (insn->rd == borrowed || insn->rs1 == borrowed || insn->rs2 == borrowed) {
        borrowed++;
    }
    const bool reads = (flags & INSN_RS1_INT && insn->rs1 == TP) ||
                       (flags & INSN_RS2_INT && insn->rs2 == TP);
    const bool writes = flags & INSN_RD_INT && insn->rd == TP;
    uint32_t word;
    emit_save(builder, borrowed, CONTEXT_SPARE);
    if (reads) {
        emit_restore(builder, borrowed, CONTEXT_X(TP));
    }
    if (flags & INSN_RS1_INT && insn->rs1 == TP) {
        insn->rs1 = (uint8_t)borrowed;
    }
    if (flags & INSN_RS2_INT && insn->rs2 == TP) {
        insn->rs2 = (uint8_t)borrowed;
    }
    if (writes) {
        insn->rd = (uint8_t)borrowed;
    }
    rv64_encode(insn, &word);
    emit_word(builder, word);
    if (writes) {
        emit_save(builder, borrowed, CONTEXT_X(TP));
    }
    emit_restore(builder, borrowed, CONTEXT_SPARE);
}

static bool uses_tp(const struct rv64_insn *insn)
{
    const uint32_t flags = rv64_row(insn->op)->flags;
    return (flags & INSN_RD_INT && insn->rd == TP) || (flags & INSN_RS1_INT && insn->rs1 == TP) ||
           (flags & INSN_RS2_INT && insn->rs2 == TP);
}

static void copy(struct builder *builder, const struct rv64_insn *insn)
{
    if (insn->length == 2) {
        emit_half(builder, (uint16_t)insn->word);
    } else {
        emit_word(builder, insn->word);
    }
}

static void translate_branch(struct builder *builder, const struct rv64_insn *insn)
{
    const uint32_t match = rv64_row(insn->op)->match;
    const guest_addr taken = builder->pc + (uint64_t)insn->imm;
    const guest_addr not_taken = builder->pc + insn->length;
    if (insn->rs1 != TP && insn->rs2 != TP) {
        /* b +8; j not taken; j taken.  Linked, the branch itself may go to the
         * target: each is one word to patch. */
        uint8_t *branch = builder->at;
        emit_word(builder, word_r(match, 0, insn->rs1, insn->rs2) | branch_offset_bits(8));
        emit_exit(builder, EXIT_DIRECT, not_taken, NULL);
        emit_exit(builder, EXIT_DIRECT, taken, branch);
        return;
    }
    unsigned borrowed = A0;
    while (insn->rs1 == borrowed || insn->rs2 == borrowed) {
        borrowed++;
    }
    emit_save(builder, borrowed, CONTEXT_SPARE);
    emit_restore(builder, borrowed, CONTEXT_X(TP));
    emit_word(builder, word_r(match, 0, insn->rs1 == TP ? borrowed : insn->rs1,
                              insn->rs2 == TP ? borrowed : insn->rs2) |
                           branch_offset_bits(12));
    emit_restore(builder, borrowed, CONTEXT_SPARE);
    emit_exit(builder, EXIT_DIRECT, not_taken, NULL);
    emit_restore(builder, borrowed, CONTEXT_SPARE);
    emit_exit(builder, EXIT_DIRECT, taken, NULL);
}

/* Goes on at `target` if jumps are followed; otherwise the fragment ends. */
static bool follow(struct builder *builder, guest_addr target)
{
    builder->pc = target;
    if (builder->translator->options.follow) {
        return true;
    }
    target_end(builder);
    return false;
}

/* auipc and the instruction behind it often make one address: of data, or of a
 * function that is called. */
static bool translate_auipc(struct builder *builder, const struct rv64_insn *insn)
{
    const uint64_t value = builder->pc + (uint64_t)insn->imm;
    const guest_addr next_pc = builder->pc + insn->length;
    struct rv64_insn next;
    rv64_decode(fetch(next_pc), &next);
    if (next.rs1 == insn->rd && insn->rd != TP && insn->rd != X0) {
        if (next.op == RV64_addi && next.rd == insn->rd) {
            emit_constant(builder, insn->rd, value + (uint64_t)next.imm);
            builder->pc = next_pc + next.length;
            builder->instructions++;
            return true;
        }
        if (next.op == RV64_jalr && next.rd != TP) {
            const guest_addr target = (value + (uint64_t)next.imm) & ~UINT64_C(1);
            emit_register_constant(builder, insn->rd, value);
            emit_register_constant(builder, next.rd, next_pc + next.length);
            builder->instructions++;
            return follow(builder, target);
        }
    }
    emit_register_constant(builder, insn->rd, value);
    builder->pc = next_pc;
    return true;
}

bool target_translate(struct builder *builder)
{
    const uint32_t word = fetch(builder->pc);
    if ((word & 3) != 3 && copied_half((uint16_t)word)) {
        emit_half(builder, (uint16_t)word);
        builder->pc += 2;
        return true;
    }
    if ((word & 3) == 3 && copied_word(word)) {
        emit_word(builder, word);
        builder->pc += 4;
        return true;
    }
    struct rv64_insn insn;
    rv64_decode(word, &insn);
    const uint32_t flags = rv64_row(insn.op)->flags;
    if (flags & INSN_CONDITIONAL) {
        translate_branch(builder, &insn);
        return false;
    }
    switch (insn.op) {
    case RV64_jal:
        emit_register_constant(builder, insn.rd, builder->pc + insn.length);
        return follow(builder, builder->pc + (uint64_t)insn.imm);
    case RV64_jalr:
        emit_indirect(builder, &insn);
        return false;
    case RV64_auipc:
        return translate_auipc(builder, &insn);
    case RV64_ecall:
        emit_exit(builder, EXIT_SYSTEM_CALL, builder->pc + insn.length, NULL);
        return false;
    case RV64_fence_i:
        emit_exit(builder, EXIT_CODE_CHANGED, builder->pc + insn.length, NULL);
        return false;
    default:
        break;
    }
    if (insn.op != RV64_illegal && uses_tp(&insn)) {
        translate_with_tp(builder, &insn);
    } else {
        copy(builder, &insn); /* an illegal one is as illegal in the cache */
    }
    builder->pc += insn.length;
    return true;
}

void target_begin(struct builder *builder)
{
    /* Whoever comes through a register has the program's a0 in the context. */
    emit_restore(builder, A0, CONTEXT_X(A0));
    builder->fragment->entry = builder->at;
}

const uint8_t *target_indirect_entry(const struct fragment *fragment)
{
    return fragment->entry - 4;
}

void target_end(struct builder *builder)
{
    emit_exit(builder, EXIT_DIRECT, builder->pc, NULL);
}
