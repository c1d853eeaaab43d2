/* Xstrata for programs that run on RISC-V: the instructions as assembler macros in .S files and as
 * inline functions in C, made from the rows of xstrata.def, since no assembler knows them.
 *
 *     .S   ctr_new a0, a1             csrw XSTRATA_CSR_ctrthresh, a0
 *     C    xstrata_ctr_new(tag, fn)   xstrata_csr_write(ctrthresh, 100)
 *
 * All facts come from the rows: opcode and funct3 are the low bits of `match`, funct7 its high
 * ones.  Operands have the order of the row's format. */
#ifndef ISA_RV64_XSTRATA_ASM_H
#define ISA_RV64_XSTRATA_ASM_H

#ifdef __ASSEMBLER__

/* One line of source each: the preprocessor makes no line breaks.  No parentheses: the assembler
 * joins `r (` to one word. */
#define XSTRATA_R(match, rd, rs1, rs2)                                                             \
    .insn r 0x7f & match, 7 & match >> 12, match >> 25, rd, rs1, rs2
#define XSTRATA_MACRO_NONE(id, match)                                                              \
    .macro id; XSTRATA_R(match, x0, x0, x0); .endm
#define XSTRATA_MACRO_SOURCE(id, match)                                                            \
    .macro id rs1; XSTRATA_R(match, x0, \rs1, x0); .endm
#define XSTRATA_MACRO_SOURCES(id, match)                                                           \
    .macro id rs1, rs2; XSTRATA_R(match, x0, \rs1, \rs2); .endm
#define XSTRATA_MACRO_UNARY(id, match)                                                             \
    .macro id rd, rs1; XSTRATA_R(match, \rd, \rs1, x0); .endm
#define XSTRATA_MACRO_R(id, match)                                                                 \
    .macro id rd, rs1, rs2; XSTRATA_R(match, \rd, \rs1, \rs2); .endm
#define XSTRATA_MACRO_SYNC(id, match)                                                              \
    .macro id rs1, rs2, class; XSTRATA_R(match, x\class, \rs1, \rs2); .endm

#define INSN(id, mnemonic, format, match, mask, unit, flags) XSTRATA_MACRO_##format(id, match)
#define XCSR(id, name, number, meaning) .equ XSTRATA_CSR_##id, number
#include "isa/rv64/xstrata.def"
#undef INSN
#undef XCSR

#else

#include <stdint.h>

enum xstrata_match {
#define INSN(id, mnemonic, format, match, mask, unit, flags) XSTRATA_MATCH_##id = (match),
#define XCSR(id, name, number, meaning)
#include "isa/rv64/xstrata.def"
#undef INSN
#undef XCSR
};

enum xstrata_csr {
#define INSN(id, mnemonic, format, match, mask, unit, flags)
#define XCSR(id, name, number, meaning) XSTRATA_CSR_##id = (number),
#include "isa/rv64/xstrata.def"
#undef INSN
#undef XCSR
};

/* Only a RISC-V compiler can do more than know the numbers. */
#ifdef __riscv

/* The operands match and class are constants.  The clobber keeps memory accesses on their side
 * of the instruction. */
#define XSTRATA_ASM(rd, rs1, rs2)                                                                  \
    ".insn r 0x7f & %[match], 7 & %[match] >> 12, %[match] >> 25, " rd ", " rs1 ", " rs2

#define XSTRATA_FUNCTION_NONE(id)                                                                  \
    static inline void xstrata_##id(void)                                                          \
    {                                                                                              \
        __asm__ volatile(XSTRATA_ASM("x0", "x0", "x0")                                             \
                         :                                                                         \
                         : [match] "i"(XSTRATA_MATCH_##id)                                         \
                         : "memory");                                                              \
    }
#define XSTRATA_FUNCTION_SOURCE(id)                                                                \
    static inline void xstrata_##id(uint64_t rs1)                                                  \
    {                                                                                              \
        __asm__ volatile(XSTRATA_ASM("x0", "%[rs1]", "x0")                                         \
                         :                                                                         \
                         : [match] "i"(XSTRATA_MATCH_##id), [rs1] "r"(rs1)                         \
                         : "memory");                                                              \
    }
#define XSTRATA_FUNCTION_SOURCES(id)                                                               \
    static inline void xstrata_##id(uint64_t rs1, uint64_t rs2)                                    \
    {                                                                                              \
        __asm__ volatile(XSTRATA_ASM("x0", "%[rs1]", "%[rs2]")                                     \
                         :                                                                         \
                         : [match] "i"(XSTRATA_MATCH_##id), [rs1] "r"(rs1), [rs2] "r"(rs2)         \
                         : "memory");                                                              \
    }
#define XSTRATA_FUNCTION_UNARY(id)                                                                 \
    static inline uint64_t xstrata_##id(uint64_t rs1)                                              \
    {                                                                                              \
        uint64_t rd;                                                                               \
                                                                                                   \
        __asm__ volatile(XSTRATA_ASM("%[rd]", "%[rs1]", "x0")                                      \
                         : [rd] "=r"(rd)                                                           \
                         : [match] "i"(XSTRATA_MATCH_##id), [rs1] "r"(rs1)                         \
                         : "memory");                                                              \
        return rd;                                                                                 \
    }
#define XSTRATA_FUNCTION_R(id)                                                                     \
    static inline uint64_t xstrata_##id(uint64_t rs1, uint64_t rs2)                                \
    {                                                                                              \
        uint64_t rd;                                                                               \
                                                                                                   \
        __asm__ volatile(XSTRATA_ASM("%[rd]", "%[rs1]", "%[rs2]")                                  \
                         : [rd] "=r"(rd)                                                           \
                         : [match] "i"(XSTRATA_MATCH_##id), [rs1] "r"(rs1), [rs2] "r"(rs2)         \
                         : "memory");                                                              \
        return rd;                                                                                 \
    }

/* A function's parameter is no constant without optimization, and the class must be one: so its
 * row gives no function, and there is a macro instead. */
#define XSTRATA_FUNCTION_SYNC(id)
#define xstrata_ic_sync(rs1_, rs2_, class_)                                                        \
    __asm__ volatile(XSTRATA_ASM("x%[class]", "%[rs1]", "%[rs2]")                                  \
                     :                                                                             \
                     : [match] "i"(XSTRATA_MATCH_ic_sync), [class] "i"(class_),                    \
                       [rs1] "r"((uint64_t)(rs1_)), [rs2] "r"((uint64_t)(rs2_))                    \
                     : "memory")

#define INSN(id, mnemonic, format, match, mask, unit, flags) XSTRATA_FUNCTION_##format(id)
#define XCSR(id, name, number, meaning)
#include "isa/rv64/xstrata.def"
#undef INSN
#undef XCSR

#define xstrata_csr_read(id)                                                                       \
    __extension__({                                                                                \
        uint64_t xstrata_value;                                                                    \
        __asm__ volatile("csrr %0, %1"                                                             \
                         : "=r"(xstrata_value)                                                     \
                         : "i"(XSTRATA_CSR_##id)                                                   \
                         : "memory");                                                              \
        xstrata_value;                                                                             \
    })
#define xstrata_csr_write(id, value)                                                               \
    __asm__ volatile("csrw %0, %1" : : "i"(XSTRATA_CSR_##id), "r"((uint64_t)(value)) : "memory")

#endif
#endif
#endif
