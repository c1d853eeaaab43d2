/* The toy's instruction set: what a program of it, and code in the cache, consist of.
 *
 * It is unlike RISC-V on purpose: instructions of 1 to 9 bytes at any address, flags, few registers, calls that
 * push their return address, and no instruction that must tell of changed code, though there is one. */
#ifndef TESTS_TOY_TOY_H
#define TESTS_TOY_TOY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum toy_op {
#define TOY(id, text, first, form, memory, step) TOY_##id,
#include "toy.def"
#undef TOY
    TOY_OPS
};

/* The last register is the stack pointer. */
enum toy_register { R0, R1, R2, R3, R4, R5, R6, SP, TOY_REGISTERS };

enum toy_flags { FLAG_ZERO = 1, FLAG_NEGATIVE = 2, FLAG_CARRY = 4 };

/* Each odd one is the opposite of the one before it. */
enum toy_condition {
    IF_ZERO,
    IF_OTHER,
    IF_NEGATIVE,
    IF_POSITIVE,
    IF_BELOW,
    IF_ABOVE,
    IF_GREATER,
    IF_LESS
};

struct toy_insn {
    uint8_t op;    /* enum toy_op */
    uint8_t bytes; /* its length */
    uint8_t rd;    /* or the condition */
    uint8_t rs, rx;
    int64_t imm;
};

/* How long the instruction is that begins with this byte. */
unsigned toy_length(uint8_t first);
/* `code` has as many bytes as its first one says. */
void toy_decode(const uint8_t *code, struct toy_insn *insn);
/* Writes it to `code`, and returns how long it is; insn->bytes is not used. */
unsigned toy_encode(uint8_t *code, const struct toy_insn *insn);

const char *toy_name(enum toy_op op);
/* Whether it accesses memory. */
bool toy_uses_memory(enum toy_op op);
/* Whether only the translator writes it: in a program it is illegal. */
bool toy_is_own(enum toy_op op);

#endif
