/* What the floating-point instructions do: on the host's FPU where that is exact, else in softfloat.
 *
 * The host computes when the rounding mode is to nearest even and the result is
 * no NaN; its sticky exception flags are RISC-V's own (both detect tininess
 * after rounding), so they are left to gather there and are collected when
 * somebody looks (float_collect_flags).  All else takes the exact slow path. */
#ifndef STRATA_MACHINE_EXEC_FLOAT_H
#define STRATA_MACHINE_EXEC_FLOAT_H

#include "base/check.h"
#include "machine/exec/op.h"
#include "machine/exec/softfloat.h"
#include "machine/state/hart.h"

#include <math.h>
#include <string.h>

#define ROUNDING_DYNAMIC 7

/* Clears the host's flags before a hart runs, and moves them into hart->float_flags. */
void float_begin(void);
void float_collect_flags(struct hart *hart);
/* Moves the flags of the code that a signal interrupted into hart->float_flags: a handler has flags of its own, and
 * `context` is its third argument. */
void float_collect_interrupted(struct hart *hart, const void *context);

/* The CSR instructions on fflags, frm and fcsr, which compilers put around quiet
 * comparisons: op->imm is the CSR's number, op->rs2 the instruction (enum float_csr),
 * op->rs1 a register or, for the immediate forms, a number. */
enum float_csr {
    CSR_WRITE,
    CSR_SET,
    CSR_CLEAR,
    CSR_WRITE_NUMBER,
    CSR_SET_NUMBER,
    CSR_CLEAR_NUMBER
};
void float_access_csr(struct hart *hart, const struct op *op);

/* The mode to round with; leaves the instruction as illegal if frm is reserved. */
_Noreturn void float_illegal_rounding(struct hart *hart);

static inline unsigned float_rounding(struct hart *hart, const struct op *op)
{
    unsigned mode = (unsigned)op->imm;
    if (mode == ROUNDING_DYNAMIC) {
        mode = hart->rounding_mode;
        if (UNLIKELY(mode > FP_RMM)) {
            float_illegal_rounding(hart);
        }
    }
    return mode;
}

static inline double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A single-precision value stands in the low half of a register whose high half
 * is all ones; anything else reads as the canonical NaN (D extension, 12.2). */
static inline uint32_t unbox(uint64_t value)
{
    return value >> 32 == UINT32_MAX ? (uint32_t)value : FP_F32_CANONICAL_NAN;
}

static inline uint64_t box(uint32_t value)
{
    return value | UINT64_C(0xffffffff00000000);
}

#define SIGN32 UINT32_C(0x80000000)
#define SIGN64 (UINT64_C(1) << 63)

/* Rows: `a`, `b`, `c` are the operands' bits.  `host` is the result on the host, `exact` the result by
 * softfloat. */
#define ROUNDED_D(id, host, exact)                                                                 \
    static inline void exec_##id(struct hart *hart, const struct op *op)                           \
    {                                                                                              \
        const unsigned mode = float_rounding(hart, op);                                            \
        const uint64_t a = hart->f[op->rs1];                                                       \
        const uint64_t b = hart->f[op->rs2];                                                       \
        const uint64_t c = hart->f[op->rs3];                                                       \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        if (LIKELY(mode == FP_RNE)) {                                                              \
            const double value = (host);                                                           \
            if (LIKELY(value == value)) {                                                          \
                hart->f[op->rd] = bits_of_double(value);                                           \
                return;                                                                            \
            }                                                                                      \
        }                                                                                          \
        unsigned *flags = &hart->float_flags;                                                      \
        hart->f[op->rd] = (exact);                                                                 \
    }

#define ROUNDED_S(id, host, exact)                                                                 \
    static inline void exec_##id(struct hart *hart, const struct op *op)                           \
    {                                                                                              \
        const unsigned mode = float_rounding(hart, op);                                            \
        const uint32_t a = unbox(hart->f[op->rs1]);                                                \
        const uint32_t b = unbox(hart->f[op->rs2]);                                                \
        const uint32_t c = unbox(hart->f[op->rs3]);                                                \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        if (LIKELY(mode == FP_RNE)) {                                                              \
            const float value = (host);                                                            \
            if (LIKELY(value == value)) {                                                          \
                hart->f[op->rd] = box(bits_of_float(value));                                       \
                return;                                                                            \
            }                                                                                      \
        }                                                                                          \
        unsigned *flags = &hart->float_flags;                                                      \
        hart->f[op->rd] = box(exact);                                                              \
    }

#define D(bits) double_of(bits)
#define S(bits) float_of(bits)
/* clang-format off */
ROUNDED_D(fadd_d,   D(a) + D(b),                      f64_add(a, b, mode, flags))
ROUNDED_D(fsub_d,   D(a) - D(b),                      f64_sub(a, b, mode, flags))
ROUNDED_D(fmul_d,   D(a) * D(b),                      f64_mul(a, b, mode, flags))
ROUNDED_D(fdiv_d,   D(a) / D(b),                      f64_div(a, b, mode, flags))
ROUNDED_D(fsqrt_d,  sqrt(D(a)),                       f64_sqrt(a, mode, flags))
ROUNDED_D(fmadd_d,  fma(D(a), D(b), D(c)),            f64_muladd(a, b, c, mode, flags))
ROUNDED_D(fmsub_d,  fma(D(a), D(b), D(c ^ SIGN64)),   f64_muladd(a, b, c ^ SIGN64, mode, flags))
ROUNDED_D(fnmsub_d, fma(D(a ^ SIGN64), D(b), D(c)),   f64_muladd(a ^ SIGN64, b, c, mode, flags))
ROUNDED_D(fnmadd_d, fma(D(a ^ SIGN64), D(b), D(c ^ SIGN64)),
                                                      f64_muladd(a ^ SIGN64, b, c ^ SIGN64, mode, flags))
ROUNDED_S(fadd_s,   S(a) + S(b),                      f32_add(a, b, mode, flags))
ROUNDED_S(fsub_s,   S(a) - S(b),                      f32_sub(a, b, mode, flags))
ROUNDED_S(fmul_s,   S(a) * S(b),                      f32_mul(a, b, mode, flags))
ROUNDED_S(fdiv_s,   S(a) / S(b),                      f32_div(a, b, mode, flags))
ROUNDED_S(fsqrt_s,  sqrtf(S(a)),                      f32_sqrt(a, mode, flags))
ROUNDED_S(fmadd_s,  fmaf(S(a), S(b), S(c)),           f32_muladd(a, b, c, mode, flags))
ROUNDED_S(fmsub_s,  fmaf(S(a), S(b), S(c ^ SIGN32)),  f32_muladd(a, b, c ^ SIGN32, mode, flags))
ROUNDED_S(fnmsub_s, fmaf(S(a ^ SIGN32), S(b), S(c)),  f32_muladd(a ^ SIGN32, b, c, mode, flags))
ROUNDED_S(fnmadd_s, fmaf(S(a ^ SIGN32), S(b), S(c ^ SIGN32)),
                                                      f32_muladd(a ^ SIGN32, b, c ^ SIGN32, mode, flags))
/* clang-format on */
#undef ROUNDED_D
#undef ROUNDED_S

static inline void exec_fcvt_s_d(struct hart *hart, const struct op *op)
{
    const unsigned mode = float_rounding(hart, op);
    const uint64_t a = hart->f[op->rs1];
    if (LIKELY(mode == FP_RNE)) {
        const float value = (float)double_of(a);
        if (LIKELY(value == value)) {
            hart->f[op->rd] = box(bits_of_float(value));
            return;
        }
    }
    hart->f[op->rd] = box(f64_to_f32(a, mode, &hart->float_flags));
}

static inline void exec_fcvt_d_s(struct hart *hart, const struct op *op)
{
    const unsigned mode = float_rounding(hart, op);
    const uint32_t a = unbox(hart->f[op->rs1]);
    const double value = (double)float_of(a);
    hart->f[op->rd] =
        LIKELY(value == value) ? bits_of_double(value) : f32_to_f64(a, mode, &hart->float_flags);
}

/* Integer to floating point: `type` is how the integer register is read. */
#define FROM_INTEGER(id, type, precision, pack, exact)                                             \
    static inline void exec_##id(struct hart *hart, const struct op *op)                           \
    {                                                                                              \
        const unsigned mode = float_rounding(hart, op);                                            \
        const type a = (type)hart->x[op->rs1];                                                     \
        hart->f[op->rd] =                                                                          \
            LIKELY(mode == FP_RNE) ? pack((precision)a) : (exact)(a, mode, &hart->float_flags);    \
    }
#define BOXED_S(value) box(bits_of_float(value))
static inline uint64_t boxed_i32_to_f32(int32_t a, unsigned mode, unsigned *flags)
{
    return box(i32_to_f32(a, mode, flags));
}
static inline uint64_t boxed_u32_to_f32(uint32_t a, unsigned mode, unsigned *flags)
{
    return box(u32_to_f32(a, mode, flags));
}
static inline uint64_t boxed_i64_to_f32(int64_t a, unsigned mode, unsigned *flags)
{
    return box(i64_to_f32(a, mode, flags));
}
static inline uint64_t boxed_u64_to_f32(uint64_t a, unsigned mode, unsigned *flags)
{
    return box(u64_to_f32(a, mode, flags));
}
/* clang-format off */
FROM_INTEGER(fcvt_d_w,  int32_t,  double, bits_of_double, i32_to_f64)
FROM_INTEGER(fcvt_d_wu, uint32_t, double, bits_of_double, u32_to_f64)
FROM_INTEGER(fcvt_d_l,  int64_t,  double, bits_of_double, i64_to_f64)
FROM_INTEGER(fcvt_d_lu, uint64_t, double, bits_of_double, u64_to_f64)
FROM_INTEGER(fcvt_s_w,  int32_t,  float,  BOXED_S,        boxed_i32_to_f32)
FROM_INTEGER(fcvt_s_wu, uint32_t, float,  BOXED_S,        boxed_u32_to_f32)
FROM_INTEGER(fcvt_s_l,  int64_t,  float,  BOXED_S,        boxed_i64_to_f32)
FROM_INTEGER(fcvt_s_lu, uint64_t, float,  BOXED_S,        boxed_u64_to_f32)
/* clang-format on */
#undef FROM_INTEGER
#undef BOXED_S

/* Floating point to integer.  Only C's own case, truncation of what fits, is
 * left to the host; the signed forms are the ones that compilers emit. */
#define TO_INTEGER_FAST_D(id, type, limit, exact)                                                  \
    static inline void exec_##id(struct hart *hart, const struct op *op)                           \
    {                                                                                              \
        const unsigned mode = float_rounding(hart, op);                                            \
        const uint64_t a = hart->f[op->rs1];                                                       \
        const double value = double_of(a);                                                         \
        /* isless: a quiet NaN must not raise here, the slow path decides */                       \
        if (mode == FP_RTZ && isless(fabs(value), limit)) {                                        \
            hart->x[op->rd] = (uint64_t)(int64_t)(type)value;                                      \
        } else {                                                                                   \
            hart->x[op->rd] = exact(a, mode, &hart->float_flags);                                  \
        }                                                                                          \
    }
#define TO_INTEGER(id, operand, exact)                                                             \
    static inline void exec_##id(struct hart *hart, const struct op *op)                           \
    {                                                                                              \
        const unsigned mode = float_rounding(hart, op);                                            \
        hart->x[op->rd] = exact(operand(hart->f[op->rs1]), mode, &hart->float_flags);              \
    }
#define SAME(bits) (bits)
/* clang-format off */
TO_INTEGER_FAST_D(fcvt_w_d, int32_t, 0x1p31, f64_to_i32)
TO_INTEGER_FAST_D(fcvt_l_d, int64_t, 0x1p63, f64_to_i64)
TO_INTEGER(fcvt_wu_d, SAME,  f64_to_u32)
TO_INTEGER(fcvt_lu_d, SAME,  f64_to_u64)
TO_INTEGER(fcvt_w_s,  unbox, f32_to_i32)
TO_INTEGER(fcvt_wu_s, unbox, f32_to_u32)
TO_INTEGER(fcvt_l_s,  unbox, f32_to_i64)
TO_INTEGER(fcvt_lu_s, unbox, f32_to_u64)
/* clang-format on */
#undef TO_INTEGER_FAST_D
#undef TO_INTEGER
#undef SAME

/* The rest neither rounds nor depends on the rounding mode. */
#define PLAIN_FLOAT(id, file, operand, result)                                                     \
    static inline void exec_##id(struct hart *hart, const struct op *op)                           \
    {                                                                                              \
        const uint64_t a = operand(hart->f[op->rs1]);                                              \
        const uint64_t b = operand(hart->f[op->rs2]);                                              \
        unsigned *flags = &hart->float_flags;                                                      \
        (void)b;                                                                                   \
        (void)flags;                                                                               \
        hart->file[op->rd] = (result);                                                             \
    }
#define WHOLE(bits) (bits)
#define S32(bits) ((uint32_t)(bits))
/* Compilers know the NaN that unbox may give, and drop a comparison with it, with the flag that it
 * raises: NaNs go to softfloat. */
#define COMPARED_S(operator, exact)                                                                \
    (UNLIKELY(isunordered(S(S32(a)), S(S32(b)))) ? exact(S32(a), S32(b), flags)                    \
                                                 : S(S32(a))                                       \
                                                   operator S(S32(b)))
/* clang-format off */
PLAIN_FLOAT(fsgnj_d,  f, WHOLE, (a & ~SIGN64) | (b & SIGN64))
PLAIN_FLOAT(fsgnjn_d, f, WHOLE, (a & ~SIGN64) | (~b & SIGN64))
PLAIN_FLOAT(fsgnjx_d, f, WHOLE, a ^ (b & SIGN64))
PLAIN_FLOAT(fsgnj_s,  f, unbox, box((S32(a) & ~SIGN32) | (S32(b) & SIGN32)))
PLAIN_FLOAT(fsgnjn_s, f, unbox, box((S32(a) & ~SIGN32) | (~S32(b) & SIGN32)))
PLAIN_FLOAT(fsgnjx_s, f, unbox, box(S32(a) ^ (S32(b) & SIGN32)))
PLAIN_FLOAT(fmin_d,   f, WHOLE, f64_min(a, b, flags))
PLAIN_FLOAT(fmax_d,   f, WHOLE, f64_max(a, b, flags))
PLAIN_FLOAT(fmin_s,   f, unbox, box(f32_min(S32(a), S32(b), flags)))
PLAIN_FLOAT(fmax_s,   f, unbox, box(f32_max(S32(a), S32(b), flags)))
PLAIN_FLOAT(feq_d,    x, WHOLE, D(a) == D(b))
PLAIN_FLOAT(flt_d,    x, WHOLE, D(a) < D(b))
PLAIN_FLOAT(fle_d,    x, WHOLE, D(a) <= D(b))
PLAIN_FLOAT(feq_s,    x, unbox, COMPARED_S(==, f32_eq))
PLAIN_FLOAT(flt_s,    x, unbox, COMPARED_S(<, f32_lt))
PLAIN_FLOAT(fle_s,    x, unbox, COMPARED_S(<=, f32_le))
PLAIN_FLOAT(fclass_d, x, WHOLE, f64_classify(a))
PLAIN_FLOAT(fclass_s, x, unbox, f32_classify(S32(a)))
PLAIN_FLOAT(fmv_x_d,  x, WHOLE, a)
PLAIN_FLOAT(fmv_x_w,  x, WHOLE, (uint64_t)(int64_t)(int32_t)S32(a))
/* clang-format on */
#undef PLAIN_FLOAT
#undef WHOLE
#undef S32
#undef COMPARED_S
#undef D
#undef S

static inline void exec_fmv_d_x(struct hart *hart, const struct op *op)
{
    hart->f[op->rd] = hart->x[op->rs1];
}

static inline void exec_fmv_w_x(struct hart *hart, const struct op *op)
{
    hart->f[op->rd] = box((uint32_t)hart->x[op->rs1]);
}

#endif
