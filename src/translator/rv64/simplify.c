/* Which instructions do with less what one does whose operand is a known constant: for the pass `strength`. */
#include "translator/rv64/encode_words.h"

#include "translator/passes/ops.h"
#include "translator/passes/simpler.h"

static bool fits(int64_t constant)
{
    return constant >= -2048 && constant < 2048;
}

static struct simpler become_constant(int64_t constant)
{
    return (struct simpler){.kind = SIMPLER_CONSTANT, .constant = constant};
}

static struct simpler become_sum(int64_t constant)
{
    return (struct simpler){.kind = SIMPLER_SUM, .constant = constant};
}

/* The operand and an immediate. */
static struct simpler become(int match, int64_t immediate)
{
    return (struct simpler){.kind = SIMPLER_WORD,
                            .word = word_i((uint32_t)match, 0, 0, (int32_t)immediate)};
}

static struct simpler stay(void)
{
    return (struct simpler){.kind = SIMPLER_NOT};
}

static struct simpler become_if_fits(int match, int64_t immediate)
{
    return fits(immediate) ? become(match, immediate) : stay();
}

/* The low 32 bits, sign-extended. */
static struct simpler become_extended(void)
{
    struct simpler to = become(MATCH_addiw, 0);

    to.flags = OP_EXTENDS;
    return to;
}

static struct simpler become_word_sum(int64_t constant)
{
    const int64_t low = (int32_t)(uint32_t)(uint64_t)constant;

    return low == 0 ? become_extended() : become_if_fits(MATCH_addiw, low);
}

static struct simpler become_shifted(int match, unsigned bits)
{
    return bits == 0 ? become_sum(0) : become(match, bits);
}

static struct simpler become_shifted_word(int match, unsigned bits)
{
    return bits == 0 ? become_extended() : become(match, bits);
}

static struct simpler become_negated(int match)
{
    return (struct simpler){.kind = SIMPLER_NEGATION, .word = (uint32_t)match};
}

static struct simpler become_and(int64_t mask)
{
    struct simpler to = become_if_fits(MATCH_andi, mask);

    to.flags = mask >= 0 ? (uint8_t)(OP_WORD | (mask < 256 ? OP_BYTE : 0)) : OP_KEEPS_WORD;
    return mask == 0 ? become_constant(0) : mask == -1 ? become_sum(0) : to;
}

static struct simpler become_bitwise(int match, int64_t constant)
{
    struct simpler to = become_if_fits(match, constant);

    to.flags = (uint8_t)(OP_KEEPS_WORD | (constant >= 0 && constant < 256 ? OP_KEEPS_BYTE : 0));
    return to;
}

static bool is_power(uint64_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

/* Of a power of two. */
static unsigned power_of(uint64_t number)
{
    const uint32_t low = (uint32_t)number;

    return low != 0 ? lowest_bit(low) : 32 + lowest_bit((uint32_t)(number >> 32));
}

static struct simpler simplify_multiplication(uint32_t word, uint64_t factor)
{
    const uint64_t low = (uint32_t)factor;

    if (factor == 0 || (word == (uint32_t)MATCH_mulw && low == 0)) {
        return become_constant(0);
    }
    switch (word) {
    case (uint32_t)MATCH_mul:
        return is_power(factor)       ? become_shifted(MATCH_slli, power_of(factor))
               : factor == UINT64_MAX ? become_negated(MATCH_sub)
                                      : stay();
    case (uint32_t)MATCH_mulw:
        return is_power(low)       ? become_shifted_word(MATCH_slliw, power_of(low))
               : low == UINT32_MAX ? become_negated(MATCH_subw)
                                   : stay();
    case (uint32_t)MATCH_mulhu: /* by 1: nothing is left */
        return factor == 1        ? become_constant(0)
               : is_power(factor) ? become(MATCH_srli, 64 - power_of(factor))
                                  : stay();
    default:
        return stay();
    }
}

/* What a division by zero gives is defined. */
static struct simpler simplify_division(uint32_t word, int64_t divisor)
{
    const uint64_t bits = (uint64_t)divisor, low = (uint32_t)bits;
    const int32_t low_signed = (int32_t)(uint32_t)bits;

    switch (word) {
    case (uint32_t)MATCH_div:
        return divisor == 0    ? become_constant(-1)
               : divisor == 1  ? become_sum(0)
               : divisor == -1 ? become_negated(MATCH_sub)
                               : stay();
    case (uint32_t)MATCH_divu:
        return divisor == 0     ? become_constant(-1)
               : is_power(bits) ? become_shifted(MATCH_srli, power_of(bits))
                                : stay();
    case (uint32_t)MATCH_rem:
        return divisor == 0                    ? become_sum(0)
               : divisor == 1 || divisor == -1 ? become_constant(0)
                                               : stay();
    case (uint32_t)MATCH_remu:
        return divisor == 0     ? become_sum(0)
               : is_power(bits) ? become_and((int64_t)(bits - 1))
                                : stay();
    case (uint32_t)MATCH_divw:
        return low_signed == 0    ? become_constant(-1)
               : low_signed == 1  ? become_extended()
               : low_signed == -1 ? become_negated(MATCH_subw)
                                  : stay();
    case (uint32_t)MATCH_divuw:
        return low == 0        ? become_constant(-1)
               : is_power(low) ? become_shifted_word(MATCH_srliw, power_of(low))
                               : stay();
    case (uint32_t)MATCH_remw:
        return low_signed == 0                       ? become_extended()
               : low_signed == 1 || low_signed == -1 ? become_constant(0)
                                                     : stay();
    default: /* remuw */
        return low == 0        ? become_extended()
               : is_power(low) ? become_and((int64_t)(low - 1))
                               : stay();
    }
}

/* The second operand is known. */
static struct simpler simplify_second(uint32_t word, int64_t constant)
{
    const unsigned bits = (unsigned)constant & 63, word_bits = (unsigned)constant & 31;

    switch (word) {
    case (uint32_t)MATCH_sub:
        return become_sum((int64_t) - (uint64_t)constant);
    case (uint32_t)MATCH_addw:
        return become_word_sum(constant);
    case (uint32_t)MATCH_subw:
        return become_word_sum((int64_t) - (uint64_t)constant);
    case (uint32_t)MATCH_and:
        return become_and(constant);
    case (uint32_t)MATCH_or:
        return constant == 0    ? become_sum(0)
               : constant == -1 ? become_constant(-1)
                                : become_bitwise(MATCH_ori, constant);
    case (uint32_t)MATCH_xor:
        return constant == 0 ? become_sum(0) : become_bitwise(MATCH_xori, constant);
    case (uint32_t)MATCH_sll:
        return become_shifted(MATCH_slli, bits);
    case (uint32_t)MATCH_srl:
        return become_shifted(MATCH_srli, bits);
    case (uint32_t)MATCH_sra:
        return become_shifted(MATCH_srai, bits);
    case (uint32_t)MATCH_sllw:
        return become_shifted_word(MATCH_slliw, word_bits);
    case (uint32_t)MATCH_srlw:
        return become_shifted_word(MATCH_srliw, word_bits);
    case (uint32_t)MATCH_sraw:
        return become_shifted_word(MATCH_sraiw, word_bits);
    case (uint32_t)MATCH_slt:
        return become_if_fits(MATCH_slti, constant);
    case (uint32_t)MATCH_sltu:
        return constant == 0 ? become_constant(0) : become_if_fits(MATCH_sltiu, constant);
    case (uint32_t)MATCH_mul:
    case (uint32_t)MATCH_mulw:
    case (uint32_t)MATCH_mulh:
    case (uint32_t)MATCH_mulhu:
    case (uint32_t)MATCH_mulhsu:
        return simplify_multiplication(word, (uint64_t)constant);
    case (uint32_t)MATCH_div:
    case (uint32_t)MATCH_divu:
    case (uint32_t)MATCH_rem:
    case (uint32_t)MATCH_remu:
    case (uint32_t)MATCH_divw:
    case (uint32_t)MATCH_divuw:
    case (uint32_t)MATCH_remw:
    case (uint32_t)MATCH_remuw:
        return simplify_division(word, constant);
    default:
        return stay();
    }
}

/* The first operand is known: where the order does not matter, it might be the second. */
static struct simpler simplify_first(uint32_t word, int64_t constant)
{
    struct simpler to;

    switch (word) {
    case (uint32_t)MATCH_addw:
    case (uint32_t)MATCH_and:
    case (uint32_t)MATCH_or:
    case (uint32_t)MATCH_xor:
    case (uint32_t)MATCH_mul:
    case (uint32_t)MATCH_mulw:
    case (uint32_t)MATCH_mulh:
    case (uint32_t)MATCH_mulhu:
        to = simplify_second(word, constant);
        to.operand = 1;
        return to;
    case (uint32_t)MATCH_sll:
    case (uint32_t)MATCH_srl:
    case (uint32_t)MATCH_sra:
    case (uint32_t)MATCH_rem:
    case (uint32_t)MATCH_remu:
    case (uint32_t)MATCH_mulhsu:
        return constant == 0 ? become_constant(0) : stay();
    case (uint32_t)MATCH_sllw:
    case (uint32_t)MATCH_srlw:
    case (uint32_t)MATCH_sraw:
    case (uint32_t)MATCH_remw:
    case (uint32_t)MATCH_remuw:
        return (uint32_t)(uint64_t)constant == 0 ? become_constant(0) : stay();
    case (uint32_t)MATCH_sltu:
        return constant == -1 ? become_constant(0) : stay();
    default:
        return stay();
    }
}

void target_simplify(uint32_t word, unsigned which, int64_t constant, struct simpler *to)
{
    *to = which == 0 ? simplify_first(word, constant) : simplify_second(word, constant);
}

static struct simpler simplify_near(uint32_t word, int64_t away)
{
    switch (word) {
    case (uint32_t)MATCH_sub:
        return become_constant(away);
    case (uint32_t)MATCH_subw:
        return become_constant((int32_t)(uint32_t)(uint64_t)away);
    case (uint32_t)MATCH_and:
    case (uint32_t)MATCH_or:
        return away == 0 ? become_sum(0) : stay();
    case (uint32_t)MATCH_xor:
    case (uint32_t)MATCH_slt:
    case (uint32_t)MATCH_sltu:
    case (uint32_t)MATCH_rem: /* also of zero by zero */
    case (uint32_t)MATCH_remu:
    case (uint32_t)MATCH_remw:
    case (uint32_t)MATCH_remuw:
        return away == 0 ? become_constant(0) : stay();
    default:
        return stay();
    }
}

void target_simplify_near(uint32_t word, int64_t away, struct simpler *to)
{
    *to = simplify_near(word, away);
}

bool target_keeps_byte(uint32_t word)
{
    const uint32_t immediate = UINT32_C(0xfff) << 20, low = UINT32_C(0xff) << 20;

    return (word & ~immediate) == (uint32_t)MATCH_andi && (word & low) == low;
}
