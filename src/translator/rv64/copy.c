/* Copies the instructions that mean the same in the cache; most of the time of building goes here.
 *
 * One is copied unless it depends on where it stands or names the thread pointer,
 * which is the translator's.  That must be found out in few instructions, and
 * surely: to take a copy for something else costs as much as thirty copies.  So
 * two small tables judge the first half of an instruction.  The lower bits, which
 * hold the opcode, choose rules; the upper bits say which rules are broken. */
#include "translator/rv64/copy.h"

#include "base/check.h"
#include "translator/rv64/emit.h"

enum {
    RULE_QUADRANT_1 = 1,
    RULE_QUADRANT_2 = 2,
    RULE_QUADRANT_2_TP = 4,   /* where rs2 stands, there is tp, */
    RULE_QUADRANT_2_ZERO = 8, /* or nothing */
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
 * funct3 of halves: the rules that are broken with tp as rd, and with another. */
#define BROKEN(other, with_tp) TWICE(RULES(RULE_NEVER | (other), RULE_NEVER | RULE_RD | (with_tp)))
#define RULES(other, with_tp)                                                                      \
    FOUR(other), with_tp, ONCE(other), TWICE(other), EIGHT(other), EIGHT(other), EIGHT(other)
#define RS2_IS_REGISTER RULE_QUADRANT_2_TP

#define RULES_OF_2(rs2)                                                                            \
    (RULE_QUADRANT_2 | ((rs2) == TP ? RULE_QUADRANT_2_TP : (rs2) == X0 ? RULE_QUADRANT_2_ZERO : 0))
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

const uint8_t opcode_operands[32] = {
#define OPCODE(name, operands) operands,
#include "translator/rv64/opcodes.def"
#undef OPCODE
};

static void end_run(struct builder *builder, const uint16_t *from, uint16_t *to, uintptr_t end)
{
    builder->pc = (uintptr_t)from;
    builder->at = (uint8_t *)to;
    builder->left = (int64_t)(end - (uintptr_t)from);
}

/* 64-bit words, since RV64 has no other comparisons.  The limit is a place: as far
 * ahead as there may be halves, and one more for each word. */
bool copy_run(struct builder *builder, uint64_t *stopped)
{
    const uint16_t *from = (const uint16_t *)(uintptr_t)builder->pc;
    uint16_t *to = (uint16_t *)(void *)builder->at;
    uintptr_t end = (uintptr_t)from + (uint64_t)builder->left;
    uint64_t half;
    for (;;) {
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
            if (UNLIKELY((rest & 31 << 4) == TP << 4) && (rule & NAMES_RS2) != 0) {
                break;
            }
            to[0] = (uint16_t)half;
            to[1] = (uint16_t)rest;
            to += 2;
            from += 2;
            end += 2;
        }
        if (UNLIKELY((uintptr_t)from == end)) {
            end_run(builder, from, to, end);
            return false;
        }
    }
    /* Or the loop would compute parts of it that are of use only afterwards. */
    __asm__("" : "+r"(half));
    *stopped = half;
    end_run(builder, from, to, end);
    return true;
}
