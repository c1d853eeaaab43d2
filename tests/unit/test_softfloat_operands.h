/* Owns the operands and the host's side of the softfloat tests. */
#ifndef STRATA_TESTS_UNIT_TEST_SOFTFLOAT_OPERANDS_H
#define STRATA_TESTS_UNIT_TEST_SOFTFLOAT_OPERANDS_H

#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "machine/exec/softfloat.h"

enum { OPERANDS_PER_OPERATION = 150000 };

enum type { F32, F64, I32, U32, I64, U64 };

typedef uint32_t f32_word;
typedef uint64_t f64_word;

static const struct {
    int host;
    unsigned rm;
} modes[] = {
    {FE_TONEAREST, FP_RNE}, {FE_TOWARDZERO, FP_RTZ}, {FE_DOWNWARD, FP_RDN}, {FE_UPWARD, FP_RUP}};

static inline float f32_value(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static inline double f64_value(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? FP_F32_CANONICAL_NAN : bits;
}

static inline uint64_t f64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? FP_F64_CANONICAL_NAN : bits;
}

static inline unsigned host_flags(void)
{
    int raised = fetestexcept(FE_ALL_EXCEPT);

    return (unsigned)((raised & FE_INEXACT ? FP_NX : 0) | (raised & FE_UNDERFLOW ? FP_UF : 0) |
                      (raised & FE_OVERFLOW ? FP_OF : 0) | (raised & FE_DIVBYZERO ? FP_DZ : 0) |
                      (raised & FE_INVALID ? FP_NV : 0));
}

static inline void fail_case(const char *name, unsigned rm, const uint64_t *x, const uint64_t *got,
                             const uint64_t *wanted)
{
    fail_msg("%s(%#llx, %#llx, %#llx) rm %u: got %#llx flags %#llx, wanted %#llx flags %#llx", name,
             (unsigned long long)x[0], (unsigned long long)x[1], (unsigned long long)x[2], rm,
             (unsigned long long)got[0], (unsigned long long)got[1], (unsigned long long)wanted[0],
             (unsigned long long)wanted[1]);
}

static inline uint64_t random_word(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t low_mask(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Fractions whose sums and products are often short, so halfway, or all ones, so near a carry. */
static inline uint64_t random_fraction(uint64_t *state, unsigned bits)
{
    uint64_t r = random_word(state);
    uint64_t fraction = random_word(state);
    unsigned at = (unsigned)(r >> 8) % bits;

    switch (r % 6) {
    case 0:
        fraction &= ~low_mask(at);
        break;
    case 1:
        fraction |= low_mask(at);
        break;
    case 2:
        fraction = UINT64_C(1) << at;
        break;
    case 3:
        fraction = (UINT64_C(1) << at) - (r >> 16 & 3) + (UINT64_C(1) << (r >> 20) % bits);
        break;
    case 4:
        fraction = (r >> 16 & 7) - 4;
        break;
    default:
        break;
    }
    return fraction & low_mask(bits);
}

/* `near` is an earlier operand: cancellation needs operands that are alike. */
static inline uint64_t random_float(uint64_t *state, enum type type, uint64_t near)
{
    unsigned fraction_bits = type == F32 ? 23 : 52;
    unsigned exponent_mask = type == F32 ? 0xff : 0x7ff;
    uint64_t r = random_word(state);
    uint64_t sign = (r >> 63) << (type == F32 ? 31 : 63);
    unsigned near_exponent = (unsigned)(near >> fraction_bits) & exponent_mask;
    unsigned jitter = (unsigned)(r >> 8) % 8 - 4;
    unsigned exponent;

    switch (r % 10) {
    case 0:
        exponent = (unsigned)(r >> 16);
        break;
    case 1: /* zeros, subnormals, the least normal numbers, infinities and NaNs */
        exponent = jitter / 2;
        break;
    case 2: /* around one */
        exponent = exponent_mask / 2 + jitter;
        break;
    case 3: /* within the reach of integers */
        exponent = exponent_mask / 2 + (unsigned)(r >> 16) % 70 - 2;
        break;
    case 4: /* the product lies at the least, the quotient at the greatest normal number */
        exponent = exponent_mask / 2 - near_exponent + jitter;
        break;
    case 5:
        exponent = exponent_mask / 2 + near_exponent + jitter;
        break;
    case 6: /* the product with the operand before overflows or barely does not */
        exponent = exponent_mask / 2 + exponent_mask - near_exponent + jitter;
        break;
    case 7:
        exponent = near_exponent + (unsigned)(r >> 16) % 120 - 60;
        break;
    case 8:
        exponent = near_exponent + jitter / 2;
        break;
    default:
        return (near + jitter) ^ sign;
    }
    return sign | (uint64_t)(exponent & exponent_mask) << fraction_bits |
           random_fraction(state, fraction_bits);
}

/* Magnitudes where rules change, by exponent field and fraction; all are tried with both signs. */
static inline size_t edge_values(enum type type, uint64_t *values)
{
    unsigned bits = type == F32 ? 23 : 52;
    unsigned mask = type == F32 ? 0xff : 0x7ff;
    const unsigned exponents[] = {0,        1,   mask / 2 - 1, mask / 2, mask / 2 + bits + 1,
                                  mask - 1, mask};
    const uint64_t fractions[] = {0, 1, UINT64_C(1) << (bits - 1), low_mask(bits)};
    size_t count = 0;

    for (size_t e = 0; e < sizeof exponents / sizeof exponents[0]; e++) {
        for (size_t f = 0; f < sizeof fractions / sizeof fractions[0]; f++) {
            uint64_t magnitude = (uint64_t)exponents[e] << bits | fractions[f];
            values[count++] = magnitude;
            values[count++] = magnitude | UINT64_C(1) << (type == F32 ? 31 : 63);
        }
    }
    return count;
}

#endif
