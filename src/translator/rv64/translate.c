/* Copies RV64 instructions into the cache, and rewrites those that depend on where they stand.
 *
 * Nearly all instructions are copied as they are.  The others are
 *
 *   auipc, and the link of a call   the program's address as a constant
 *   jal, c.j                        nothing: translation goes on at the target
 *   conditional branches            a branch, and a jump for each way out
 *   jalr, c.jr, c.jalr              a lookup in a table (indirect.c)
 *   ecall                           a trip to dispatch
 *   what uses tp                    the same with a borrowed register: tp is the translator's
 *
 * Which is which is read off the major opcode; only those are decoded. */
#include "translator/rv64/lookup.h"
#include "translator/state.h"

#include "isa/rv64/decode.h"
#include "isa/rv64/encode.h"
#include "isa/rv64/immediate.h"

/* addi by opcode and funct3. */
#define ADDI_MASK UINT32_C(0x707f)

/* Major opcodes of 32-bit instructions that are not simply copied. */
enum {
    OPCODE_CUSTOM = 0x0b,
    OPCODE_MISC_MEM = 0x0f,
    OPCODE_AUIPC = 0x17,
    OPCODE_BRANCH = 0x63,
    OPCODE_JALR = 0x67,
    OPCODE_JAL = 0x6f,
    OPCODE_SYSTEM = 0x73,
};
#define OPCODE_BIT(opcode) (1u << ((opcode) >> 2))
#define SPECIAL_OPCODES                                                        \
    (OPCODE_BIT(OPCODE_CUSTOM) | OPCODE_BIT(OPCODE_MISC_MEM) | OPCODE_BIT(OPCODE_AUIPC) | \
     OPCODE_BIT(OPCODE_BRANCH) | OPCODE_BIT(OPCODE_JALR) | OPCODE_BIT(OPCODE_JAL) | \
     OPCODE_BIT(OPCODE_SYSTEM))

static unsigned field(uint32_t word, unsigned low)
{
    return word >> low & 31;
}

/* The same as field(word, low) == number, without the shift. */
static bool holds(uint64_t word, unsigned low, uint64_t number)
{
    return (word & UINT64_C(31) << low) == number << low;
}

/* True if the word is copied as it is, whatever its operands mean: none of the
 * places where a register can stand holds the thread pointer's number. */
static bool copied_word(uint64_t word)
{
    return !(SPECIAL_OPCODES >> (word >> 2 & 31) & 1) && !holds(word, 7, TP) &&
           !holds(word, 15, TP) && !holds(word, 20, TP);
}

/* Compressed instructions by quadrant and funct3. */
#define HALF_KIND(quadrant, funct3) ((funct3) << 2 | (quadrant))
enum {
    HALF_J = HALF_KIND(1, 5),
    HALF_BEQZ = HALF_KIND(1, 6),
    HALF_BNEZ = HALF_KIND(1, 7),
    HALF_REGISTERS = HALF_KIND(2, 4), /* c.mv, c.add; without rs2: c.jr, c.jalr, c.ebreak */
};
#define SPECIAL_HALVES (1u << HALF_J | 1u << HALF_BEQZ | 1u << HALF_BNEZ)

static unsigned half_kind(uint64_t half)
{
    return (unsigned)HALF_KIND(half & 3, half >> 13);
}

static bool copied_half(uint64_t half)
{
    const unsigned kind = half_kind(half);
    return !(SPECIAL_HALVES >> kind & 1) && !holds(half, 7, TP) && !holds(half, 2, TP) &&
           (kind != HALF_REGISTERS || !holds(half, 2, 0));
}

static uint64_t fetch(guest_addr pc)
{
    const uint16_t *halves = (const uint16_t *)(uintptr_t)pc;
    uint64_t word = halves[0];
    if ((word & 3) == 3) {
        word |= (uint64_t)halves[1] << 16;
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
    state_note_own(builder->translator, builder->at);
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

static void emit_taken_exit(struct builder *builder, guest_addr taken, uint8_t *branch)
{
    builder->way = WAY_BRANCH;
    builder->from = builder->pc;
    emit_exit(builder, EXIT_DIRECT, taken, branch);
    builder->way = WAY_ON;
}

/* `word` is the branch with any offset. */
static void translate_branch(struct builder *builder, uint32_t word, int64_t offset,
                             unsigned length)
{
    const guest_addr taken = builder->pc + (uint64_t)offset;
    const guest_addr not_taken = builder->pc + length;
    const unsigned rs1 = field(word, 15), rs2 = field(word, 20);
    word &= ~BRANCH_OFFSET_MASK;
    if (rs1 != TP && rs2 != TP) {
        /* b +8; j; j.  Linked, the branch itself may go to one of the two targets,
         * and the other takes a jump more: each is one word to patch.  The better
         * one is the taken backward, the not taken forward. */
        uint8_t *branch = builder->at;
        const bool backward = offset < 0;
        emit_word(builder, (backward ? word : word ^ BRANCH_OPPOSITE) | branch_offset_bits(8));
        if (backward) {
            emit_exit(builder, EXIT_DIRECT, not_taken, NULL);
        }
        emit_taken_exit(builder, taken, backward ? branch : NULL);
        if (!backward) {
            emit_exit(builder, EXIT_DIRECT, not_taken, branch);
        }
        return;
    }
    unsigned borrowed = A0;
    while (rs1 == borrowed || rs2 == borrowed) {
        borrowed++;
    }
    emit_save(builder, borrowed, CONTEXT_SPARE);
    emit_restore(builder, borrowed, CONTEXT_X(TP));
    word &= ~(31u << 15 | 31u << 20);
    emit_word(builder, word_r(word, 0, rs1 == TP ? borrowed : rs1, rs2 == TP ? borrowed : rs2) |
                           branch_offset_bits(12));
    emit_restore(builder, borrowed, CONTEXT_SPARE);
    emit_exit(builder, EXIT_DIRECT, not_taken, NULL);
    emit_restore(builder, borrowed, CONTEXT_SPARE);
    emit_taken_exit(builder, taken, NULL);
}

/* Goes on at `target` if jumps are followed; otherwise the fragment ends. */
static bool follow(struct builder *builder, enum way way, guest_addr target)
{
    const struct options *options = &builder->translator->options;
    const guest_addr from = builder->pc;
    builder->pc = target;
    if (options->follow && !placement_ends(&builder->translator->placement, way, from, target)) {
        return true;
    }
    builder->way = way;
    builder->from = from;
    target_end(builder);
    return false;
}

/* auipc and the instruction behind it often make one address: of data, or of a
 * function that is called. */
static bool translate_auipc(struct builder *builder, uint32_t word)
{
    const unsigned rd = field(word, 7);
    const uint64_t value = builder->pc + (uint64_t)rv64_immediate_U(word);
    const guest_addr next_pc = builder->pc + 4;
    const uint32_t next =
        can_fetch(builder->translator, next_pc) ? (uint32_t)fetch(next_pc) : 0;
    const bool joined = (next & 3) == 3 && field(next, 15) == rd && rd != TP && rd != X0;
    if (joined && (next & ADDI_MASK) == MATCH_addi && field(next, 7) == rd) {
        emit_constant(builder, rd, value + (uint64_t)rv64_immediate_I(next));
        builder->pc = next_pc + 4;
        builder->instructions++;
        return true;
    }
    if (joined && (next & 0x7f) == OPCODE_JALR) {
        const unsigned link = field(next, 7);
        if (link != rd) {
            emit_register_constant(builder, rd, value);
        }
        emit_return_address(builder, link, next_pc + 4);
        builder->instructions++;
        return follow(builder, link == X0 ? WAY_JUMP : WAY_CALL,
                      (value + (uint64_t)rv64_immediate_I(next)) & ~UINT64_C(1));
    }
    emit_register_constant(builder, rd, value);
    builder->pc = next_pc;
    return true;
}

/* What is rare enough for the whole decoder. */
static bool translate_rest(struct builder *builder, uint32_t word)
{
    struct rv64_insn insn;
    rv64_decode(word, &insn);
    if (insn.op == RV64_ecall || insn.op == RV64_fence_i) {
        emit_exit(builder, insn.op == RV64_ecall ? EXIT_SYSTEM_CALL : EXIT_CODE_CHANGED,
                  builder->pc + insn.length, NULL);
        return false;
    }
    if (insn.op != RV64_illegal && uses_tp(&insn)) {
        translate_with_tp(builder, &insn);
    } else {
        copy(builder, &insn); /* an illegal one is as illegal in the cache */
    }
    builder->pc += insn.length;
    return true;
}

static bool translate_word(struct builder *builder, uint32_t word)
{
    switch (word & 0x7f) {
    case OPCODE_BRANCH:
        translate_branch(builder, word, rv64_immediate_B(word), 4);
        return false;
    case OPCODE_JAL:
        emit_return_address(builder, field(word, 7), builder->pc + 4);
        return follow(builder, field(word, 7) == X0 ? WAY_JUMP : WAY_CALL,
                      builder->pc + (uint64_t)rv64_immediate_J(word));
    case OPCODE_JALR:
        emit_indirect(builder, field(word, 7), field(word, 15), (int32_t)rv64_immediate_I(word),
                      builder->pc + 4);
        return false;
    case OPCODE_AUIPC:
        return translate_auipc(builder, word);
    default:
        return translate_rest(builder, word);
    }
}

static bool translate_half(struct builder *builder, uint32_t half)
{
    switch (half_kind(half)) {
    case HALF_J:
        return follow(builder, WAY_JUMP, builder->pc + (uint64_t)rv64_immediate_CJ(half));
    case HALF_BEQZ:
    case HALF_BNEZ: {
        const uint32_t match = half_kind(half) == HALF_BEQZ ? MATCH_beq : MATCH_bne;
        const unsigned rs1 = 8 + (half >> 7 & 7);
        translate_branch(builder, word_r(match, 0, rs1, X0), rv64_immediate_CB(half), 2);
        return false;
    }
    case HALF_REGISTERS:
        if (field(half, 2) == 0 && field(half, 7) != 0) { /* c.jr; with bit 12, c.jalr */
            emit_indirect(builder, half >> 12 & 1 ? RA : X0, field(half, 7), 0, builder->pc + 2);
            return false;
        }
        return translate_rest(builder, half);
    default:
        return translate_rest(builder, half);
    }
}

/* Most instructions are copied, and most time of building goes here: a function
 * of its own, with all it needs in registers, and 64-bit words, since RV64 has
 * no other comparisons. */
__attribute__((noinline)) static uint32_t copy_run(struct builder *builder, unsigned limit)
{
    guest_addr pc = builder->pc;
    uint8_t *at = builder->at;
    unsigned copied = 0;
    uint64_t word = fetch(pc);
    for (;;) {
        if ((word & 3) != 3) {
            if (!copied_half(word)) {
                break;
            }
            *(uint16_t *)(void *)at = (uint16_t)word;
            at += 2;
            pc += 2;
        } else {
            if (!copied_word(word)) {
                break;
            }
            put_word(at, (uint32_t)word);
            at += 4;
            pc += 4;
        }
        copied++;
        if (copied == limit) { /* what follows may not be readable */
            break;
        }
        word = fetch(pc);
    }
    builder->pc = pc;
    builder->at = at;
    builder->instructions += copied;
    return (uint32_t)word;
}

bool target_translate(struct builder *builder, unsigned limit)
{
    const uint8_t *run = builder->at;
    const uint32_t word = copy_run(builder, limit - builder->instructions);
    state_add_mark(builder->translator, run, builder->at, builder->pc);
    if (builder->instructions >= limit) {
        return true;
    }
    builder->instructions++;
    return (word & 3) == 3 ? translate_word(builder, word) : translate_half(builder, word);
}

bool target_fits(guest_addr pc, guest_addr end)
{
    return pc + 2 <= end && (*(const uint16_t *)(uintptr_t)pc & 3) != 3;
}

void target_begin(struct builder *builder)
{
    emit_check(builder);
    /* Whoever comes through a register has the program's a0 in the context. */
    emit_restore(builder, A0, CONTEXT_X(A0));
    builder->fragment->entry = builder->at;
    builder->fragment->landing = builder->at;
}

const uint8_t *target_indirect_entry(const struct fragment *fragment)
{
    return fragment->entry - 4;
}

void target_end(struct builder *builder)
{
    emit_exit(builder, EXIT_DIRECT, builder->pc, NULL);
}
