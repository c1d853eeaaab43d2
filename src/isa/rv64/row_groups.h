/* The decoder's index: which few rows a word can belong to. */
#ifndef ISA_RV64_ROW_GROUPS_H
#define ISA_RV64_ROW_GROUPS_H

/* A group is the major opcode (bits 2 to 6) and what divides its rows best: funct5 for AMO and
 * OP-FP; nothing where the opcode is the instruction or only the format bits follow; else funct3.
 * Macros, since they are used both on words and in the initializers of tables. */
#define ROW_GROUP_OPCODE(word) (((word) >> 2) & 0x1fu)
#define ROW_GROUP_BY_FUNCT5(opcode) ((opcode) == 0x0bu || (opcode) == 0x14u)
#define ROW_GROUP_UNDIVIDED(opcode)                                                                \
    ((opcode) == 0x05u || (opcode) == 0x0du || (opcode) == 0x1bu ||                                \
     ((opcode) >= 0x10u && (opcode) <= 0x13u))
#define ROW_GROUP_PART(word)                                                                       \
    (ROW_GROUP_BY_FUNCT5(ROW_GROUP_OPCODE(word))   ? ((word) >> 27) & 0x1fu                        \
     : ROW_GROUP_UNDIVIDED(ROW_GROUP_OPCODE(word)) ? 0u                                            \
                                                   : ((word) >> 12) & 7u)
#define ROW_GROUP(word) (ROW_GROUP_OPCODE(word) << 5 | ROW_GROUP_PART(word))
#define ROW_GROUP_COUNT 1024

/* Of 16-bit instructions: quadrant and funct3. */
#define COMPRESSED_GROUP(half) (((half)&3u) << 3 | (((half) >> 13) & 7u))
#define COMPRESSED_GROUP_COUNT 24

#endif
