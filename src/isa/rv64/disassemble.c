/* The disassembler: writes operands by the syntax of the instruction's format, in the words and
 * the spelling of GNU objdump 2.40. */
#include "isa/rv64/disassemble.h"

#include <stdbool.h>

#include "base/text.h"
#include "isa/rv64/csr.h"
#include "isa/rv64/rows.h"

/* fm, pred and succ of the one fence with an fm that is not 0. */
#define FENCE_TSO 0x833

static void put_data(struct text *text, const struct rv64_insn *insn)
{
    if (insn->length == 2 && insn->word == 0) {
        text_put_string(text, "c.unimp");
        return;
    }
    text_put_string(text, insn->length == 2 ? ".2byte\t0x" : ".4byte\t0x");
    text_put_hex(text, insn->word, 1);
}

/* Fences whose reserved fields are not 0 run like plain ones, but their operands alone would not
 * say what stands in memory: objdump shows the bits, and so do we. */
static bool has_reserved_bits(const struct rv64_insn *insn)
{
    uint32_t ignored = insn->word & ~rv64_rows[insn->op].mask;

    switch (insn->op) {
    case RV64_fence:
        return (ignored & 0x000fffff) != 0 || ((insn->imm >> 8) != 0 && insn->imm != FENCE_TSO);
    case RV64_fence_i:
        return ignored != 0;
    default:
        return false;
    }
}

static void put_register(struct text *text, bool is_float, unsigned number)
{
    text_put_char(text, is_float ? 'f' : 'x');
    text_put_unsigned(text, number);
}

static void put_0x(struct text *text, uint64_t value)
{
    text_put_string(text, "0x");
    text_put_hex(text, value, 1);
}

static void put_rounding(struct text *text, const struct rv64_insn *insn, uint32_t flags)
{
    static const char names[8][4] = {"rne", "rtz", "rdn", "rup", "rmm", "", "", "dyn"};
    unsigned usual = (flags & INSN_EXACT) != 0 ? RV64_RNE : RV64_DYN;

    if (insn->rm != usual) {
        text_put_char(text, ',');
        text_put_string(text, names[insn->rm & 7]);
    }
}

static void put_fence_set(struct text *text, uint64_t set)
{
    if (set == 0) {
        text_put_string(text, "unknown");
    }
    for (unsigned bit = 0; bit < 4; bit++) {
        if ((set & (8u >> bit)) != 0) {
            text_put_char(text, "iorw"[bit]);
        }
    }
}

static void put_csr(struct text *text, unsigned number)
{
    const char *name = rv64_csr_name(number);

    if (name != NULL) {
        text_put_string(text, name);
    } else {
        put_0x(text, number);
    }
}

static void put_operand(struct text *text, char letter, const struct rv64_insn *insn, uint64_t pc)
{
    uint32_t flags = rv64_rows[insn->op].flags;
    uint64_t imm = (uint64_t)insn->imm;

    switch (letter) {
    case 'd':
        put_register(text, (flags & INSN_RD_FLOAT) != 0, insn->rd);
        break;
    case 's':
        put_register(text, (flags & INSN_RS1_FLOAT) != 0, insn->rs1);
        break;
    case 't':
        put_register(text, (flags & INSN_RS2_FLOAT) != 0, insn->rs2);
        break;
    case 'r':
        put_register(text, (flags & INSN_RS3_FLOAT) != 0, insn->rs3);
        break;
    case 'i':
        text_put_decimal(text, insn->imm);
        break;
    case 'x':
        put_0x(text, imm);
        break;
    case 'u':
        put_0x(text, (imm >> 12) & 0xfffff);
        break;
    case 'p':
        text_put_hex(text, pc + imm, 1);
        break;
    case 'm':
        put_rounding(text, insn, flags);
        break;
    case 'f':
        put_fence_set(text, (imm >> 4) & 15);
        text_put_char(text, ',');
        put_fence_set(text, imm & 15);
        break;
    case 'c':
        put_csr(text, (unsigned)imm);
        break;
    case 'z':
        text_put_unsigned(text, insn->rs1);
        break;
    default:
        text_put_char(text, letter);
        break;
    }
}

static void put_insn(struct text *text, const struct rv64_insn *insn, uint64_t pc)
{
    static const char orders[4][6] = {"", ".rl", ".aq", ".aqrl"};
    const struct rv64_row *row = &rv64_rows[insn->op];
    const char *syntax = rv64_format_rows[row->format].syntax;

    if (insn->compressed != RV64_c_none) {
        const struct rv64_compressed_row *compressed = &rv64_compressed_rows[insn->compressed];

        text_put_string(text, compressed->mnemonic);
        syntax = rv64_compressed_format_rows[compressed->format].syntax;
    } else if (insn->op == RV64_fence && insn->imm == FENCE_TSO) {
        text_put_string(text, "fence.tso");
        syntax = "";
    } else {
        text_put_string(text, row->mnemonic);
        text_put_string(text, orders[insn->aqrl & 3]);
    }
    if (*syntax != '\0') {
        text_put_char(text, '\t');
    }
    for (; *syntax != '\0'; syntax++) {
        put_operand(text, *syntax, insn, pc);
    }
}

size_t rv64_disassemble(const struct rv64_insn *insn, uint64_t pc, char *buffer, size_t size)
{
    struct text text;

    text_begin(&text, buffer, size);
    if (insn->op == RV64_illegal || has_reserved_bits(insn)) {
        put_data(&text, insn);
    } else {
        put_insn(&text, insn, pc);
    }
    return text.length;
}
