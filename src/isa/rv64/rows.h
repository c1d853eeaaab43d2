/* The tables behind decoder, encoder and disassembler; nobody else needs this header. */
#ifndef ISA_RV64_ROWS_H
#define ISA_RV64_ROWS_H

#include "isa/rv64/insn.h"

/* clang-format off */
#define FIELD_RD   (1u << 0)
#define FIELD_RS1  (1u << 1)
#define FIELD_RS2  (1u << 2)
#define FIELD_RS3  (1u << 3)
#define FIELD_RM   (1u << 4)
#define FIELD_AQRL (1u << 5)

/* Where the fields of a 32-bit instruction begin. */
#define LOW_RD     7u
#define LOW_RM     12u
#define LOW_RS1    15u
#define LOW_RS2    20u
#define LOW_AQRL   25u
#define LOW_RS3    27u

/* What must hold for a 16-bit encoding to be the instruction of its row. */
#define NONZERO_RD  (1u << 0)
#define NONZERO_RS1 (1u << 1)
#define NONZERO_RS2 (1u << 2)
#define NONZERO_IMM (1u << 3)
#define RD_NOT_SP   (1u << 4)
/* clang-format on */

enum rv64_immediate {
    IMMEDIATE_NONE = 0,
#define IMMEDIATE(name, bits, sign, pieces) IMMEDIATE_##name,
#include "isa/rv64/immediate.def"
#undef IMMEDIATE
};

enum rv64_format {
#define FORMAT(name, fields, immediate, syntax) FORMAT_##name,
#include "isa/rv64/format.def"
#undef FORMAT
};

enum rv64_compressed_format {
#define COMPRESSED_FORMAT(name, rd, rs1, rs2, immediate, condition, syntax)                        \
    COMPRESSED_FORMAT_##name,
#include "isa/rv64/compressed_format.def"
#undef COMPRESSED_FORMAT
};

/* Where a register of a 16-bit instruction comes from; see compressed_format.def. */
enum rv64_place { PLACE_X0, PLACE_RA, PLACE_SP, PLACE_HIGH, PLACE_LOW, PLACE_HIGH3, PLACE_LOW3 };

/* Texts are arrays, not pointers: in a position-independent program without a libc, a table with
 * pointers would be of no use before the program has relocated itself. */
struct rv64_format_row {
    uint8_t fields;
    uint8_t immediate;
    char syntax[10];
};

struct rv64_compressed_format_row {
    uint8_t rd, rs1, rs2;
    uint8_t immediate;
    uint8_t condition;
    char syntax[7];
};

struct rv64_compressed_row {
    char mnemonic[12];
    uint16_t match, mask;
    uint16_t op;
    uint8_t format;
};

/* Indexed by enum rv64_op, rv64_format, rv64_compressed and rv64_compressed_format. */
extern const struct rv64_row rv64_rows[];
extern const struct rv64_format_row rv64_format_rows[];
extern const struct rv64_compressed_row rv64_compressed_rows[];
extern const struct rv64_compressed_format_row rv64_compressed_format_rows[];

/* Collects an immediate from the pieces in an instruction, or scatters it there.  Scattering drops
 * the bits that have no place; collect again to see whether any were dropped. */
int64_t rv64_immediate_collect(unsigned immediate, uint32_t word);
uint32_t rv64_immediate_scatter(unsigned immediate, int64_t value);

#endif
