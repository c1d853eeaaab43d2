/* Decoding: from an instruction word to its fields. */
#ifndef ISA_RV64_DECODE_H
#define ISA_RV64_DECODE_H

#include "isa/rv64/insn.h"

/* Of a word whose two low bits are not both set, only the low 16 bits matter.  A word that is
 * unknown or reserved gives op RV64_illegal, its length and its bits, and no other field. */
void rv64_decode(uint32_t word, struct rv64_insn *out);

#endif
