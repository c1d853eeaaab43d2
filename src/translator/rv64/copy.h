/* Which instructions are copied as they are, and which registers the others name. */
#ifndef STRATA_TRANSLATOR_RV64_COPY_H
#define STRATA_TRANSLATOR_RV64_COPY_H

#include "translator/target.h"

enum {
    OPERANDS_NONE = 0,
    OPERANDS_RD = 1,
    OPERANDS_RS1 = 2,
    OPERANDS_RS2 = 4,
    OPERANDS_MIXED = 8,  /* of some instructions the fields name floating-point registers */
    OPERANDS_OTHER = 16, /* never copied without a look at the whole instruction */
};

enum opcode {
#define OPCODE(name, operands) OPCODE_##name,
#include "translator/rv64/opcodes.def"
#undef OPCODE
};
extern const uint8_t opcode_operands[32];

/* The major opcode of a 32-bit instruction. */
static inline enum opcode opcode_of(uint32_t word)
{
    return (enum opcode)(word >> 2 & 31);
}

/* Compressed instructions by quadrant and funct3. */
#define HALF_KIND(quadrant, funct3) ((funct3) << 2 | (quadrant))
enum half_kind {
    HALF_J = HALF_KIND(1, 5),
    HALF_BEQZ = HALF_KIND(1, 6),
    HALF_BNEZ = HALF_KIND(1, 7),
    HALF_REGISTERS = HALF_KIND(2, 4), /* c.mv, c.add; without rs2: c.jr, c.jalr, c.ebreak */
};

static inline enum half_kind half_kind(uint32_t half)
{
    return (enum half_kind)HALF_KIND(half & 3, half >> 13);
}

/* Copies instructions from builder->pc on until one that is not simply copied, or
 * until the fragment has builder->limit of them; it has fewer now.  Returns whether
 * there is one that is not, and leaves its first half in `stopped`. */
bool copy_run(struct builder *builder, uint64_t *stopped);

#endif
