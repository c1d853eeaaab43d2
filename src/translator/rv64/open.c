/* Opens a plan of RV64 code: its instructions as ops, which passes understand. */
#include "translator/rv64/emit.h"
#include "translator/passes/prefetch.h"
#include "translator/rv64/opcodes.h"

#include "isa/rv64/decode.h"
#include "isa/rv64/encode.h"

#define FIELD_RD_MASK (UINT32_C(31) << 7)
#define FIELD_RS1_MASK (UINT32_C(31) << 15)
#define FIELD_RS2_MASK (UINT32_C(31) << 20)

static unsigned field(uint32_t word, unsigned low)
{
    return word >> low & 31;
}

static bool is_own(unsigned reg)
{
    return reg == TP || reg == GP;
}

static void name(struct ops *ops, unsigned reg)
{
    if (reg != NO_REGISTER) {
        ops->named |= UINT32_C(1) << reg;
    }
}

/* NULL if there are too many. */
static struct op *add(struct ops *ops, enum op_kind kind, unsigned step, guest_addr pc,
                      const uint8_t *code)
{
    if (ops->count == OPS_MAX) {
        return NULL;
    }
    struct op *op = &ops->list[ops->count++];

    op->meaning = (struct meaning){
        .kind = (uint8_t)kind, .rd = NO_REGISTER, .rs = {NO_REGISTER, NO_REGISTER}};
    op->step = (uint16_t)step;
    op->code = code;
    op->pc = pc;
    return op;
}

/* Of an instruction that computes a value from registers alone: what is special about the value. */
static unsigned flags_of(const struct rv64_insn *insn, uint32_t flags)
{
    switch (insn->op) {
    case RV64_add:
        return OP_ADDS;
    case RV64_addiw:
        return insn->imm == 0 ? OP_EXTENDS | OP_WORD : OP_WORD;
    case RV64_andi:
        return insn->imm >= 0 ? OP_WORD | OP_KEEPS_BYTE | (insn->imm < 256 ? OP_BYTE : 0)
                              : OP_KEEPS_WORD | OP_KEEPS_BYTE;
    case RV64_ori:
    case RV64_xori:
        return OP_KEEPS_WORD | (insn->imm >= 0 && insn->imm < 256 ? OP_KEEPS_BYTE : 0);
    case RV64_and:
    case RV64_or:
    case RV64_xor:
        return OP_KEEPS_WORD | OP_KEEPS_BYTE;
    case RV64_srli:
        return OP_KEEPS_BYTE | (insn->imm > 32 ? OP_WORD : 0) | (insn->imm >= 56 ? OP_BYTE : 0);
    case RV64_srai:
        return OP_KEEPS_WORD | OP_KEEPS_BYTE | (insn->imm >= 32 ? OP_WORD : 0);
    case RV64_slt:
    case RV64_slti:
    case RV64_sltu:
    case RV64_sltiu:
        return OP_WORD | OP_BYTE;
    case RV64_sext_b:
    case RV64_sext_h:
    case RV64_zext_h:
        return OP_WORD;
    default:
        return (flags & INSN_WORD32) != 0 ? OP_WORD : 0;
    }
}

static void read_load(struct meaning *op, const struct rv64_insn *insn)
{
    switch (insn->op) {
    case RV64_lb:
    case RV64_lh:
    case RV64_lw:
    case RV64_ld:
        op->flags |= OP_SIGNED | (insn->op != RV64_ld ? OP_WORD : 0);
        break;
    case RV64_lbu:
        op->flags |= OP_BYTE | OP_WORD;
        break;
    case RV64_lhu:
        op->flags |= OP_WORD;
        break;
    default:
        break;
    }
}

/* Additions of constants, copies, and constants. */
static bool read_simple(struct meaning *op, const struct rv64_insn *insn)
{
    switch (insn->op) {
    case RV64_lui:
        op->kind = OP_CONSTANT;
        break;
    case RV64_addi:
        op->kind = insn->rs1 == X0 ? OP_CONSTANT : OP_ADD;
        break;
    case RV64_add:
        if (insn->rs1 != X0 && insn->rs2 != X0) {
            return false;
        }
        op->kind = OP_ADD;
        op->rs[0] = insn->rs1 != X0 ? insn->rs1 : insn->rs2;
        op->rs[1] = NO_REGISTER;
        op->word = (uint32_t)MATCH_addi;
        return true;
    default:
        return false;
    }
    op->constant = insn->imm;
    op->rs[0] = op->kind == OP_ADD ? insn->rs1 : NO_REGISTER;
    return true;
}

static void read_meaning(uint32_t code, struct meaning *op)
{
    struct rv64_insn insn;

    rv64_decode(code, &insn);
    *op = (struct meaning){.kind = OP_OTHER};
    const uint32_t flags = rv64_row(insn.op)->flags;
    const uint32_t floats = INSN_RD_FLOAT | INSN_RS1_FLOAT | INSN_RS2_FLOAT | INSN_RS3_FLOAT;

    op->code_bytes = insn.length;
    op->word = insn.word;
    if (insn.length == 2 && insn.op != RV64_illegal && !rv64_encode(&insn, &op->word)) {
        op->kind = OP_BARRIER;
        op->rd = op->rs[0] = op->rs[1] = NO_REGISTER;
        return;
    }
    op->word &= ~((flags & (INSN_RD_INT) ? FIELD_RD_MASK : 0) |
                  (flags & INSN_RS1_INT ? FIELD_RS1_MASK : 0) |
                  (flags & INSN_RS2_INT ? FIELD_RS2_MASK : 0));
    op->rd = flags & INSN_RD_INT ? insn.rd : NO_REGISTER;
    op->rs[0] = flags & INSN_RS1_INT ? insn.rs1 : NO_REGISTER;
    op->rs[1] = flags & INSN_RS2_INT ? insn.rs2 : NO_REGISTER;
    if ((flags & (INSN_ATOMIC | INSN_SYSTEM)) != 0 || insn.op == RV64_fence ||
        insn.op == RV64_illegal || op->word == (uint32_t)MATCH_ebreak) {
        op->kind = OP_BARRIER;
    } else if ((flags & (INSN_LOAD | INSN_STORE)) != 0) {
        op->kind = (flags & INSN_LOAD) != 0 ? OP_LOAD : OP_STORE;
        op->flags = (flags & floats) != 0 ? OP_FLOATS : 0;
        op->bytes = (uint8_t)rv64_access_bytes(flags);
        op->constant = insn.imm;
        read_load(op, &insn);
    } else if ((flags & floats) != 0) {
        op->kind = OP_OTHER;
    } else if (insn.op == RV64_addi && insn.rd == X0) {
        op->kind = insn.rs1 == X0 && insn.imm == 0 ? OP_NOTHING : OP_OTHER;
        op->rd = op->rs[0] = NO_REGISTER;
        op->word = insn.length == 4 ? insn.word : (uint32_t)MATCH_addi;
    } else if (insn.rd == X0) {
        op->kind = OP_OTHER; /* it means something to who observes the processor, perhaps */
    } else if (!read_simple(op, &insn)) {
        op->kind = OP_COMPUTE;
        op->flags = (uint8_t)flags_of(&insn, flags);
    }
}

static void read_instruction(struct ops *ops, struct op *op)
{
    const uint32_t both = get_word(op->code), code = (both & 3) == 3 ? both : both & 0xffff;
    struct kept_meaning *kept =
        &ops->meanings[(code ^ code >> 9 ^ code >> 20) & (MEANINGS_KEPT - 1)];

    if (kept->code != code) {
        kept->code = code;
        read_meaning(code, &kept->meaning);
    }
    op->meaning = kept->meaning;
    name(ops, op->rd);
    name(ops, op->rs[0]);
    name(ops, op->rs[1]);
}

static bool open_copy(struct ops *ops, const struct step *step, unsigned number,
                      const uint8_t *code)
{
    for (unsigned bytes = 0; bytes < step->bytes;) {
        struct op *op = add(ops, OP_OTHER, number, step->pc + bytes, code + bytes);
        if (op == NULL) {
            return false;
        }
        read_instruction(ops, op);
        bytes += op->code_bytes;
    }
    return true;
}

static void write_register(struct ops *ops, struct op *op, unsigned reg)
{
    name(ops, reg);
    if (reg != X0 && !is_own(reg)) {
        op->constant |= (int64_t)1 << reg;
    }
}

/* Steps that emit.c writes: only their registers are of interest. */
static void open_whole(struct ops *ops, struct op *op, const struct step *step)
{
    for (unsigned bytes = 0; bytes < step->bytes;) {
        struct rv64_insn insn;
        rv64_decode(get_word(op->code + bytes), &insn);
        const uint32_t flags = rv64_row(insn.op)->flags;
        if ((flags & INSN_RD_INT) != 0) {
            write_register(ops, op, insn.rd);
        }
        name(ops, flags & INSN_RS1_INT ? insn.rs1 : NO_REGISTER);
        name(ops, flags & INSN_RS2_INT ? insn.rs2 : NO_REGISTER);
        bytes += insn.length;
    }
}

static void open_rewritten(struct ops *ops, struct op *op, const struct step *step)
{
    const unsigned operands = (unsigned)step->value;

    if ((operands & OPERANDS_RD) != 0) {
        write_register(ops, op, field(step->detail, 7));
    }
    name(ops, operands & OPERANDS_RS1 ? field(step->detail, 15) : NO_REGISTER);
    name(ops, operands & OPERANDS_RS2 ? field(step->detail, 20) : NO_REGISTER);
}

static void open_constant(struct ops *ops, struct op *op, unsigned rd, uint64_t value)
{
    name(ops, rd);
    if (rd == X0) {
        op->kind = OP_NOTHING;
    } else if (is_own(rd)) {
        op->kind = OP_STEP;
    } else {
        op->kind = OP_CONSTANT;
        op->rd = (uint8_t)rd;
        op->constant = (int64_t)value;
    }
}

/* The comparison, and behind it the return address of a call. */
static bool open_target(struct ops *ops, struct op *op, const struct step *step)
{
    const unsigned link = field(step->detail, 7);

    op->rs[0] = (uint8_t)field(step->detail, 15);
    op->constant = (int64_t)(step->value - (uint64_t)(int64_t)((int32_t)step->detail >> 20));
    op->kind = (step->flags & STEP_KNOWN) != 0 ? OP_NOTHING : OP_TARGET;
    name(ops, op->rs[0]);
    if (op->kind == OP_NOTHING) {
        op->rs[0] = NO_REGISTER;
    }
    if (link == X0) {
        return true;
    }
    struct op *call = add(ops, OP_CONSTANT, op->step, op->pc, op->code);
    if (call == NULL || is_own(link)) {
        return false;
    }
    open_constant(ops, call, link, step_end(step));
    return true;
}

/* False if passes shall leave the trace alone. */
static bool open_step(struct ops *ops, const struct plan *plan, const struct step *step,
                      const uint8_t *code)
{
    const unsigned number = (unsigned)(step - plan->steps);

    if (step->kind == STEP_COPY) {
        return open_copy(ops, step, number, code);
    }
    struct op *op = add(ops, OP_STEP, number, step->pc, code);
    if (op == NULL) {
        return false;
    }
    op->code_bytes = (uint8_t)step->bytes;
    switch (step->kind) {
    case STEP_BLOCK:
        op->kind = OP_BLOCK;
        return true;
    case STEP_SIDE: /* is written with the whole before it */
        ops->plain_sides = true;
        ops->count--;
        return true;
    case STEP_SECOND_TARGET:
        ops->count--;
        return true;
    case STEP_GUARD: {
        const uint32_t turned = (step->flags & STEP_TURNED) != 0 ? BRANCH_OPPOSITE : 0;
        op->kind = OP_GUARD;
        op->rs[0] = (uint8_t)field(step->detail, 15);
        op->rs[1] = (uint8_t)field(step->detail, 20);
        op->word = (step->detail ^ turned) & ~(FIELD_RS1_MASK | FIELD_RS2_MASK);
        name(ops, op->rs[0]);
        name(ops, op->rs[1]);
        return true;
    }
    case STEP_GUARD_TARGET:
        return open_target(ops, op, step);
    case STEP_CONSTANT:
        open_constant(ops, op, step->detail, step->value);
        return true;
    case STEP_CALL:
        open_constant(ops, op, field(step->detail, 7), step_end(step));
        return true;
    case STEP_JUMP:
        op->kind = OP_NOTHING;
        return true;
    case STEP_WHOLE:
        open_whole(ops, op, step);
        return true;
    case STEP_REWRITE:
        open_rewritten(ops, op, step);
        return true;
    default:
        return false;
    }
}

/* The registers that the last step names. */
static void open_end(struct ops *ops, const struct step *last)
{
    switch (last->kind) {
    case STEP_BRANCH:
        name(ops, field(last->detail, 20));
        name(ops, field(last->detail, 15));
        break;
    case STEP_INDIRECT_JUMP:
    case STEP_INDIRECT_CALL:
    case STEP_RETURN:
        name(ops, field(last->detail, 15));
        name(ops, field(last->detail, 7));
        break;
    case STEP_CALL:
        name(ops, field(last->detail, 7));
        break;
    default:
        break;
    }
}

/* Whether the trace goes on at its own beginning, in a way that items.c can write. */
static bool goes_around(const struct plan *plan, const struct step *last)
{
    switch (last->kind) {
    case STEP_BRANCH:
        return last->value == plan->start && (last->flags & STEP_TURNED) == 0 &&
               !is_own(field(last->detail, 15)) && !is_own(field(last->detail, 20));
    case STEP_JUMP:
    case STEP_ON:
        return last->value == plan->start;
    default:
        return false;
    }
}

bool target_open(const struct plan *plan, struct ops *ops)
{
    const struct step *const last = plan->end - 1;
    const uint8_t *code = plan->code;

    ops->count = 0;
    ops->named = 0;
    ops->plain_sides = false;
    for (const struct step *step = plan->steps; step != last; code += step++->bytes) {
        if (!open_step(ops, plan, step, code)) {
            return false;
        }
    }
    struct op *op = add(ops, OP_END, (unsigned)(last - plan->steps), last->pc, code);
    if (op == NULL) {
        return false;
    }
    op->code_bytes = (uint8_t)last->bytes;
    open_end(ops, last);
    ops->loops = goes_around(plan, last);
    return true;
}

bool target_adds(int64_t constant)
{
    return constant >= -2048 && constant < 2048;
}

int64_t target_upper_part(int64_t address)
{
    return (int64_t)((uint64_t)address - (uint64_t)(int64_t)low_part(address));
}

int64_t target_touch_part(int64_t constant)
{
    return constant & ~INT64_C(31);
}

bool target_takes(uint32_t word, uint64_t a, uint64_t b)
{
    switch (word & UINT32_C(0x7000)) {
    case 0x0000:
        return a == b;
    case 0x1000:
        return a != b;
    case 0x4000:
        return (int64_t)a < (int64_t)b;
    case 0x5000:
        return (int64_t)a >= (int64_t)b;
    case 0x6000:
        return a < b;
    default:
        return a >= b;
    }
}
