/* The code of a program as bytes: appending and patching instructions. */
#include "group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/rv64/disassemble.h"
#include "isa/rv64/encode.h"

static void append_bytes(struct code *code, const void *bytes, size_t length)
{
    if (code->length + length > code->capacity) {
        code->capacity = 2 * code->capacity + 4096;
        code->bytes = realloc(code->bytes, code->capacity);
        if (code->bytes == NULL) {
            perror("generate");
            exit(2);
        }
    }
    memcpy(code->bytes + code->length, bytes, length);
    code->length += length;
}

void code_append_half(struct code *code, uint16_t half)
{
    const uint8_t bytes[2] = {(uint8_t)half, (uint8_t)(half >> 8)};

    append_bytes(code, bytes, sizeof bytes);
}

void code_append_word(struct code *code, uint32_t word)
{
    code_append_half(code, (uint16_t)word);
    code_append_half(code, (uint16_t)(word >> 16));
}

static _Noreturn void refuse(const struct rv64_insn *insn)
{
    char text[RV64_TEXT_SIZE];

    rv64_disassemble(insn, 0, text, sizeof text);
    fprintf(stderr, "generate: no encoding for %s (immediate %lld)\n", text, (long long)insn->imm);
    exit(2);
}

void code_append(struct code *code, const struct rv64_insn *insn)
{
    uint16_t half;
    uint32_t word;

    if (insn->compressed != RV64_c_none) {
        if (!rv64_encode_compressed(insn, &half)) {
            refuse(insn);
        }
        code_append_half(code, half);
    } else {
        if (!rv64_encode(insn, &word)) {
            refuse(insn);
        }
        code_append_word(code, word);
    }
}

void code_append_op(struct code *code, unsigned op, unsigned rd, unsigned rs1, unsigned rs2,
                    int64_t imm)
{
    const struct rv64_insn insn = {.op = (uint16_t)op,
                                   .rd = (uint8_t)rd,
                                   .rs1 = (uint8_t)rs1,
                                   .rs2 = (uint8_t)rs2,
                                   .imm = imm};

    code_append(code, &insn);
}

void code_patch(struct code *code, size_t site, const struct rv64_insn *insn)
{
    size_t length = code->length;

    code->length = site;
    code_append(code, insn);
    code->length = length;
}
