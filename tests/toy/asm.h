/* Writes programs of the toy, one instruction behind the other. */
#ifndef TESTS_TOY_ASM_H
#define TESTS_TOY_ASM_H

#include "translator/fragment/context.h"

/* Where the next instruction goes. */
struct assembly {
    guest_addr at;
};

/* Each returns where its instruction stands. */
guest_addr asm_put(struct assembly *assembly, enum toy_op op, unsigned rd, unsigned rs,
                   int64_t imm);
guest_addr asm_put_index(struct assembly *assembly, enum toy_op op, unsigned rd, unsigned rs,
                         unsigned rx, int64_t imm);
/* A jump, call, branch (with its condition in `rd`), or another whose displacement leads to `target`. */
guest_addr asm_put_to(struct assembly *assembly, enum toy_op op, unsigned rd, guest_addr target);
/* Sends the one at `site` to `target`, if that was not known when it was written. */
void asm_send(guest_addr site, guest_addr target);
/* So many instructions that do nothing, of one byte each. */
void asm_nops(struct assembly *assembly, unsigned count);

#endif
