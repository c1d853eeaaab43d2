/* The names of the instruction set: operations, units, flags, and the decoded instruction. */
#ifndef ISA_RV64_INSN_H
#define ISA_RV64_INSN_H

#include <stdint.h>

/* clang-format off */
/* Which files an instruction reads and writes.  An operand field without its flag is no register:
 * the zimm of csrrwi stands in rs1, but no register is read. */
#define INSN_RD_INT      (1u << 0)
#define INSN_RD_FLOAT    (1u << 1)
#define INSN_RS1_INT     (1u << 2)
#define INSN_RS1_FLOAT   (1u << 3)
#define INSN_RS2_INT     (1u << 4)
#define INSN_RS2_FLOAT   (1u << 5)
#define INSN_RS3_FLOAT   (1u << 6)

#define INSN_LOAD        (1u << 8)
#define INSN_STORE       (1u << 9)
#define INSN_ATOMIC      (1u << 10)
#define INSN_CONDITIONAL (1u << 11)
#define INSN_JUMP        (1u << 12) /* jal, jalr */
#define INSN_INDIRECT    (1u << 13) /* jalr */
#define INSN_SYSTEM      (1u << 14) /* a block ends after it */
#define INSN_ROUNDS      (1u << 15) /* has an rm field */
#define INSN_EXACT       (1u << 16) /* has an rm field, never rounds: assemblers write 0 there */
#define INSN_WORD32      (1u << 17) /* works on the low 32 bits and sign-extends the result */

/* log2 of the bytes accessed, of loads, stores and atomics only. */
#define INSN_SIZE_SHIFT  20u
#define INSN_SIZE_1      (0u << INSN_SIZE_SHIFT)
#define INSN_SIZE_2      (1u << INSN_SIZE_SHIFT)
#define INSN_SIZE_4      (2u << INSN_SIZE_SHIFT)
#define INSN_SIZE_8      (3u << INSN_SIZE_SHIFT)

/* Operand lists as the tables write them: X is an integer and F a floating-point register, the
 * destination stands before the underscore, the sources after it. */
#define INSN_X           INSN_RD_INT
#define INSN_XX          (INSN_RS1_INT | INSN_RS2_INT)
#define INSN_XF          (INSN_RS1_INT | INSN_RS2_FLOAT)
#define INSN_X_X         (INSN_RD_INT | INSN_RS1_INT)
#define INSN_X_F         (INSN_RD_INT | INSN_RS1_FLOAT)
#define INSN_X_XX        (INSN_RD_INT | INSN_RS1_INT | INSN_RS2_INT)
#define INSN_X_FF        (INSN_RD_INT | INSN_RS1_FLOAT | INSN_RS2_FLOAT)
#define INSN_F_X         (INSN_RD_FLOAT | INSN_RS1_INT)
#define INSN_F_F         (INSN_RD_FLOAT | INSN_RS1_FLOAT)
#define INSN_F_FF        (INSN_RD_FLOAT | INSN_RS1_FLOAT | INSN_RS2_FLOAT)
#define INSN_F_FFF       (INSN_F_FF | INSN_RS3_FLOAT)
#define INSN_LR          (INSN_X_X | INSN_ATOMIC | INSN_LOAD)
#define INSN_SC          (INSN_X_XX | INSN_ATOMIC | INSN_STORE)
#define INSN_AMO         (INSN_X_XX | INSN_ATOMIC | INSN_LOAD | INSN_STORE)
/* clang-format on */

/* The kind of functional unit that executes an instruction. */
enum rv64_unit {
    UNIT_ALU,
    UNIT_MUL,
    UNIT_DIV,
    UNIT_BRANCH, /* conditional */
    UNIT_JUMP,   /* jal, jalr */
    UNIT_LOAD,
    UNIT_STORE,
    UNIT_ATOMIC,
    UNIT_FADD,
    UNIT_FMUL,
    UNIT_FMA,
    UNIT_FDIV,
    UNIT_FSQRT,
    UNIT_FCVT,
    UNIT_FMISC, /* moves, sign injection, minimum, maximum, comparison, classification */
    UNIT_FENCE,
    UNIT_SYSTEM,
    UNIT_COUNT
};

enum rv64_op {
    RV64_illegal = 0,
#define INSN(id, mnemonic, format, match, mask, unit, flags) RV64_##id,
#define XCSR(id, name, number, meaning)
#include "isa/rv64/rv64.def"
#include "isa/rv64/xstrata.def"
#undef INSN
#undef XCSR
    RV64_OP_COUNT
};

enum rv64_compressed {
    RV64_c_none = 0,
#define COMPRESSED(id, mnemonic, format, match, mask, expands_to) RV64_##id,
#include "isa/rv64/compressed.def"
#undef COMPRESSED
    RV64_COMPRESSED_COUNT
};

/* Rounding modes as they stand in rm and in frm; 5 and 6 are reserved. */
enum rv64_rounding {
    RV64_RNE = 0,
    RV64_RTZ = 1,
    RV64_RDN = 2,
    RV64_RUP = 3,
    RV64_RMM = 4,
    RV64_DYN = 7
};

/* One decoded instruction.  Fields that the instruction does not have are 0. */
struct rv64_insn {
    uint16_t op;         /* enum rv64_op; of a compressed one, the op that it expands to */
    uint16_t compressed; /* enum rv64_compressed, 0 for a 32-bit instruction */
    uint8_t length;      /* 2 or 4 */
    uint8_t rd, rs1, rs2, rs3;
    uint8_t rm;   /* enum rv64_rounding */
    uint8_t aqrl; /* bit 1: aq, bit 0: rl */

    /* Sign-extended.  lui, auipc: the shifted value; branches, jal: byte offset from the
     * instruction's own pc; shifts: the amount; CSR instructions: the CSR's number (the 5-bit
     * immediate of csrrwi and its like stands in rs1); fence: fm, pred and succ; ic.sync: the
     * class. */
    int64_t imm;
    uint32_t word; /* the instruction as it stands in memory */
};

struct rv64_row {
    const char *mnemonic;
    uint8_t format; /* enum rv64_format, rows.h */
    uint8_t unit;   /* enum rv64_unit */
    uint32_t flags;
    uint32_t match, mask;
};

/* The row of an op; that of RV64_illegal has no mnemonic and no flags. */
const struct rv64_row *rv64_row(unsigned op);

/* The bytes that a load, store or atomic with these flags accesses. */
static inline unsigned rv64_access_bytes(uint32_t flags)
{
    return 1u << ((flags >> INSN_SIZE_SHIFT) & 3u);
}

#endif
