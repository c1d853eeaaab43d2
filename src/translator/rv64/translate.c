/* Translates RV64 code: rewrites the instructions that depend on where they stand.
 *
 * Nearly all instructions are copied as they are (copy.c).  The others are
 *
 *   auipc, and the link of a call   the program's address as a constant
 *   jal, c.j                        nothing: translation goes on at the target
 *   conditional branches            a branch, and a jump for each way out
 *   jalr, c.jr, c.jalr              a lookup in a table (indirect.c)
 *   ecall                           a trip to dispatch
 *   what uses tp                    the same with a borrowed register: tp is the translator's. */
#include "translator/rv64/copy.h"
#include "translator/rv64/lookup.h"
#include "translator/state.h"

#include "base/check.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/encode.h"
#include "isa/rv64/immediate.h"

/* addi by opcode and funct3. */
#define ADDI_MASK UINT32_C(0x707f)

static unsigned field(uint32_t word, unsigned low)
{
    return word >> low & 31;
}

static uint32_t fetch(guest_addr pc)
{
    const uint16_t *halves = (const uint16_t *)(uintptr_t)pc;
    const uint32_t half = halves[0];
    return (half & 3) == 3 ? half | (uint32_t)halves[1] << 16 : half;
}

static bool names_tp(uint32_t word, unsigned operands)
{
    return (operands & OPERANDS_RD && field(word, 7) == TP) ||
           (operands & OPERANDS_RS1 && field(word, 15) == TP) ||
           (operands & OPERANDS_RS2 && field(word, 20) == TP);
}

/* An instruction with tp among the registers that `operands` says it names, with
 * another in tp's place that is none of its own. */
static void translate_with_tp(struct builder *builder, uint32_t word, unsigned operands)
{
    const unsigned rd = field(word, 7), rs1 = field(word, 15), rs2 = field(word, 20);
    const bool reads_rs1 = operands & OPERANDS_RS1 && rs1 == TP;
    const bool reads_rs2 = operands & OPERANDS_RS2 && rs2 == TP;
    const bool writes = operands & OPERANDS_RD && rd == TP;
    unsigned borrowed = A0;
    while (rd == borrowed || rs1 == borrowed || rs2 == borrowed) {
        borrowed++;
    }
    emit_save(builder, borrowed, CONTEXT_SPARE);
    if (reads_rs1 || reads_rs2) {
        emit_restore(builder, borrowed, CONTEXT_X(TP));
    }
    /* In each field tp's number becomes the other's. */
    const uint32_t change = TP ^ borrowed;
    word ^= (reads_rs1 ? change << 15 : 0) | (reads_rs2 ? change << 20 : 0) |
            (writes ? change << 7 : 0);
    state_note_own(builder->translator, builder->at);
    emit_word(builder, word);
    if (writes) {
        emit_save(builder, borrowed, CONTEXT_X(TP));
    }
    emit_restore(builder, borrowed, CONTEXT_SPARE);
}

/* How translation goes on. */
enum progress {
    STRAIGHT, /* behind the instruction */
    ELSEWHERE,
    ENDED, /* with the next fragment */
};

static bool is_branch_word(uint32_t word)
{
    return (word & 0x7f) == (OPCODE_BRANCH << 2 | 3);
}

/* c.beqz and c.bnez. */
static bool is_branch_half(uint32_t half)
{
    return (half & 0xc003) == 0xc001;
}

static uint32_t expand_branch(uint32_t half)
{
    const uint32_t match = half_kind(half) == HALF_BEQZ ? MATCH_beq : MATCH_bne;
    return word_r(match, 0, 8 + (half >> 7 & 7), X0);
}

/* tp's own value comes from the context. */
SELDOM static void translate_branch_with_tp(struct builder *builder, uint32_t word,
                                            guest_addr taken, guest_addr not_taken)
{
    const unsigned rs1 = field(word, 15), rs2 = field(word, 20);
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
    emit_exit(builder, WAY_ON, not_taken, NULL);
    emit_restore(builder, borrowed, CONTEXT_SPARE);
    emit_exit(builder, WAY_BRANCH, taken, NULL);
}

/* `word` is the branch with any offset. */
static void translate_branch(struct builder *builder, uint32_t word, int64_t offset,
                             unsigned length)
{
    const guest_addr taken = builder->pc + (uint64_t)offset;
    const guest_addr not_taken = builder->pc + length;
    builder->from = builder->pc;
    builder->ended = true;
    target_align(builder);
    word &= ~BRANCH_OFFSET_MASK;
    if (UNLIKELY(field(word, 15) == TP || field(word, 20) == TP)) {
        translate_branch_with_tp(builder, word, taken, not_taken);
    } else {
        emit_branch(builder, word, taken, not_taken);
    }
}

/* One that leaves the fragment from its middle, if it can. */
static enum progress translate_inner_branch(struct builder *builder, uint32_t word, int64_t offset,
                                            unsigned length)
{
    const bool with_tp = field(word, 15) == TP || field(word, 20) == TP;
    if (with_tp || builder->side_count == FRAGMENT_SIDES) {
        translate_branch(builder, word, offset, length);
        return ENDED;
    }
    target_align(builder);
    builder->translator->sides[builder->side_count++] = (struct side){
        .branch = builder->at, .from = builder->pc, .target = builder->pc + (uint64_t)offset};
    emit_word(builder, word & ~BRANCH_OFFSET_MASK);
    builder->pc += length;
    return STRAIGHT;
}

/* Goes on at `target` if jumps are followed; otherwise the fragment ends. */
static enum progress follow(struct builder *builder, enum way way, guest_addr target)
{
    const struct options *options = &builder->translator->options;
    const guest_addr from = builder->pc;
    builder->pc = target;
    if (options->follow && !placement_ends(&builder->translator->placement, way, from, target)) {
        return ELSEWHERE;
    }
    builder->from = from;
    target_align(builder);
    emit_exit(builder, way, target, NULL);
    return ENDED;
}

/* auipc and the instruction behind it often make one address: of data, or of a
 * function that is called. */
static enum progress translate_auipc(struct builder *builder, uint32_t word)
{
    const unsigned rd = field(word, 7);
    const uint64_t value = builder->pc + (uint64_t)rv64_immediate_U(word);
    const guest_addr next_pc = builder->pc + 4;
    const uint32_t next = can_fetch(builder->translator, next_pc) ? fetch(next_pc) : 0;
    const bool joined = (next & 3) == 3 && field(next, 15) == rd && rd != TP && rd != X0;
    if (joined && (next & ADDI_MASK) == MATCH_addi && field(next, 7) == rd) {
        emit_constant(builder, rd, value + (uint64_t)rv64_immediate_I(next));
        builder->pc = next_pc + 4;
        builder->instructions++;
        return STRAIGHT;
    }
    if (joined && opcode_of(next) == OPCODE_JALR) {
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
    return STRAIGHT;
}

static unsigned operands_of(const struct rv64_insn *insn)
{
    const uint32_t flags = rv64_row(insn->op)->flags;
    return (flags & INSN_RD_INT ? OPERANDS_RD : 0u) | (flags & INSN_RS1_INT ? OPERANDS_RS1 : 0u) |
           (flags & INSN_RS2_INT ? OPERANDS_RS2 : 0u);
}

/* Bits 27 to 31 of atomics. */
enum { ATOMIC_LR = 2, ATOMIC_SC = 3 };
/* Processors let a store succeed at last if there are no more instructions than
 * 16 from the load on; a few more harm nobody. */
#define WHOLE_INSTRUCTIONS 24

static bool goes_straight(uint32_t word)
{
    if ((word & 3) == 3) {
        return opcode_of(word) == OPCODE_BRANCH ||
               (opcode_operands[opcode_of(word)] & OPERANDS_OTHER) == 0;
    }
    return half_kind(word) != HALF_J && (half_kind(word) != HALF_REGISTERS || field(word, 2) != X0);
}

/* The address of the store that belongs to the load-reserved at `pc`; 0 if it is not near. */
static guest_addr find_conditional_store(const struct translator *translator, guest_addr pc)
{
    for (unsigned i = 0; i < WHOLE_INSTRUCTIONS; i++) {
        pc += (fetch(pc) & 3) == 3 ? 4 : 2;
        if (!can_fetch(translator, pc)) {
            return 0;
        }
        const uint32_t word = fetch(pc);
        if ((word & 3) == 3 && opcode_of(word) == OPCODE_AMO) {
            return word >> 27 == ATOMIC_SC ? pc : 0;
        }
        if (!goes_straight(word)) {
            return 0;
        }
    }
    return 0;
}

/* Between a load-reserved and its store no fragment ends and nothing is added
 * that accesses memory, or the store might fail for ever: branches there leave the
 * fragment from its middle. */
static enum progress translate_atomic(struct builder *builder, uint32_t word)
{
    if (word >> 27 == ATOMIC_LR) {
        if (builder->instructions > FRAGMENT_INSTRUCTIONS - WHOLE_INSTRUCTIONS) {
            target_end(builder); /* the next begins here */
            return ENDED;
        }
        builder->whole_end = find_conditional_store(builder->translator, builder->pc);
    }
    const unsigned operands = OPERANDS_RD | OPERANDS_RS1 | OPERANDS_RS2;
    if (names_tp(word, operands)) {
        translate_with_tp(builder, word, operands);
    } else {
        emit_word(builder, word);
    }
    builder->pc += 4;
    return STRAIGHT;
}

/* What is rare enough for the whole decoder. */
SELDOM static enum progress translate_rest(struct builder *builder, uint32_t word)
{
    struct rv64_insn insn;
    uint32_t full;
    if (word == MATCH_ecall) {
        emit_leave(builder, EXIT_SYSTEM_CALL, builder->pc + 4);
        return ENDED;
    }
    rv64_decode(word, &insn);
    if (insn.op == RV64_fence_i) {
        emit_leave(builder, EXIT_CODE_CHANGED, builder->pc + 4);
        return ENDED;
    }
    if (insn.op != RV64_illegal && rv64_encode(&insn, &full) &&
        names_tp(full, operands_of(&insn))) {
        translate_with_tp(builder, full, operands_of(&insn));
    } else if (insn.length == 2) { /* an illegal one is as illegal in the cache */
        emit_half(builder, (uint16_t)word);
    } else {
        emit_word(builder, word);
    }
    builder->pc += insn.length;
    return STRAIGHT;
}

static enum progress translate_word(struct builder *builder, uint32_t word)
{
    switch (opcode_of(word)) {
    case OPCODE_BRANCH:
        return translate_inner_branch(builder, word, rv64_immediate_B(word), 4);
    case OPCODE_JAL:
        emit_return_address(builder, field(word, 7), builder->pc + 4);
        return follow(builder, field(word, 7) == X0 ? WAY_JUMP : WAY_CALL,
                      builder->pc + (uint64_t)rv64_immediate_J(word));
    case OPCODE_JALR:
        emit_indirect(builder, field(word, 7), field(word, 15), (int32_t)rv64_immediate_I(word),
                      builder->pc + 4);
        return ENDED;
    case OPCODE_AUIPC:
        return translate_auipc(builder, word);
    case OPCODE_AMO:
        return translate_atomic(builder, word);
    default:
        if (opcode_operands[opcode_of(word)] & (OPERANDS_MIXED | OPERANDS_OTHER)) {
            return translate_rest(builder, word);
        }
        if (names_tp(word, opcode_operands[opcode_of(word)])) {
            translate_with_tp(builder, word, opcode_operands[opcode_of(word)]);
        } else {
            emit_word(builder, word);
        }
        builder->pc += 4;
        return STRAIGHT;
    }
}

/* With register operands of five bits each. */
static enum progress translate_half_registers(struct builder *builder, uint32_t half)
{
    const bool second = (half >> 12 & 1) != 0; /* c.jalr, c.add; not c.jr, c.mv */
    const unsigned rd = field(half, 7), rs2 = field(half, 2);
    if (rd == X0) { /* c.ebreak, or a hint */
        return translate_rest(builder, half);
    }
    if (rs2 == X0) {
        emit_indirect(builder, second ? RA : X0, rd, 0, builder->pc + 2);
        return ENDED;
    }
    translate_with_tp(builder, word_r((uint32_t)MATCH_add, rd, second ? rd : X0, rs2),
                      OPERANDS_RD | OPERANDS_RS1 | OPERANDS_RS2);
    builder->pc += 2;
    return STRAIGHT;
}

static enum progress translate_half(struct builder *builder, uint32_t half)
{
    switch (half_kind(half)) {
    case HALF_J:
        return follow(builder, WAY_JUMP, builder->pc + (uint64_t)rv64_immediate_CJ(half));
    case HALF_BEQZ:
    case HALF_BNEZ:
        return translate_inner_branch(builder, expand_branch(half), rv64_immediate_CB(half), 2);
    case HALF_REGISTERS:
        return translate_half_registers(builder, half);
    default:
        return translate_rest(builder, half);
    }
}

/* All but branches that end the fragment. */
__attribute__((noinline)) static void translate_other(struct builder *builder, uint32_t word,
                                                      unsigned limit)
{
    const enum progress progress =
        (word & 3) == 3 ? translate_word(builder, word) : translate_half(builder, word);
    builder->ended = progress == ENDED;
    if (progress == STRAIGHT && builder->instructions < limit) {
        target_translate(builder, limit);
    }
}

/* A loop in two functions: the first is all that most fragments need, and it needs
 * no stack. */
void target_translate(struct builder *builder, unsigned limit)
{
    const uint8_t *run = builder->at;
    copy_run(builder, limit);
    state_add_mark(builder->translator, run, builder->at, builder->pc);
    if (UNLIKELY(builder->instructions == limit)) { /* what follows may not be readable */
        return;
    }
    builder->instructions++;
    const uint32_t word = fetch(builder->pc);
    if (UNLIKELY(builder->pc < builder->whole_end)) {
        translate_other(builder, word, limit);
    } else if (is_branch_word(word)) {
        translate_branch(builder, word, rv64_immediate_B(word), 4);
    } else if (is_branch_half(word)) {
        translate_branch(builder, expand_branch(word), rv64_immediate_CB(word), 2);
    } else {
        translate_other(builder, word, limit);
    }
}

bool target_fits(guest_addr pc, guest_addr end)
{
    return pc + 2 <= end && (*(const uint16_t *)(uintptr_t)pc & 3) != 3;
}

void target_begin(struct builder *builder)
{
    if (UNLIKELY(builder->lookup != LOOKUP_INLINE)) {
        emit_check(builder);
    }
    /* Whoever comes through a register has the program's a0 in the context. */
    emit_restore(builder, A0, CONTEXT_X(A0));
    builder->fragment->entry = builder->at;
    builder->fragment->landing = builder->at;
}

const uint8_t *target_indirect_entry(const struct fragment *fragment)
{
    return fragment->entry - 4;
}

/* The exits of branches in its middle. */
void target_finish(struct builder *builder)
{
    for (unsigned i = 0; i < builder->side_count; i++) {
        const struct side *side = &builder->translator->sides[i];
        target_align(builder);
        patch_word(side->branch,
                   get_word(side->branch) | branch_offset_bits(builder->at - side->branch));
        builder->from = side->from;
        emit_exit(builder, WAY_BRANCH, side->target, side->branch);
    }
}

void target_end(struct builder *builder)
{
    target_align(builder);
    emit_exit(builder, WAY_ON, builder->pc, NULL);
}
