/* Puts RV64 instructions into words, for dumps. */
#include "translator/rv64/encode_words.h"
#include "translator/fragment/target.h"

#include "base/text.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/disassemble.h"

/* objdump's tab, where the columns are the dump's. */
static void replace_tabs(char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\t') {
            *text = ' ';
        }
    }
}

void target_describe(const uint8_t *code, uint64_t address, struct target_instruction *instruction)
{
    struct rv64_insn insn;
    struct text text;
    char words[RV64_TEXT_SIZE];
    uint16_t halves[2] = {0, 0};

    __builtin_memcpy(&halves[0], code, sizeof halves[0]);
    if ((halves[0] & 3) == 3) {
        __builtin_memcpy(&halves[1], code + sizeof halves[0], sizeof halves[1]);
    }
    rv64_decode((uint32_t)halves[1] << 16 | halves[0], &insn);
    rv64_disassemble(&insn, address, words, sizeof words);
    replace_tabs(words);
    text_begin(&text, instruction->text, sizeof instruction->text);
    text_put_hex(&text, address, 1);
    text_put_string(&text, insn.length == 2 ? ":     " : ": ");
    text_put_hex(&text, insn.word, insn.length * 2u);
    text_put_string(&text, " ");
    text_put_string(&text, words);

    const uint32_t flags = rv64_row(insn.op)->flags;
    const bool direct = (flags & INSN_CONDITIONAL) != 0 || insn.op == RV64_jal;
    instruction->bytes = insn.length;
    instruction->target = direct ? address + (uint64_t)insn.imm : 0;
    instruction->leaves = (insn.op == RV64_jal && insn.rd == X0) || insn.op == RV64_jalr;
}
