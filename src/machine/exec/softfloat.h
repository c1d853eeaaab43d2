/* Owns the exact floating-point arithmetic of the RISC-V F and D extensions, on bit patterns. */
#ifndef STRATA_MACHINE_EXEC_SOFTFLOAT_H
#define STRATA_MACHINE_EXEC_SOFTFLOAT_H

#include <stdbool.h>
#include <stdint.h>

/* Unprivileged specification 20191213, chapters 11 and 12.  The f32 values are not NaN-boxed:
 * boxing belongs to the register file.  Every NaN result is the canonical one; tininess is
 * detected after rounding.  Each function ORs what it raises into *flags and clears nothing.
 *
 * `rm` must be one of the five modes below; the caller has resolved the dynamic mode and rejected
 * the reserved ones.  Conversions that are always exact take it too, so that all have one shape. */

/* The encodings of the rm field and of fcsr.frm. */
enum { FP_RNE = 0, FP_RTZ = 1, FP_RDN = 2, FP_RUP = 3, FP_RMM = 4 };

/* The bits of fcsr.fflags. */
enum { FP_NX = 1, FP_UF = 2, FP_OF = 4, FP_DZ = 8, FP_NV = 16 };

#define FP_F32_CANONICAL_NAN UINT32_C(0x7fc00000)
#define FP_F64_CANONICAL_NAN UINT64_C(0x7ff8000000000000)

uint32_t f32_add(uint32_t a, uint32_t b, unsigned rm, unsigned *flags);
uint64_t f64_add(uint64_t a, uint64_t b, unsigned rm, unsigned *flags);
uint32_t f32_sub(uint32_t a, uint32_t b, unsigned rm, unsigned *flags);
uint64_t f64_sub(uint64_t a, uint64_t b, unsigned rm, unsigned *flags);
uint32_t f32_mul(uint32_t a, uint32_t b, unsigned rm, unsigned *flags);
uint64_t f64_mul(uint64_t a, uint64_t b, unsigned rm, unsigned *flags);
uint32_t f32_div(uint32_t a, uint32_t b, unsigned rm, unsigned *flags);
uint64_t f64_div(uint64_t a, uint64_t b, unsigned rm, unsigned *flags);
uint32_t f32_sqrt(uint32_t a, unsigned rm, unsigned *flags);
uint64_t f64_sqrt(uint64_t a, unsigned rm, unsigned *flags);

/* a * b + c, rounded once.  fmsub, fnmsub and fnmadd flip the sign bits of a and c beforehand. */
uint32_t f32_muladd(uint32_t a, uint32_t b, uint32_t c, unsigned rm, unsigned *flags);
uint64_t f64_muladd(uint64_t a, uint64_t b, uint64_t c, unsigned rm, unsigned *flags);

/* -0 is less than +0; a NaN loses against a number; only a signalling NaN raises NV. */
uint32_t f32_min(uint32_t a, uint32_t b, unsigned *flags);
uint64_t f64_min(uint64_t a, uint64_t b, unsigned *flags);
uint32_t f32_max(uint32_t a, uint32_t b, unsigned *flags);
uint64_t f64_max(uint64_t a, uint64_t b, unsigned *flags);

/* False if either is a NaN.  eq raises NV for signalling NaNs only, lt and le for all. */
bool f32_eq(uint32_t a, uint32_t b, unsigned *flags);
bool f64_eq(uint64_t a, uint64_t b, unsigned *flags);
bool f32_lt(uint32_t a, uint32_t b, unsigned *flags);
bool f64_lt(uint64_t a, uint64_t b, unsigned *flags);
bool f32_le(uint32_t a, uint32_t b, unsigned *flags);
bool f64_le(uint64_t a, uint64_t b, unsigned *flags);

/* The result of fclass: one bit set of ten, from negative infinity (bit 0) to quiet NaN (bit 9). */
unsigned f32_classify(uint32_t a);
unsigned f64_classify(uint64_t a);

/* The value of the integer register: 32-bit results, unsigned ones too, are sign-extended.  What
 * does not fit saturates and raises NV alone; a NaN counts as too large. */
uint64_t f32_to_i32(uint32_t a, unsigned rm, unsigned *flags);
uint64_t f64_to_i32(uint64_t a, unsigned rm, unsigned *flags);
uint64_t f32_to_u32(uint32_t a, unsigned rm, unsigned *flags);
uint64_t f64_to_u32(uint64_t a, unsigned rm, unsigned *flags);
uint64_t f32_to_i64(uint32_t a, unsigned rm, unsigned *flags);
uint64_t f64_to_i64(uint64_t a, unsigned rm, unsigned *flags);
uint64_t f32_to_u64(uint32_t a, unsigned rm, unsigned *flags);
uint64_t f64_to_u64(uint64_t a, unsigned rm, unsigned *flags);

uint32_t i32_to_f32(int32_t a, unsigned rm, unsigned *flags);
uint64_t i32_to_f64(int32_t a, unsigned rm, unsigned *flags);
uint32_t u32_to_f32(uint32_t a, unsigned rm, unsigned *flags);
uint64_t u32_to_f64(uint32_t a, unsigned rm, unsigned *flags);
uint32_t i64_to_f32(int64_t a, unsigned rm, unsigned *flags);
uint64_t i64_to_f64(int64_t a, unsigned rm, unsigned *flags);
uint32_t u64_to_f32(uint64_t a, unsigned rm, unsigned *flags);
uint64_t u64_to_f64(uint64_t a, unsigned rm, unsigned *flags);

uint64_t f32_to_f64(uint32_t a, unsigned rm, unsigned *flags);
uint32_t f64_to_f32(uint64_t a, unsigned rm, unsigned *flags);

#endif
