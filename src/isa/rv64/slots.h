/* The decoder's index: which few rows a word can belong to. */
#ifndef ISA_RV64_SLOTS_H
#define ISA_RV64_SLOTS_H

/* A slot is the major opcode (bits 2 to 6) and what divides its rows best: funct5 for AMO and
 * OP-FP; nothing where the opcode is the instruction or only the format bits follow; else funct3.
 * Macros, since they are used both on words and in the initializers of tables. */
#define SLOT_OPCODE(word) (((word) >> 2) & 0x1fu)
#define SLOT_BY_FUNCT5(opcode) ((opcode) == 0x0bu || (opcode) == 0x14u)
#define SLOT_UNDIVIDED(opcode)                                                                     \
    ((opcode) == 0x05u || (opcode) == 0x0du || (opcode) == 0x1bu ||                                \
     ((opcode) >= 0x10u && (opcode) <= 0x13u))
#define SLOT_PART(word)                                                                            \
    (SLOT_BY_FUNCT5(SLOT_OPCODE(word))   ? ((word) >> 27) & 0x1fu                                  \
     : SLOT_UNDIVIDED(SLOT_OPCODE(word)) ? 0u                                                      \
                                         : ((word) >> 12) & 7u)
#define SLOT(word) (SLOT_OPCODE(word) << 5 | SLOT_PART(word))
#define SLOT_COUNT 1024

/* Of 16-bit instructions: quadrant and funct3. */
#define COMPRESSED_SLOT(half) (((half)&3u) << 3 | (((half) >> 13) & 7u))
#define COMPRESSED_SLOT_COUNT 24

#endif
