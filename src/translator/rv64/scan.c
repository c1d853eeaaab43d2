/* Reads the program's code into the steps of a plan; most of the time of building goes here.
 *
 * Nearly all instructions mean the same in the cache and are copied as they are, in runs.  The others are
 *
 *   auipc                           a constant, with the addi behind it
 *   jal, c.j                        a jump or a call
 *   conditional branches            a branch
 *   jalr, c.jr, c.jalr              a return, or an indirect jump or call
 *   ecall, fence.i                  a system call, a synchronization
 *   lr, up to its sc                a whole (whole.c)
 *   what uses tp                    to be rewritten: tp is the translator's; gp is, too, if plan->scratch
 *
 * Which of the two an instruction is must be found out in few instructions, and
 * surely: to take a copy for something else costs as much as thirty copies.  So
 * two small tables judge the first half of an instruction.  The lower bits, which
 * hold the opcode, choose rules; the upper bits say which rules are broken. */
#include "translator/rv64/emit.h"
#include "translator/rv64/opcodes.h"

#include "base/check.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/encode.h"
#include "isa/rv64/immediate.h"

enum {
    RULE_QUADRANT_1 = 1,
    RULE_QUADRANT_2 = 2,
    RULE_QUADRANT_2_TP = 4,   /* there is tp or gp where rs2 stands */
    RULE_QUADRANT_2_ZERO = 8, /* there is x0 where rs2 stands */
    RULE_RD = 16,             /* a word that writes an integer register */
    RULE_NEVER = 32,
    /* No rules, and never broken: */
    NAMES_RS2 = 64,
    WORD = -128, /* the instruction has a second half */
};

#define ONCE(x) x
#define TWICE(x) x, x
#define FOUR(x) TWICE(x), TWICE(x)
#define EIGHT(x) FOUR(x), FOUR(x)

/* Bits 7 to 15, that is rd of words and of most halves, one bit of no interest,
 * funct3 of halves: the rules that are broken with gp or tp as rd, and with another. */
#define BROKEN(other, with_own)                                                                    \
    TWICE(RULES(RULE_NEVER | (other), RULE_NEVER | RULE_RD | (with_own)))
#define RULES(other, with_own)                                                                     \
    ONCE(other), TWICE(other), TWICE(with_own), ONCE(other), TWICE(other), EIGHT(other),           \
        EIGHT(other), EIGHT(other)
#define RS2_IS_REGISTER RULE_QUADRANT_2_TP

#define RULES_OF_2(rs2)                                                                            \
    (RULE_QUADRANT_2 | ((rs2) == TP || (rs2) == GP ? RULE_QUADRANT_2_TP                            \
                        : (rs2) == X0              ? RULE_QUADRANT_2_ZERO                          \
                                                   : 0))
#define RULES_OF_WORD(operands)                                                                    \
    (WORD | ((operands)&OPERANDS_RS2 ? NAMES_RS2 : 0) |                                            \
     ((operands)&OPERANDS_OTHER ? RULE_NEVER                                                       \
      : (operands)&OPERANDS_RD  ? RULE_RD                                                          \
                                : 0))

/* clang-format off */
static const struct {
    uint8_t broken[512];
    int8_t rules[128];
} tables = {{
    /*     c.addi; c.slli */
    BROKEN(0, RULE_QUADRANT_1 | RULE_QUADRANT_2),
    /*     c.addiw; c.fldsp */
    BROKEN(0, RULE_QUADRANT_1),
    /*     c.li; c.lwsp */
    BROKEN(0, RULE_QUADRANT_1 | RULE_QUADRANT_2),
    /*     c.lui, c.addi16sp; c.ldsp */
    BROKEN(0, RULE_QUADRANT_1 | RULE_QUADRANT_2),
    /*     arithmetic on x8 to x15; HALF_REGISTERS */
    BROKEN(RS2_IS_REGISTER | RULE_QUADRANT_2_ZERO,
           RS2_IS_REGISTER | RULE_QUADRANT_2_ZERO | RULE_QUADRANT_2),
    /*     c.j; c.fsdsp */
    BROKEN(RULE_QUADRANT_1, RULE_QUADRANT_1),
    /*     c.beqz; c.swsp */
    BROKEN(RULE_QUADRANT_1 | RS2_IS_REGISTER, RULE_QUADRANT_1 | RS2_IS_REGISTER),
    /*     c.bnez; c.sdsp */
    BROKEN(RULE_QUADRANT_1 | RS2_IS_REGISTER, RULE_QUADRANT_1 | RS2_IS_REGISTER),
}, {
/* Bits 0 to 6, for each quadrant; those of quadrant 0 name x8 to x15 only. */
#define OPCODE(name, operands)                                                                     \
    0, RULE_QUADRANT_1, RULES_OF_2((int)OPCODE_##name), RULES_OF_WORD(operands),
#include "translator/rv64/opcodes.def"
#undef OPCODE
}};
/* clang-format on */

static const uint8_t opcode_operands[32] = {
#define OPCODE(name, operands) operands,
#include "translator/rv64/opcodes.def"
#undef OPCODE
};

/* addi by opcode and funct3. */
#define ADDI_MASK UINT32_C(0x707f)
/* Bits 27 to 31 of lr. */
#define ATOMIC_LR 2

static unsigned field(uint32_t word, unsigned low)
{
    return word >> low & 31;
}

/* The rest of an instruction whose first half is given. */
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

/* Adds `bytes` of the program's code, 2 or 4, to the plan's. */
static void take_code(struct plan *plan, uint32_t word, unsigned bytes)
{
    if (bytes == 2) {
        *(uint16_t *)(void *)plan->code_end = (uint16_t)word;
    } else {
        put_word(plan->code_end, word);
    }
    plan->pc += bytes;
    plan->code_end += bytes;
}

/* A step of one instruction. */
static struct step *add_one(struct plan *plan, enum step_kind kind, uint32_t word, unsigned bytes)
{
    struct step *step = plan_add(plan, kind, plan->pc, bytes);

    take_code(plan, word, bytes);
    return step;
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

/* The detail of a jump, direct or not, is a word with its registers where jalr has them. */
static void scan_direct(struct plan *plan, uint32_t word, unsigned bytes, unsigned link,
                        guest_addr target)
{
    struct step *step = add_one(plan, link == X0 ? STEP_JUMP : STEP_CALL, word, bytes);

    step->value = target;
    step->detail = link << 7;
}

static void scan_indirect(struct plan *plan, uint32_t word, unsigned bytes, uint32_t jalr)
{
    const unsigned link = field(jalr, 7);
    const bool returns = link == X0 && field(jalr, 15) == RA && jalr >> 20 == 0;

    add_one(plan,
            returns      ? STEP_RETURN
            : link == X0 ? STEP_INDIRECT_JUMP
                         : STEP_INDIRECT_CALL,
            word, bytes)
        ->detail = jalr;
}

/* auipc and the instruction behind it often make one address: of data, or of a
 * function that is called.  True if the scan goes on. */
static bool scan_auipc(struct plan *plan, uint32_t word, uint64_t *left)
{
    const unsigned rd = field(word, 7);
    const uint64_t value = plan->pc + (uint64_t)rv64_immediate_U(word);
    const guest_addr pc = plan->pc;
    const uint32_t next = *left != 0 ? fetch(pc + 4) : 0;
    const bool joined = (next & 3) == 3 && field(next, 15) == rd && rd != X0 && rd != TP;

    struct step *step = add_one(plan, STEP_CONSTANT, word, 4);
    step->value = value;
    step->detail = rd;
    if (joined && (next & ADDI_MASK) == MATCH_addi && field(next, 7) == rd) {
        step->value += (uint64_t)rv64_immediate_I(next);
    } else if (joined && opcode_of(next) == OPCODE_JALR && field(next, 7) == rd) {
        step->kind = STEP_CALL; /* which leaves its return address in the constant's place */
        step->value = (value + (uint64_t)rv64_immediate_I(next)) & ~UINT64_C(1);
        step->detail = rd << 7;
    } else if (joined && opcode_of(next) == OPCODE_JALR) {
        *left -= 2;
        scan_direct(plan, next, 4, field(next, 7),
                    (value + (uint64_t)rv64_immediate_I(next)) & ~UINT64_C(1));
        return false;
    } else {
        return true;
    }
    *left -= 2;
    take_code(plan, next, 4);
    step->bytes += 4;
    return step->kind == STEP_CONSTANT;
}

static bool names(uint32_t word, unsigned operands, unsigned reg)
{
    return (operands & OPERANDS_RD && field(word, 7) == reg) ||
           (operands & OPERANDS_RS1 && field(word, 15) == reg) ||
           (operands & OPERANDS_RS2 && field(word, 20) == reg);
}

static unsigned operands_of(const struct rv64_insn *insn)
{
    const uint32_t flags = rv64_row(insn->op)->flags;
    return (flags & INSN_RD_INT ? OPERANDS_RD : 0u) | (flags & INSN_RS1_INT ? OPERANDS_RS1 : 0u) |
           (flags & INSN_RS2_INT ? OPERANDS_RS2 : 0u);
}

/* What was copied from `start` to `end` is one step, unless it is nothing: with the one before, if that is a
 * copy of what stands before it. */
static void add_run(struct plan *plan, guest_addr start, guest_addr end)
{
    const unsigned bytes = (unsigned)(end - start);
    struct step *last = plan->end - 1;

    if (bytes == 0) {
        return;
    }
    if (LIKELY(plan->end == plan->steps) || last->kind != STEP_COPY || step_end(last) != start) {
        plan_add(plan, STEP_COPY, start, bytes);
    } else {
        last->bytes = (uint16_t)(last->bytes + bytes);
    }
}

/* An instruction that is copied after all, or rewritten, since it names a register of the translator's: `word` says it in 32 bits.  The
 * step's detail is that word, and its value says which operands it has. */
static void scan_operands(struct plan *plan, uint32_t own, unsigned bytes, uint32_t word,
                          unsigned operands)
{
    if (names(word, operands, TP) || (plan->scratch && names(word, operands, GP))) {
        struct step *step = add_one(plan, STEP_REWRITE, own, bytes);
        step->detail = word;
        step->value = operands;
        return;
    }
    const guest_addr start = plan->pc;
    take_code(plan, own, bytes);
    add_run(plan, start, plan->pc);
}

/* What is rare enough for the whole decoder.  An illegal instruction is as illegal in the cache. */
SELDOM static bool scan_rest(struct plan *plan, uint32_t word)
{
    struct rv64_insn insn;
    uint32_t full = 0;
    if (word == MATCH_ecall) {
        add_one(plan, STEP_SYSTEM_CALL, word, 4);
        return false;
    }
    rv64_decode(word, &insn);
    if (insn.op == RV64_fence_i) {
        add_one(plan, STEP_SYNC, word, 4);
        return false;
    }
    const bool known = insn.op != RV64_illegal && rv64_encode(&insn, &full);
    scan_operands(plan, word, insn.length, full, known ? operands_of(&insn) : 0);
    return true;
}

/* The load of a sequence takes all of that with it.  True if the scan goes on. */
SELDOM static bool scan_atomic(struct plan *plan, uint32_t word, uint64_t *left)
{
    struct whole whole;

    whole.instructions = 0;
    if (word >> 27 == ATOMIC_LR) {
        /* Near the end of what can be read *left is too small for short instructions, and it does not count the
         * load itself any more. */
        const bool begins = plan->pc == plan->start;
        const unsigned limit = begins ? TARGET_WHOLE_INSTRUCTIONS : (unsigned)(*left >> 1) + 1;
        whole_read(plan->pc, plan->readable_end, limit, plan->code_end, &whole);
        if (whole.instructions != 0 && !begins &&
            (whole.instructions > limit || plan->side_count + whole.side_count > TARGET_SIDES)) {
            *left += 2; /* the next plan begins here */
            return false;
        }
        if (whole.instructions > limit) {
            whole.instructions = 0;
        }
    }
    if (whole.instructions == 0) {
        scan_operands(plan, word, 4, word, OPERANDS_RD | OPERANDS_RS1 | OPERANDS_RS2);
        return true;
    }
    plan_add(plan, STEP_WHOLE, plan->pc, whole.bytes);
    plan->pc += whole.bytes;
    plan->code_end += whole.bytes;
    *left -= 2 * (whole.instructions - 1);
    for (unsigned i = 0; i < whole.side_count; i++) {
        struct step *side = plan_add(plan, STEP_SIDE, whole.sides[i].from, 0);
        side->value = whole.sides[i].target;
        side->flags = whole.sides[i].jumps ? STEP_ALWAYS : 0;
    }
    plan->side_count += whole.side_count;
    return true;
}

/* The first two are by far the most frequent. */
static bool scan_word(struct plan *plan, uint32_t word, uint64_t *left)
{
    const enum opcode opcode = opcode_of(word);
    if (opcode == OPCODE_AUIPC) {
        return scan_auipc(plan, word, left);
    }
    if (opcode == OPCODE_JAL) {
        scan_direct(plan, word, 4, field(word, 7), plan->pc + (uint64_t)rv64_immediate_J(word));
        return false;
    }
    if (opcode == OPCODE_JALR) {
        scan_indirect(plan, word, 4, word);
        return false;
    }
    if (opcode == OPCODE_AMO) {
        return scan_atomic(plan, word, left);
    }
    const unsigned operands = opcode_operands[opcode];
    if (operands & (OPERANDS_MIXED | OPERANDS_OTHER)) {
        return scan_rest(plan, word);
    }
    scan_operands(plan, word, 4, word, operands);
    return true;
}

/* With register operands of five bits each. */
static bool scan_half_registers(struct plan *plan, uint32_t half)
{
    const bool second = (half >> 12 & 1) != 0; /* c.jalr, c.add; not c.jr, c.mv */
    const unsigned rd = field(half, 7), rs2 = field(half, 2);
    if (rd == X0) { /* c.ebreak, or a hint */
        return scan_rest(plan, half);
    }
    if (rs2 == X0) {
        scan_indirect(plan, half, 2, word_i((uint32_t)MATCH_jalr, second ? RA : X0, rd, 0));
        return false;
    }
    scan_operands(plan, half, 2, word_r((uint32_t)MATCH_add, rd, second ? rd : X0, rs2),
                  OPERANDS_RD | OPERANDS_RS1 | OPERANDS_RS2);
    return true;
}

static bool scan_half(struct plan *plan, uint32_t half)
{
    switch (half_kind(half)) {
    case HALF_J:
        scan_direct(plan, half, 2, X0, plan->pc + (uint64_t)rv64_immediate_CJ(half));
        return false;
    case HALF_REGISTERS:
        return scan_half_registers(plan, half);
    default:
        return scan_rest(plan, half);
    }
}

/* An instruction that is not simply copied, and no branch; *left is two for each that may follow it.  True if the
 * scan goes on. */
__attribute__((noinline)) static bool scan_other(struct plan *plan, uint64_t half, uint64_t *left)
{
    return (half & 3) == 3 ? scan_word(plan, fetch_rest(plan->pc, half), left)
                           : scan_half(plan, (uint32_t)half);
}

/* The end of a plan, mostly.  The detail of a branch is its word, without the offset. */
INLINE static void scan_branch(struct plan *plan, uint64_t half)
{
    const guest_addr pc = plan->pc;

    if ((half & 3) == 3) {
        const uint32_t word = fetch_rest(pc, half);
        struct step *step = add_one(plan, STEP_BRANCH, word, 4);
        step->value = pc + (uint64_t)branch_offset_of(word);
        step->detail = word & ~BRANCH_OFFSET_MASK;
    } else {
        struct step *step = add_one(plan, STEP_BRANCH, (uint32_t)half, 2);
        step->value = pc + (uint64_t)rv64_immediate_CB((uint32_t)half);
        step->detail = expand_branch(half);
    }
}

static bool is_branch(uint64_t half)
{
    return is_branch_word(half) || is_branch_half(half);
}

/* Of a careful scan, which began at `code`: whether its last step may write to memory. */
SELDOM static void note_store(struct step *last, const uint8_t *code)
{
    struct rv64_insn insn;

    rv64_decode(get_word(code), &insn);
    if ((rv64_row(insn.op)->flags & (INSN_STORE | INSN_ATOMIC)) != 0) {
        last->flags |= STEP_STORES;
    }
}

/* Copies plain instructions, until one that is not, whose first half is left in *stopped, or until none may follow;
 * returns two for each that still may.
 *
 * 64-bit words, since RV64 has no other comparisons.  The limit is a place: as far
 * ahead as there may be halves, and one more for each word. */
INLINE static uint64_t copy_plain(struct plan *plan, uint64_t left, uint64_t *stopped, bool scratch)
{
    const uint16_t *from = (const uint16_t *)(uintptr_t)plan->pc;
    uint16_t *to = (uint16_t *)(void *)plan->code_end;
    uintptr_t end = (uintptr_t)from + left;
    uint64_t half;

    do {
        half = from[0];
        const int64_t rule = tables.rules[half & 127];
        if ((tables.broken[half >> 7] & rule) != 0) {
            break;
        }
        if (rule >= 0) {
            *to++ = (uint16_t)half;
            from++;
        } else {
            const uint64_t rest = from[1];
            if (UNLIKELY((rest & 15) == TP >> 1) && half >> 15 == (TP & 1)) {
                break; /* as rs1; lui has none, but that is rare */
            }
            if (scratch && UNLIKELY((rest & 15) == GP >> 1) && half >> 15 == (GP & 1)) {
                break;
            }
            if (UNLIKELY((rest & 31 << 4) == TP << 4) && (rule & NAMES_RS2) != 0) {
                break;
            }
            if (scratch && UNLIKELY((rest & 31 << 4) == GP << 4) && (rule & NAMES_RS2) != 0) {
                break;
            }
            to[0] = (uint16_t)half;
            to[1] = (uint16_t)rest;
            to += 2;
            from += 2;
            end += 2;
        }
    } while ((uintptr_t)from != end);
    /* Or the loop would compute parts of it that are of use only afterwards. */
    __asm__("" : "+r"(half));
    add_run(plan, plan->pc, (uintptr_t)from);
    plan->pc = (uintptr_t)from;
    plan->code_end = (uint8_t *)to;
    *stopped = half;
    return end - (uintptr_t)from;
}

/* Of `limit` instructions that could be scanned so many can still follow, twice: less than none after a whole of
 * short ones. */
static void count_scanned(struct plan *plan, uint64_t limit, uint64_t left)
{
    plan->instructions += limit - (uint64_t)((int64_t)left >> 1);
}

/* One instruction, or one whole. */
SELDOM static void scan_carefully(struct plan *plan, uint64_t limit)
{
    const uint8_t *const code = plan->code_end;
    uint64_t left = 2 * limit - 2;
    uint64_t half;

    if (copy_plain(plan, 2, &half, true) != 0) {
        if (is_branch(half)) {
            scan_branch(plan, half);
        } else {
            scan_other(plan, half, &left);
        }
    }
    count_scanned(plan, limit, left);
    if (plan->code_end != code) {
        note_store(plan->end - 1, code);
    }
}

/* Goes on with the instruction at plan->pc, which is not plain and whose first half is `half`, and with what
 * follows it. */
__attribute__((noinline)) static void scan_on(struct plan *plan, uint64_t limit, uint64_t left,
                                              uint64_t half)
{
    do {
        left -= 2;
        if (is_branch(half)) {
            scan_branch(plan, half);
            break;
        }
        if (!scan_other(plan, half, &left)) {
            break;
        }
    } while ((int64_t)left > 0 && (left = copy_plain(plan, left, &half, true)) != 0);
    count_scanned(plan, limit, left);
}

INLINE static void scan_plan(struct plan *plan, uint64_t limit, bool scratch)
{
    uint64_t half;
    const uint64_t left = copy_plain(plan, 2 * limit, &half, scratch);

    if (left == 0) {
        count_scanned(plan, limit, 0);
    } else if (LIKELY(is_branch(half))) {
        scan_branch(plan, half);
        count_scanned(plan, limit, left - 2);
    } else {
        scan_on(plan, limit, left, half);
    }
}

/* Apart from the other, so that each is one short loop. */
__attribute__((noinline)) static void scan_beside_scratch(struct plan *plan, uint64_t limit)
{
    scan_plan(plan, limit, true);
}

void target_scan(struct plan *plan, uint64_t limit)
{
    if (UNLIKELY(plan->careful)) {
        scan_carefully(plan, limit);
    } else if (UNLIKELY(plan->scratch)) {
        scan_beside_scratch(plan, limit);
    } else {
        scan_plan(plan, limit, false);
    }
}

bool target_fits(guest_addr pc, guest_addr end)
{
    return pc + 2 <= end && (*(const uint16_t *)(uintptr_t)pc & 3) != 3;
}
