/* Lists of ops for the tests of passes, written by hand or at random: what the words of the toy's ops mean, and functions
 * that add one op each. */
#ifndef TESTS_TOY_OPS_H
#define TESTS_TOY_OPS_H

#include "translator/passes/ops.h"

/* What an OP_COMPUTE does, or an OP_GUARD compares.  WORD_MUL is not folded. */
enum ops_word {
    WORD_ADD = 1,
    WORD_SUB,
    WORD_XOR,
    WORD_MUL,
    WORD_ADD_32, /* 32 bits, sign-extended */
    WORD_EXTEND, /* of one operand: its low 32 bits, sign-extended */
    WORD_BYTE,   /* of one operand: its low 8 bits */
    WORD_LESS,
    WORD_IF_EQUAL,
    WORD_IF_OTHER,
    WORD_IF_LESS,
    WORD_IF_NOT_LESS,
    /* In place of others, of one operand, with a small constant in the word (ops_word_with). */
    WORD_XOR_WITH,
    WORD_LESS_WITH,
    WORD_SHIFT,
    WORD_HIGH, /* its high 32 bits */
};
#define WORD_CONSTANT_SHIFT 8
#define WORD_CONSTANT_LIMIT 1024
#define WORD_COMPUTE_LAST WORD_LESS

uint32_t ops_word_with(enum ops_word word, uint64_t constant);
uint64_t ops_compute(uint32_t word, uint64_t a, uint64_t b);
bool ops_has_one_operand(uint32_t word);
/* The memory's bytes as a load gives them. */
uint64_t ops_extend(const struct op *op, uint64_t bytes);
/* Whether the op reads or writes memory that is not its own. */
bool ops_accesses(const struct op *op);

/* The list is empty; all passes are on, and nobody else writes to the memory. */
void ops_begin(struct ops *ops);
/* Each returns the new op. */
struct op *ops_constant(struct ops *ops, unsigned rd, int64_t value);
struct op *ops_add(struct ops *ops, unsigned rd, unsigned rs, int64_t constant);
struct op *ops_computed(struct ops *ops, enum ops_word word, unsigned rd, unsigned a, unsigned b);
/* `is_signed` as in instructions: one of 8 bytes always is. */
struct op *ops_load(struct ops *ops, unsigned rd, unsigned base, int64_t offset, unsigned bytes,
                    bool is_signed);
struct op *ops_store(struct ops *ops, unsigned from, unsigned base, int64_t offset, unsigned bytes);
struct op *ops_other(struct ops *ops, unsigned rd, unsigned a, unsigned b);
struct op *ops_barrier(struct ops *ops, unsigned rd, unsigned a, unsigned b);
struct op *ops_step(struct ops *ops, uint32_t written);
struct op *ops_guard(struct ops *ops, enum ops_word word, unsigned a, unsigned b);
struct op *ops_target(struct ops *ops, unsigned rs, int64_t constant);
struct op *ops_plain(struct ops *ops, enum op_kind kind);
/* The last op, which names the registers of the mask. */
void ops_end(struct ops *ops, uint32_t named);

/* For a person to read, on standard error. */
void ops_print(const struct ops *ops);

#endif
