/* Checks machine/exec/softfloat against the host's floating-point unit, in every rounding mode. */
#include <float.h>

#include "test_softfloat_operands.h"

/* The host has four of the five modes and, being x86, finds tininess after rounding as RISC-V does.
 * The fifth, nearest with ties to the greater magnitude, differs from nearest-even only where the
 * exact result lies halfway between two neighbours; quadruple precision holds every such result of
 * both formats exactly, so that it can tell. */

__extension__ typedef __float128 quad;

struct operation {
    const char *name;
    enum type from, to;
    int operands;
    uint64_t (*soft)(uint64_t a, uint64_t b, uint64_t c, unsigned rm, unsigned *flags);
    uint64_t (*host)(uint64_t a, uint64_t b, uint64_t c);
    /* whether the exact result is `middle`; all operands are finite */
    bool (*equals)(quad a, quad b, quad c, quad middle);
};

static quad exact_value(enum type type, uint64_t bits)
{
    switch (type) {
    case F32:
        return (quad)f32_value(bits);
    case F64:
        return (quad)f64_value(bits);
    case I32:
        return (quad)(int32_t)(uint32_t)bits;
    case U32:
        return (quad)(uint32_t)bits;
    case I64:
        return (quad)(int64_t)bits;
    case U64:
        break;
    }
    return (quad)bits;
}

/* Host operations read and write volatile variables, so that the compiler neither computes them in
 * advance nor moves them past a change of the rounding mode. */
#define HOST1(name, value, type_a, read, write, expression)                                        \
    static uint64_t name(uint64_t a_bits, uint64_t b_bits, uint64_t c_bits)                        \
    {                                                                                              \
        volatile type_a a = read(a_bits);                                                          \
        volatile value result = expression;                                                        \
        (void)b_bits;                                                                              \
        (void)c_bits;                                                                              \
        return write(result);                                                                      \
    }

#define HOST3(name, value, read, write, expression)                                                \
    static uint64_t name(uint64_t a_bits, uint64_t b_bits, uint64_t c_bits)                        \
    {                                                                                              \
        volatile value a = read(a_bits), b = read(b_bits), c = read(c_bits);                       \
        volatile value result = expression;                                                        \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        return write(result);                                                                      \
    }

#define SOFT(f, name, call)                                                                        \
    static uint64_t soft_##f##_##name(uint64_t a_bits, uint64_t b_bits, uint64_t c_bits,           \
                                      unsigned rm, unsigned *flags)                                \
    {                                                                                              \
        f##_word a = (f##_word)a_bits, b = (f##_word)b_bits, c = (f##_word)c_bits;                 \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        return call;                                                                               \
    }

typedef int32_t i32_word;
typedef uint32_t u32_word;
typedef int64_t i64_word;
typedef uint64_t u64_word;

#define ARITHMETIC(f, value, fma_function, sqrt_function)                                          \
    HOST3(host_##f##_add, value, f##_value, f##_bits, a + b)                                       \
    HOST3(host_##f##_sub, value, f##_value, f##_bits, a - b)                                       \
    HOST3(host_##f##_mul, value, f##_value, f##_bits, a *b)                                        \
    HOST3(host_##f##_div, value, f##_value, f##_bits, a / b)                                       \
    HOST3(host_##f##_sqrt, value, f##_value, f##_bits, sqrt_function(a))                           \
    HOST3(host_##f##_muladd, value, f##_value, f##_bits, fma_function(a, b, c))                    \
    SOFT(f, add, f##_add(a, b, rm, flags))                                                         \
    SOFT(f, sub, f##_sub(a, b, rm, flags))                                                         \
    SOFT(f, mul, f##_mul(a, b, rm, flags))                                                         \
    SOFT(f, div, f##_div(a, b, rm, flags))                                                         \
    SOFT(f, sqrt, f##_sqrt(a, rm, flags))                                                          \
    SOFT(f, muladd, f##_muladd(a, b, c, rm, flags))

ARITHMETIC(f32, float, fmaf, sqrtf)
ARITHMETIC(f64, double, fma, sqrt)

#define CONVERSION(from, from_value, read, to, to_value)                                           \
    HOST1(host_##from##_to_##to, to_value, from_value, read, to##_bits, (to_value)a)               \
    SOFT(from, to_##to, from##_to_##to(a, rm, flags))

CONVERSION(f32, float, f32_value, f64, double)
CONVERSION(f64, double, f64_value, f32, float)
CONVERSION(i32, int32_t, (int32_t)(uint32_t), f32, float)
CONVERSION(i32, int32_t, (int32_t)(uint32_t), f64, double)
CONVERSION(u32, uint32_t, (uint32_t), f32, float)
CONVERSION(u32, uint32_t, (uint32_t), f64, double)
CONVERSION(i64, int64_t, (int64_t), f32, float)
CONVERSION(i64, int64_t, (int64_t), f64, double)
CONVERSION(u64, uint64_t, (uint64_t), f32, float)
CONVERSION(u64, uint64_t, (uint64_t), f64, double)

/* A sum too long for quadruple precision is not a halfway case, yet may round to one. */
static bool sum_equals(quad a, quad b, quad middle)
{
    volatile quad x = a, y = b;

    feclearexcept(FE_ALL_EXCEPT);
    volatile quad sum = x + y;
    return !fetestexcept(FE_INEXACT) && sum == middle;
}

static bool equals_add(quad a, quad b, quad c, quad middle)
{
    (void)c;
    return sum_equals(a, b, middle);
}

static bool equals_sub(quad a, quad b, quad c, quad middle)
{
    (void)c;
    return sum_equals(a, -b, middle);
}

static bool equals_mul(quad a, quad b, quad c, quad middle)
{
    (void)c;
    return a * b == middle;
}

static bool equals_div(quad a, quad b, quad c, quad middle)
{
    (void)c;
    return middle * b == a;
}

static bool equals_sqrt(quad a, quad b, quad c, quad middle)
{
    (void)b;
    (void)c;
    return middle * middle == a;
}

static bool equals_muladd(quad a, quad b, quad c, quad middle)
{
    return sum_equals(a * b, c, middle);
}

static bool equals_value(quad a, quad b, quad c, quad middle)
{
    (void)b;
    (void)c;
    return a == middle;
}

#define ARITHMETIC_ROW(f, F, verb, operands)                                                       \
    {                                                                                              \
        .name = #f "_" #verb, F, F, operands, soft_##f##_##verb, host_##f##_##verb, equals_##verb  \
    }
#define CONVERSION_ROW(from, FROM, to, TO)                                                         \
    {                                                                                              \
        .name = #from "_to_" #to, FROM, TO, 1, soft_##from##_to_##to, host_##from##_to_##to,       \
        equals_value                                                                               \
    }

static const struct operation operations[] = {
    ARITHMETIC_ROW(f32, F32, add, 2),   ARITHMETIC_ROW(f32, F32, sub, 2),
    ARITHMETIC_ROW(f32, F32, mul, 2),   ARITHMETIC_ROW(f32, F32, div, 2),
    ARITHMETIC_ROW(f32, F32, sqrt, 1),  ARITHMETIC_ROW(f32, F32, muladd, 3),
    ARITHMETIC_ROW(f64, F64, add, 2),   ARITHMETIC_ROW(f64, F64, sub, 2),
    ARITHMETIC_ROW(f64, F64, mul, 2),   ARITHMETIC_ROW(f64, F64, div, 2),
    ARITHMETIC_ROW(f64, F64, sqrt, 1),  ARITHMETIC_ROW(f64, F64, muladd, 3),
    CONVERSION_ROW(f32, F32, f64, F64), CONVERSION_ROW(f64, F64, f32, F32),
    CONVERSION_ROW(i32, I32, f32, F32), CONVERSION_ROW(i32, I32, f64, F64),
    CONVERSION_ROW(u32, U32, f32, F32), CONVERSION_ROW(u32, U32, f64, F64),
    CONVERSION_ROW(i64, I64, f32, F32), CONVERSION_ROW(i64, I64, f64, F64),
    CONVERSION_ROW(u64, U64, f32, F32), CONVERSION_ROW(u64, U64, f64, F64),
};

enum { OPERATIONS = sizeof operations / sizeof operations[0] };

static void check_soft(const struct operation *op, unsigned rm, const uint64_t *x,
                       const uint64_t *wanted)
{
    unsigned flags = 0;
    uint64_t result = op->soft(x[0], x[1], x[2], rm, &flags);
    uint64_t got[2] = {result, flags};

    if (got[0] != wanted[0] || got[1] != wanted[1]) {
        fail_case(op->name, rm, x, got, wanted);
    }
}

/* The host leaves NV alone for infinity * 0 + quiet NaN, which the standard permits and RISC-V
 * forbids (section 11.6). */
static unsigned muladd_extra_flags(const struct operation *op, const uint64_t *x)
{
    if (op->operands != 3 || !isnan(exact_value(op->from, x[2]))) {
        return 0;
    }
    quad a = exact_value(op->from, x[0]);
    quad b = exact_value(op->from, x[1]);
    return ((isinf(a) && b == 0) || (a == 0 && isinf(b))) ? FP_NV : 0;
}

static void check_against_host(const struct operation *op, const uint64_t *x)
{
    unsigned extra = muladd_extra_flags(op, x);
    uint64_t results[4][2];

    for (size_t i = 0; i < 4; i++) {
        fesetround(modes[i].host);
        feclearexcept(FE_ALL_EXCEPT);
        results[i][0] = op->host(x[0], x[1], x[2]);
        results[i][1] = host_flags() | extra;
    }
    fesetround(FE_TONEAREST);
    for (size_t i = 0; i < 4; i++) {
        check_soft(op, modes[i].rm, x, results[i]);
    }

    quad low = exact_value(op->to, results[2][0]);
    quad high = exact_value(op->to, results[3][0]);
    bool halfway = isfinite(low) && isfinite(high) && low != high &&
                   op->equals(exact_value(op->from, x[0]), exact_value(op->from, x[1]),
                              exact_value(op->from, x[2]), (low + high) / 2);
    uint64_t rmm[2] = {results[0][0], results[0][1]};
    if (halfway) {
        rmm[0] = low + high < 0 ? results[2][0] : results[3][0];
    }
    check_soft(op, FP_RMM, x, rmm);
}

static uint64_t random_operand(uint64_t *state, enum type type, uint64_t near)
{
    if (type == F32 || type == F64) {
        return random_float(state, type, near);
    }
    unsigned width = type == I32 || type == U32 ? 32 : 64;
    uint64_t bits = random_fraction(state, 1 + (unsigned)(random_word(state) % width));
    return (random_word(state) & 1 ? 0 - bits : bits) & low_mask(width);
}

static void random_operands(uint64_t *state, const struct operation *op, uint64_t *x)
{
    x[0] = random_operand(state, op->from, random_word(state));
    x[1] = random_operand(state, op->from, x[0]);
    uint64_t near = x[1];
    if (op->operands == 3) {
        near = op->from == F32 ? host_f32_mul(x[0], x[1], 0) : host_f64_mul(x[0], x[1], 0);
    }
    x[2] = random_operand(state, op->from, near);
}

static void random_operands_agree_with_host(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < OPERATIONS; i++) {
        const struct operation *op = &operations[i];
        uint64_t state = i;
        for (int n = 0; n < OPERANDS_PER_OPERATION; n++) {
            uint64_t x[3];
            random_operands(&state, op, x);
            check_against_host(op, x);
        }
    }
}

static void edge_operands_agree_with_host(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < OPERATIONS; i++) {
        const struct operation *op = &operations[i];
        uint64_t values[64];
        size_t count = edge_values(op->from == F32 ? F32 : F64, values);
        size_t b_count = op->operands > 1 ? count : 1;
        size_t c_count = op->operands > 2 ? count : 1;
        for (size_t n = 0; n < count * b_count * c_count; n++) {
            uint64_t x[3] = {values[n % count], values[n / count % b_count],
                             values[n / count / b_count]};
            check_against_host(op, x);
        }
    }
}

/* The oracle of sums rests on this. */
static void quadruple_precision_reports_inexact_sums(void **unused)
{
    (void)unused;
    assert_true(sum_equals(1, (quad)DBL_EPSILON / 2, 1 + (quad)DBL_EPSILON / 2));
    assert_false(sum_equals(1, (quad)DBL_MIN, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadruple_precision_reports_inexact_sums),
        cmocka_unit_test(edge_operands_agree_with_host),
        cmocka_unit_test(random_operands_agree_with_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
