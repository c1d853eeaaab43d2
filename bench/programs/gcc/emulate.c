/* Runs the encoded target code. */
#include "machine.h"

struct machine {
    int registers[32];
    int word;
    struct memory *memory;
};

enum { RETURN_WORD = -1, STEP_LIMIT = 5000000 };

static int divide(int left, int right, bool remainder)
{
    if (right == 0) {
        return 0;
    }
    if (right == -1) {
        return remainder ? 0 : wrap(-(int64_t)left);
    }
    return remainder ? left % right : left / right;
}

static int divide_unsigned(int left, int right, bool remainder)
{
    if (right == 0) {
        return 0;
    }
    uint32_t a = (uint32_t)left;
    uint32_t b = (uint32_t)right;
    return (int)(remainder ? a % b : a / b);
}

static int shift_left(int value, int amount)
{
    return (int)((uint32_t)value << (amount & 31));
}

static int shift_right(int value, int amount)
{
    return (int)((uint32_t)value >> (amount & 31));
}

static void step(struct machine *m, uint32_t code)
{
    int *r = m->registers;
    int rd = (int)(code >> 21 & 31);
    int a = r[code >> 16 & 31];
    int b = r[code >> 11 & 31];
    int imm = (int16_t)(uint16_t)(code & 0xffff);
    int far = (int)(code << 6) >> 6;
    int next = m->word + 1;
    switch ((enum machine_op)(code >> 26)) {
    case M_ADD:
        r[rd] = wrap((int64_t)a + b);
        break;
    case M_SUB:
        r[rd] = wrap((int64_t)a - b);
        break;
    case M_MUL:
        r[rd] = wrap((int64_t)a * b);
        break;
    case M_DIV:
        r[rd] = divide(a, b, false);
        break;
    case M_MOD:
        r[rd] = divide(a, b, true);
        break;
    case M_DIVU:
        r[rd] = divide_unsigned(a, b, false);
        break;
    case M_MODU:
        r[rd] = divide_unsigned(a, b, true);
        break;
    case M_AND:
        r[rd] = a & b;
        break;
    case M_OR:
        r[rd] = a | b;
        break;
    case M_XOR:
        r[rd] = a ^ b;
        break;
    case M_SLL:
        r[rd] = shift_left(a, b);
        break;
    case M_SRA:
        r[rd] = a >> (b & 31);
        break;
    case M_SRL:
        r[rd] = shift_right(a, b);
        break;
    case M_SLT:
        r[rd] = a < b;
        break;
    case M_SLTU:
        r[rd] = (uint32_t)a < (uint32_t)b;
        break;
    case M_CMOV:
        r[rd] = b != 0 ? a : r[rd];
        break;
    case M_ADDI:
        r[rd] = wrap((int64_t)a + imm);
        break;
    case M_ANDI:
        r[rd] = a & imm;
        break;
    case M_ORI:
        r[rd] = a | imm;
        break;
    case M_XORI:
        r[rd] = a ^ imm;
        break;
    case M_SLLI:
        r[rd] = shift_left(a, imm);
        break;
    case M_SRAI:
        r[rd] = a >> (imm & 31);
        break;
    case M_SRLI:
        r[rd] = shift_right(a, imm);
        break;
    case M_SLTI:
        r[rd] = a < imm;
        break;
    case M_SLTIU:
        r[rd] = (uint32_t)a < (uint32_t)imm;
        break;
    case M_LUI:
        r[rd] = (int)((uint32_t)imm << 16);
        break;
    case M_LW:
        r[rd] = memory_load(m->memory, a + imm);
        break;
    case M_LBU:
        r[rd] = memory_load_byte(m->memory, a + imm);
        break;
    case M_SW:
        memory_store(m->memory, a + imm, r[rd]);
        break;
    case M_SB:
        memory_store_byte(m->memory, a + imm, r[rd]);
        break;
    case M_BEQ:
        next = r[rd] == a ? m->word + imm : next;
        break;
    case M_BNE:
        next = r[rd] != a ? m->word + imm : next;
        break;
    case M_BLT:
        next = r[rd] < a ? m->word + imm : next;
        break;
    case M_BGE:
        next = r[rd] >= a ? m->word + imm : next;
        break;
    case M_BLTU:
        next = (uint32_t)r[rd] < (uint32_t)a ? m->word + imm : next;
        break;
    case M_BGEU:
        next = (uint32_t)r[rd] >= (uint32_t)a ? m->word + imm : next;
        break;
    case M_J:
        next = m->word + far;
        break;
    case M_JAL:
        r[R_RA] = next;
        next = m->word + far;
        break;
    case M_JR:
        next = a;
        break;
    case MACHINE_OPS:
        break;
    }
    r[R_ZERO] = 0;
    m->word = next;
}

int emulate_procedure(struct unit *unit, struct memory *memory, const struct procedure *procedure,
                      const int *arguments, uint64_t *instructions)
{
    struct machine m = {.memory = memory, .word = procedure->entry_word};
    int saved[REGISTER_COUNT];
    uint64_t count = 0;
    for (int i = 0; i < REGISTER_COUNT; i++) {
        m.registers[i] = i == R_ZERO ? 0 : 0x5a5a0000 + i;
    }
    for (int i = 0; i < procedure->parameters.count; i++) {
        m.registers[R_ARGUMENT + i] = arguments[i];
    }
    m.registers[R_SP] = MEMORY_BYTES - 64;
    m.registers[R_RA] = RETURN_WORD;
    memcpy(saved, m.registers, sizeof saved);
    while (m.word != RETURN_WORD) {
        program_check(m.word >= 0 && m.word < unit->code.count, "the target code stays inside");
        program_check(++count < STEP_LIMIT, "the target code ends");
        step(&m, unit->code.items[m.word]);
    }
    program_check(m.registers[R_SP] == saved[R_SP], "the stack pointer is restored");
    for (int i = R_SAVED; i < REGISTER_COUNT; i++) {
        program_check(m.registers[i] == saved[i], "saved registers are restored");
    }
    *instructions += count;
    return m.registers[R_RESULT];
}
