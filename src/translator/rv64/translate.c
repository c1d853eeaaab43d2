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
#include "translator/fragment/state.h"

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

/* With its first half given. */
static uint32_t fetch_rest(guest_addr pc, uint64_t half)
{
    const uint16_t *halves = (const uint16_t *)(uintptr_t)pc;
    return (uint32_t)half | (uint32_t)halves[1] << 16;
}

static uint32_t fetch(guest_addr pc)
{
    const uint32_t half = *(const uint16_t *)(uintptr_t)pc;
    return (half & 3) == 3 ? fetch_rest(pc, half) : half;
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

/* What is not copied because it names tp. */
__attribute__((noinline)) static struct fragment *
translate_operands(struct builder *builder, uint32_t word, unsigned operands, unsigned bytes)
{
    if (names_tp(word, operands)) {
        translate_with_tp(builder, word, operands);
    } else {
        emit_word(builder, word);
    }
    return go_straight(builder, bytes);
}

static bool is_branch_word(uint64_t word)
{
    return (word & 0x7f) == (OPCODE_BRANCH << 2 | 3);
}

/* c.beqz and c.bnez. */
static bool is_branch_half(uint64_t half)
{
    return (half & 0xc003) == 0xc001;
}

/* Bit 13 tells which of the two, bits 7 to 9 the register. */
static uint32_t expand_branch(uint64_t half)
{
    return (uint32_t)((uint64_t)MATCH_beq | (half & 0x2000) / (0x2000 / BRANCH_OPPOSITE) |
                      (half & 0x380) << 8 | 8 << 15);
}

/* tp's own value comes from the context. */
static struct fragment *translate_branch_with_tp(struct builder *builder, uint32_t word,
                                                 guest_addr taken, guest_addr not_taken)
{
    builder->from = builder->pc;
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
    return build_end(builder);
}

SELDOM static struct fragment *translate_aligned_branch(struct builder *builder, uint32_t word,
                                                        guest_addr taken, guest_addr not_taken)
{
    target_align(builder);
    return field(word, 15) == TP || field(word, 20) == TP
               ? translate_branch_with_tp(builder, word, taken, not_taken)
               : emit_branch(builder, word, taken, not_taken);
}

/* `word` is the branch with any offset. */
static struct fragment *translate_branch(struct builder *builder, guest_addr pc, uint32_t word,
                                         int64_t offset, unsigned length)
{
    if (UNLIKELY(builder->translator->threaded)) {
        return translate_aligned_branch(builder, word, pc + (uint64_t)offset, pc + length);
    }
    return emit_branch(builder, word, pc + (uint64_t)offset, pc + length);
}

static struct fragment *translate_branch_word(struct builder *builder, guest_addr pc, uint32_t word)
{
    const int64_t offset = branch_offset_of(word);
    word &= ~BRANCH_OFFSET_MASK;
    if (UNLIKELY(field(word, 15) == TP || word >> 20 == TP)) {
        return translate_aligned_branch(builder, word, pc + (uint64_t)offset, pc + 4);
    }
    return translate_branch(builder, pc, word, offset, 4);
}

/* Goes on at `target` if jumps are followed; otherwise the fragment ends. */
__attribute__((noinline)) static struct fragment *follow(struct builder *builder, enum way way,
                                                         guest_addr target)
{
    const struct options *options = &builder->translator->options;
    const guest_addr from = builder->pc;
    builder->pc = target;
    if (options->follow && !placement_ends(&builder->translator->placement, way, from, target)) {
        return build_on(builder);
    }
    builder->from = from;
    target_align(builder);
    emit_exit(builder, way, target, NULL);
    return build_end(builder);
}

/* auipc, which leaves `value` in rd, and the jalr behind it. */
__attribute__((noinline)) static struct fragment *
translate_far_jump(struct builder *builder, unsigned rd, uint64_t value, uint32_t jalr)
{
    const unsigned link = field(jalr, 7);
    if (link != rd) {
        emit_register_constant(builder, rd, value);
    }
    emit_return_address(builder, link, builder->pc + 8);
    return follow(builder, link == X0 ? WAY_JUMP : WAY_CALL,
                  (value + (uint64_t)rv64_immediate_I(jalr)) & ~UINT64_C(1));
}

/* auipc and the instruction behind it often make one address: of data, or of a
 * function that is called. */
__attribute__((noinline)) static struct fragment *translate_auipc(struct builder *builder,
                                                                  uint32_t word)
{
    const unsigned rd = field(word, 7);
    const uint64_t value = builder->pc + (uint64_t)rv64_immediate_U(word);
    const guest_addr next_pc = builder->pc + 4;
    const uint32_t next = can_fetch(builder->translator, next_pc) ? fetch(next_pc) : 0;
    if (UNLIKELY(rd == TP || rd == X0)) {
        emit_register_constant(builder, rd, value);
        return go_straight(builder, 4);
    }
    const bool joined = builder->left != 0 && (next & 3) == 3 && field(next, 15) == rd;
    if (joined && (next & ADDI_MASK) == MATCH_addi && field(next, 7) == rd) {
        builder->left -= 2;
        return emit_constant_and_go(builder, rd, value + (uint64_t)rv64_immediate_I(next), 8);
    }
    if (joined && opcode_of(next) == OPCODE_JALR) {
        builder->left -= 2;
        return translate_far_jump(builder, rd, value, next);
    }
    return emit_constant_and_go(builder, rd, value, 4);
}

static unsigned operands_of(const struct rv64_insn *insn)
{
    const uint32_t flags = rv64_row(insn->op)->flags;
    return (flags & INSN_RD_INT ? OPERANDS_RD : 0u) | (flags & INSN_RS1_INT ? OPERANDS_RS1 : 0u) |
           (flags & INSN_RS2_INT ? OPERANDS_RS2 : 0u);
}

/* Bits 27 to 31 of lr. */
#define ATOMIC_LR 2

/* The load of a sequence takes all of that with it. */
__attribute__((noinline)) static struct fragment *translate_atomic(struct builder *builder,
                                                                   uint32_t word)
{
    const enum whole whole = word >> 27 == ATOMIC_LR ? whole_translate(builder) : WHOLE_NONE;
    if (whole == WHOLE_DONE) {
        return go_straight(builder, 0);
    }
    if (whole == WHOLE_LATER) { /* the next fragment begins here */
        builder->left += 2;
        return target_end(builder);
    }
    return translate_operands(builder, word, OPERANDS_RD | OPERANDS_RS1 | OPERANDS_RS2, 4);
}

/* What is rare enough for the whole decoder. */
SELDOM static struct fragment *translate_rest(struct builder *builder, uint32_t word)
{
    struct rv64_insn insn;
    uint32_t full;
    if (word == MATCH_ecall) {
        emit_leave(builder, EXIT_SYSTEM_CALL, builder->pc + 4);
        return build_end(builder);
    }
    rv64_decode(word, &insn);
    if (insn.op == RV64_fence_i) {
        emit_leave(builder, EXIT_CODE_CHANGED, builder->pc + 4);
        return build_end(builder);
    }
    if (insn.op != RV64_illegal && rv64_encode(&insn, &full) &&
        names_tp(full, operands_of(&insn))) {
        translate_with_tp(builder, full, operands_of(&insn));
    } else if (insn.length == 2) { /* an illegal one is as illegal in the cache */
        emit_half(builder, (uint16_t)word);
    } else {
        emit_word(builder, word);
    }
    return go_straight(builder, insn.length);
}

__attribute__((noinline)) static struct fragment *translate_jal(struct builder *builder,
                                                                uint32_t word)
{
    emit_return_address(builder, field(word, 7), builder->pc + 4);
    return follow(builder, field(word, 7) == X0 ? WAY_JUMP : WAY_CALL,
                  builder->pc + (uint64_t)rv64_immediate_J(word));
}

/* `bytes` long. */
__attribute__((noinline)) static struct fragment *
translate_indirect(struct builder *builder, unsigned rd, unsigned rs1, int32_t imm, unsigned bytes)
{
    emit_indirect(builder, rd, rs1, imm, builder->pc + bytes);
    return build_end(builder);
}

static struct fragment *translate_half_indirect(struct builder *builder, unsigned rd, unsigned rs1)
{
    if (rd == X0 && rs1 == RA && builder->translator->options.returns == RETURNS_CACHE) {
        emit_cached_return(builder);
        return build_end(builder);
    }
    return translate_indirect(builder, rd, rs1, 0, 2);
}

/* The first two are by far the most frequent. */
static struct fragment *translate_word(struct builder *builder, uint32_t word)
{
    const enum opcode opcode = opcode_of(word);
    if (opcode == OPCODE_AUIPC) {
        return translate_auipc(builder, word);
    }
    if (opcode == OPCODE_JAL) {
        return translate_jal(builder, word);
    }
    if (opcode == OPCODE_JALR) {
        return translate_indirect(builder, field(word, 7), field(word, 15),
                                  (int32_t)rv64_immediate_I(word), 4);
    }
    if (opcode == OPCODE_AMO) {
        return translate_atomic(builder, word);
    }
    const unsigned operands = opcode_operands[opcode];
    return operands & (OPERANDS_MIXED | OPERANDS_OTHER)
               ? translate_rest(builder, word)
               : translate_operands(builder, word, operands, 4);
}

/* With register operands of five bits each. */
static struct fragment *translate_half_registers(struct builder *builder, uint32_t half)
{
    const bool second = (half >> 12 & 1) != 0; /* c.jalr, c.add; not c.jr, c.mv */
    const unsigned rd = field(half, 7), rs2 = field(half, 2);
    if (rd == X0) { /* c.ebreak, or a hint */
        return translate_rest(builder, half);
    }
    if (rs2 == X0) {
        return translate_half_indirect(builder, second ? RA : X0, rd);
    }
    return translate_operands(builder, word_r((uint32_t)MATCH_add, rd, second ? rd : X0, rs2),
                              OPERANDS_RD | OPERANDS_RS1 | OPERANDS_RS2, 2);
}

static struct fragment *translate_half(struct builder *builder, uint32_t half)
{
    switch (half_kind(half)) {
    case HALF_J:
        return follow(builder, WAY_JUMP, builder->pc + (uint64_t)rv64_immediate_CJ(half));
    case HALF_REGISTERS:
        return translate_half_registers(builder, half);
    default:
        return translate_rest(builder, half);
    }
}

/* All but branches that end the fragment. */
static struct fragment *translate_other(struct builder *builder, guest_addr pc, uint64_t half)
{
    return (half & 3) == 3 ? translate_word(builder, fetch_rest(pc, half))
                           : translate_half(builder, (uint32_t)half);
}

/* All that most fragments need. */
struct fragment *target_translate(struct builder *builder)
{
    const uint8_t *run = builder->at;
    uint64_t half;
    const bool stopped = copy_run(builder, &half);
    const guest_addr pc = builder->pc;
    if (UNLIKELY(!stopped)) { /* what follows may not be readable */
        state_add_mark(builder->translator, run, builder->at, pc);
        return build_on(builder);
    }
    builder->left -= 2;
    state_add_mark(builder->translator, run, builder->at, pc);
    if (is_branch_word(half)) {
        return translate_branch_word(builder, pc, fetch_rest(pc, half));
    }
    if (is_branch_half(half)) {
        return translate_branch(builder, pc, expand_branch(half), rv64_immediate_CB((uint32_t)half),
                                2);
    }
    return translate_other(builder, pc, half);
}

/* auipc is looked at together with what stands behind it. */
unsigned target_read_bytes(const uint8_t *code)
{
    const uint32_t half = *(const uint16_t *)(const void *)code;
    if ((half & 3) != 3) {
        return 2;
    }
    return opcode_of(half) == OPCODE_AUIPC ? 8 : 4;
}

bool target_fits(guest_addr pc, guest_addr end)
{
    return pc + 2 <= end && (*(const uint16_t *)(uintptr_t)pc & 3) != 3;
}

/* Whoever comes through a register has the program's a0 in the context. */
void target_begin(struct builder *builder)
{
    emit_restore(builder, A0, CONTEXT_X(A0));
}

void target_begin_with_check(struct builder *builder)
{
    if (builder->lookup != LOOKUP_INLINE) {
        emit_check(builder);
    }
    target_begin(builder);
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
        whole_give_back(builder, side->held);
        emit_exit(builder, WAY_BRANCH, side->target, side->held == 0 ? side->branch : NULL);
    }
}

struct fragment *target_end(struct builder *builder)
{
    target_align(builder);
    emit_exit(builder, WAY_ON, builder->pc, NULL);
    return build_end(builder);
}
