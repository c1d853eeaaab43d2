/* Encodes the target's instructions as words and fills in where branches and calls go. */
#include "machine.h"

static uint32_t encode(enum machine_op op, int a, int b, int low)
{
    return (uint32_t)op << 26 | (uint32_t)(a & 31) << 21 | (uint32_t)(b & 31) << 16 |
           ((uint32_t)low & 0xffff);
}

static uint32_t encode_registers(const struct machine_insn *insn, int distance)
{
    (void)distance;
    return encode(insn->op, insn->rd, insn->rs1, insn->rs2 << 11);
}

static uint32_t encode_immediate(const struct machine_insn *insn, int distance)
{
    (void)distance;
    return encode(insn->op, insn->rd, insn->rs1, insn->imm);
}

static uint32_t encode_upper(const struct machine_insn *insn, int distance)
{
    (void)distance;
    return encode(insn->op, insn->rd, 0, insn->imm);
}

static uint32_t encode_store(const struct machine_insn *insn, int distance)
{
    (void)distance;
    return encode(insn->op, insn->rs2, insn->rs1, insn->imm);
}

static uint32_t encode_branch(const struct machine_insn *insn, int distance)
{
    program_check(distance >= -32768 && distance <= 32767, "a branch reaches its target");
    return encode(insn->op, insn->rs1, insn->rs2, distance);
}

static uint32_t encode_jump(const struct machine_insn *insn, int distance)
{
    return (uint32_t)insn->op << 26 | ((uint32_t)distance & 0x3ffffff);
}

static uint32_t encode_return(const struct machine_insn *insn, int distance)
{
    (void)distance;
    return encode(insn->op, 0, insn->rs1, 0);
}

static uint32_t (*const encoders[])(const struct machine_insn *insn, int distance) = {
    [REGISTERS] = encode_registers, [CONDITIONAL] = encode_registers,
    [IMMEDIATE] = encode_immediate, [UPPER] = encode_upper,
    [LOADS] = encode_immediate,     [STORES] = encode_store,
    [BRANCHES] = encode_branch,     [JUMPS] = encode_jump,
    [CALLS] = encode_jump,          [RETURNS] = encode_return,
};

/* A block's mark is the word at which it starts. */
void assemble_function(struct function *f)
{
    struct unit *unit = f->unit;
    int word = unit->code.count;
    f->procedure->entry_word = word;
    for_each_block(f, block)
    {
        block->mark = word;
        word += block->code.count;
    }
    for_each_block(f, block)
    {
        for (int i = 0; i < block->code.count; i++) {
            const struct machine_insn *insn = &block->code.items[i];
            int distance = insn->target == NULL ? 0 : insn->target->mark - unit->code.count;
            if (insn->op == M_JAL) {
                /* Until the unit is linked, the number of the function. */
                distance = insn->symbol->number;
            }
            list_push(&unit->arena, &unit->code,
                      encoders[machine_facts[insn->op].format](insn, distance));
        }
    }
}

void assemble_link(struct unit *unit)
{
    for (int word = 0; word < unit->code.count; word++) {
        uint32_t code = unit->code.items[word];
        if (code >> 26 != M_JAL) {
            continue;
        }
        const struct procedure *callee = unit->procedures.items[code & 0x3ffffff];
        program_check(callee->defined, "a called function is defined");
        unit->code.items[word] =
            (uint32_t)M_JAL << 26 | ((uint32_t)(callee->entry_word - word) & 0x3ffffff);
    }
}
