/* The rows of the .def files as arrays. */
#include "isa/rv64/rows.h"

#include <stddef.h>

#include "isa/rv64/csr.h"

const struct rv64_row rv64_rows[RV64_OP_COUNT] = {
#define INSN(id, mnemonic, format, match, mask, unit, flags)                                       \
    [RV64_##id] = {mnemonic, FORMAT_##format, UNIT_##unit, flags, match, mask},
#define XCSR(id, name, number, meaning)
#include "isa/rv64/rv64.def"
#include "isa/rv64/xstrata.def"
#undef INSN
#undef XCSR
};

const struct rv64_format_row rv64_format_rows[] = {
#define FORMAT(name, fields, immediate, syntax)                                                    \
    [FORMAT_##name] = {fields, IMMEDIATE_##immediate, syntax},
#include "isa/rv64/format.def"
#undef FORMAT
};

const struct rv64_compressed_row rv64_compressed_rows[RV64_COMPRESSED_COUNT] = {
#define COMPRESSED(id, mnemonic, format, match, mask, expands_to)                                  \
    [RV64_##id] = {mnemonic, match, mask, RV64_##expands_to, COMPRESSED_FORMAT_##format},
#include "isa/rv64/compressed.def"
#undef COMPRESSED
};

const struct rv64_compressed_format_row rv64_compressed_format_rows[] = {
/* clang-format off */
#define COMPRESSED_FORMAT(name, rd, rs1, rs2, immediate, condition, syntax)                        \
    [COMPRESSED_FORMAT_##name] = {PLACE_##rd, PLACE_##rs1, PLACE_##rs2, IMMEDIATE_##immediate,     \
                                  condition, syntax},
/* clang-format on */
#include "isa/rv64/compressed_format.def"
#undef COMPRESSED_FORMAT
};

const struct rv64_row *rv64_row(unsigned op)
{
    return &rv64_rows[op];
}

const char *rv64_csr_name(unsigned number)
{
    switch (number) {
#define CSR(id, name, number, meaning)                                                             \
    case RV64_CSR_##id:                                                                            \
        return name;
#define XCSR CSR
#define INSN(id, mnemonic, format, match, mask, unit, flags)
#include "isa/rv64/csr.def"
#include "isa/rv64/xstrata.def"
#undef CSR
#undef XCSR
#undef INSN
    default:
        return NULL;
    }
}
