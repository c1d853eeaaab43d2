/* Facts about the target's instructions that all of the back end needs. */
#include "machine.h"

const struct machine_facts machine_facts[MACHINE_OPS] = {
#define MACHINE(name, format, latency) {#name, format, latency},
#include "machine.def"
#undef MACHINE
};

struct machine_insn machine_make(enum machine_op op, int rd, int rs1, int rs2, int imm)
{
    return (struct machine_insn){op, rd, rs1, rs2, imm, NULL, NULL};
}

void machine_emit(struct function *f, struct block *block, struct machine_insn insn)
{
    list_push(f->arena, &block->code, insn);
}

bool machine_is_move(const struct machine_insn *insn)
{
    return insn->op == M_ADDI && insn->imm == 0 && insn->rs1 != R_ZERO && insn->rs1 != R_SP &&
           insn->rd != R_SP;
}

int machine_uses(const struct machine_insn *insn, int *registers)
{
    int count = 0;
    switch (machine_facts[insn->op].format) {
    case CONDITIONAL:
        registers[count++] = insn->rd;
        registers[count++] = insn->rs1;
        registers[count++] = insn->rs2;
        break;
    case REGISTERS:
    case STORES:
    case BRANCHES:
        registers[count++] = insn->rs1;
        registers[count++] = insn->rs2;
        break;
    case IMMEDIATE:
    case LOADS:
        registers[count++] = insn->rs1;
        break;
    case CALLS:
        for (int i = 0; i < insn->imm; i++) {
            registers[count++] = R_ARGUMENT + i;
        }
        registers[count++] = R_SP;
        break;
    case RETURNS:
        registers[count++] = R_RESULT;
        registers[count++] = R_RA;
        break;
    case UPPER:
    case JUMPS:
        break;
    }
    return count;
}

int machine_defs(const struct machine_insn *insn, int *registers)
{
    int count = 0;
    switch (machine_facts[insn->op].format) {
    case REGISTERS:
    case CONDITIONAL:
    case IMMEDIATE:
    case UPPER:
    case LOADS:
        registers[count++] = insn->rd;
        break;
    case CALLS:
        for (int i = R_RA; i < R_SAVED; i++) {
            registers[count++] = i;
        }
        break;
    case STORES:
    case BRANCHES:
    case JUMPS:
    case RETURNS:
        break;
    }
    return count;
}
