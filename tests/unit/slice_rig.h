/* Traces for the tests of slices: written as assembler is, one line per retired instruction. */
#ifndef STRATA_TESTS_SLICE_RIG_H
#define STRATA_TESTS_SLICE_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/rv64/decode.h"
#include "isa/rv64/disassemble.h"
#include "isa/rv64/encode.h"
#include "slice/build.h"

#define X(number) (UINT64_C(1) << (number))

struct line {
    uint64_t pc;
    struct rv64_insn insn;
    uint64_t address;
};

#define R(at, name, d, s, t)                                                                       \
    {                                                                                              \
        .pc = (at), .insn = {.op = RV64_##name, .rd = (d), .rs1 = (s), .rs2 = (t) }                \
    }
#define I(at, name, d, s, i)                                                                       \
    {                                                                                              \
        .pc = (at), .insn = {.op = RV64_##name, .rd = (d), .rs1 = (s), .imm = (i) }                \
    }
#define B(at, name, s, t, i)                                                                       \
    {                                                                                              \
        .pc = (at), .insn = {.op = RV64_##name, .rs1 = (s), .rs2 = (t), .imm = (i) }               \
    }
#define LOAD(at, name, d, i, s, where)                                                             \
    {                                                                                              \
        .pc = (at), .insn = {.op = RV64_##name, .rd = (d), .rs1 = (s), .imm = (i)},                \
        .address = (where)                                                                         \
    }
#define STORE(at, name, t, i, s, where)                                                            \
    {                                                                                              \
        .pc = (at), .insn = {.op = RV64_##name, .rs2 = (t), .rs1 = (s), .imm = (i)},               \
        .address = (where)                                                                         \
    }
#define LINES(array) (array), (unsigned)(sizeof(array) / sizeof *(array))

static inline void retire(struct slice_retired *to, const struct line *lines, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        to[i] = (struct slice_retired){.pc = lines[i].pc, .address = lines[i].address};
        assert_true(rv64_encode(&lines[i].insn, &to[i].word));
    }
}

/* "ld x16,0(x9)": one line, without aliases. */
static inline const char *text_of(uint32_t word, uint64_t pc)
{
    static char text[RV64_TEXT_SIZE];
    struct rv64_insn insn;
    rv64_decode(word, &insn);
    rv64_disassemble(&insn, pc, text, sizeof text);
    text[strcspn(text, "\t")] = ' ';
    return text;
}

/* The slice's instructions, joined by "; ", a bar behind the prologue, a star before delinquent loads. */
static inline const char *slice_text(const struct slice *slice)
{
    static char text[4096];
    size_t used = 0;
    for (unsigned i = 0; i < slice->length; i++) {
        const struct slice_instruction *insn = &slice->instructions[i];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s",
                                 i == 0                 ? ""
                                 : i == slice->prologue ? " | "
                                                        : "; ",
                                 insn->delinquent ? "*" : "", text_of(insn->word, insn->pc));
    }
    return text;
}

#endif
