/* Computes what instructions compute, of operands that are known. */
#include "translator/passes/ops.h"

#include "isa/rv64/decode.h"

static uint64_t word_of(uint64_t value)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
}

/* What compilers put between constants; the others are computed by the processor. */
bool target_fold(uint32_t word, uint64_t a, uint64_t b, uint64_t *result)
{
    struct rv64_insn insn;

    rv64_decode(word, &insn);
    const uint64_t imm = (uint64_t)insn.imm;
    switch (insn.op) {
    case RV64_add:
        *result = a + b;
        return true;
    case RV64_sub:
        *result = a - b;
        return true;
    case RV64_addw:
        *result = word_of(a + b);
        return true;
    case RV64_subw:
        *result = word_of(a - b);
        return true;
    case RV64_addiw:
        *result = word_of(a + imm);
        return true;
    case RV64_and:
        *result = a & b;
        return true;
    case RV64_andi:
        *result = a & imm;
        return true;
    case RV64_or:
        *result = a | b;
        return true;
    case RV64_ori:
        *result = a | imm;
        return true;
    case RV64_xor:
        *result = a ^ b;
        return true;
    case RV64_xori:
        *result = a ^ imm;
        return true;
    case RV64_slli:
        *result = a << imm;
        return true;
    case RV64_srli:
        *result = a >> imm;
        return true;
    case RV64_srai:
        *result = (uint64_t)((int64_t)a >> imm);
        return true;
    case RV64_slliw:
        *result = word_of(a << imm);
        return true;
    case RV64_srliw:
        *result = word_of((uint32_t)a >> imm);
        return true;
    case RV64_sraiw:
        *result = (uint64_t)(int64_t)((int32_t)(uint32_t)a >> imm);
        return true;
    case RV64_sll:
        *result = a << (b & 63);
        return true;
    case RV64_srl:
        *result = a >> (b & 63);
        return true;
    case RV64_sra:
        *result = (uint64_t)((int64_t)a >> (b & 63));
        return true;
    case RV64_sllw:
        *result = word_of(a << (b & 31));
        return true;
    case RV64_srlw:
        *result = word_of((uint32_t)a >> (b & 31));
        return true;
    case RV64_sraw:
        *result = (uint64_t)(int64_t)((int32_t)(uint32_t)a >> (b & 31));
        return true;
    case RV64_mul:
        *result = a * b;
        return true;
    case RV64_mulw:
        *result = word_of(a * b);
        return true;
    case RV64_slt:
        *result = (int64_t)a < (int64_t)b;
        return true;
    case RV64_slti:
        *result = (int64_t)a < insn.imm;
        return true;
    case RV64_sltu:
        *result = a < b;
        return true;
    case RV64_sltiu:
        *result = a < imm;
        return true;
    default:
        return false;
    }
}
