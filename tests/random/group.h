/* One group of random instructions: the code so far, and what is known about its execution. */
#ifndef TESTS_RANDOM_GROUP_H
#define TESTS_RANDOM_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/rv64/insn.h"
#include "pairs.h"
#include "values.h"

#define MAX_ROUNDS 16

/* The rounding modes that an instruction can be told to use: five in its rm field, and the same
 * five through frm. */
#define ROUNDING_STATIC 0
#define ROUNDING_DYNAMIC 5
#define ROUNDING_WAYS 10

/* Executions that are certain: an instruction that a branch may skip is not counted. */
struct counts {
    uint64_t row[RV64_OP_COUNT];
    uint64_t compressed[RV64_COMPRESSED_COUNT];
    uint64_t pair[PAIR_COUNT];
    uint64_t rounding[RV64_OP_COUNT][ROUNDING_WAYS];
};

struct code {
    uint8_t *bytes;
    size_t length, capacity;
    uint64_t base;
};

/* What frm holds, where it is known and the same in all rounds; else one of these. */
#define FRM_OF_ROUND (-1) /* still what the round started with */
#define FRM_UNKNOWN (-2)

struct group {
    struct code *code;
    struct counts *counts;
    struct rng rng;
    unsigned rounds;
    uint8_t frm_of_round[MAX_ROUNDS];

    unsigned block;   /* the register that holds the block's address; the body never writes it */
    uint32_t singles; /* the floating-point registers that hold singles, one bit each */
    int frm;

    /* The branch that is still open: it jumps over the units from its site to here. */
    struct rv64_insn branch;
    size_t branch_site;
    unsigned branch_units; /* that it still covers; 0 when none is open */
};

/* Appends an instruction, or stops the program: what the generator asks for must have an encoding.
 * The form with fields leaves out what the format of the op does not have. */
void code_append(struct code *code, const struct rv64_insn *insn);
void code_append_op(struct code *code, unsigned op, unsigned rd, unsigned rs1, unsigned rs2,
                    int64_t imm);
void code_append_half(struct code *code, uint16_t half);
void code_append_word(struct code *code, uint32_t word);
void code_patch(struct code *code, size_t site, const struct rv64_insn *insn);

/* Kinds of units: the rows of the table of instructions, of that of compressed ones, and the pairs
 * that the machine executes as one. */
unsigned unit_kinds(void);

/* Appends a few instructions, among them the one or two that the kind stands for. */
void unit_append(struct group *group, unsigned kind);

/* To be called after every unit, dropped or not: ends the branch when its time has come. */
void unit_end(struct group *group);

#endif
