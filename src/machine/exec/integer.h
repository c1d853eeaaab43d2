/* What the integer instructions of RV64IM, Zba, Zbb and Zbs do: one row each. */
#ifndef STRATA_MACHINE_EXEC_INTEGER_H
#define STRATA_MACHINE_EXEC_INTEGER_H

#include "machine/exec/op.h"
#include "machine/state/hart.h"

/* The 32-bit forms sign-extend their result. */
static inline uint64_t sext32(uint64_t value)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
}

static inline uint64_t rotate_right64(uint64_t value, unsigned by)
{
    return value >> (by & 63) | value << (-by & 63);
}

static inline uint64_t rotate_right32(uint64_t value, unsigned by)
{
    uint32_t low = (uint32_t)value;
    return sext32(low >> (by & 31) | low << (-by & 31));
}

static inline uint64_t multiply_high(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)a * b >> 64);
}

static inline uint64_t multiply_high_signed(uint64_t a, uint64_t b)
{
    return multiply_high(a, b) - ((int64_t)a < 0 ? b : 0) - ((int64_t)b < 0 ? a : 0);
}

static inline uint64_t multiply_high_signed_unsigned(uint64_t a, uint64_t b)
{
    return multiply_high(a, b) - ((int64_t)a < 0 ? b : 0);
}

/* Division never traps: by zero the quotient is all ones and the remainder the
 * dividend; the one overflow gives the dividend and zero (M extension, 7.2). */
static inline uint64_t divide_signed(int64_t a, int64_t b)
{
    if (b == 0) {
        return UINT64_MAX;
    }
    return b == -1 ? -(uint64_t)a : (uint64_t)(a / b);
}

static inline uint64_t remainder_signed(int64_t a, int64_t b)
{
    if (b == 0) {
        return (uint64_t)a;
    }
    return b == -1 ? 0 : (uint64_t)(a % b);
}

static inline uint64_t divide_unsigned(uint64_t a, uint64_t b)
{
    return b == 0 ? UINT64_MAX : a / b;
}

static inline uint64_t remainder_unsigned(uint64_t a, uint64_t b)
{
    return b == 0 ? a : a % b;
}

static inline uint64_t or_combine_bytes(uint64_t a)
{
    const uint64_t low7 = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t high = (((a & low7) + low7) | a) & ~low7; /* bit 7 of each byte that is not zero */
    return (high >> 7) * 255;
}

/* Rows: `a` and `b` are rs1 and rs2, `imm` the sign-extended immediate. */
#define VALUE(id, result)                                                                          \
    static inline void exec_##id(struct hart *hart, const struct op *op)                           \
    {                                                                                              \
        const uint64_t a = hart->x[op->rs1];                                                       \
        const uint64_t b = hart->x[op->rs2];                                                       \
        const uint64_t imm = (uint64_t)(int64_t)op->imm;                                           \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
        (void)imm;                                                                                 \
        hart->x[op->rd] = (result);                                                                \
    }

/* clang-format off */
VALUE(lui,    imm)
VALUE(addi,   a + imm)
VALUE(slti,   (int64_t)a < (int64_t)imm)
VALUE(sltiu,  a < imm)
VALUE(xori,   a ^ imm)
VALUE(ori,    a | imm)
VALUE(andi,   a & imm)
VALUE(slli,   a << imm)
VALUE(srli,   a >> imm)
VALUE(srai,   (uint64_t)((int64_t)a >> imm))
VALUE(add,    a + b)
VALUE(sub,    a - b)
VALUE(sll,    a << (b & 63))
VALUE(slt,    (int64_t)a < (int64_t)b)
VALUE(sltu,   a < b)
VALUE(xor,    a ^ b)
VALUE(srl,    a >> (b & 63))
VALUE(sra,    (uint64_t)((int64_t)a >> (b & 63)))
VALUE(or,     a | b)
VALUE(and,    a & b)
VALUE(addiw,  sext32(a + imm))
VALUE(slliw,  sext32(a << imm))
VALUE(srliw,  sext32((uint32_t)a >> imm))
VALUE(sraiw,  (uint64_t)((int64_t)(int32_t)(uint32_t)a >> imm))
VALUE(addw,   sext32(a + b))
VALUE(subw,   sext32(a - b))
VALUE(sllw,   sext32(a << (b & 31)))
VALUE(srlw,   sext32((uint32_t)a >> (b & 31)))
VALUE(sraw,   (uint64_t)((int64_t)(int32_t)(uint32_t)a >> (b & 31)))

VALUE(mul,    a * b)
VALUE(mulh,   multiply_high_signed(a, b))
VALUE(mulhsu, multiply_high_signed_unsigned(a, b))
VALUE(mulhu,  multiply_high(a, b))
VALUE(div,    divide_signed((int64_t)a, (int64_t)b))
VALUE(divu,   divide_unsigned(a, b))
VALUE(rem,    remainder_signed((int64_t)a, (int64_t)b))
VALUE(remu,   remainder_unsigned(a, b))
VALUE(mulw,   sext32(a * b))
VALUE(divw,   sext32(divide_signed((int32_t)(uint32_t)a, (int32_t)(uint32_t)b)))
VALUE(divuw,  sext32(divide_unsigned((uint32_t)a, (uint32_t)b)))
VALUE(remw,   sext32(remainder_signed((int32_t)(uint32_t)a, (int32_t)(uint32_t)b)))
VALUE(remuw,  sext32(remainder_unsigned((uint32_t)a, (uint32_t)b)))

VALUE(add_uw,    (uint32_t)a + b)
VALUE(sh1add,    (a << 1) + b)
VALUE(sh2add,    (a << 2) + b)
VALUE(sh3add,    (a << 3) + b)
VALUE(sh1add_uw, ((uint64_t)(uint32_t)a << 1) + b)
VALUE(sh2add_uw, ((uint64_t)(uint32_t)a << 2) + b)
VALUE(sh3add_uw, ((uint64_t)(uint32_t)a << 3) + b)
VALUE(slli_uw,   (uint64_t)(uint32_t)a << imm)

VALUE(andn,   a & ~b)
VALUE(orn,    a | ~b)
VALUE(xnor,   ~(a ^ b))
VALUE(clz,    a == 0 ? 64 : (uint64_t)__builtin_clzll(a))
VALUE(clzw,   (uint32_t)a == 0 ? 32 : (uint64_t)__builtin_clz((uint32_t)a))
VALUE(ctz,    a == 0 ? 64 : (uint64_t)__builtin_ctzll(a))
VALUE(ctzw,   (uint32_t)a == 0 ? 32 : (uint64_t)__builtin_ctz((uint32_t)a))
VALUE(cpop,   (uint64_t)__builtin_popcountll(a))
VALUE(cpopw,  (uint64_t)__builtin_popcount((uint32_t)a))
VALUE(max,    (int64_t)a > (int64_t)b ? a : b)
VALUE(maxu,   a > b ? a : b)
VALUE(min,    (int64_t)a < (int64_t)b ? a : b)
VALUE(minu,   a < b ? a : b)
VALUE(sext_b, (uint64_t)(int64_t)(int8_t)(uint8_t)a)
VALUE(sext_h, (uint64_t)(int64_t)(int16_t)(uint16_t)a)
VALUE(zext_h, (uint16_t)a)
VALUE(rol,    rotate_right64(a, -(unsigned)b))
VALUE(rolw,   rotate_right32(a, -(unsigned)b))
VALUE(ror,    rotate_right64(a, (unsigned)b))
VALUE(rori,   rotate_right64(a, (unsigned)imm))
VALUE(rorw,   rotate_right32(a, (unsigned)b))
VALUE(roriw,  rotate_right32(a, (unsigned)imm))
VALUE(orc_b,  or_combine_bytes(a))
VALUE(rev8,   __builtin_bswap64(a))

VALUE(bclr,   a & ~(UINT64_C(1) << (b & 63)))
VALUE(bclri,  a & ~(UINT64_C(1) << imm))
VALUE(bext,   a >> (b & 63) & 1)
VALUE(bexti,  a >> imm & 1)
VALUE(binv,   a ^ UINT64_C(1) << (b & 63))
VALUE(binvi,  a ^ UINT64_C(1) << imm)
VALUE(bset,   a | UINT64_C(1) << (b & 63))
VALUE(bseti,  a | UINT64_C(1) << imm)
/* clang-format on */

#undef VALUE

/* The operand fields of auipc hold the constant. */
static inline void exec_auipc(struct hart *hart, const struct op *op)
{
    hart->x[op->rd] = op_constant(op);
}

/* Conditional branches say whether they are taken. */
#define TAKEN(id, condition)                                                                       \
    static inline bool exec_##id(const struct hart *hart, const struct op *op)                     \
    {                                                                                              \
        const uint64_t a = hart->x[op->rs1];                                                       \
        const uint64_t b = hart->x[op->rs2];                                                       \
        return (condition);                                                                        \
    }

/* clang-format off */
TAKEN(beq,  a == b)
TAKEN(bne,  a != b)
TAKEN(blt,  (int64_t)a < (int64_t)b)
TAKEN(bge,  (int64_t)a >= (int64_t)b)
TAKEN(bltu, a < b)
TAKEN(bgeu, a >= b)
/* clang-format on */

#undef TAKEN

/* A jump's target is computed before rd is written: they may be the same register. */
static inline guest_addr exec_jalr_target(const struct hart *hart, const struct op *op)
{
    return (hart->x[op->rs1] + (uint64_t)(int64_t)op->imm) & ~UINT64_C(1);
}

#endif
