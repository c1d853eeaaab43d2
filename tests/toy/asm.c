/* Writes programs of the toy into their memory. */
#include "asm.h"

static guest_addr put(struct assembly *assembly, const struct toy_insn *insn)
{
    const guest_addr at = assembly->at;

    assembly->at += toy_encode((uint8_t *)(uintptr_t)at, insn);
    return at;
}

guest_addr asm_put(struct assembly *assembly, enum toy_op op, unsigned rd, unsigned rs, int64_t imm)
{
    return asm_put_index(assembly, op, rd, rs, 0, imm);
}

guest_addr asm_put_index(struct assembly *assembly, enum toy_op op, unsigned rd, unsigned rs,
                         unsigned rx, int64_t imm)
{
    return put(assembly, &(struct toy_insn){.op = (uint8_t)op,
                                            .rd = (uint8_t)rd,
                                            .rs = (uint8_t)rs,
                                            .rx = (uint8_t)rx,
                                            .imm = imm});
}

guest_addr asm_put_to(struct assembly *assembly, enum toy_op op, unsigned rd, guest_addr target)
{
    const guest_addr at = asm_put(assembly, op, rd, 0, 0);

    asm_send(at, target);
    return at;
}

void asm_send(guest_addr site, guest_addr target)
{
    uint8_t *code = (uint8_t *)(uintptr_t)site;
    struct toy_insn insn;

    toy_decode(code, &insn);
    insn.imm = (int64_t)(target - (site + insn.bytes));
    toy_encode(code, &insn);
}

void asm_nops(struct assembly *assembly, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        asm_put(assembly, TOY_NOP, 0, 0, 0);
    }
}
