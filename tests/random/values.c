/* The choice of operands: edges and neighbours of edges more often than anything else. */
#include "values.h"

struct rng rng_begin(uint64_t seed, uint64_t part, uint64_t detail)
{
    struct rng rng = {seed};

    rng.state = rng_next(&rng) ^ part;
    rng.state = rng_next(&rng) ^ detail;
    rng_next(&rng);
    return rng;
}

/* splitmix64 */
uint64_t rng_next(struct rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

unsigned rng_below(struct rng *rng, unsigned limit)
{
    return (unsigned)((rng_next(rng) >> 32) * limit >> 32);
}

bool rng_percent(struct rng *rng, unsigned percent)
{
    return rng_below(rng, 100) < percent;
}

static int rng_around(struct rng *rng, int middle, unsigned spread)
{
    return middle + (int)rng_below(rng, 2 * spread + 1) - (int)spread;
}

uint64_t value_integer(struct rng *rng)
{
    static const uint64_t edges[] = {
        0,
        1,
        UINT64_MAX,
        UINT64_C(1) << 63,
        INT64_MAX,
        UINT64_C(0xffffffff80000000),
        UINT64_C(0x80000000),
        0x7fffffff,
        UINT32_MAX,
        UINT64_C(1) << 32,
        UINT64_C(0xffffffff00000000),
    };
    uint64_t bits = rng_next(rng);

    switch (rng_below(rng, 8)) {
    case 0:
    case 1:
        return edges[rng_below(rng, sizeof edges / sizeof edges[0])];
    case 2:
        return (uint64_t)(int64_t)rng_around(rng, 0, 70);
    case 3:
        return (UINT64_C(1) << (bits & 63)) + (uint64_t)(int64_t)rng_around(rng, 0, 1);
    case 4:
        return ~(UINT64_C(1) << (bits & 63));
    case 5:
        return (uint64_t)(int64_t)(int32_t)(uint32_t)bits;
    case 6:
        return bits & rng_next(rng) & rng_next(rng);
    default:
        return bits;
    }
}

/* A binary format: fraction bits, exponent bits and the bias. */
struct precision {
    unsigned fraction_bits;
    unsigned exponent_bits;
    int bias;
};

static const struct precision single_precision = {23, 8, 127};
static const struct precision double_precision = {52, 11, 1023};

/* Fractions with few bits set, or all but few, so that results are often exact, halfway between
 * two values, or next to it. */
static uint64_t value_fraction(struct rng *rng, unsigned bits)
{
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint64_t fraction = rng_next(rng) & mask;

    switch (rng_below(rng, 6)) {
    case 0:
        return 0;
    case 1:
        return UINT64_C(1) << rng_below(rng, bits);
    case 2:
        return ~(UINT64_C(1) << rng_below(rng, bits)) & mask;
    case 3:
        return fraction & ~(mask >> rng_below(rng, bits));
    case 4:
        return mask;
    default:
        return fraction;
    }
}

static uint64_t value_nan(struct rng *rng, const struct precision *p, uint64_t exponent)
{
    uint64_t quiet = UINT64_C(1) << (p->fraction_bits - 1);
    uint64_t payload = rng_next(rng) & (quiet - 1);

    switch (rng_below(rng, 4)) {
    case 0:
        return exponent | quiet;
    case 1:
        return exponent | quiet | payload;
    case 2:
        return exponent | (payload == 0 ? 1 : payload);
    default:
        return exponent | 1;
    }
}

/* An integer, a half more or a neighbour of it, often where conversions overflow. */
static uint64_t value_near_integer(struct rng *rng, const struct precision *p)
{
    static const uint8_t widths[] = {0, 1, 2, 30, 31, 32, 33, 52, 53, 62, 63, 64, 65};
    unsigned width =
        rng_percent(rng, 70) ? widths[rng_below(rng, sizeof widths)] : rng_below(rng, 66);
    uint64_t bits = (uint64_t)(p->bias + (int)width) << p->fraction_bits;

    switch (rng_below(rng, 4)) {
    case 0:
        return bits;
    case 1:
        return bits + (uint64_t)(int64_t)rng_around(rng, 0, 3);
    case 2:
        /* the bit of one half, and of one */
        return width + 1 <= p->fraction_bits
                   ? bits | (rng_next(rng) & 3) << (p->fraction_bits - width - 1)
                   : bits;
    default:
        return bits | value_fraction(rng, p->fraction_bits);
    }
}

static uint64_t value_with_exponent(struct rng *rng, const struct precision *p, int exponent)
{
    int largest = (1 << p->exponent_bits) - 2;

    exponent = exponent < 0 ? 0 : exponent > largest ? largest : exponent;
    return (uint64_t)exponent << p->fraction_bits | value_fraction(rng, p->fraction_bits);
}

static uint64_t value_float(struct rng *rng, const struct precision *p)
{
    unsigned sign_bit = p->fraction_bits + p->exponent_bits;
    uint64_t sign = (rng_next(rng) & 1) << sign_bit;
    uint64_t all_ones = ((UINT64_C(1) << p->exponent_bits) - 1) << p->fraction_bits;

    switch (rng_below(rng, 16)) {
    case 0:
        return sign;
    case 1:
        return sign | all_ones;
    case 2:
        return sign | value_nan(rng, p, all_ones);
    case 3:
        return sign | value_fraction(rng, p->fraction_bits);
    case 4:
        return sign | value_with_exponent(rng, p, rng_around(rng, 2, 2));
    case 5:
        return sign | value_with_exponent(rng, p, rng_around(rng, 2 * p->bias - 1, 2));
    case 6:
    case 7:
        return sign | value_near_integer(rng, p);
    case 8:
        /* products and squares of these lie around the smallest numbers */
        return sign | value_with_exponent(rng, p, rng_around(rng, p->bias / 2, 16));
    case 9:
        return sign | value_with_exponent(rng, p, rng_around(rng, p->bias + p->bias / 2, 2));
    case 10:
        return sign | value_with_exponent(rng, p, rng_around(rng, p->bias, 30));
    case 11:
        return rng_next(rng) & ((UINT64_C(2) << sign_bit) - 1);
    default:
        return sign | value_with_exponent(rng, p, rng_around(rng, p->bias, 2));
    }
}

/* Doubles whose conversion to single precision is exact, halfway, overflows or underflows. */
static uint64_t value_near_single(struct rng *rng)
{
    const struct precision *p = &double_precision;
    static const int exponents[] = {127, 128, -126, -127, -148, -149, -150, -151, 0, 10};
    int exponent = exponents[rng_below(rng, sizeof exponents / sizeof exponents[0])];
    uint64_t bits = (uint64_t)(p->bias + exponent) << p->fraction_bits;

    bits |= value_fraction(rng, 23) << 29;
    switch (rng_below(rng, 4)) {
    case 0:
        break;
    case 1:
        bits |= UINT64_C(1) << 28;
        break;
    case 2:
        bits += (UINT64_C(1) << 28) + (uint64_t)(int64_t)rng_around(rng, 0, 1);
        break;
    default:
        bits |= rng_next(rng) & 0x1fffffff;
        break;
    }
    return bits | (rng_next(rng) & 1) << 63;
}

uint64_t value_double(struct rng *rng)
{
    return rng_percent(rng, 12) ? value_near_single(rng) : value_float(rng, &double_precision);
}

uint64_t value_single(struct rng *rng)
{
    uint64_t bits = value_float(rng, &single_precision);

    if (rng_percent(rng, 5)) {
        return rng_next(rng) << 32 | bits;
    }
    return bits | UINT64_C(0xffffffff00000000);
}
