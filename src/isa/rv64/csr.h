/* The numbers and names of the control and status registers. */
#ifndef ISA_RV64_CSR_H
#define ISA_RV64_CSR_H

enum rv64_csr {
#define CSR(id, name, number, meaning) RV64_CSR_##id = (number),
#define INSN(id, mnemonic, format, match, mask, unit, flags)
#define XCSR(id, name, number, meaning) RV64_CSR_##id = (number),
#include "isa/rv64/csr.def"
#include "isa/rv64/xstrata.def"
#undef CSR
#undef INSN
#undef XCSR
};

/* The name of a CSR, or NULL if no row has this number. */
const char *rv64_csr_name(unsigned number);

#endif
