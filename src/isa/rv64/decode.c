/* The decoder: finds a word's row through a small index, then fills the fields by its format. */
#include "isa/rv64/decode.h"

#include <stdbool.h>

#include "base/bits.h"
#include "isa/rv64/rows.h"
#include "isa/rv64/row_groups.h"

/* For each group the last of its rows, which stand together in the .def files; 0 for a group without
 * rows.  The initializers of one group override each other on purpose: the last row stays. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const uint8_t last_of_group[ROW_GROUP_COUNT] = {
#define INSN(id, mnemonic, format, match, mask, unit, flags) [ROW_GROUP(match)] = RV64_##id,
#define XCSR(id, name, number, meaning)
#include "isa/rv64/rv64.def"
#include "isa/rv64/xstrata.def"
#undef INSN
#undef XCSR
};

static const uint8_t last_of_compressed_group[COMPRESSED_GROUP_COUNT] = {
#define COMPRESSED(id, mnemonic, format, match, mask, expands_to)                                  \
    [COMPRESSED_GROUP(match)] = RV64_##id,
#include "isa/rv64/compressed.def"
#undef COMPRESSED
};
#pragma GCC diagnostic pop

_Static_assert(RV64_OP_COUNT <= UINT8_MAX, "the index holds ops in one byte");
_Static_assert(RV64_COMPRESSED_COUNT <= UINT8_MAX, "the index holds compressed ops in one byte");

static unsigned find_op(uint32_t word)
{
    unsigned group = ROW_GROUP(word);

    for (unsigned op = last_of_group[group]; op != RV64_illegal; op--) {
        const struct rv64_row *row = &rv64_rows[op];

        if ((word & row->mask) == row->match) {
            return op;
        }
        if (ROW_GROUP(row->match) != group) {
            break;
        }
    }
    return RV64_illegal;
}

static bool is_reserved_rounding(unsigned rm)
{
    return rm == 5 || rm == 6;
}

static uint8_t field(uint32_t word, bool present, unsigned low)
{
    return present ? (uint8_t)bits_get(word, low, 5) : 0;
}

static void decode_word(uint32_t word, struct rv64_insn *out)
{
    unsigned op = find_op(word);
    const struct rv64_format_row *format;
    unsigned fields;

    if (op == RV64_illegal) {
        return;
    }
    format = &rv64_format_rows[rv64_rows[op].format];
    fields = format->fields;
    if ((fields & FIELD_RM) != 0) {
        unsigned rm = (unsigned)bits_get(word, LOW_RM, 3);

        if (is_reserved_rounding(rm)) {
            return;
        }
        out->rm = (uint8_t)rm;
    }
    if ((fields & FIELD_AQRL) != 0) {
        out->aqrl = (uint8_t)bits_get(word, LOW_AQRL, 2);
    }
    out->op = (uint16_t)op;
    out->rd = field(word, (fields & FIELD_RD) != 0, LOW_RD);
    out->rs1 = field(word, (fields & FIELD_RS1) != 0, LOW_RS1);
    out->rs2 = field(word, (fields & FIELD_RS2) != 0, LOW_RS2);
    out->rs3 = field(word, (fields & FIELD_RS3) != 0, LOW_RS3);
    out->imm = rv64_immediate_collect(format->immediate, word);
}

static uint8_t compressed_register(uint32_t word, unsigned place)
{
    switch (place) {
    case PLACE_RA:
        return 1;
    case PLACE_SP:
        return 2;
    case PLACE_HIGH:
        return (uint8_t)bits_get(word, 7, 5);
    case PLACE_LOW:
        return (uint8_t)bits_get(word, 2, 5);
    case PLACE_HIGH3:
        return (uint8_t)(8 + bits_get(word, 7, 3));
    case PLACE_LOW3:
        return (uint8_t)(8 + bits_get(word, 2, 3));
    default:
        return 0;
    }
}

static bool condition_holds(unsigned condition, const struct rv64_insn *insn)
{
    return ((condition & NONZERO_RD) == 0 || insn->rd != 0) &&
           ((condition & NONZERO_RS1) == 0 || insn->rs1 != 0) &&
           ((condition & NONZERO_RS2) == 0 || insn->rs2 != 0) &&
           ((condition & NONZERO_IMM) == 0 || insn->imm != 0) &&
           ((condition & RD_NOT_SP) == 0 || insn->rd != 2);
}

static void decode_half(uint32_t half, struct rv64_insn *out)
{
    const struct rv64_insn illegal = *out;
    unsigned group = COMPRESSED_GROUP(half);

    for (unsigned c = last_of_compressed_group[group]; c != RV64_c_none; c--) {
        const struct rv64_compressed_row *row = &rv64_compressed_rows[c];
        const struct rv64_compressed_format_row *format = &rv64_compressed_format_rows[row->format];

        if (COMPRESSED_GROUP(row->match) != group) {
            break;
        }
        if ((half & row->mask) != row->match) {
            continue;
        }
        out->rd = compressed_register(half, format->rd);
        out->rs1 = compressed_register(half, format->rs1);
        out->rs2 = compressed_register(half, format->rs2);
        out->imm = rv64_immediate_collect(format->immediate, half);
        if (condition_holds(format->condition, out)) {
            out->op = row->op;
            out->compressed = (uint16_t)c;
            return;
        }
    }
    *out = illegal;
}

void rv64_decode(uint32_t word, struct rv64_insn *out)
{
    bool compressed = (word & 3) != 3;

    *out = (struct rv64_insn){.op = RV64_illegal, .length = compressed ? 2 : 4, .word = word};
    if (compressed) {
        out->word = word & 0xffff;
        decode_half(out->word, out);
    } else {
        decode_word(word, out);
    }
}
