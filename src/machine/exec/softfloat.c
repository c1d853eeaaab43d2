/* Computes the F and D extensions' arithmetic exactly in integers and rounds it once. */
#include "machine/exec/softfloat.h"

#include <assert.h>

/* An operation unpacks its operands into `struct number`, computes a number that is exact or that
 * rounds like the exact result, and packs it.  All rounding of floating-point results is in
 * pack_finite, and both formats share every line, so a rule of the standard stands in one place.
 * Speed does not matter here: the common case, round to nearest without a NaN, runs on the host. */

__extension__ typedef unsigned __int128 u128;

/* Everything else about a format follows from these two. */
struct format {
    int precision; /* significant bits of a normal number, the hidden one included */
    int exponent_bits;
};

static const struct format f32_format = {.precision = 24, .exponent_bits = 8};
static const struct format f64_format = {.precision = 53, .exponent_bits = 11};

enum kind { FINITE, INFINITE, QUIET_NAN, SIGNALING_NAN };

/* A finite number is significand * 2^exponent; zero has significand 0.  The significand stays below
 * 2^127.  Where it is not exact its lowest bit is set to stand for all that was cut off (sticky),
 * and it has at least two bits more than the format's precision, so that rounding cannot tell. */
struct number {
    enum kind kind;
    bool negative;
    int exponent;
    u128 significand;
};

static const struct number default_nan = {.kind = QUIET_NAN};

static uint64_t hidden_bit(const struct format *format)
{
    return UINT64_C(1) << (format->precision - 1);
}

static uint64_t sign_bit(const struct format *format)
{
    return hidden_bit(format) << format->exponent_bits;
}

static uint64_t infinity_bits(const struct format *format)
{
    return sign_bit(format) - hidden_bit(format);
}

/* The exponent of the last place of subnormal numbers, and so the least of all. */
static int least_exponent(const struct format *format)
{
    return 3 - (1 << (format->exponent_bits - 1)) - format->precision;
}

static bool is_nan(struct number x)
{
    return x.kind == QUIET_NAN || x.kind == SIGNALING_NAN;
}

static bool is_zero(struct number x)
{
    return x.kind == FINITE && x.significand == 0;
}

static int bit_length(u128 value)
{
    uint64_t high = (uint64_t)(value >> 64);
    uint64_t low = (uint64_t)value;

    if (high != 0) {
        return 128 - __builtin_clzll(high);
    }
    return low == 0 ? 0 : 64 - __builtin_clzll(low);
}

static struct number unpack(const struct format *format, uint64_t bits)
{
    uint64_t magnitude = bits & (sign_bit(format) - 1);
    uint64_t fraction = magnitude & (hidden_bit(format) - 1);
    int field = (int)(magnitude >> (format->precision - 1));
    struct number x = {.kind = FINITE, .negative = (bits & sign_bit(format)) != 0};

    if (magnitude == infinity_bits(format)) {
        x.kind = INFINITE;
    } else if (magnitude > infinity_bits(format)) {
        x.kind = (fraction & hidden_bit(format) >> 1) != 0 ? QUIET_NAN : SIGNALING_NAN;
    } else if (field == 0) {
        x.significand = fraction;
        x.exponent = least_exponent(format);
    } else {
        x.significand = fraction | hidden_bit(format);
        x.exponent = least_exponent(format) + field - 1;
    }
    return x;
}

/* Whether the kept part of a magnitude grows by one; `half` is the first bit cut off and `rest`
 * says that a later one is set. */
static bool rounds_away(unsigned rm, bool negative, bool odd, bool half, bool rest)
{
    switch (rm) {
    case FP_RNE:
        return half && (rest || odd);
    case FP_RTZ:
        return false;
    case FP_RDN:
        return negative && (half || rest);
    case FP_RUP:
        return !negative && (half || rest);
    default:
        assert(rm == FP_RMM);
        return half;
    }
}

/* The magnitude of finite x in units of 2^quantum.  Where the unit is finer than x's own the caller
 * knows that the result fits. */
static u128 round_to_quantum(struct number x, int quantum, unsigned rm, bool *inexact)
{
    int cut = quantum - x.exponent;
    *inexact = false;
    if (cut <= 0) {
        return x.significand << -cut;
    }

    u128 kept = 0;
    bool half = false;
    bool rest = x.significand != 0;
    if (cut < 128) { /* otherwise it is less than half a unit, being less than 2^127 */
        kept = x.significand >> cut;
        half = (x.significand >> (cut - 1) & 1) != 0;
        rest = (x.significand & (((u128)1 << (cut - 1)) - 1)) != 0;
    }
    *inexact = half || rest;
    return kept + rounds_away(rm, x.negative, (kept & 1) != 0, half, rest);
}

static uint64_t pack_overflow(const struct format *format, bool negative, unsigned rm,
                              unsigned *flags)
{
    bool toward_zero = rm == FP_RTZ || rm == (negative ? FP_RUP : FP_RDN);

    *flags |= FP_OF | FP_NX;
    return infinity_bits(format) - toward_zero;
}

/* Returns the magnitude's bits, without the sign. */
static uint64_t pack_finite(const struct format *format, struct number x, unsigned rm,
                            unsigned *flags)
{
    int least = least_exponent(format);
    int unbounded = x.exponent + bit_length(x.significand) - format->precision;
    int quantum = unbounded > least ? unbounded : least;
    bool inexact;
    u128 kept = round_to_quantum(x, quantum, rm, &inexact);

    /* Added, not ORed: the hidden bit makes the exponent field one more, which is right both for a
     * normal number and for a subnormal one rounded up to normal, and so does a carry out. */
    u128 bits = ((u128)(unsigned)(quantum - least) << (format->precision - 1)) + kept;
    if (bits >= infinity_bits(format)) {
        return pack_overflow(format, x.negative, rm, flags);
    }
    if (inexact) {
        /* Tiny: below the least normal number when rounded as if exponents had no lower bound. */
        u128 unlimited = round_to_quantum(x, unbounded, rm, &inexact);
        bool tiny = bit_length(unlimited) + unbounded < least + format->precision;
        *flags |= tiny ? FP_UF | FP_NX : FP_NX;
    }
    return (uint64_t)bits;
}

static uint64_t pack(const struct format *format, struct number x, unsigned rm, unsigned *flags)
{
    uint64_t sign = x.negative ? sign_bit(format) : 0;

    switch (x.kind) {
    case FINITE:
        return sign | (is_zero(x) ? 0 : pack_finite(format, x, rm, flags));
    case INFINITE:
        return sign | infinity_bits(format);
    case QUIET_NAN:
    case SIGNALING_NAN:
        break;
    }
    return infinity_bits(format) | hidden_bit(format) >> 1;
}

static struct number invalid(unsigned *flags)
{
    *flags |= FP_NV;
    return default_nan;
}

static bool either_is_nan(struct number x, struct number y, unsigned *flags)
{
    if (x.kind == SIGNALING_NAN || y.kind == SIGNALING_NAN) {
        *flags |= FP_NV;
    }
    return is_nan(x) || is_nan(y);
}

/* Moves the highest set bit of a significand that is not 0 to bit `top`. */
static struct number normalize(struct number x, int top)
{
    int shift = top + 1 - bit_length(x.significand);

    assert(shift >= 0);
    x.significand <<= shift;
    x.exponent -= shift;
    return x;
}

static u128 shift_right_sticky(u128 value, int shift)
{
    if (shift == 0) {
        return value;
    }
    if (shift >= 128) {
        return value != 0;
    }
    return value >> shift | ((value << (128 - shift)) != 0);
}

/* Neither x nor y is zero.  An operand has 106 bits at most (a product), so with the highest at 125
 * the lowest 20 are clear: what is shifted out of the smaller operand is needed only as sticky, and
 * it is cut off only if the exponents are so far apart that at most one bit can cancel. */
static struct number add_nonzero(struct number x, struct number y, bool zero_is_negative)
{
    x = normalize(x, 125);
    y = normalize(y, 125);
    if (x.exponent < y.exponent || (x.exponent == y.exponent && x.significand < y.significand)) {
        struct number swapped = x;
        x = y;
        y = swapped;
    }

    u128 smaller = shift_right_sticky(y.significand, x.exponent - y.exponent);
    if (x.negative == y.negative) {
        x.significand += smaller;
    } else {
        x.significand -= smaller;
    }
    if (x.significand == 0) {
        x.negative = zero_is_negative;
    }
    return x;
}

static struct number add(struct number x, struct number y, unsigned rm, unsigned *flags)
{
    if (either_is_nan(x, y, flags)) {
        return default_nan;
    }
    if (x.kind == INFINITE && y.kind == INFINITE && x.negative != y.negative) {
        return invalid(flags);
    }
    if (x.kind == INFINITE || y.kind == INFINITE) {
        return x.kind == INFINITE ? x : y;
    }

    bool zero_is_negative = rm == FP_RDN; /* that of opposite signs, IEEE 754 section 6.3 */
    if (is_zero(x) && is_zero(y)) {
        x.negative = x.negative == y.negative ? x.negative : zero_is_negative;
        return x;
    }
    if (is_zero(x) || is_zero(y)) {
        return is_zero(x) ? y : x;
    }
    return add_nonzero(x, y, zero_is_negative);
}

static struct number multiply(struct number x, struct number y, unsigned *flags)
{
    if (either_is_nan(x, y, flags)) {
        return default_nan;
    }
    bool infinite = x.kind == INFINITE || y.kind == INFINITE;
    if (infinite && (is_zero(x) || is_zero(y))) {
        return invalid(flags);
    }
    return (struct number){.kind = infinite ? INFINITE : FINITE,
                           .negative = x.negative != y.negative,
                           .exponent = x.exponent + y.exponent,
                           .significand = x.significand * y.significand};
}

static struct number divide(struct number x, struct number y, unsigned *flags)
{
    struct number quotient = {.kind = FINITE, .negative = x.negative != y.negative};

    if (either_is_nan(x, y, flags)) {
        return default_nan;
    }
    if ((x.kind == INFINITE && y.kind == INFINITE) || (is_zero(x) && is_zero(y))) {
        return invalid(flags);
    }
    if (x.kind == INFINITE || is_zero(y)) {
        *flags |= x.kind == INFINITE ? 0 : FP_DZ;
        quotient.kind = INFINITE;
        return quotient;
    }
    if (y.kind == INFINITE || is_zero(x)) {
        return quotient;
    }

    x = normalize(x, 126); /* by 53 bits at most: leaves 74 or more */
    quotient.exponent = x.exponent - y.exponent;
    quotient.significand = x.significand / y.significand;
    quotient.significand |= x.significand % y.significand != 0;
    return quotient;
}

/* One bit of the root per step, from the highest; the root of a 127-bit number has 64 bits. */
static u128 integer_root_sticky(u128 square)
{
    u128 root = 0;

    for (int bit = 63; bit >= 0; bit--) {
        u128 larger = root | (u128)1 << bit;
        if (larger * larger <= square) {
            root = larger;
        }
    }
    return root | (root * root != square);
}

static struct number square_root(struct number x, unsigned *flags)
{
    if (either_is_nan(x, x, flags)) {
        return default_nan;
    }
    if (is_zero(x)) {
        return x;
    }
    if (x.negative) {
        return invalid(flags);
    }
    if (x.kind == INFINITE) {
        return x;
    }

    x = normalize(x, 126);
    if (x.exponent % 2 != 0) {
        x.significand >>= 1; /* clear: a significand has 53 bits */
        x.exponent++;
    }
    x.exponent /= 2;
    x.significand = integer_root_sticky(x.significand);
    return x;
}

static uint64_t float_add(const struct format *format, uint64_t a, uint64_t b, unsigned rm,
                          unsigned *flags)
{
    struct number sum = add(unpack(format, a), unpack(format, b), rm, flags);
    return pack(format, sum, rm, flags);
}

static uint64_t float_mul(const struct format *format, uint64_t a, uint64_t b, unsigned rm,
                          unsigned *flags)
{
    struct number product = multiply(unpack(format, a), unpack(format, b), flags);
    return pack(format, product, rm, flags);
}

static uint64_t float_div(const struct format *format, uint64_t a, uint64_t b, unsigned rm,
                          unsigned *flags)
{
    struct number quotient = divide(unpack(format, a), unpack(format, b), flags);
    return pack(format, quotient, rm, flags);
}

static uint64_t float_sqrt(const struct format *format, uint64_t a, unsigned rm, unsigned *flags)
{
    return pack(format, square_root(unpack(format, a), flags), rm, flags);
}

/* The product is exact, and raises NV for infinity times zero before a quiet NaN in c is seen. */
static uint64_t float_muladd(const struct format *format, uint64_t a, uint64_t b, uint64_t c,
                             unsigned rm, unsigned *flags)
{
    struct number product = multiply(unpack(format, a), unpack(format, b), flags);
    struct number sum = add(product, unpack(format, c), rm, flags);
    return pack(format, sum, rm, flags);
}

/* Orders all that is not a NaN; both zeros are 0. */
static int64_t order_key(const struct format *format, uint64_t bits)
{
    int64_t magnitude = (int64_t)(bits & (sign_bit(format) - 1));

    return (bits & sign_bit(format)) != 0 ? -magnitude : magnitude;
}

static uint64_t float_select(const struct format *format, bool maximum, uint64_t a, uint64_t b,
                             unsigned *flags)
{
    struct number x = unpack(format, a);
    struct number y = unpack(format, b);

    if (either_is_nan(x, y, flags)) {
        if (is_nan(x) && is_nan(y)) {
            return pack(format, default_nan, FP_RNE, flags);
        }
        return is_nan(x) ? b : a;
    }
    int64_t a_key = order_key(format, a);
    int64_t b_key = order_key(format, b);
    bool a_is_less = a_key < b_key || (a_key == b_key && x.negative);
    return a_is_less != maximum ? a : b;
}

static bool float_unordered(const struct format *format, uint64_t a, uint64_t b, unsigned nan_flags,
                            unsigned *flags)
{
    bool unordered = either_is_nan(unpack(format, a), unpack(format, b), flags);

    *flags |= unordered ? nan_flags : 0;
    return unordered;
}

static bool float_eq(const struct format *format, uint64_t a, uint64_t b, unsigned *flags)
{
    return !float_unordered(format, a, b, 0, flags) && order_key(format, a) == order_key(format, b);
}

static bool float_lt(const struct format *format, uint64_t a, uint64_t b, unsigned *flags)
{
    return !float_unordered(format, a, b, FP_NV, flags) &&
           order_key(format, a) < order_key(format, b);
}

static bool float_le(const struct format *format, uint64_t a, uint64_t b, unsigned *flags)
{
    return !float_unordered(format, a, b, FP_NV, flags) &&
           order_key(format, a) <= order_key(format, b);
}

/* The mask of table 11.5: 0 to 3 are negative, from infinity to zero, 4 to 7 mirror them. */
static unsigned float_classify(const struct format *format, uint64_t bits)
{
    struct number x = unpack(format, bits);
    unsigned from_infinity;

    if (is_nan(x)) {
        return x.kind == SIGNALING_NAN ? 1U << 8 : 1U << 9;
    }
    if (x.kind == INFINITE) {
        from_infinity = 0;
    } else if (x.significand >= hidden_bit(format)) {
        from_infinity = 1;
    } else {
        from_infinity = is_zero(x) ? 3 : 2;
    }
    return 1U << (x.negative ? from_infinity : 7 - from_infinity);
}

static uint64_t float_to_integer(const struct format *format, uint64_t bits, int width,
                                 bool is_signed, unsigned rm, unsigned *flags)
{
    struct number x = unpack(format, bits);
    bool negative = x.negative && !is_nan(x);
    uint64_t greatest = UINT64_MAX >> (64 - width + is_signed);
    uint64_t limit = !negative ? greatest : is_signed ? greatest + 1 : 0;
    uint64_t magnitude = limit;
    bool inexact = false;
    bool fits = false;

    if (x.kind == FINITE && bit_length(x.significand) + x.exponent <= 64) {
        u128 rounded = round_to_quantum(x, 0, rm, &inexact);
        fits = rounded <= limit;
        magnitude = fits ? (uint64_t)rounded : limit;
    }
    if (!fits) {
        *flags |= FP_NV;
    } else if (inexact) {
        *flags |= FP_NX;
    }

    uint64_t result = negative ? 0 - magnitude : magnitude;
    return width == 32 ? (uint64_t)(int64_t)(int32_t)(uint32_t)result : result;
}

static uint64_t float_from_integer(const struct format *format, uint64_t magnitude, bool negative,
                                   unsigned rm, unsigned *flags)
{
    struct number x = {.kind = FINITE, .negative = negative, .significand = magnitude};

    return pack(format, x, rm, flags);
}

static uint64_t float_from_signed(const struct format *format, int64_t value, unsigned rm,
                                  unsigned *flags)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    return float_from_integer(format, magnitude, value < 0, rm, flags);
}

static uint64_t float_convert(const struct format *to, const struct format *from, uint64_t bits,
                              unsigned rm, unsigned *flags)
{
    struct number x = unpack(from, bits);

    return pack(to, x.kind == SIGNALING_NAN ? invalid(flags) : x, rm, flags);
}

/* The public functions, once for both formats: they only name the format and its type. */
#define BINARY(f, type, name, function, b_value)                                                   \
    type f##_##name(type a, type b, unsigned rm, unsigned *flags)                                  \
    {                                                                                              \
        return (type)function(&f##_format, a, b_value, rm, flags);                                 \
    }

#define COMPARE(f, type, name)                                                                     \
    bool f##_##name(type a, type b, unsigned *flags)                                               \
    {                                                                                              \
        return float_##name(&f##_format, a, b, flags);                                             \
    }

#define SELECT(f, type, name, maximum)                                                             \
    type f##_##name(type a, type b, unsigned *flags)                                               \
    {                                                                                              \
        return (type)float_select(&f##_format, maximum, a, b, flags);                              \
    }

#define TO_INTEGER(f, type, name, width, is_signed)                                                \
    uint64_t f##_to_##name(type a, unsigned rm, unsigned *flags)                                   \
    {                                                                                              \
        return float_to_integer(&f##_format, a, width, is_signed, rm, flags);                      \
    }

#define FROM_SIGNED(f, type, name, integer)                                                        \
    type name##_to_##f(integer a, unsigned rm, unsigned *flags)                                    \
    {                                                                                              \
        return (type)float_from_signed(&f##_format, a, rm, flags);                                 \
    }

#define FROM_UNSIGNED(f, type, name, integer)                                                      \
    type name##_to_##f(integer a, unsigned rm, unsigned *flags)                                    \
    {                                                                                              \
        return (type)float_from_integer(&f##_format, a, false, rm, flags);                         \
    }

#define DEFINE_ALL(f, type)                                                                        \
    BINARY(f, type, add, float_add, b)                                                             \
    BINARY(f, type, sub, float_add, b ^ sign_bit(&f##_format))                                     \
    BINARY(f, type, mul, float_mul, b)                                                             \
    BINARY(f, type, div, float_div, b)                                                             \
    type f##_sqrt(type a, unsigned rm, unsigned *flags)                                            \
    {                                                                                              \
        return (type)float_sqrt(&f##_format, a, rm, flags);                                        \
    }                                                                                              \
    type f##_muladd(type a, type b, type c, unsigned rm, unsigned *flags)                          \
    {                                                                                              \
        return (type)float_muladd(&f##_format, a, b, c, rm, flags);                                \
    }                                                                                              \
    SELECT(f, type, min, false)                                                                    \
    SELECT(f, type, max, true)                                                                     \
    COMPARE(f, type, eq)                                                                           \
    COMPARE(f, type, lt)                                                                           \
    COMPARE(f, type, le)                                                                           \
    unsigned f##_classify(type a)                                                                  \
    {                                                                                              \
        return float_classify(&f##_format, a);                                                     \
    }                                                                                              \
    TO_INTEGER(f, type, i32, 32, true)                                                             \
    TO_INTEGER(f, type, u32, 32, false)                                                            \
    TO_INTEGER(f, type, i64, 64, true)                                                             \
    TO_INTEGER(f, type, u64, 64, false)                                                            \
    FROM_SIGNED(f, type, i32, int32_t)                                                             \
    FROM_UNSIGNED(f, type, u32, uint32_t)                                                          \
    FROM_SIGNED(f, type, i64, int64_t)                                                             \
    FROM_UNSIGNED(f, type, u64, uint64_t)

DEFINE_ALL(f32, uint32_t)
DEFINE_ALL(f64, uint64_t)

uint64_t f32_to_f64(uint32_t a, unsigned rm, unsigned *flags)
{
    return float_convert(&f64_format, &f32_format, a, rm, flags);
}

uint32_t f64_to_f32(uint64_t a, unsigned rm, unsigned *flags)
{
    return (uint32_t)float_convert(&f32_format, &f64_format, a, rm, flags);
}
