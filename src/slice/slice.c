/* What a slice may be: its form is checked before any machine runs it. */
#include "slice/slice.h"

#include "isa/rv64/decode.h"

#include <stddef.h>

static slice_registers bit(unsigned number, bool integer, bool floating)
{
    return floating                 ? UINT64_C(1) << (32 + number)
           : integer && number != 0 ? UINT64_C(1) << number
                                    : 0;
}

struct slice_operands slice_operands(const struct rv64_insn *insn)
{
    const uint32_t flags = rv64_row(insn->op)->flags;
    return (struct slice_operands){
        .read = bit(insn->rs1, flags & INSN_RS1_INT, flags & INSN_RS1_FLOAT) |
                bit(insn->rs2, flags & INSN_RS2_INT, flags & INSN_RS2_FLOAT) |
                bit(insn->rs3, false, flags & INSN_RS3_FLOAT),
        .written = bit(insn->rd, flags & INSN_RD_INT, flags & INSN_RD_FLOAT)};
}

slice_registers slice_reads(const struct slice_instruction *instructions, unsigned length)
{
    slice_registers read = 0, written = 0;
    for (unsigned i = 0; i < length; i++) {
        struct rv64_insn insn;
        rv64_decode(instructions[i].word, &insn);
        const struct slice_operands operands = slice_operands(&insn);
        read |= operands.read & ~written;
        written |= operands.written;
    }
    return read;
}

static bool is_branch(const struct slice_instruction *instruction)
{
    struct rv64_insn insn;
    rv64_decode(instruction->word, &insn);
    return (rv64_row(insn.op)->flags & INSN_CONDITIONAL) != 0;
}

static const char *check_instruction(const struct slice_instruction *instruction)
{
    struct rv64_insn insn;
    rv64_decode(instruction->word, &insn);
    const struct rv64_row *row = rv64_row(insn.op);
    if (insn.op == RV64_illegal || insn.length != 4) {
        return "it has a word that is no instruction of 32 bits";
    }
    if (row->flags & INSN_ATOMIC) {
        return "it has an atomic access";
    }
    if (row->flags & INSN_STORE) {
        return "it has a store";
    }
    if (row->flags & INSN_SYSTEM || row->unit == UNIT_FENCE) {
        return "it has a system instruction";
    }
    if (row->flags & INSN_JUMP) {
        return "it has a jump";
    }
    if (instruction->delinquent && !(row->flags & INSN_LOAD)) {
        return "one of its delinquent loads is no load";
    }
    if (instruction->pc % 2 != 0) {
        return "it has an odd address";
    }
    return NULL;
}

static const char *check_form(const struct slice *slice)
{
    if (slice->kind > SLICE_CHAINING || slice->guard > SLICE_GUARD_NOT_TAKEN) {
        return "it is of a kind that there is not";
    }
    if (slice->length == 0 || slice->length > SLICE_INSTRUCTIONS_MAX) {
        return "it has too many instructions, or none";
    }
    if (slice->prologue > slice->length) {
        return "its prologue is longer than itself";
    }
    if ((slice->prologue != 0 && slice->unroll == 0) || slice->unroll > SLICE_UNROLL_MAX) {
        return "it is unrolled too often, or has a prologue that is never run";
    }
    if (slice->prologue == 0 &&
        (slice->kind == SLICE_CHAINING || slice->guard != SLICE_UNGUARDED)) {
        return "it has a chain or a guard, but no prologue";
    }
    if (slice->throttle > SLICE_THROTTLE_MAX) {
        return "its throttle is too wide";
    }
    return slice->trigger % 2 != 0 ? "it has an odd address" : NULL;
}

const char *slice_check(const struct slice *slice)
{
    const char *wrong = check_form(slice);
    unsigned delinquent = 0, guards = 0;
    for (unsigned i = 0; wrong == NULL && i < slice->length; i++) {
        const struct slice_instruction *instruction = &slice->instructions[i];
        wrong = check_instruction(instruction);
        delinquent += instruction->delinquent;
        guards += is_branch(instruction);
        if (wrong == NULL && is_branch(instruction) && i >= slice->prologue) {
            wrong = "it has a branch that is not its guard";
        }
    }
    if (wrong == NULL && guards != (slice->guard != SLICE_UNGUARDED)) {
        wrong = guards == 0 ? "its guard is no branch" : "it has a branch that is not its guard";
    }
    if (wrong != NULL) {
        return wrong;
    }
    if (delinquent == 0) {
        return "it has no delinquent load";
    }
    return slice_reads(slice->instructions, slice->length) != slice->live_ins
               ? "its live-ins are not what it reads"
               : NULL;
}
