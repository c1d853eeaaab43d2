/* A predecoded instruction, as the engine and the exec_* functions see it. */
#ifndef STRATA_MACHINE_EXEC_OP_H
#define STRATA_MACHINE_EXEC_OP_H

#include <stdint.h>

/* Sixteen bytes, so that a cache line holds four.  An instruction that needs
 * more (a branch's two successors, a 64-bit constant) is followed by one
 * that holds only that. */
struct op {
    const void *handler; /* engine: where its code is; not looked at by exec_* */
    union {
        struct {
            uint8_t rd; /* HART_X_SINK for x0; 0 to 31 for a floating-point register */
            uint8_t rs1, rs2, rs3;
            int32_t imm; /* the immediate; for floating point the rounding mode field */
        };
        uint64_t value;
        void *pointer;
    };
};

/* auipc and jal write a constant that needs more than 32 bits but, being near a
 * pc, never more than 56: it shares the word with rd, which is its low byte. */
static inline uint64_t op_pack_constant(uint8_t rd, uint64_t constant)
{
    return constant << 8 | rd;
}

static inline uint64_t op_constant(const struct op *op)
{
    return (uint64_t)((int64_t)op->value >> 8);
}

#endif
