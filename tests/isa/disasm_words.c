/* Disassembles words for tests: reads lines "PC WORD" in hexadecimal, prints one text per line. */
#include <inttypes.h>
#include <stdio.h>

#include "isa/rv64/decode.h"
#include "isa/rv64/disassemble.h"

int main(void)
{
    uint64_t pc;
    uint32_t word;
    int fields;

    while ((fields = scanf("%" SCNx64 " %" SCNx32, &pc, &word)) == 2) {
        struct rv64_insn insn;
        char text[RV64_TEXT_SIZE];

        rv64_decode(word, &insn);
        rv64_disassemble(&insn, pc, text, sizeof text);
        puts(text);
    }
    if (fields != EOF) {
        fputs("disasm_words: a line is not \"PC WORD\"\n", stderr);
        return 1;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
