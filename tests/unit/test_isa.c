/* Tests the instruction tables, the decoder and the encoder of RV64 against each other and against
 * the specification's list of reserved encodings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/encode.h"
#include "isa/rv64/rows.h"
#include "isa/rv64/slots.h"

#define ROUNDS_PER_ROW 2000
#define RANDOM_WORDS   2000000

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545f4914f6cdd1d) >> 32;
}

static uint8_t random_bits(uint64_t *state, bool present, unsigned bits)
{
    return present ? (uint8_t)bits_get(random_next(state), 0, bits) : 0;
}

static void assert_same(const struct rv64_insn *a, const struct rv64_insn *b)
{
    assert_int_equal(a->op, b->op);
    assert_int_equal(a->compressed, b->compressed);
    assert_int_equal(a->length, b->length);
    assert_int_equal(a->rd, b->rd);
    assert_int_equal(a->rs1, b->rs1);
    assert_int_equal(a->rs2, b->rs2);
    assert_int_equal(a->rs3, b->rs3);
    assert_int_equal(a->rm, b->rm);
    assert_int_equal(a->aqrl, b->aqrl);
    assert_int_equal(a->imm, b->imm);
    assert_int_equal(a->word, b->word);
}

static void assert_illegal(uint32_t word)
{
    struct rv64_insn got;
    struct rv64_insn want = {.op = RV64_illegal, .word = word, .length = 4};

    if ((word & 3) != 3) {
        want.length = 2;
        want.word = word & 0xffff;
    }
    rv64_decode(word, &got);
    assert_same(&got, &want);
}

static unsigned decoded_op(uint32_t word)
{
    struct rv64_insn insn;

    rv64_decode(word, &insn);
    return insn.op;
}

static void no_two_rows_match_one_word(void **state)
{
    (void)state;
    for (unsigned a = 1; a < RV64_OP_COUNT; a++) {
        const struct rv64_row *x = rv64_row(a);

        assert_int_equal(x->match & ~x->mask, 0);
        assert_int_equal(x->match & x->mask & 3, 3);
        for (unsigned b = a + 1; b < RV64_OP_COUNT; b++) {
            const struct rv64_row *y = rv64_row(b);

            if (((x->match ^ y->match) & x->mask & y->mask) == 0) {
                fail_msg("%s and %s overlap", x->mnemonic, y->mnemonic);
            }
            assert_string_not_equal(x->mnemonic, y->mnemonic);
        }
    }
}

/* The decoder's index is right only if a row's mask decides its slot and a slot's rows are one
 * run. */
static void rows_of_a_slot_stand_together(void **state)
{
    unsigned last_seen[SLOT_COUNT] = {0};

    (void)state;
    for (unsigned op = 1; op < RV64_OP_COUNT; op++) {
        const struct rv64_row *row = rv64_row(op);
        unsigned slot = SLOT(row->match);

        assert_true(slot < SLOT_COUNT);
        assert_int_equal(SLOT(row->match | ~row->mask), slot);
        if (last_seen[slot] != 0 && last_seen[slot] != op - 1) {
            fail_msg("%s stands apart from its slot", row->mnemonic);
        }
        last_seen[slot] = op;
    }
}

static void rows_of_a_compressed_slot_stand_together(void **state)
{
    unsigned last_seen[COMPRESSED_SLOT_COUNT] = {0};

    (void)state;
    for (unsigned c = 1; c < RV64_COMPRESSED_COUNT; c++) {
        const struct rv64_compressed_row *row = &rv64_compressed_rows[c];
        unsigned slot = COMPRESSED_SLOT(row->match);

        assert_int_equal(row->match & ~row->mask, 0);
        assert_int_equal(row->mask & 0xe003, 0xe003);
        if (last_seen[slot] != 0 && last_seen[slot] != c - 1) {
            fail_msg("%s stands apart from its slot", row->mnemonic);
        }
        last_seen[slot] = c;
    }
}

static bool has(uint32_t flags, uint32_t wanted)
{
    return (flags & wanted) != 0;
}

/* Flags and formats say the same thing twice, for different readers. */
static void flags_agree_with_formats(void **state)
{
    (void)state;
    for (unsigned op = 1; op < RV64_OP_COUNT; op++) {
        const struct rv64_row *row = rv64_row(op);
        const struct rv64_format_row *format = &rv64_format_rows[row->format];
        uint32_t flags = row->flags;
        bool memory = has(flags, INSN_LOAD | INSN_STORE);

        assert_int_equal(has(format->fields, FIELD_RD), has(flags, INSN_RD_INT | INSN_RD_FLOAT));
        if (row->format != FORMAT_CSR_I) {
            assert_int_equal(has(format->fields, FIELD_RS1),
                             has(flags, INSN_RS1_INT | INSN_RS1_FLOAT));
        } else {
            assert_false(has(flags, INSN_RS1_INT | INSN_RS1_FLOAT));
        }
        assert_int_equal(has(format->fields, FIELD_RS2), has(flags, INSN_RS2_INT | INSN_RS2_FLOAT));
        assert_int_equal(has(format->fields, FIELD_RS3), has(flags, INSN_RS3_FLOAT));
        assert_int_equal(has(format->fields, FIELD_RM), has(flags, INSN_ROUNDS));
        assert_int_equal(has(format->fields, FIELD_AQRL), has(flags, INSN_ATOMIC));
        assert_false(has(flags, INSN_RD_INT) && has(flags, INSN_RD_FLOAT));
        assert_false(has(flags, INSN_RS1_INT) && has(flags, INSN_RS1_FLOAT));
        assert_false(has(flags, INSN_RS2_INT) && has(flags, INSN_RS2_FLOAT));

        assert_int_equal(memory, row->unit == UNIT_LOAD || row->unit == UNIT_STORE ||
                                     row->unit == UNIT_ATOMIC);
        assert_int_equal(has(flags, INSN_ATOMIC), row->unit == UNIT_ATOMIC);
        assert_int_equal(has(flags, INSN_SYSTEM), row->unit == UNIT_SYSTEM);
        assert_int_equal(has(flags, INSN_CONDITIONAL), row->unit == UNIT_BRANCH);
        assert_int_equal(has(flags, INSN_JUMP), row->unit == UNIT_JUMP);
        assert_int_equal(has(flags, INSN_CONDITIONAL), row->format == FORMAT_BRANCH);
        assert_true(memory || rv64_access_bytes(flags) == 1);
        assert_true(!has(flags, INSN_INDIRECT) || has(flags, INSN_JUMP));
        assert_true(!has(flags, INSN_EXACT) || has(flags, INSN_ROUNDS));
    }
}

/* Every bit of an instruction belongs to its mask, to a field or to the immediate, and to one of
 * them only; but for the fences, whose reserved bits are ignored. */
static void masks_and_fields_cover_the_word(void **state)
{
    (void)state;
    for (unsigned op = 1; op < RV64_OP_COUNT; op++) {
        const struct rv64_row *row = rv64_row(op);
        const struct rv64_format_row *format = &rv64_format_rows[row->format];
        uint32_t fields = (has(format->fields, FIELD_RD) ? 0x1fu << LOW_RD : 0) |
                          (has(format->fields, FIELD_RS1) ? 0x1fu << LOW_RS1 : 0) |
                          (has(format->fields, FIELD_RS2) ? 0x1fu << LOW_RS2 : 0) |
                          (has(format->fields, FIELD_RS3) ? 0x1fu << LOW_RS3 : 0) |
                          (has(format->fields, FIELD_RM) ? 7u << LOW_RM : 0) |
                          (has(format->fields, FIELD_AQRL) ? 3u << LOW_AQRL : 0);
        uint32_t immediate = rv64_immediate_scatter(format->immediate, -1);

        assert_int_equal(fields & immediate, 0);
        assert_int_equal((fields | immediate) & row->mask, 0);
        if (op != RV64_fence && op != RV64_fence_i) {
            assert_int_equal(fields | immediate | row->mask, 0xffffffff);
        }
    }
}

/* The decoder without its index: the definition of what it must find. */
static unsigned find_slowly(uint32_t word)
{
    for (unsigned op = 1; op < RV64_OP_COUNT; op++) {
        const struct rv64_row *row = rv64_row(op);
        unsigned rm = (unsigned)bits_get(word, LOW_RM, 3);

        if ((word & row->mask) == row->match) {
            return has(row->flags, INSN_ROUNDS) && (rm == 5 || rm == 6) ? RV64_illegal : op;
        }
    }
    return RV64_illegal;
}

static void index_finds_what_a_search_of_all_rows_finds(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (unsigned i = 0; i < RANDOM_WORDS; i++) {
        uint32_t word = (uint32_t)random_next(&seed) | 3;
        struct rv64_insn insn;
        uint32_t encoded;

        /* Half of the words are near a row, since few random words are legal. */
        if (i % 2 == 0) {
            const struct rv64_row *row = rv64_row(1 + i / 2 % (RV64_OP_COUNT - 1));

            word = (word & ~row->mask) | row->match;
            word ^= i % 4 == 0 ? 1u << (2 + random_next(&seed) % 30) : 0;
        }
        rv64_decode(word, &insn);
        assert_int_equal(insn.op, find_slowly(word));
        assert_int_equal(insn.word, word);
        assert_int_equal(insn.length, 4);
        if (insn.op == RV64_illegal) {
            assert_illegal(word);
        } else if (insn.op != RV64_fence && insn.op != RV64_fence_i) {
            assert_true(rv64_encode(&insn, &encoded));
            assert_int_equal(encoded, word);
        }
    }
}

static struct rv64_insn random_insn(unsigned op, uint64_t *seed)
{
    static const uint8_t modes[] = {RV64_RNE, RV64_RTZ, RV64_RDN, RV64_RUP, RV64_RMM, RV64_DYN};
    const struct rv64_format_row *format = &rv64_format_rows[rv64_row(op)->format];
    unsigned fields = format->fields;
    struct rv64_insn insn = {.op = (uint16_t)op, .length = 4};

    insn.rd = random_bits(seed, has(fields, FIELD_RD), 5);
    insn.rs1 = random_bits(seed, has(fields, FIELD_RS1), 5);
    insn.rs2 = random_bits(seed, has(fields, FIELD_RS2), 5);
    insn.rs3 = random_bits(seed, has(fields, FIELD_RS3), 5);
    insn.aqrl = random_bits(seed, has(fields, FIELD_AQRL), 2);
    insn.rm = has(fields, FIELD_RM) ? modes[random_next(seed) % sizeof modes] : 0;
    insn.imm = rv64_immediate_collect(format->immediate, (uint32_t)random_next(seed));
    return insn;
}

static void every_row_survives_encoding_and_decoding(void **state)
{
    uint64_t seed = 2;

    (void)state;
    for (unsigned op = 1; op < RV64_OP_COUNT; op++) {
        for (unsigned i = 0; i < ROUNDS_PER_ROW; i++) {
            struct rv64_insn insn = random_insn(op, &seed);
            struct rv64_insn decoded;

            if (!rv64_encode(&insn, &insn.word)) {
                fail_msg("%s cannot be encoded", rv64_row(op)->mnemonic);
            }
            rv64_decode(insn.word, &decoded);
            assert_same(&insn, &decoded);
        }
    }
}

static bool encodes(struct rv64_insn insn)
{
    uint32_t word = 0x12345678;
    bool encoded = rv64_encode(&insn, &word);

    assert_int_equal(encoded, word != 0x12345678);
    return encoded;
}

static void operands_out_of_range_are_refused(void **state)
{
    (void)state;
    assert_true(encodes((struct rv64_insn){.op = RV64_addi, .imm = 2047}));
    assert_true(encodes((struct rv64_insn){.op = RV64_addi, .imm = -2048}));
    assert_false(encodes((struct rv64_insn){.op = RV64_addi, .imm = 2048}));
    assert_false(encodes((struct rv64_insn){.op = RV64_addi, .imm = -2049}));
    assert_false(encodes((struct rv64_insn){.op = RV64_addi, .imm = INT64_MIN}));
    assert_true(encodes((struct rv64_insn){.op = RV64_beq, .imm = -4096}));
    assert_true(encodes((struct rv64_insn){.op = RV64_beq, .imm = 4094}));
    assert_false(encodes((struct rv64_insn){.op = RV64_beq, .imm = 4096}));
    assert_false(encodes((struct rv64_insn){.op = RV64_beq, .imm = 3}));
    assert_true(encodes((struct rv64_insn){.op = RV64_jal, .imm = -1048576}));
    assert_false(encodes((struct rv64_insn){.op = RV64_jal, .imm = 1048576}));
    assert_true(encodes((struct rv64_insn){.op = RV64_lui, .imm = -4096}));
    assert_true(encodes((struct rv64_insn){.op = RV64_lui, .imm = 0x7ffff000}));
    assert_false(encodes((struct rv64_insn){.op = RV64_lui, .imm = 0x80000000}));
    assert_false(encodes((struct rv64_insn){.op = RV64_lui, .imm = 1}));
    assert_true(encodes((struct rv64_insn){.op = RV64_slli, .imm = 63}));
    assert_false(encodes((struct rv64_insn){.op = RV64_slli, .imm = 64}));
    assert_false(encodes((struct rv64_insn){.op = RV64_slli, .imm = -1}));
    assert_false(encodes((struct rv64_insn){.op = RV64_slliw, .imm = 32}));
    assert_true(encodes((struct rv64_insn){.op = RV64_csrrw, .imm = 4095}));
    assert_false(encodes((struct rv64_insn){.op = RV64_csrrw, .imm = -1}));
    assert_true(encodes((struct rv64_insn){.op = RV64_ic_sync, .imm = 31}));
    assert_false(encodes((struct rv64_insn){.op = RV64_ic_sync, .imm = 32}));
    assert_false(encodes((struct rv64_insn){.op = RV64_add, .rd = 32}));
    assert_false(encodes((struct rv64_insn){.op = RV64_add, .rs1 = 255}));
    assert_false(encodes((struct rv64_insn){.op = RV64_amoadd_w, .aqrl = 4}));
}

static void operands_that_do_not_exist_are_refused(void **state)
{
    (void)state;
    assert_false(encodes((struct rv64_insn){.op = RV64_illegal}));
    assert_false(encodes((struct rv64_insn){.op = RV64_OP_COUNT}));
    assert_false(encodes((struct rv64_insn){.op = RV64_lui, .rs1 = 1}));
    assert_false(encodes((struct rv64_insn){.op = RV64_beq, .rd = 1}));
    assert_false(encodes((struct rv64_insn){.op = RV64_add, .imm = 1}));
    assert_false(encodes((struct rv64_insn){.op = RV64_add, .rm = RV64_DYN}));
    assert_false(encodes((struct rv64_insn){.op = RV64_fadd_d, .rm = 5}));
    assert_false(encodes((struct rv64_insn){.op = RV64_fadd_d, .rs3 = 1}));
    assert_false(encodes((struct rv64_insn){.op = RV64_ctr_ret, .rs1 = 1}));
    assert_false(encodes((struct rv64_insn){.op = RV64_ic_sync, .rd = 1}));
}

/* Encodings that one wrong bit of a mask would let through. */
static void reserved_words_are_illegal(void **state)
{
    (void)state;
    assert_illegal(0xffffffff);
    assert_illegal(0x00000003 | 7u << 12); /* LOAD, funct3 7 */
    assert_illegal(0x00000023 | 4u << 12); /* STORE, funct3 4 */
    assert_illegal(0x00000063 | 2u << 12); /* BRANCH, funct3 2 */
    assert_illegal(0x00000067 | 1u << 12); /* JALR, funct3 1 */
    assert_illegal(0x04001013);            /* slli with bit 26 */
    assert_illegal(0x0200101b);            /* slliw by 32 */
    assert_illegal(0x4200501b);            /* sraiw by 32 */
    assert_illegal(0x60301013);            /* between cpop and sext.b */
    assert_illegal(0x69805013);            /* rev8 of RV32 */
    assert_illegal(0x0810403b);            /* packw, of which zext.h is the case rs2 = 0 */
    assert_illegal(0x1010202f);            /* lr.w with rs2 */
    assert_illegal(0x0000102f);            /* AMO of a halfword */
    assert_illegal(0x04000053);            /* fadd.h */
    assert_illegal(0x00005053);            /* fadd.s, rm 5 */
    assert_illegal(0x02006053);            /* fadd.d, rm 6 */
    assert_illegal(0x02005043);            /* fmadd.d, rm 5 */
    assert_illegal(0xd2005053);            /* fcvt.d.w, rm 5: exact, yet rm is reserved */
    assert_illegal(0x58100053);            /* fsqrt.s with rs2 */
    assert_illegal(0x40000053);            /* fcvt.s.s */
    assert_illegal(0x20003053);            /* fsgnj.s, funct3 3 */
    assert_illegal(0xe0002053);            /* fclass.s, funct3 2 */
    assert_illegal(0x00200073);            /* uret */
    assert_illegal(0x10500073);            /* wfi */
    assert_illegal(0x30200073);            /* mret */
    assert_illegal(0x000000f3);            /* ecall with rd */
    assert_illegal(0x00004073);            /* SYSTEM, funct3 4 */
    assert_illegal(0x0000008b);            /* ctr.new with rd */
    assert_illegal(0x0600808b);            /* ctr.ret with operands */
    assert_illegal(0x0010000b | 1u << 26); /* ctr.drop with rs2 */
    assert_illegal(0x0000100b);            /* custom-0, funct3 1 */
    assert_illegal(0x1000000b);            /* custom-0, funct7 8 */
}

static void fences_ignore_reserved_fields(void **state)
{
    (void)state;
    assert_int_equal(decoded_op(0x0000000f), RV64_fence);
    assert_int_equal(decoded_op(0x8330000f), RV64_fence);
    assert_int_equal(decoded_op(0xf0f08f8f), RV64_fence);
    assert_int_equal(decoded_op(0x0000100f), RV64_fence_i);
    assert_int_equal(decoded_op(0xfffff0ff & ~0x0000e0f0u), RV64_fence_i);
}

/* The reserved encodings of RV64C with D, as the specification's tables list them.  All others are
 * legal; HINTs too. */
static bool is_reserved_half(unsigned half)
{
    unsigned quadrant = half & 3;
    unsigned funct3 = half >> 13;
    unsigned high = half >> 7 & 31;
    unsigned low = half >> 2 & 31;
    bool imm6_is_zero = (half & 0x107c) == 0;

    switch (quadrant << 3 | funct3) {
    case 0 << 3 | 0: /* c.addi4spn with nzuimm 0, the all-zero illegal instruction among them */
        return (half & 0x1fe0) == 0;
    case 0 << 3 | 4:
        return true;
    case 1 << 3 | 1: /* c.addiw */
        return high == 0;
    case 1 << 3 | 3: /* c.addi16sp and c.lui */
        return imm6_is_zero;
    case 1 << 3 | 4: /* behind c.subw and c.addw */
        return (half & 0x1c40) == 0x1c40;
    case 2 << 3 | 2: /* c.lwsp */
    case 2 << 3 | 3: /* c.ldsp */
        return high == 0;
    case 2 << 3 | 4: /* c.jr */
        return (half & 0x1000) == 0 && high == 0 && low == 0;
    default:
        return false;
    }
}

static void every_halfword_is_reserved_or_encodes_back(void **state)
{
    /* c.addi4spn 8, quadrant 0 funct3 4 2048, c.addiw 64, c.addi16sp and c.lui 32, behind c.addw
     * 2 x 8 x 8, c.lwsp 64, c.ldsp 64, c.jr 1. */
    const unsigned reserved = 8 + 2048 + 64 + 32 + 128 + 64 + 64 + 1;
    unsigned illegal = 0;

    (void)state;
    for (unsigned half = 0; half < 0x10000; half++) {
        struct rv64_insn insn;
        uint16_t encoded = 0;

        if ((half & 3) == 3) {
            continue;
        }
        rv64_decode(half | 0xabcd0000, &insn);
        assert_int_equal(insn.op == RV64_illegal, is_reserved_half(half));
        if (insn.op == RV64_illegal) {
            assert_illegal(half);
            illegal++;
            continue;
        }
        assert_int_equal(insn.length, 2);
        assert_int_equal(insn.word, half);
        assert_true(rv64_encode_compressed(&insn, &encoded));
        assert_int_equal(encoded, half);
    }
    assert_int_equal(illegal, reserved);
}

/* What a 16-bit instruction stands for is itself an instruction, with the same operands. */
static void compressed_instructions_expand(void **state)
{
    unsigned seen[RV64_COMPRESSED_COUNT] = {0};

    (void)state;
    for (unsigned half = 0; half < 0x10000; half++) {
        struct rv64_insn insn, expanded;
        uint32_t word;

        if ((half & 3) == 3 || is_reserved_half(half)) {
            continue;
        }
        rv64_decode(half, &insn);
        seen[insn.compressed]++;
        assert_true(rv64_encode(&insn, &word));
        rv64_decode(word, &expanded);
        expanded.compressed = insn.compressed;
        expanded.length = insn.length;
        expanded.word = insn.word;
        assert_same(&insn, &expanded);
    }
    for (unsigned c = 1; c < RV64_COMPRESSED_COUNT; c++) {
        assert_true(seen[c] > 0);
    }
}

static bool compresses(struct rv64_insn insn)
{
    uint16_t half = 3;
    bool encoded = rv64_encode_compressed(&insn, &half);

    assert_int_equal(encoded, half != 3);
    return encoded;
}

static void forms_that_cannot_hold_the_operands_are_refused(void **state)
{
    struct rv64_insn insn = {.op = RV64_ld, .compressed = RV64_c_ld, .rd = 8, .rs1 = 15, .imm = 248};

    (void)state;
    assert_true(compresses(insn));
    insn.rd = 7;
    assert_false(compresses(insn));
    insn.rd = 8;
    insn.imm = 256;
    assert_false(compresses(insn));
    insn.imm = 4;
    assert_false(compresses(insn));
    insn.imm = 0;
    insn.op = RV64_lw;
    assert_false(compresses(insn));
    insn.op = RV64_ld;
    insn.compressed = RV64_c_none;
    assert_false(compresses(insn));
    insn.compressed = RV64_COMPRESSED_COUNT;
    assert_false(compresses(insn));

    insn = (struct rv64_insn){.op = RV64_add, .compressed = RV64_c_add, .rd = 5, .rs1 = 5, .rs2 = 6};
    assert_true(compresses(insn));
    insn.rs1 = 6;
    assert_false(compresses(insn));
    insn.rs1 = 5;
    insn.rs2 = 0;
    assert_false(compresses(insn));
    insn = (struct rv64_insn){.op = RV64_lui, .compressed = RV64_c_lui, .rd = 2, .imm = 4096};
    assert_false(compresses(insn));
    insn.rd = 3;
    assert_true(compresses(insn));
    insn.imm = 0;
    assert_false(compresses(insn));
    insn.imm = 32 * 4096;
    assert_false(compresses(insn));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_two_rows_match_one_word),
        cmocka_unit_test(rows_of_a_slot_stand_together),
        cmocka_unit_test(rows_of_a_compressed_slot_stand_together),
        cmocka_unit_test(flags_agree_with_formats),
        cmocka_unit_test(masks_and_fields_cover_the_word),
        cmocka_unit_test(index_finds_what_a_search_of_all_rows_finds),
        cmocka_unit_test(every_row_survives_encoding_and_decoding),
        cmocka_unit_test(operands_out_of_range_are_refused),
        cmocka_unit_test(operands_that_do_not_exist_are_refused),
        cmocka_unit_test(reserved_words_are_illegal),
        cmocka_unit_test(fences_ignore_reserved_fields),
        cmocka_unit_test(every_halfword_is_reserved_or_encodes_back),
        cmocka_unit_test(compressed_instructions_expand),
        cmocka_unit_test(forms_that_cannot_hold_the_operands_are_refused),
    };

    return cmocka_run_group_tests_name("isa", tests, NULL, NULL);
}
