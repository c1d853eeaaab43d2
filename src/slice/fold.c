/* Makes straight-line code shorter: copies and constants are folded into what uses them, what nobody needs goes. */
#include "slice/fold.h"

#define NO_LINE UINT32_MAX
#define IMMEDIATE_MIN (-2048)
#define IMMEDIATE_MAX 2047

static slice_registers integer(unsigned number)
{
    return number == 0 ? 0 : UINT64_C(1) << number;
}

static bool writes(const struct slice_line *line, slice_registers registers)
{
    return (slice_operands(&line->insn).written & registers) != 0;
}

static bool reads(const struct slice_line *line, slice_registers registers)
{
    return (slice_operands(&line->insn).read & registers) != 0;
}

/* Who wrote the register last before `line`; NO_LINE if it is a live-in. */
static unsigned writer_before(const struct slice_code *code, unsigned line, slice_registers reg)
{
    while (line-- > 0) {
        if (writes(&code->lines[line], reg)) {
            return line;
        }
    }
    return NO_LINE;
}

static bool written_between(const struct slice_code *code, unsigned after, unsigned before,
                            slice_registers reg)
{
    const unsigned writer = writer_before(code, before, reg);
    return reg != 0 && writer != NO_LINE && writer > after;
}

/* Whether what `writer` leaves in the register is read by `reader` and by nobody else. */
static bool only_reader(const struct slice_code *code, unsigned writer, unsigned reader,
                        slice_registers reg, slice_registers needed)
{
    for (unsigned i = writer + 1; i < code->count; i++) {
        if (i != reader && reads(&code->lines[i], reg)) {
            return false;
        }
        if (writes(&code->lines[i], reg)) {
            return i >= reader;
        }
    }
    return !(needed & reg);
}

static void remove_line(struct slice_code *code, unsigned line)
{
    code->count--;
    for (unsigned i = line; i < code->count; i++) {
        code->lines[i] = code->lines[i + 1];
    }
}

/* Whether the register has the sign of its low 32 bits in all others. */
static bool is_word(const struct slice_code *code, unsigned line, unsigned number)
{
    const unsigned writer = writer_before(code, line, integer(number));
    return writer != NO_LINE && (rv64_row(code->lines[writer].insn.op)->flags & INSN_WORD32 ||
                                 code->lines[writer].insn.op == RV64_lw);
}

/* One spelling of copies. */
static void normalize(const struct slice_code *code, unsigned line, struct rv64_insn *insn)
{
    if (insn->op == RV64_addiw && insn->imm == 0 && is_word(code, line, insn->rs1)) {
        insn->op = RV64_addi;
    }
    if (insn->op == RV64_add && (insn->rs1 == 0 || insn->rs2 == 0)) {
        insn->rs1 = insn->rs1 == 0 ? insn->rs2 : insn->rs1;
        insn->rs2 = 0;
        insn->op = RV64_addi;
    }
}

/* An addition of a constant feeds `line` through its first operand, and that takes a constant, too: one
 * of both is enough. */
static bool fold_sum(struct slice_code *code, unsigned line, slice_registers needed)
{
    struct rv64_insn *insn = &code->lines[line].insn;
    const uint32_t flags = rv64_row(insn->op)->flags;
    if ((insn->op != RV64_addi && !(flags & INSN_LOAD)) || insn->rs1 == 0) {
        return false;
    }
    const slice_registers reg = integer(insn->rs1);
    const unsigned writer = writer_before(code, line, reg);
    if (writer == NO_LINE || code->lines[writer].insn.op != RV64_addi) {
        return false;
    }
    const struct rv64_insn sum = code->lines[writer].insn;
    const int64_t imm = insn->imm + sum.imm;
    if (imm < IMMEDIATE_MIN || imm > IMMEDIATE_MAX) {
        return false;
    }
    if (sum.rs1 != sum.rd) {
        if (written_between(code, writer, line, integer(sum.rs1))) {
            return false;
        }
        insn->rs1 = sum.rs1;
        insn->imm = imm;
        return true;
    }
    if (!only_reader(code, writer, line, reg, needed)) {
        return false;
    }
    insn->imm = imm;
    remove_line(code, writer);
    return true;
}

/* An operand that is a copy of another register, or zero, becomes that register. */
static bool fold_copy(struct slice_code *code, unsigned line, uint8_t *operand)
{
    const unsigned writer = *operand == 0 ? NO_LINE : writer_before(code, line, integer(*operand));
    if (writer == NO_LINE) {
        return false;
    }
    const struct rv64_insn *copy = &code->lines[writer].insn;
    if (copy->op != RV64_addi || copy->imm != 0 || copy->rs1 == copy->rd ||
        written_between(code, writer, line, integer(copy->rs1))) {
        return false;
    }
    *operand = copy->rs1;
    return true;
}

/* add with a constant in a register is addi. */
static bool fold_constant(struct slice_code *code, unsigned line)
{
    struct rv64_insn *insn = &code->lines[line].insn;
    for (unsigned i = 0; insn->op == RV64_add && i < 2; i++) {
        const uint8_t constant = i == 0 ? insn->rs2 : insn->rs1;
        const uint8_t other = i == 0 ? insn->rs1 : insn->rs2;
        const unsigned writer =
            constant == 0 ? NO_LINE : writer_before(code, line, integer(constant));
        if (writer != NO_LINE && code->lines[writer].insn.op == RV64_addi &&
            code->lines[writer].insn.rs1 == 0) {
            insn->op = RV64_addi;
            insn->rs1 = other;
            insn->rs2 = 0;
            insn->imm = code->lines[writer].insn.imm;
            return true;
        }
    }
    return false;
}

static bool fold_line(struct slice_code *code, unsigned line, slice_registers needed)
{
    struct rv64_insn *insn = &code->lines[line].insn;
    const uint32_t flags = rv64_row(insn->op)->flags;
    normalize(code, line, insn);
    return fold_constant(code, line) ||
           (flags & INSN_RS1_INT && fold_copy(code, line, &insn->rs1)) ||
           (flags & INSN_RS2_INT && fold_copy(code, line, &insn->rs2)) ||
           fold_sum(code, line, needed);
}

void slice_prune(struct slice_code *code, slice_registers needed)
{
    for (unsigned i = code->count; i-- > 0;) {
        const struct slice_line *line = &code->lines[i];
        const struct slice_operands operands = slice_operands(&line->insn);
        const bool branch = (rv64_row(line->insn.op)->flags & INSN_CONDITIONAL) != 0;
        const bool idle =
            line->insn.op == RV64_addi && line->insn.rd == line->insn.rs1 && line->insn.imm == 0;
        if (idle || (!line->delinquent && !branch && !(operands.written & needed))) {
            remove_line(code, i);
        } else {
            needed = (needed & ~operands.written) | operands.read;
        }
    }
}

void slice_fold(struct slice_code *code, slice_registers needed)
{
    /* Each fold moves an operand to an older instruction or removes one: it ends. */
    for (unsigned i = 0; i < code->count; i++) {
        if (fold_line(code, i, needed)) {
            i = UINT32_MAX;
        }
    }
    slice_prune(code, needed);
}
