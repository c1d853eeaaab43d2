/* The encoder.  It puts the operands where the format says and asks the decoder whether the result
 * means what was asked for: so no range is written down twice. */
#include "isa/rv64/encode.h"

#include "isa/rv64/decode.h"
#include "isa/rv64/rows.h"

static bool same_operands(const struct rv64_insn *a, const struct rv64_insn *b)
{
    return a->op == b->op && a->rd == b->rd && a->rs1 == b->rs1 && a->rs2 == b->rs2 &&
           a->rs3 == b->rs3 && a->rm == b->rm && a->aqrl == b->aqrl && a->imm == b->imm;
}

static uint32_t place(bool present, unsigned value, unsigned bits, unsigned low)
{
    return present ? (value & ((1u << bits) - 1)) << low : 0;
}

bool rv64_encode(const struct rv64_insn *insn, uint32_t *word)
{
    const struct rv64_format_row *format;
    const struct rv64_row *row;
    struct rv64_insn decoded;
    unsigned fields;
    uint32_t encoded;

    if (insn->op == RV64_illegal || insn->op >= RV64_OP_COUNT) {
        return false;
    }
    row = &rv64_rows[insn->op];
    format = &rv64_format_rows[row->format];
    fields = format->fields;
    encoded = row->match | rv64_immediate_scatter(format->immediate, insn->imm) |
              place((fields & FIELD_RD) != 0, insn->rd, 5, LOW_RD) |
              place((fields & FIELD_RS1) != 0, insn->rs1, 5, LOW_RS1) |
              place((fields & FIELD_RS2) != 0, insn->rs2, 5, LOW_RS2) |
              place((fields & FIELD_RS3) != 0, insn->rs3, 5, LOW_RS3) |
              place((fields & FIELD_RM) != 0, insn->rm, 3, LOW_RM) |
              place((fields & FIELD_AQRL) != 0, insn->aqrl, 2, LOW_AQRL);
    rv64_decode(encoded, &decoded);
    if (!same_operands(insn, &decoded)) {
        return false;
    }
    *word = encoded;
    return true;
}

static uint32_t place_compressed(unsigned where, unsigned value)
{
    switch (where) {
    case PLACE_HIGH:
        return place(true, value, 5, 7);
    case PLACE_LOW:
        return place(true, value, 5, 2);
    case PLACE_HIGH3:
        return place(true, value, 3, 7);
    case PLACE_LOW3:
        return place(true, value, 3, 2);
    default:
        return 0;
    }
}

bool rv64_encode_compressed(const struct rv64_insn *insn, uint16_t *half)
{
    const struct rv64_compressed_format_row *format;
    const struct rv64_compressed_row *row;
    struct rv64_insn decoded;
    uint32_t encoded;

    if (insn->compressed == RV64_c_none || insn->compressed >= RV64_COMPRESSED_COUNT) {
        return false;
    }
    row = &rv64_compressed_rows[insn->compressed];
    format = &rv64_compressed_format_rows[row->format];
    encoded = row->match | rv64_immediate_scatter(format->immediate, insn->imm) |
              place_compressed(format->rd, insn->rd) | place_compressed(format->rs1, insn->rs1) |
              place_compressed(format->rs2, insn->rs2);
    rv64_decode(encoded, &decoded);
    if (decoded.compressed != insn->compressed || !same_operands(insn, &decoded)) {
        return false;
    }
    *half = (uint16_t)encoded;
    return true;
}
