/* Fuzzes decoder, disassembler and encoder of RV64: they stay in bounds and agree. */
#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "fuzz.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/disassemble.h"
#include "isa/rv64/encode.h"

/* What is left of an input; past its end it reads as zeros. */
struct cursor {
    const uint8_t *data;
    size_t size;
};

static uint64_t take(struct cursor *cursor, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < bytes && cursor->size > 0; i++) {
        value |= (uint64_t)*cursor->data << (8 * i);
        cursor->data++;
        cursor->size--;
    }
    return value;
}

static bool same_operands(const struct rv64_insn *a, const struct rv64_insn *b)
{
    return a->op == b->op && a->rd == b->rd && a->rs1 == b->rs1 && a->rs2 == b->rs2 &&
           a->rs3 == b->rs3 && a->rm == b->rm && a->aqrl == b->aqrl && a->imm == b->imm;
}

static void check_text(const struct rv64_insn *insn, uint64_t pc)
{
    char whole[RV64_TEXT_SIZE];
    char part[8];
    size_t length = rv64_disassemble(insn, pc, whole, sizeof whole);

    ASSERT(length > 0 && length < sizeof whole);
    ASSERT(strlen(whole) == length);
    for (size_t i = 0; i < length; i++) {
        ASSERT(whole[i] == '\t' || (whole[i] >= ' ' && whole[i] <= '~'));
    }
    memset(part, 'x', sizeof part);
    ASSERT(rv64_disassemble(insn, pc, part, sizeof part) == length);
    ASSERT(strncmp(whole, part, sizeof part - 1) == 0);
    ASSERT(strlen(part) == (length < sizeof part ? length : sizeof part - 1));
    ASSERT(rv64_disassemble(insn, pc, NULL, 0) == length);
}

/* A fence has fields that the decoder must ignore; only there may a bit change on the way. */
static bool has_ignored_fields(const struct rv64_insn *insn)
{
    return insn->op == RV64_fence || insn->op == RV64_fence_i;
}

static void check_round_trip(const struct rv64_insn *insn)
{
    struct rv64_insn again;
    uint32_t word;
    uint16_t half;

    ASSERT(rv64_encode(insn, &word));
    rv64_decode(word, &again);
    ASSERT(again.length == 4 && again.compressed == RV64_c_none && again.word == word);
    ASSERT(same_operands(insn, &again));
    if (insn->length == 4) {
        ASSERT(word == insn->word || has_ignored_fields(insn));
        ASSERT(!rv64_encode_compressed(insn, &half));
        return;
    }
    ASSERT(rv64_encode_compressed(insn, &half));
    ASSERT(half == insn->word);
}

/* Returns the op, for callers that know more of the word. */
static unsigned check_word(uint32_t word, uint64_t pc)
{
    struct rv64_insn insn;
    struct rv64_insn nothing = {0};
    bool compressed = (word & 3) != 3;

    memset(&insn, 0xa5, sizeof insn);
    rv64_decode(word, &insn);
    ASSERT(insn.length == (compressed ? 2 : 4));
    ASSERT(insn.word == (compressed ? word & 0xffff : word));
    ASSERT(insn.op < RV64_OP_COUNT && insn.compressed < RV64_COMPRESSED_COUNT);
    check_text(&insn, pc);
    if (insn.op == RV64_illegal) {
        ASSERT(insn.compressed == RV64_c_none && same_operands(&insn, &nothing));
        return insn.op;
    }
    ASSERT((insn.compressed != RV64_c_none) == compressed);
    ASSERT(insn.rd < 32 && insn.rs1 < 32 && insn.rs2 < 32 && insn.rs3 < 32);
    ASSERT(insn.rm < 8 && insn.aqrl < 4);
    check_round_trip(&insn);
    return insn.op;
}

/* A word of a chosen row, which random words would hit once in millions. */
static uint32_t take_row_word(struct cursor *cursor, unsigned *op)
{
    *op = 1 + (unsigned)take(cursor, 2) % (RV64_OP_COUNT - 1);
    const struct rv64_row *row = rv64_row(*op);

    return row->match | ((uint32_t)take(cursor, 4) & ~row->mask);
}

static void check_row(struct cursor *cursor)
{
    unsigned op;
    uint32_t word = take_row_word(cursor, &op);
    unsigned decoded = check_word(word, take(cursor, 8));

    ASSERT(decoded == op || decoded == RV64_illegal);
}

static void change_operand(struct rv64_insn *insn, struct cursor *cursor)
{
    uint8_t *const fields[] = {&insn->rd,  &insn->rs1, &insn->rs2,
                               &insn->rs3, &insn->rm,  &insn->aqrl};
    size_t which = (size_t)take(cursor, 1) % 10;

    if (which < 6) {
        *fields[which] = (uint8_t)take(cursor, 1);
    } else if (which == 6) {
        insn->op = (uint16_t)take(cursor, 1);
    } else if (which == 7) {
        insn->compressed = (uint16_t)take(cursor, 1);
    } else if (which == 8) {
        insn->imm = (int64_t)take(cursor, 8);
    } else {
        insn->imm = (int64_t)take(cursor, 1) - 128;
    }
}

/* From a good instruction to one with an operand changed, since the encoder refuses nearly all that
 * are random: whatever the operand, it refuses it or makes a word that means it. */
static void check_operands(struct cursor *cursor)
{
    struct rv64_insn insn;
    struct rv64_insn again;
    uint32_t word = 0x12345678;
    uint16_t half = 0x1234;
    unsigned op;

    rv64_decode(take(cursor, 1) % 2 == 0 ? (uint32_t)take(cursor, 2) : take_row_word(cursor, &op),
                &insn);
    change_operand(&insn, cursor);
    if (rv64_encode(&insn, &word)) {
        rv64_decode(word, &again);
        ASSERT(again.length == 4 && same_operands(&insn, &again));
    } else {
        ASSERT(word == 0x12345678);
    }
    if (rv64_encode_compressed(&insn, &half)) {
        rv64_decode(half, &again);
        ASSERT(again.length == 2 && again.compressed == insn.compressed);
        ASSERT(same_operands(&insn, &again));
    } else {
        ASSERT(half == 0x1234);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cursor cursor = {data, size};

    while (cursor.size > 0) {
        uint32_t word;
        switch (take(&cursor, 1) % 4) {
        case 0:
            check_operands(&cursor);
            break;
        case 1:
            check_row(&cursor);
            break;
        default:
            word = (uint32_t)take(&cursor, 4);
            check_word(word, take(&cursor, 8));
            break;
        }
    }
    return 0;
}
