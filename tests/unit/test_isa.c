/* Tests the decoder and the encoder of RV64 against each other, against the specification's list of
 * reserved encodings, and against words made by the GNU assembler. */
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

#define ROUNDS_PER_ROW 2000
#define RANDOM_WORDS 2000000

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

static bool has(uint32_t flags, uint32_t wanted)
{
    return (flags & wanted) != 0;
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
    assert_illegal(0x1600000b);            /* custom-0, funct7 11 */
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

/* Both words of each pair were made by the GNU assembler, with extreme operands. */
static void compressed_instructions_expand(void **state)
{
    static const struct {
        uint16_t half;
        uint32_t word;
    } pairs[] = {
        {0x1fe8, 0x3fc10513}, /* c.addi4spn a0,sp,1020 */
        {0x3de8, 0x0f85b507}, /* c.fld fa0,248(a1) */
        {0x5de8, 0x07c5a503}, /* c.lw a0,124(a1) */
        {0x7de8, 0x0f85b503}, /* c.ld a0,248(a1) */
        {0xb5c8, 0x0aa5b427}, /* c.fsd fa0,168(a1) */
        {0xc9e8, 0x04a5aa23}, /* c.sw a0,84(a1) */
        {0xf5c8, 0x0aa5b423}, /* c.sd a0,168(a1) */
        {0x1f81, 0xfe0f8f93}, /* c.addi t6,-32 */
        {0x3ffd, 0xffff8f9b}, /* c.addiw t6,-1 */
        {0x5f81, 0xfe000f93}, /* c.li t6,-32 */
        {0x7101, 0xe0010113}, /* c.addi16sp sp,-512 */
        {0x7f81, 0xfffe0fb7}, /* c.lui t6,0xfffe0 */
        {0x93fd, 0x03f7d793}, /* c.srli a5,63 */
        {0x8381, 0x0007d793}, /* c.srli64 a5 */
        {0x9781, 0x4207d793}, /* c.srai a5,32 */
        {0x8781, 0x4007d793}, /* c.srai64 a5 */
        {0x9b81, 0xfe07f793}, /* c.andi a5,-32 */
        {0x8c1d, 0x40f40433}, /* c.sub s0,a5 */
        {0x8c3d, 0x00f44433}, /* c.xor s0,a5 */
        {0x8c5d, 0x00f46433}, /* c.or s0,a5 */
        {0x8c7d, 0x00f47433}, /* c.and s0,a5 */
        {0x9c1d, 0x40f4043b}, /* c.subw s0,a5 */
        {0x9c3d, 0x00f4043b}, /* c.addw s0,a5 */
        {0xb001, 0x801ff06f}, /* c.j .-2048 */
        {0xd381, 0xf00780e3}, /* c.beqz a5,.-256 */
        {0xeffd, 0x0e079f63}, /* c.bnez a5,.+254 */
        {0x1ffe, 0x03ff9f93}, /* c.slli t6,63 */
        {0x0f82, 0x000f9f93}, /* c.slli64 t6 */
        {0x3ffe, 0x1f813f87}, /* c.fldsp ft11,504(sp) */
        {0x5ffe, 0x0fc12f83}, /* c.lwsp t6,252(sp) */
        {0x7ffe, 0x1f813f83}, /* c.ldsp t6,504(sp) */
        {0x8f82, 0x000f8067}, /* c.jr t6 */
        {0x8faa, 0x00a00fb3}, /* c.mv t6,a0 */
        {0x9002, 0x00100073}, /* c.ebreak */
        {0x9f82, 0x000f80e7}, /* c.jalr t6 */
        {0x9faa, 0x00af8fb3}, /* c.add t6,a0 */
        {0xa6fe, 0x15f13427}, /* c.fsdsp ft11,328(sp) */
        {0xd37e, 0x0bf12223}, /* c.swsp t6,164(sp) */
        {0xe6fe, 0x15f13423}, /* c.sdsp t6,328(sp) */
    };
    bool seen[RV64_COMPRESSED_COUNT] = {false};

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct rv64_insn insn, expanded;

        rv64_decode(pairs[i].half, &insn);
        rv64_decode(pairs[i].word, &expanded);
        seen[insn.compressed] = true;
        expanded.compressed = insn.compressed;
        expanded.length = 2;
        expanded.word = pairs[i].half;
        assert_same(&insn, &expanded);
    }
    for (unsigned c = 1; c < RV64_COMPRESSED_COUNT; c++) {
        assert_true(seen[c]);
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
    struct rv64_insn insn = {
        .op = RV64_ld, .compressed = RV64_c_ld, .rd = 8, .rs1 = 15, .imm = 248};

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

    insn =
        (struct rv64_insn){.op = RV64_add, .compressed = RV64_c_add, .rd = 5, .rs1 = 5, .rs2 = 6};
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
