/* Tests what takes the place of instructions with a known operand: it must give the same, whatever the other is. */
#include "translator/rv64/fold.c"
#include "translator/rv64/simplify.c"

#include "isa/rv64/decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static uint64_t extend(uint64_t value)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
}

static int64_t divide(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? (int64_t) - (uint64_t)a : a / b;
}

static int64_t remain(int64_t a, int64_t b)
{
    return b == 0 ? a : b == -1 ? 0 : a % b;
}

__extension__ typedef unsigned __int128 product;

static uint64_t multiply_high(bool a_signed, uint64_t a, bool b_signed, uint64_t b)
{
    uint64_t high = (uint64_t)((product)a * b >> 64);

    high -= a_signed && (int64_t)a < 0 ? b : 0;
    high -= b_signed && (int64_t)b < 0 ? a : 0;
    return high;
}

/* By the book. */
static uint64_t compute(uint32_t word, uint64_t a, uint64_t b)
{
    const uint32_t low_a = (uint32_t)a, low_b = (uint32_t)b;
    struct rv64_insn insn;

    rv64_decode(word, &insn);
    const uint64_t imm = (uint64_t)insn.imm;
    switch (insn.op) {
    case RV64_add:
        return a + b;
    case RV64_addw:
        return extend(a + b);
    case RV64_addiw:
        return extend(a + imm);
    case RV64_sub:
        return a - b;
    case RV64_subw:
        return extend(a - b);
    case RV64_and:
        return a & b;
    case RV64_andi:
        return a & imm;
    case RV64_or:
        return a | b;
    case RV64_ori:
        return a | imm;
    case RV64_xor:
        return a ^ b;
    case RV64_xori:
        return a ^ imm;
    case RV64_sll:
        return a << (b & 63);
    case RV64_slli:
        return a << imm;
    case RV64_srl:
        return a >> (b & 63);
    case RV64_srli:
        return a >> imm;
    case RV64_sra:
        return (uint64_t)((int64_t)a >> (b & 63));
    case RV64_srai:
        return (uint64_t)((int64_t)a >> imm);
    case RV64_sllw:
        return extend((uint64_t)low_a << (b & 31));
    case RV64_slliw:
        return extend((uint64_t)low_a << imm);
    case RV64_srlw:
        return extend(low_a >> (b & 31));
    case RV64_srliw:
        return extend(low_a >> imm);
    case RV64_sraw:
        return (uint64_t)(int64_t)((int32_t)low_a >> (b & 31));
    case RV64_sraiw:
        return (uint64_t)(int64_t)((int32_t)low_a >> imm);
    case RV64_slt:
        return (int64_t)a < (int64_t)b;
    case RV64_slti:
        return (int64_t)a < insn.imm;
    case RV64_sltu:
        return a < b;
    case RV64_sltiu:
        return a < imm;
    case RV64_mul:
        return a * b;
    case RV64_mulw:
        return extend(a * b);
    case RV64_mulh:
        return multiply_high(true, a, true, b);
    case RV64_mulhsu:
        return multiply_high(true, a, false, b);
    case RV64_mulhu:
        return multiply_high(false, a, false, b);
    case RV64_div:
        return (uint64_t)divide((int64_t)a, (int64_t)b);
    case RV64_divu:
        return b == 0 ? UINT64_MAX : a / b;
    case RV64_rem:
        return (uint64_t)remain((int64_t)a, (int64_t)b);
    case RV64_remu:
        return b == 0 ? a : a % b;
    case RV64_divw:
        return extend((uint64_t)divide((int32_t)low_a, (int32_t)low_b));
    case RV64_divuw:
        return low_b == 0 ? UINT64_MAX : extend(low_a / low_b);
    case RV64_remw:
        return extend((uint64_t)remain((int32_t)low_a, (int32_t)low_b));
    case RV64_remuw:
        return extend(low_b == 0 ? low_a : low_a % low_b);
    default:
        fail_msg("no meaning for %08x", word);
        return 0;
    }
}

static const int words[] = {
    MATCH_add,  MATCH_addw,  MATCH_sub,    MATCH_subw,  MATCH_and,  MATCH_or,    MATCH_xor,
    MATCH_sll,  MATCH_srl,   MATCH_sra,    MATCH_sllw,  MATCH_srlw, MATCH_sraw,  MATCH_slt,
    MATCH_sltu, MATCH_mul,   MATCH_mulw,   MATCH_mulh,  MATCH_div,  MATCH_divu,  MATCH_rem,
    MATCH_remu, MATCH_mulhu, MATCH_mulhsu, MATCH_divuw, MATCH_divw, MATCH_remuw, MATCH_remw,
};
#define WORDS (sizeof words / sizeof words[0])

/* Powers of two and what is near them, with either sign, and some others. */
#define VALUES (64 * 6 + 3)

static int64_t value_of(unsigned number)
{
    static const uint64_t others[] = {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210),
                                      UINT64_C(0x100000000)};
    const uint64_t power = UINT64_C(1) << number / 6 % 64;

    if (number >= 64 * 6) {
        return (int64_t)others[number - 64 * 6];
    }
    const uint64_t near = power + number % 3 - 1;
    return (int64_t)(number % 6 < 3 ? near : -near);
}

/* What the other operand becomes. */
static uint64_t apply(const struct simpler *to, uint64_t other)
{
    switch (to->kind) {
    case SIMPLER_CONSTANT:
        return (uint64_t)to->constant;
    case SIMPLER_SUM:
        return other + (uint64_t)to->constant;
    case SIMPLER_WORD:
        return compute(to->word, other, 0);
    default:
        return compute(to->word, 0, other);
    }
}

static void check_same(uint32_t word, const struct simpler *to, uint64_t a, uint64_t b)
{
    const uint64_t wanted = compute(word, a, b), other = to->operand == 0 ? a : b;
    const uint64_t result = apply(to, other);

    if (result != wanted) {
        fail_msg("%08x of %llx and %llx: %llx, not %llx (kind %u)", word, (unsigned long long)a,
                 (unsigned long long)b, (unsigned long long)result, (unsigned long long)wanted,
                 to->kind);
    }
    if ((to->flags & OP_BYTE) != 0) {
        assert_true(wanted < 256);
    }
    if ((to->flags & OP_WORD) != 0) {
        assert_int_equal(wanted, extend(wanted));
    }
    if ((to->flags & OP_EXTENDS) != 0) {
        assert_int_equal(wanted, extend(other));
    }
}

static void what_takes_the_place_gives_the_same(void **state)
{
    unsigned replaced = 0;

    (void)state;
    for (unsigned i = 0; i < WORDS * 2 * VALUES; i++) {
        const uint32_t word = (uint32_t)words[i / (2 * VALUES)];
        const unsigned which = i / VALUES % 2;
        const int64_t constant = value_of(i % VALUES);
        struct simpler to;
        target_simplify(word, which, constant, &to);
        if (to.kind == SIMPLER_NOT) {
            continue;
        }
        replaced++;
        assert_true(to.kind == SIMPLER_CONSTANT || to.operand == 1 - which);
        for (unsigned j = 0; j < VALUES; j++) {
            const uint64_t other = (uint64_t)value_of(j);
            check_same(word, &to, which == 0 ? (uint64_t)constant : other,
                       which == 0 ? other : (uint64_t)constant);
        }
    }
    assert_true(replaced > 1000);
}

static void operands_that_are_near_give_the_same(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WORDS * VALUES; i++) {
        const uint32_t word = (uint32_t)words[i / VALUES];
        const int64_t away = value_of(i % VALUES);
        struct simpler to;
        target_simplify_near(word, away, &to);
        for (unsigned j = 0; to.kind != SIMPLER_NOT && j < VALUES; j++) {
            const uint64_t b = (uint64_t)value_of(j);
            assert_int_equal(to.operand, 0);
            check_same(word, &to, b + (uint64_t)away, b);
        }
    }
}

static void what_is_known_is_folded_right(void **state)
{
    uint64_t result;

    (void)state;
    for (unsigned i = 0; i < WORDS * VALUES; i++) {
        const uint32_t word = (uint32_t)words[i / VALUES];
        const uint64_t a = (uint64_t)value_of(i % VALUES);
        for (unsigned j = 0; j < VALUES; j++) {
            const uint64_t b = (uint64_t)value_of(j);
            if (target_fold(word, a, b, &result)) {
                assert_int_equal(result, compute(word, a, b));
            }
        }
    }
}

/* What must not stay as it is. */
static void what_can_be_simpler_is(void **state)
{
    static const struct {
        int word;
        unsigned which;
        int64_t constant;
        enum simpler_kind kind;
        int64_t result; /* a constant, or a word */
    } rows[] = {
        {MATCH_mul, 1, 0, SIMPLER_CONSTANT, 0},
        {MATCH_mul, 0, 1, SIMPLER_SUM, 0},
        {MATCH_mul, 1, 64, SIMPLER_WORD, WORD_I(MATCH_slli, 0, 0, 6)},
        {MATCH_mul, 1, INT64_MIN, SIMPLER_WORD, WORD_I(MATCH_slli, 0, 0, 63)},
        {MATCH_mul, 0, -1, SIMPLER_NEGATION, MATCH_sub},
        {MATCH_mul, 1, 3, SIMPLER_NOT, 0},
        {MATCH_mulw, 1, 8, SIMPLER_WORD, WORD_I(MATCH_slliw, 0, 0, 3)},
        {MATCH_mulw, 1, 1, SIMPLER_WORD, MATCH_addiw},
        {MATCH_mulhu, 1, 16, SIMPLER_WORD, WORD_I(MATCH_srli, 0, 0, 60)},
        {MATCH_div, 1, 1, SIMPLER_SUM, 0},
        {MATCH_div, 1, 2, SIMPLER_NOT, 0},
        {MATCH_div, 0, 1, SIMPLER_NOT, 0},
        {MATCH_divu, 1, 32, SIMPLER_WORD, WORD_I(MATCH_srli, 0, 0, 5)},
        {MATCH_divuw, 1, 32, SIMPLER_WORD, WORD_I(MATCH_srliw, 0, 0, 5)},
        {MATCH_remu, 1, 32, SIMPLER_WORD, WORD_I(MATCH_andi, 0, 0, 31)},
        {MATCH_remu, 1, 4096, SIMPLER_NOT, 0},
        {MATCH_remuw, 1, 2048, SIMPLER_WORD, WORD_I(MATCH_andi, 0, 0, 2047)},
        {MATCH_rem, 1, 1, SIMPLER_CONSTANT, 0},
        {MATCH_remw, 1, -1, SIMPLER_CONSTANT, 0},
        {MATCH_and, 1, -1, SIMPLER_SUM, 0},
        {MATCH_and, 0, 255, SIMPLER_WORD, WORD_I(MATCH_andi, 0, 0, 255)},
        {MATCH_or, 1, 0, SIMPLER_SUM, 0},
        {MATCH_xor, 1, 2048, SIMPLER_NOT, 0},
        {MATCH_sub, 1, 5000, SIMPLER_SUM, -5000},
        {MATCH_sub, 0, 0, SIMPLER_NOT, 0},
        {MATCH_subw, 1, 7, SIMPLER_WORD, WORD_I(MATCH_addiw, 0, 0, (uint32_t)-7)},
        {MATCH_sll, 1, 64, SIMPLER_SUM, 0},
        {MATCH_sraw, 1, 33, SIMPLER_WORD, WORD_I(MATCH_sraiw, 0, 0, 1)},
        {MATCH_slt, 1, -2048, SIMPLER_WORD, WORD_I(MATCH_slti, 0, 0, (uint32_t)-2048)},
        {MATCH_sltu, 0, 5, SIMPLER_NOT, 0},
        {MATCH_sltu, 1, 0, SIMPLER_CONSTANT, 0},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct simpler to;
        target_simplify((uint32_t)rows[i].word, rows[i].which, rows[i].constant, &to);
        if (to.kind != rows[i].kind) {
            fail_msg("row %u: kind %u", i, to.kind);
        }
        if (to.kind == SIMPLER_WORD || to.kind == SIMPLER_NEGATION) {
            assert_int_equal(to.word, (uint32_t)rows[i].result);
        } else {
            assert_int_equal(to.constant, rows[i].result);
        }
    }
}

static void bytes_stay_under_masks_that_have_them_whole(void **state)
{
    (void)state;
    assert_true(target_keeps_byte(word_i((uint32_t)MATCH_andi, 0, 0, 255)));
    assert_true(target_keeps_byte(word_i((uint32_t)MATCH_andi, 0, 0, 0x3ff)));
    assert_true(target_keeps_byte(word_i((uint32_t)MATCH_andi, 0, 0, -1)));
    assert_false(target_keeps_byte(word_i((uint32_t)MATCH_andi, 0, 0, 127)));
    assert_false(target_keeps_byte(word_i((uint32_t)MATCH_ori, 0, 0, 255)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_takes_the_place_gives_the_same),
        cmocka_unit_test(operands_that_are_near_give_the_same),
        cmocka_unit_test(what_is_known_is_folded_right),
        cmocka_unit_test(what_can_be_simpler_is),
        cmocka_unit_test(bytes_stay_under_masks_that_have_them_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
