/* Encodes and decodes the toy's instructions. */
#include "toy.h"

#include "base/check.h"

/* What follows the first byte: registers in one byte, an index, an immediate of so many bytes. */
enum form {
    NONE,
    LOW,
    LOW8,
    LOW16,
    LOW32,
    LOW64,
    BYTE,
    HALF,
    LONG,
    QUAD,
    REGS,
    REGS8,
    REGS32,
    INDEX
};

static const struct {
    bool low, registers, index;
    uint8_t imm_bytes;
} forms[] = {
    [NONE] = {.imm_bytes = 0},
    [LOW] = {.low = true},
    [LOW8] = {.low = true, .imm_bytes = 1},
    [LOW16] = {.low = true, .imm_bytes = 2},
    [LOW32] = {.low = true, .imm_bytes = 4},
    [LOW64] = {.low = true, .imm_bytes = 8},
    [BYTE] = {.imm_bytes = 1},
    [HALF] = {.imm_bytes = 2},
    [LONG] = {.imm_bytes = 4},
    [QUAD] = {.imm_bytes = 8},
    [REGS] = {.registers = true},
    [REGS8] = {.registers = true, .imm_bytes = 1},
    [REGS32] = {.registers = true, .imm_bytes = 4},
    [INDEX] = {.registers = true, .index = true, .imm_bytes = 4},
};

static const struct {
    const char *text;
    uint8_t first;
    uint8_t form;
    bool memory;
} rows[] = {
#define TOY(id, text, first, form, memory, step) {text, first, form, memory},
#include "toy.def"
#undef TOY
};

static const uint8_t ops[256] = {
#define TOY(id, text, first, form, memory, step) [first] = TOY_##id,
#include "toy.def"
#undef TOY
};

static enum toy_op find(uint8_t first)
{
    const enum toy_op low = ops[first & ~7];

    return ops[first] == TOY_ILLEGAL && forms[rows[low].form].low ? low : ops[first];
}

static unsigned length_of(enum toy_op op)
{
    const uint8_t form = rows[op].form;

    return 1u + forms[form].registers + forms[form].index + forms[form].imm_bytes;
}

unsigned toy_length(uint8_t first)
{
    return length_of(find(first));
}

/* Of so many bytes, the lowest first. */
static int64_t read_number(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < bytes; i++) {
        value |= (uint64_t)from[i] << 8 * i;
    }
    const uint64_t sign = bytes == 0 ? 0 : UINT64_C(1) << (8 * bytes - 1);
    return (int64_t)((value ^ sign) - sign);
}

void toy_decode(const uint8_t *code, struct toy_insn *insn)
{
    const enum toy_op op = find(code[0]);
    const uint8_t form = rows[op].form;
    const uint8_t *at = code + 1;

    *insn = (struct toy_insn){.op = (uint8_t)op, .bytes = (uint8_t)length_of(op)};
    if (forms[form].low) {
        insn->rd = code[0] & 7;
    }
    if (forms[form].registers) {
        insn->rd = *at >> 4 & 7;
        insn->rs = *at++ & 7;
    }
    if (forms[form].index) {
        insn->rx = *at++ & 7;
    }
    insn->imm = read_number(at, forms[form].imm_bytes);
}

unsigned toy_encode(uint8_t *code, const struct toy_insn *insn)
{
    const uint8_t form = rows[insn->op].form;
    const unsigned imm_bytes = forms[form].imm_bytes;
    uint8_t *at = code;

    *at++ = (uint8_t)(rows[insn->op].first | (forms[form].low ? insn->rd : 0));
    if (forms[form].registers) {
        *at++ = (uint8_t)(insn->rd << 4 | insn->rs);
    }
    if (forms[form].index) {
        *at++ = insn->rx;
    }
    for (unsigned i = 0; i < imm_bytes; i++) {
        at[i] = (uint8_t)((uint64_t)insn->imm >> 8 * i);
    }
    ASSERT(imm_bytes == 0 || read_number(at, imm_bytes) == insn->imm);
    return length_of((enum toy_op)insn->op);
}

const char *toy_name(enum toy_op op)
{
    return rows[op].text;
}

bool toy_uses_memory(enum toy_op op)
{
    return rows[op].memory;
}

bool toy_is_own(enum toy_op op)
{
    return op >= TOY_OWN_JUMP; /* they stand behind the others */
}
