/* Puts the toy's instructions into words. */
#include "emit.h"

#include "base/text.h"

static bool has_displacement(enum toy_op op)
{
    switch (op) {
    case TOY_JUMP8:
    case TOY_JUMP32:
    case TOY_CALL32:
    case TOY_BRANCH8:
    case TOY_BRANCH32:
    case TOY_OWN_JUMP:
    case TOY_OWN_BRANCH:
        return true;
    default:
        return false;
    }
}

void target_describe(const uint8_t *code, uint64_t address, struct target_instruction *instruction)
{
    struct toy_insn insn;
    struct text text;

    toy_decode(code, &insn);
    const enum toy_op op = (enum toy_op)insn.op;
    instruction->bytes = insn.bytes;
    instruction->target = has_displacement(op) ? address + insn.bytes + (uint64_t)insn.imm : 0;
    instruction->leaves = op == TOY_JUMP8 || op == TOY_JUMP32 || op == TOY_JUMP_REGISTER ||
                          op == TOY_RETURN || op == TOY_HALT || op == TOY_OWN_JUMP ||
                          op == TOY_OWN_LEAVE || op == TOY_OWN_MISS;
    text_begin(&text, instruction->text, sizeof instruction->text);
    text_put_hex(&text, address, 1);
    text_put_string(&text, ": ");
    text_put_string(&text, toy_name(op));
    text_put_string(&text, " ");
    text_put_unsigned(&text, insn.rd);
    text_put_string(&text, ", ");
    text_put_unsigned(&text, insn.rs);
    text_put_string(&text, ", ");
    text_put_hex(&text, instruction->target != 0 ? instruction->target : (uint64_t)insn.imm, 1);
}
