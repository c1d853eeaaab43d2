/* Disassembling: from a decoded instruction to the text that GNU objdump prints for it. */
#ifndef ISA_RV64_DISASSEMBLE_H
#define ISA_RV64_DISASSEMBLE_H

#include <stddef.h>
#include <stdint.h>

#include "isa/rv64/insn.h"

/* Bytes that hold any text, its final zero included. */
#define RV64_TEXT_SIZE 64

/* Writes mnemonic, tab and operands as `objdump -d -M no-aliases,numeric` does, without symbols;
 * cuts what does not fit and ends it with a zero if size > 0.  Returns the length of the whole
 * text, as snprintf does. */
size_t rv64_disassemble(const struct rv64_insn *insn, uint64_t pc, char *buffer, size_t size);

#endif
