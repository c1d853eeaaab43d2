/* Tests that the instruction tables of RV64 are sound: no overlap, right order, and flags, formats,
 * units and names that agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/rv64/insn.h"
#include "isa/rv64/rows.h"
#include "isa/rv64/row_groups.h"

static bool has(uint32_t flags, uint32_t wanted)
{
    return (flags & wanted) != 0;
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

/* The decoder's index is right only if a row's mask decides its group and a group's rows are one
 * run. */
static void rows_of_a_group_stand_together(void **state)
{
    unsigned last_seen[ROW_GROUP_COUNT] = {0};

    (void)state;
    for (unsigned op = 1; op < RV64_OP_COUNT; op++) {
        const struct rv64_row *row = rv64_row(op);
        unsigned group = ROW_GROUP(row->match);

        assert_true(group < ROW_GROUP_COUNT);
        assert_int_equal(ROW_GROUP(row->match | ~row->mask), group);
        if (last_seen[group] != 0 && last_seen[group] != op - 1) {
            fail_msg("%s stands apart from its group", row->mnemonic);
        }
        last_seen[group] = op;
    }
}

static void rows_of_a_compressed_group_stand_together(void **state)
{
    unsigned last_seen[COMPRESSED_GROUP_COUNT] = {0};

    (void)state;
    for (unsigned c = 1; c < RV64_COMPRESSED_COUNT; c++) {
        const struct rv64_compressed_row *row = &rv64_compressed_rows[c];
        unsigned group = COMPRESSED_GROUP(row->match);

        assert_int_equal(row->match & ~row->mask, 0);
        assert_int_equal(row->mask & 0xe003, 0xe003);
        if (last_seen[group] != 0 && last_seen[group] != c - 1) {
            fail_msg("%s stands apart from its group", row->mnemonic);
        }
        last_seen[group] = c;
    }
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

static bool begins(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

/* The units as the specification's names tell them: another reading of the same facts. */
static unsigned unit_by_name(const struct rv64_row *row)
{
    static const struct {
        const char *start;
        enum rv64_unit unit;
    } names[] = {
        {"mul", UNIT_MUL},     {"div", UNIT_DIV},        {"rem", UNIT_DIV},
        {"fmadd", UNIT_FMA},   {"fmsub", UNIT_FMA},      {"fnmadd", UNIT_FMA},
        {"fnmsub", UNIT_FMA},  {"fadd", UNIT_FADD},      {"fsub", UNIT_FADD},
        {"fmul", UNIT_FMUL},   {"fdiv", UNIT_FDIV},      {"fsqrt", UNIT_FSQRT},
        {"fcvt", UNIT_FCVT},   {"fence.i", UNIT_SYSTEM}, {"fence", UNIT_FENCE},
        {"fsgnj", UNIT_FMISC}, {"fmin", UNIT_FMISC},     {"fmax", UNIT_FMISC},
        {"feq", UNIT_FMISC},   {"flt", UNIT_FMISC},      {"fle", UNIT_FMISC},
        {"fmv", UNIT_FMISC},   {"fclass", UNIT_FMISC},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (begins(row->mnemonic, names[i].start)) {
            return names[i].unit;
        }
    }
    return UNIT_ALU;
}

static void units_agree_with_names(void **state)
{
    (void)state;
    for (unsigned op = 1; op < RV64_OP_COUNT; op++) {
        const struct rv64_row *row = rv64_row(op);

        /* flags_agree_with_formats has these. */
        if (has(row->flags, INSN_LOAD | INSN_STORE | INSN_SYSTEM | INSN_CONDITIONAL | INSN_JUMP)) {
            continue;
        }
        if (row->unit != unit_by_name(row)) {
            fail_msg("%s has unit %u", row->mnemonic, row->unit);
        }
    }
}

/* Of all memory accesses the low bits of funct3 are log2 of the size; OP-IMM-32 and OP-32 are the
 * 32-bit operations, but for those of Zba and Zbb that only read an unsigned word. */
static void sizes_agree_with_encodings(void **state)
{
    (void)state;
    for (unsigned op = 1; op < RV64_OP_COUNT; op++) {
        const struct rv64_row *row = rv64_row(op);
        unsigned opcode = row->match & 0x7f;
        bool word32 = (opcode == 0x1b || opcode == 0x3b) && strstr(row->mnemonic, ".uw") == NULL &&
                      strcmp(row->mnemonic, "zext.h") != 0;

        if (has(row->flags, INSN_LOAD | INSN_STORE)) {
            assert_int_equal(rv64_access_bytes(row->flags), 1u << (row->match >> 12 & 3));
        }
        assert_int_equal(has(row->flags, INSN_WORD32), word32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_two_rows_match_one_word),
        cmocka_unit_test(rows_of_a_group_stand_together),
        cmocka_unit_test(rows_of_a_compressed_group_stand_together),
        cmocka_unit_test(flags_agree_with_formats),
        cmocka_unit_test(masks_and_fields_cover_the_word),
        cmocka_unit_test(units_agree_with_names),
        cmocka_unit_test(sizes_agree_with_encodings),
    };

    return cmocka_run_group_tests_name("isa_rows", tests, NULL, NULL);
}
