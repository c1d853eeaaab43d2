/* Checks what RISC-V's F and D extensions define beyond arithmetic, and their rules for flags. */
#include "test_softfloat_operands.h"

struct integer_type {
    const char *name;
    double low, beyond; /* beyond: the least value too large */
    int width;
    bool is_signed;
};

static const struct integer_type integer_types[] = {{"i32", -0x1p31, 0x1p31, 32, true},
                                                    {"u32", 0, 0x1p32, 32, false},
                                                    {"i64", -0x1p63, 0x1p63, 64, true},
                                                    {"u64", 0, 0x1p64, 64, false}};

static uint64_t (*const f32_to_integer[])(uint32_t, unsigned, unsigned *) = {
    f32_to_i32, f32_to_u32, f32_to_i64, f32_to_u64};
static uint64_t (*const f64_to_integer[])(uint64_t, unsigned, unsigned *) = {
    f64_to_i32, f64_to_u32, f64_to_i64, f64_to_u64};

/* Called through a pointer: the compiler's own expansion of rint assumes round to nearest. */
static double (*const volatile host_rint)(double) = rint;

static double rounded_to_integral(double value, size_t mode)
{
    if (mode == 4) {
        return round(value);
    }
    volatile double x = value;
    fesetround(modes[mode].host);
    volatile double result = host_rint(x);
    fesetround(FE_TONEAREST);
    return result;
}

static void integer_wanted(const struct integer_type *type, double value, double integral,
                           uint64_t *wanted)
{
    uint64_t greatest = low_mask((unsigned)type->width - type->is_signed);
    uint64_t bits;

    wanted[1] = integral != value ? FP_NX : 0;
    if (isnan(value) || integral >= type->beyond) {
        bits = greatest;
        wanted[1] = FP_NV;
    } else if (integral < type->low) {
        bits = type->is_signed ? ~greatest : 0;
        wanted[1] = FP_NV;
    } else {
        bits = type->is_signed ? (uint64_t)(int64_t)integral : (uint64_t)integral;
    }
    wanted[0] = type->width == 32 ? (uint64_t)(int64_t)(int32_t)(uint32_t)bits : bits;
}

static void check_to_integer(enum type from, uint64_t bits)
{
    double value = from == F32 ? (double)f32_value(bits) : f64_value(bits);

    for (size_t mode = 0; mode < 5; mode++) {
        unsigned rm = mode == 4 ? FP_RMM : modes[mode].rm;
        double integral = rounded_to_integral(value, mode);
        for (size_t i = 0; i < 4; i++) {
            uint64_t wanted[2];
            integer_wanted(&integer_types[i], value, integral, wanted);
            unsigned flags = 0;
            uint64_t result = from == F32 ? f32_to_integer[i]((uint32_t)bits, rm, &flags)
                                          : f64_to_integer[i](bits, rm, &flags);
            uint64_t got[2] = {result, flags};
            if (got[0] != wanted[0] || got[1] != wanted[1]) {
                fail_case(integer_types[i].name, rm, (uint64_t[3]){bits, 0, 0}, got, wanted);
            }
        }
    }
}

static void integers_from_floats_agree_with_host(void **unused)
{
    (void)unused;
    for (enum type from = F32; from <= F64; from++) {
        uint64_t state = 1;
        uint64_t near = from == F32 ? f32_bits(1) : f64_bits(1);
        for (int n = 0; n < OPERANDS_PER_OPERATION; n++) {
            uint64_t bits = random_float(&state, from, near);
            check_to_integer(from, bits);
        }
        /* halves and quarters around zero and around each limit */
        for (int n = -64; n <= 64; n++) {
            const double bases[] = {0, 0x1p31, -0x1p31, 0x1p32, 0x1p52, 0x1p63, -0x1p63, 0x1p64};
            for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
                double value = bases[i] + n / 4.0;
                check_to_integer(from, from == F32 ? f32_bits((float)value) : f64_bits(value));
            }
        }
    }
}

#define COMPARE_HOST(f, value, name, operator)                                                     \
    static bool host_##f##_##name(uint64_t a_bits, uint64_t b_bits)                                \
    {                                                                                              \
        volatile value a = f##_value(a_bits), b = f##_value(b_bits);                               \
        volatile bool result = a operator b;                                                       \
        return result;                                                                             \
    }                                                                                              \
    static bool soft_##f##_##name(uint64_t a, uint64_t b, unsigned *flags)                         \
    {                                                                                              \
        return f##_##name((f##_word)a, (f##_word)b, flags);                                        \
    }

COMPARE_HOST(f32, float, eq, ==)
COMPARE_HOST(f32, float, lt, <)
COMPARE_HOST(f32, float, le, <=)
COMPARE_HOST(f64, double, eq, ==)
COMPARE_HOST(f64, double, lt, <)
COMPARE_HOST(f64, double, le, <=)

static const struct {
    const char *name;
    enum type from;
    bool (*soft)(uint64_t a, uint64_t b, unsigned *flags);
    bool (*host)(uint64_t a, uint64_t b);
} comparisons[] = {
    {"f32_eq", F32, soft_f32_eq, host_f32_eq}, {"f32_lt", F32, soft_f32_lt, host_f32_lt},
    {"f32_le", F32, soft_f32_le, host_f32_le}, {"f64_eq", F64, soft_f64_eq, host_f64_eq},
    {"f64_lt", F64, soft_f64_lt, host_f64_lt}, {"f64_le", F64, soft_f64_le, host_f64_le}};

static void check_comparison(size_t i, uint64_t a, uint64_t b)
{
    feclearexcept(FE_ALL_EXCEPT);
    bool truth = comparisons[i].host(a, b);
    uint64_t wanted[2] = {truth, host_flags()};
    unsigned flags = 0;
    bool result = comparisons[i].soft(a, b, &flags);
    uint64_t got[2] = {result, flags};

    if (got[0] != wanted[0] || got[1] != wanted[1]) {
        fail_case(comparisons[i].name, 0, (uint64_t[3]){a, b, 0}, got, wanted);
    }
}

static void comparisons_agree_with_host(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++) {
        enum type from = comparisons[i].from;
        uint64_t state = i;
        for (int n = 0; n < OPERANDS_PER_OPERATION; n++) {
            uint64_t a = random_float(&state, from, 0);
            check_comparison(i, a, random_float(&state, from, a));
        }
        uint64_t values[64];
        size_t count = edge_values(from, values);
        for (size_t n = 0; n < count * count; n++) {
            check_comparison(i, values[n % count], values[n / count]);
        }
    }
}

enum { MIN, MAX };

static const struct {
    uint64_t a, b, results[2], flags;
} selections[] = {
    /* a                         b                            min, max */
    {0x3ff0000000000000, 0x4000000000000000, {0x3ff0000000000000, 0x4000000000000000}, 0},
    {0xbff0000000000000, 0xc000000000000000, {0xc000000000000000, 0xbff0000000000000}, 0},
    {0xbff0000000000000, 0x3ff0000000000000, {0xbff0000000000000, 0x3ff0000000000000}, 0},
    {0x8000000000000000, 0x0000000000000000, {0x8000000000000000, 0x0000000000000000}, 0},
    {0x8000000000000000, 0x8000000000000000, {0x8000000000000000, 0x8000000000000000}, 0},
    {0x8000000000000001, 0x8000000000000000, {0x8000000000000001, 0x8000000000000000}, 0},
    {0xfff0000000000000, 0x7ff0000000000000, {0xfff0000000000000, 0x7ff0000000000000}, 0},
    {0xfff8000000000001, 0x8000000000000000, {0x8000000000000000, 0x8000000000000000}, 0},
    {0x7ff0000000000001, 0xfff0000000000000, {0xfff0000000000000, 0xfff0000000000000}, FP_NV},
    {0xfff8000000000001, 0x7ff8000000000002, {FP_F64_CANONICAL_NAN, FP_F64_CANONICAL_NAN}, 0},
    {0xfff0000000000001, 0x7ff8000000000002, {FP_F64_CANONICAL_NAN, FP_F64_CANONICAL_NAN}, FP_NV},
    {0x7ff4000000000000, 0x7ff7ffffffffffff, {FP_F64_CANONICAL_NAN, FP_F64_CANONICAL_NAN}, FP_NV},
};

/* The f32 pattern with the same meaning; all patterns in these tables have one. */
static uint32_t narrow(uint64_t bits)
{
    uint32_t sign = (uint32_t)(bits >> 32) & 0x80000000;
    uint32_t exponent = (uint32_t)(bits >> 52) & 0x7ff;
    uint32_t fraction = (uint32_t)(bits >> 29) & 0x7fffff;

    exponent = exponent == 0x7ff ? 0xff : exponent == 0 ? 0 : exponent - 1023 + 127;
    return sign | exponent << 23 | fraction | ((bits & 0x1fffffff) != 0);
}

static void check_selection(uint64_t a, uint64_t b, const uint64_t *results, uint64_t raised)
{
    unsigned flags[4] = {0};

    assert_int_equal(f64_min(a, b, &flags[0]), results[MIN]);
    assert_int_equal(f64_max(a, b, &flags[1]), results[MAX]);
    assert_int_equal(f32_min(narrow(a), narrow(b), &flags[2]), narrow(results[MIN]));
    assert_int_equal(f32_max(narrow(a), narrow(b), &flags[3]), narrow(results[MAX]));
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(flags[i], raised);
    }
}

static void minimum_and_maximum_follow_the_specification(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof selections / sizeof selections[0]; i++) {
        uint64_t a = selections[i].a;
        uint64_t b = selections[i].b;
        check_selection(a, b, selections[i].results, selections[i].flags);
        check_selection(b, a, selections[i].results, selections[i].flags);
    }
}

static void classes_are_numbered_as_in_table_11_5(void **unused)
{
    static const struct {
        uint64_t bits;
        unsigned class;
    } rows[] = {{0xfff0000000000000, 0}, {0xbff0000000000000, 1}, {0xb810000000000000, 1},
                {0x8000000000000001, 2}, {0x800fffffffffffff, 2}, {0x8000000000000000, 3},
                {0x0000000000000000, 4}, {0x0000000000000001, 5}, {0x000fffffffffffff, 5},
                {0x3810000000000000, 6}, {0x3ff0000000000000, 6}, {0x7ff0000000000000, 7},
                {0x7ff0000000000001, 8}, {0xfff7ffffffffffff, 8}, {0x7ff8000000000000, 9},
                {0xffffffffffffffff, 9}};

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(f64_classify(rows[i].bits), 1U << rows[i].class);
        assert_int_equal(f32_classify(narrow(rows[i].bits)), 1U << rows[i].class);
    }
    assert_int_equal(f64_classify(0x0010000000000000), 1U << 6);
    assert_int_equal(f64_classify(0x7fefffffffffffff), 1U << 6);
}

static void infinity_times_zero_plus_quiet_nan_is_invalid(void **unused)
{
    unsigned flags = 0;

    (void)unused;
    assert_int_equal(f64_muladd(0x7ff0000000000000, 0, 0xfff8000000000123, FP_RNE, &flags),
                     FP_F64_CANONICAL_NAN);
    assert_int_equal(flags, FP_NV);
    flags = 0;
    assert_int_equal(f32_muladd(0x80000000, 0x7f800000, 0x7fc00001, FP_RMM, &flags),
                     FP_F32_CANONICAL_NAN);
    assert_int_equal(flags, FP_NV);
    flags = 0;
    assert_int_equal(f32_muladd(0x3f800000, 0x7f800000, 0x7fc00001, FP_RMM, &flags),
                     FP_F32_CANONICAL_NAN);
    assert_int_equal(flags, 0);
}

static void conversion_makes_nans_canonical(void **unused)
{
    unsigned flags = 0;

    (void)unused;
    assert_int_equal(f32_to_f64(0xffc12345, FP_RNE, &flags), FP_F64_CANONICAL_NAN);
    assert_int_equal(f64_to_f32(0xfff8000000000001, FP_RNE, &flags), FP_F32_CANONICAL_NAN);
    assert_int_equal(flags, 0);
    assert_int_equal(f32_to_f64(0x7f800001, FP_RNE, &flags), FP_F64_CANONICAL_NAN);
    assert_int_equal(flags, FP_NV);
    flags = 0;
    assert_int_equal(f64_to_f32(0x7ff0000000000001, FP_RNE, &flags), FP_F32_CANONICAL_NAN);
    assert_int_equal(flags, FP_NV);
}

/* Products just below the least normal number: whether they underflow depends on
 * where they would round to with an exponent of any size. */
static void tininess_is_detected_after_rounding(void **unused)
{
    static const struct {
        uint64_t a, b;
        unsigned rm;
        uint64_t result;
        unsigned flags;
    } rows[] = {
        /* 2^-1022 * (1 - 2^-53) has 53 bits: tiny, even where it rounds to a normal number */
        {0x001fffffffffffff, 0x3fe0000000000000, FP_RNE, 0x0010000000000000, FP_UF | FP_NX},
        {0x001fffffffffffff, 0x3fe0000000000000, FP_RMM, 0x0010000000000000, FP_UF | FP_NX},
        {0x001fffffffffffff, 0x3fe0000000000000, FP_RUP, 0x0010000000000000, FP_UF | FP_NX},
        {0x001fffffffffffff, 0x3fe0000000000000, FP_RTZ, 0x000fffffffffffff, FP_UF | FP_NX},
        /* (2^-1022 + 2^-1074) * (1 - 2^-53) = 2^-1022 + 2^-1074 - 2^-1075 - 2^-1127: normal */
        {0x0010000000000001, 0x3fefffffffffffff, FP_RDN, 0x0010000000000000, FP_NX},
        /* 2^-1022 * (1 + 2^-52) * (1 - 2^-52) = 2^-1022 * (1 - 2^-104): tiny unless it rounds up */
        {0x0010000000000001, 0x3feffffffffffffe, FP_RNE, 0x0010000000000000, FP_NX},
        {0x0010000000000001, 0x3feffffffffffffe, FP_RMM, 0x0010000000000000, FP_NX},
        {0x0010000000000001, 0x3feffffffffffffe, FP_RUP, 0x0010000000000000, FP_NX},
        {0x0010000000000001, 0x3feffffffffffffe, FP_RTZ, 0x000fffffffffffff, FP_UF | FP_NX},
        {0x0010000000000001, 0x3feffffffffffffe, FP_RDN, 0x000fffffffffffff, FP_UF | FP_NX},
        {0x8010000000000001, 0x3feffffffffffffe, FP_RDN, 0x8010000000000000, FP_NX},
        {0x8010000000000001, 0x3feffffffffffffe, FP_RUP, 0x800fffffffffffff, FP_UF | FP_NX},
        /* exact subnormals do not underflow */
        {0x0010000000000000, 0x3fe0000000000000, FP_RNE, 0x0008000000000000, 0},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned flags = 0;
        assert_int_equal(f64_mul(rows[i].a, rows[i].b, rows[i].rm, &flags), rows[i].result);
        assert_int_equal(flags, rows[i].flags);
    }
}

/* 2^24 + 1 and its kin lie halfway between two f32 numbers. */
static void ties_to_greater_magnitude_ignore_evenness(void **unused)
{
    unsigned flags = 0;

    (void)unused;
    for (int32_t n = 0x1000001; n < 0x1002001; n += 2) {
        uint32_t up = 0x4b800000 + (uint32_t)(n - 0x1000000 + 1) / 2;
        assert_int_equal(i32_to_f32(n, FP_RMM, &flags), up);
        assert_int_equal(i32_to_f32(-n, FP_RMM, &flags), 0x80000000 | up);
        assert_int_equal(i32_to_f32(n, FP_RNE, &flags), up & 1 ? up - 1 : up);
    }
    assert_int_equal(flags, FP_NX);
}

static void flags_accumulate(void **unused)
{
    unsigned flags = FP_DZ;

    (void)unused;
    f64_add(0x3ff0000000000000, 1, FP_RNE, &flags);
    assert_int_equal(flags, FP_DZ | FP_NX);
    f32_sqrt(0xbf800000, FP_RNE, &flags);
    assert_int_equal(flags, FP_DZ | FP_NX | FP_NV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_from_floats_agree_with_host),
        cmocka_unit_test(comparisons_agree_with_host),
        cmocka_unit_test(minimum_and_maximum_follow_the_specification),
        cmocka_unit_test(classes_are_numbered_as_in_table_11_5),
        cmocka_unit_test(infinity_times_zero_plus_quiet_nan_is_invalid),
        cmocka_unit_test(conversion_makes_nans_canonical),
        cmocka_unit_test(tininess_is_detected_after_rounding),
        cmocka_unit_test(ties_to_greater_magnitude_ignore_evenness),
        cmocka_unit_test(flags_accumulate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
