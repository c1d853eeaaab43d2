/* Encoding: from fields to an instruction word. */
#ifndef ISA_RV64_ENCODE_H
#define ISA_RV64_ENCODE_H

#include <stdbool.h>

#include "isa/rv64/insn.h"

/* Encodes insn->op as a 32-bit instruction.  False, and *word untouched, if there is no such op, an
 * operand does not fit its field, or one that the instruction does not have is not 0.  The members
 * compressed, length and word do not matter. */
bool rv64_encode(const struct rv64_insn *insn, uint32_t *word);

/* Encodes insn as the 16-bit form insn->compressed.  False, and *half untouched, if that form does
 * not stand for insn->op or cannot hold these operands. */
bool rv64_encode_compressed(const struct rv64_insn *insn, uint16_t *half);

#endif
