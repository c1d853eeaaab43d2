/* What an instruction that computes comes down to, where more is known of its operands: the target tells. */
#ifndef STRATA_TRANSLATOR_PASSES_SIMPLER_H
#define STRATA_TRANSLATOR_PASSES_SIMPLER_H

#include <stdbool.h>
#include <stdint.h>

enum simpler_kind {
    SIMPLER_NOT,      /* it stays */
    SIMPLER_CONSTANT, /* its result is `constant` */
    SIMPLER_SUM,      /* its result is the operand plus `constant` */
    SIMPLER_WORD,     /* `word` does it, which reads the operand alone */
    SIMPLER_NEGATION, /* `word` does it, which reads zero and then the operand */
};

/* Never slower, nor longer, than what it stands for. */
struct simpler {
    uint8_t kind;    /* enum simpler_kind */
    uint8_t operand; /* which of the two operands stays */
    uint8_t flags;   /* enum op_flags, which `word` has beside what is known of the result anyway */
    uint32_t word;
    int64_t constant;
};

/* rs[which] of an OP_COMPUTE with two operands is `constant`. */
void target_simplify(uint32_t word, unsigned which, int64_t constant, struct simpler *to);
/* The first operand is the second plus `away`. */
void target_simplify_near(uint32_t word, int64_t away, struct simpler *to);
/* Whether a word of one operand leaves that as it is, if it is no more than 8 bits. */
bool target_keeps_byte(uint32_t word);

#endif
