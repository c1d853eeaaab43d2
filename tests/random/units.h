/* The parts that units are made of, for units.c and pairs.c. */
#ifndef TESTS_RANDOM_UNITS_H
#define TESTS_RANDOM_UNITS_H

#include "group.h"

uint32_t unit_flags(const struct rv64_insn *insn);

/* Appends and counts. */
void unit_append_insn(struct group *group, const struct rv64_insn *insn);
void unit_append_op(struct group *group, unsigned op, unsigned rd, unsigned rs1, int64_t imm);

/* Sets reg to the block's address plus offset. */
void unit_append_pointer(struct group *group, unsigned reg, int64_t offset);

/* A branch over some of the next units. */
void unit_append_forward(struct group *group, struct rv64_insn insn);

/* An instruction with random operands that leaves the block's register alone. */
struct rv64_insn unit_draw(struct group *group, unsigned op);

/* Neither x0 nor the block's. */
unsigned unit_draw_register(struct group *group);

/* The offset in the block of so many bytes of its buffer. */
int64_t unit_draw_target(struct group *group, unsigned bytes, bool aligned);

/* Gives the operands that are floating point mostly the precision that the instruction expects:
 * singles read as doubles and the reverse are legal, but nearly all of them are NaNs. */
void unit_draw_float_operands(struct group *group, struct rv64_insn *insn);

#endif
