/* The words of single RV64 instructions, with the encodings of rv64.def. */
#ifndef STRATA_TRANSLATOR_RV64_ENCODE_WORDS_H
#define STRATA_TRANSLATOR_RV64_ENCODE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* The words of all instructions with their operand fields zero. */
enum {
#define INSN(id, mnemonic, format, match, mask, unit, flags) MATCH_##id = (int)(match),
#define XCSR(id, name, number, meaning)
#include "isa/rv64/rv64.def"
#include "isa/rv64/xstrata.def"
#undef INSN
#undef XCSR
};

enum { X0 = 0, RA = 1, SP = 2, GP = 3, TP = 4, T0 = 5, A0 = 10, A1 = 11, A2 = 12, A5 = 15 };
/* c.nop */
#define NOTHING_HALF 1

static inline uint32_t word_i(uint32_t match, unsigned rd, unsigned rs1, int32_t imm)
{
    return match | rd << 7 | rs1 << 15 | (uint32_t)imm << 20;
}

static inline uint32_t word_r(uint32_t match, unsigned rd, unsigned rs1, unsigned rs2)
{
    return match | rd << 7 | rs1 << 15 | rs2 << 20;
}

static inline uint32_t word_s(uint32_t match, unsigned rs1, unsigned rs2, int32_t imm)
{
    const uint32_t bits = (uint32_t)imm;
    return match | (bits & 31) << 7 | rs1 << 15 | rs2 << 20 | (bits >> 5 & 127) << 25;
}

static inline uint32_t word_u(uint32_t match, unsigned rd, int32_t imm)
{
    return match | rd << 7 | ((uint32_t)imm & 0xfffff000);
}

/* What word_i and word_s make, as constants. */
#define WORD_I(match, rd, rs1, imm)                                                                \
    ((uint32_t)(match) | (rd) << 7 | (rs1) << 15 | (uint32_t)(imm) << 20)
#define WORD_S(match, rs1, rs2, imm)                                                               \
    ((uint32_t)(match) | ((imm)&31) << 7 | (rs1) << 15 | (rs2) << 20 | (uint32_t)(imm) >> 5 << 25)

#define JAL_REACH (INT64_C(1) << 20)

static inline bool jal_reaches(int64_t offset)
{
    return offset >= -JAL_REACH && offset < JAL_REACH;
}

/* Bits 10 to 1, 11 and 19 to 12 of the offset, below its sign.  64 bits, here and
 * below, because 32-bit arithmetic costs instructions more. */
static inline uint32_t word_jal_forward(unsigned rd, int64_t offset)
{
    const uint64_t bits = (uint64_t)offset;
    return (uint32_t)((uint64_t)MATCH_jal | rd << 7 | (bits & 0xff000) | (bits & 0x800) << 9 |
                      (bits & 0x7fe) << 20);
}

static inline uint32_t word_jal(unsigned rd, int64_t offset)
{
    return word_jal_forward(rd, offset) | (uint32_t)(offset >> 63) << 31;
}

static inline bool branch_reaches(int64_t offset)
{
    return offset >= -4096 && offset < 4096;
}

/* Branches come in pairs, such as beq and bne: this bit tells which of the two. */
#define BRANCH_OPPOSITE UINT32_C(0x1000)
/* The bits of a conditional branch that hold its offset. */
#define BRANCH_OFFSET_MASK UINT32_C(0xfe000f80)

static inline uint32_t branch_offset_bits(int64_t offset)
{
    const uint64_t bits = (uint64_t)offset;
    return (uint32_t)((bits >> 4 & 0x80) | (bits & 0x1e) << 7 | (bits & 0x7e0) << 20 |
                      (uint64_t)(offset >> 63) << 31);
}

/* And back, from the whole word. */
static inline int64_t branch_offset_of(uint32_t word)
{
    const int64_t bits = (int32_t)word;
    return bits >> 31 << 12 | (bits & 0x80) << 4 | (bits >> 20 & 0x7e0) | (bits >> 7 & 0x1e);
}

/* The low 12 bits as an instruction adds them, sign-extended: what auipc or lui before it leaves out. */
static inline int32_t low_part(int64_t value)
{
    return (int32_t)((uint32_t)value << 20) >> 20;
}

/* Code in the cache is aligned to two bytes, no more: two stores, where a copy
 * of four bytes would become four. */
static inline void put_word(uint8_t *at, uint32_t word)
{
    uint16_t *halves = (uint16_t *)(void *)at;
    halves[0] = (uint16_t)word;
    halves[1] = (uint16_t)(word >> 16);
}

static inline uint32_t get_word(const uint8_t *at)
{
    const uint16_t *halves = (const uint16_t *)(const void *)at;
    return halves[0] | (uint32_t)halves[1] << 16;
}

#endif
