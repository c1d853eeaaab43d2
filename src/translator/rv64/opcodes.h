/* The opcodes of RV64 instructions, and which of their fields name integer registers. */
#ifndef STRATA_TRANSLATOR_RV64_OPCODES_H
#define STRATA_TRANSLATOR_RV64_OPCODES_H

#include <stdint.h>

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

/* The major opcode of a 32-bit instruction. */
static inline enum opcode opcode_of(uint32_t word)
{
    return (enum opcode)(word >> 2 & 31);
}

/* Compressed instructions by quadrant and funct3. */
#define HALF_KIND(quadrant, funct3) ((funct3) << 2 | (quadrant))
enum half_kind {
    HALF_J = HALF_KIND(1, 5),
    HALF_REGISTERS = HALF_KIND(2, 4), /* c.mv, c.add; without rs2: c.jr, c.jalr, c.ebreak */
};

static inline enum half_kind half_kind(uint32_t half)
{
    return (enum half_kind)HALF_KIND(half & 3, half >> 13);
}

#endif
