/* The random instructions: for each row of the tables a unit, that is an instruction of the row
 * with random operands and what must stand around it so that it does no harm.
 *
 * Left out, since the specification leaves the outcome open: system calls with an outcome of the
 * host's, counters and time, a store between lr and sc, sc of another size than its lr, rounding
 * with a reserved frm, and addresses outside of the block. */
#include "group.h"

#include "base/bits.h"
#include "isa/rv64/csr.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/encode.h"
#include "isa/rv64/rows.h"
#include "layout.h"
#include "units.h"

static const uint16_t ops[] = {
#define INSN(id, mnemonic, format, match, mask, unit, flags) RV64_##id,
#include "isa/rv64/rv64.def"
#undef INSN
};

#define OP_ROWS (sizeof ops / sizeof ops[0])
#define COMPRESSED_ROWS (RV64_COMPRESSED_COUNT - 1u)

#define REG_A0 10
#define REG_A7 17

unsigned unit_kinds(void)
{
    return (unsigned)(OP_ROWS + COMPRESSED_ROWS) + PAIR_COUNT;
}

uint32_t unit_flags(const struct rv64_insn *insn)
{
    return rv64_row(insn->op)->flags;
}

static void count_rounding(struct group *group, const struct rv64_insn *insn)
{
    uint64_t *ways = group->counts->rounding[insn->op];

    if (insn->rm != RV64_DYN) {
        ways[ROUNDING_STATIC + insn->rm] += group->rounds;
    } else if (group->frm >= 0) {
        ways[ROUNDING_DYNAMIC + group->frm] += group->rounds;
    } else if (group->frm == FRM_OF_ROUND) {
        for (unsigned round = 0; round < group->rounds; round++) {
            ways[ROUNDING_DYNAMIC + group->frm_of_round[round]]++;
        }
    }
}

static void count(struct group *group, const struct rv64_insn *insn)
{
    if (group->branch_units > 0) {
        return;
    }
    if (insn->compressed != RV64_c_none) {
        group->counts->compressed[insn->compressed] += group->rounds;
    } else {
        group->counts->row[insn->op] += group->rounds;
    }
    if ((unit_flags(insn) & INSN_ROUNDS) != 0) {
        count_rounding(group, insn);
    }
}

void unit_append_insn(struct group *group, const struct rv64_insn *insn)
{
    code_append(group->code, insn);
    count(group, insn);
}

void unit_append_op(struct group *group, unsigned op, unsigned rd, unsigned rs1, int64_t imm)
{
    const struct rv64_insn insn = {
        .op = (uint16_t)op, .rd = (uint8_t)rd, .rs1 = (uint8_t)rs1, .imm = imm};

    unit_append_insn(group, &insn);
}

/* The op that keeps one that qemu gets wrong from doing so, or RV64_illegal. */
static unsigned before_exception(unsigned op)
{
    switch (op) {
#define EXCEPTION(id, before, citation)                                                            \
    case RV64_##id:                                                                                \
        return RV64_##before;
#include "exceptions.def"
#undef EXCEPTION
    default:
        return RV64_illegal;
    }
}

/* Immediates are often all zeros or all ones: a random word whose free bits are so. */
static uint32_t random_word(struct group *group)
{
    uint32_t word = (uint32_t)rng_next(&group->rng);

    switch (rng_below(&group->rng, 16)) {
    case 0:
        return word & 0x000fffff;
    case 1:
        return word | 0xfff00000;
    default:
        return word;
    }
}

/* An instruction of the row with random operands in all fields. */
static struct rv64_insn draw(struct group *group, unsigned row)
{
    struct rv64_insn insn;

    if (row < OP_ROWS) {
        const struct rv64_row *r = rv64_row(ops[row]);

        do {
            rv64_decode(r->match | (random_word(group) & ~r->mask), &insn);
        } while (insn.op != ops[row]);
    } else {
        unsigned compressed = row - (unsigned)OP_ROWS + 1;
        const struct rv64_compressed_row *r = &rv64_compressed_rows[compressed];

        do {
            uint32_t half = (uint32_t)rng_next(&group->rng) & 0xffffu & ~(uint32_t)r->mask;
            rv64_decode(r->match | half, &insn);
        } while (insn.compressed != compressed);
    }
    return insn;
}

static bool writes_block(const struct group *group, const struct rv64_insn *insn)
{
    return (unit_flags(insn) & INSN_RD_INT) != 0 && insn->rd == group->block;
}

static bool is_encodable(const struct rv64_insn *insn)
{
    uint32_t word;
    uint16_t half;

    return insn->compressed != RV64_c_none ? rv64_encode_compressed(insn, &half)
                                           : rv64_encode(insn, &word);
}

static struct rv64_insn draw_harmless(struct group *group, unsigned row)
{
    struct rv64_insn insn;

    do {
        insn = draw(group, row);
    } while (writes_block(group, &insn));
    return insn;
}

struct rv64_insn unit_draw(struct group *group, unsigned op)
{
    unsigned row = 0;

    while (ops[row] != op) {
        row++;
    }
    return draw_harmless(group, row);
}

unsigned unit_draw_register(struct group *group)
{
    unsigned reg;

    do {
        reg = 1 + rng_below(&group->rng, 31);
    } while (reg == group->block);
    return reg;
}

void unit_append_pointer(struct group *group, unsigned reg, int64_t offset)
{
    unsigned from = group->block;

    do {
        int64_t step = offset > 2047 ? 2047 : offset < -2048 ? -2048 : offset;

        unit_append_op(group, RV64_addi, reg, from, step);
        from = reg;
        offset -= step;
    } while (offset != 0);
}

int64_t unit_draw_target(struct group *group, unsigned bytes, bool aligned)
{
    unsigned target = rng_below(&group->rng, BUFFER_BYTES - bytes + 1);

    return BLOCK_BUFFER + (int64_t)(aligned ? target & ~(bytes - 1) : target);
}

/* An operand is mostly of the precision that the instruction expects: singles read
 * as doubles and the reverse are legal, but nearly all of them are NaNs. */
static uint8_t draw_float(struct group *group, bool single)
{
    unsigned reg = rng_below(&group->rng, 32);

    if (rng_percent(&group->rng, 90)) {
        while (((group->singles >> reg & 1) != 0) != single) {
            reg = rng_below(&group->rng, 32);
        }
    }
    return (uint8_t)reg;
}

void unit_draw_float_operands(struct group *group, struct rv64_insn *insn)
{
    const struct rv64_row *row = rv64_row(insn->op);
    bool single = bits_get(row->match, 25, 2) == 0;
    bool single_source = insn->op == RV64_fcvt_s_d   ? false
                         : insn->op == RV64_fcvt_d_s ? true
                                                     : single;

    if ((row->flags & (INSN_LOAD | INSN_STORE)) != 0) {
        single = single_source = rv64_access_bytes(row->flags) == 4;
    }
    if ((row->flags & INSN_RD_FLOAT) != 0) {
        insn->rd = draw_float(group, single);
    }
    if ((row->flags & INSN_RS1_FLOAT) != 0) {
        insn->rs1 = draw_float(group, single_source);
    }
    if ((row->flags & INSN_RS2_FLOAT) != 0) {
        insn->rs2 = draw_float(group, single_source);
    }
    if ((row->flags & INSN_RS3_FLOAT) != 0) {
        insn->rs3 = draw_float(group, single_source);
    }
    if ((row->flags & INSN_ROUNDS) != 0 && rng_percent(&group->rng, 40)) {
        insn->rm = RV64_DYN;
    }
}

static void append_float(struct group *group, struct rv64_insn insn)
{
    if (insn.compressed == RV64_c_none) {
        unit_draw_float_operands(group, &insn);
    }
    /* The rounded product as the third operand: the result is the rounding error, which only a
     * fused multiplication gets right. */
    if (rv64_row(insn.op)->format == FORMAT_R4 && rng_percent(&group->rng, 30)) {
        bool single = bits_get(rv64_row(insn.op)->match, 25, 2) == 0;
        struct rv64_insn product = {.op = single ? RV64_fmul_s : RV64_fmul_d,
                                    .rd = insn.rs3,
                                    .rs1 = insn.rs1,
                                    .rs2 = insn.rs2,
                                    .rm = insn.rm};

        unit_append_insn(group, &product);
    }
    unit_append_insn(group, &insn);
    /* Flags add up, and soon all are raised: take them away, and see what each one raises. */
    if (rng_percent(&group->rng, 50)) {
        unit_append_op(group, RV64_csrrwi, unit_draw_register(group), 0, RV64_CSR_fflags);
    }
}

/* Loads and stores: mostly from a pointer made for it, sometimes from the block's own. */
static void append_access(struct group *group, struct rv64_insn insn)
{
    unsigned bytes = rv64_access_bytes(unit_flags(&insn));
    int64_t target = unit_draw_target(group, bytes, rng_percent(&group->rng, 50));
    struct rv64_insn direct = insn;

    if (insn.compressed == RV64_c_none &&
        (unit_flags(&insn) & (INSN_RD_FLOAT | INSN_RS2_FLOAT)) != 0) {
        unit_draw_float_operands(group, &insn);
        direct = insn;
    }
    direct.rs1 = (uint8_t)group->block;
    direct.imm = target;
    if (rng_percent(&group->rng, 30) && is_encodable(&direct)) {
        unit_append_insn(group, &direct);
        return;
    }
    while (insn.rs1 == 0 || insn.rs1 == group->block) {
        insn.rs1 = (uint8_t)(insn.compressed == RV64_c_none ? unit_draw_register(group)
                                                            : 8 + rng_below(&group->rng, 8));
    }
    unit_append_pointer(group, insn.rs1, target - insn.imm);
    unit_append_insn(group, &insn);
}

static struct rv64_insn draw_quiet(struct group *group, unsigned not_written)
{
    struct rv64_insn insn;

    do {
        insn = draw_harmless(group, rng_below(&group->rng, (unsigned)OP_ROWS));
    } while (rv64_row(insn.op)->unit > UNIT_DIV || insn.rd == not_written ||
             before_exception(insn.op) != RV64_illegal);
    return insn;
}

/* sc after lr: to its address, mostly; to another; or a second time.  Nothing of this writes a
 * register that a later part needs. */
static void append_reservation(struct group *group, struct rv64_insn lr)
{
    unsigned bytes = rv64_access_bytes(unit_flags(&lr));
    unsigned address = unit_draw_register(group);
    struct rv64_insn sc = {.op = bytes == 4 ? RV64_sc_w : RV64_sc_d};
    bool first_elsewhere = rng_percent(&group->rng, 15);
    unsigned elsewhere;

    do {
        elsewhere = unit_draw_register(group);
    } while (elsewhere == address);
    while (lr.rd == address || lr.rd == elsewhere) {
        lr.rd = (uint8_t)unit_draw_register(group);
    }
    do {
        sc.rd = (uint8_t)unit_draw_register(group);
    } while (sc.rd == address || sc.rd == elsewhere);
    sc.rs2 = (uint8_t)rng_below(&group->rng, 32);
    lr.rs1 = (uint8_t)address;
    unit_append_pointer(group, address, unit_draw_target(group, bytes, true));
    unit_append_pointer(group, elsewhere, unit_draw_target(group, bytes, true));
    unit_append_insn(group, &lr);
    for (unsigned quiet = rng_below(&group->rng, 3); quiet > 0; quiet--) {
        struct rv64_insn between;

        do {
            between = draw_quiet(group, address);
        } while (between.rd == elsewhere);
        unit_append_insn(group, &between);
    }
    if (first_elsewhere) {
        sc.rs1 = (uint8_t)elsewhere;
        unit_append_insn(group, &sc);
    }
    sc.rs1 = (uint8_t)address;
    sc.aqrl = (uint8_t)rng_below(&group->rng, 4);
    unit_append_insn(group, &sc);
    if (rng_percent(&group->rng, 20)) {
        unit_append_insn(group, &sc);
    }
}

static void append_atomic(struct group *group, struct rv64_insn insn)
{
    unsigned bytes = rv64_access_bytes(unit_flags(&insn));

    if (insn.op == RV64_lr_w || insn.op == RV64_lr_d) {
        append_reservation(group, insn);
        return;
    }
    /* Every lr stands with its sc, so that here sc finds no reservation. */
    insn.rs1 = (uint8_t)unit_draw_register(group);
    unit_append_pointer(group, insn.rs1, unit_draw_target(group, bytes, true));
    unit_append_insn(group, &insn);
}

/* Never executed, so it may be anything. */
static void append_junk(struct group *group, unsigned halves)
{
    for (; halves > 0; halves--) {
        code_append_half(group->code, (uint16_t)rng_next(&group->rng));
    }
}

/* Over to a branch back to an addition, from which control comes to what follows.  The addition is
 * not counted: a conditional branch may fall through. */
static void append_backward(struct group *group, struct rv64_insn insn)
{
    unsigned changed = unit_draw_register(group);

    unit_append_op(group, RV64_jal, 0, 0, 12);
    code_append_op(group->code, RV64_addi, changed, changed, 0, 1);
    code_append_op(group->code, RV64_jal, 0, 0, 0, 4 + insn.length);
    insn.imm = -8;
    unit_append_insn(group, &insn);
}

void unit_append_forward(struct group *group, struct rv64_insn insn)
{
    insn.imm = insn.length;
    unit_append_insn(group, &insn);
    if (group->branch_units == 0) {
        group->branch = insn;
        group->branch_site = group->code->length - insn.length;
        group->branch_units = 1 + rng_below(&group->rng, 4);
    }
}

static void append_branch(struct group *group, struct rv64_insn insn)
{
    if (insn.compressed == RV64_c_none && rng_percent(&group->rng, 25)) {
        insn.rs2 = insn.rs1;
    }
    if (rng_percent(&group->rng, 20)) {
        append_backward(group, insn);
    } else {
        unit_append_forward(group, insn);
    }
}

static void append_jump(struct group *group, struct rv64_insn insn)
{
    unsigned junk = rng_below(&group->rng, 4);

    if (rng_percent(&group->rng, 20)) {
        append_backward(group, insn);
        return;
    }
    insn.imm = (int64_t)(insn.length + 2 * junk);
    unit_append_insn(group, &insn);
    append_junk(group, junk);
}

/* jalr to a place behind it: the address is composed of auipc, addi and the immediate, and half of
 * them are odd, which jalr must ignore. */
static void append_indirect(struct group *group, struct rv64_insn insn)
{
    unsigned junk = rng_below(&group->rng, 4);
    int64_t distance = (int64_t)(8 + insn.length + 2 * junk + rng_below(&group->rng, 2));
    int64_t added =
        insn.compressed != RV64_c_none ? distance : (int64_t)rng_below(&group->rng, 2000) - 1000;

    while (insn.rs1 == 0 || insn.rs1 == group->block) {
        insn.rs1 = (uint8_t)unit_draw_register(group);
    }
    insn.imm = distance - added;
    unit_append_op(group, RV64_auipc, insn.rs1, 0, 0);
    unit_append_op(group, RV64_addi, insn.rs1, insn.rs1, added);
    unit_append_insn(group, &insn);
    append_junk(group, junk);
}

static bool writes_csr(const struct rv64_insn *insn)
{
    return insn->op == RV64_csrrw || insn->op == RV64_csrrwi || insn->rs1 != 0;
}

static void append_csr(struct group *group, struct rv64_insn insn)
{
    static const uint16_t csrs[] = {RV64_CSR_fflags, RV64_CSR_frm, RV64_CSR_fcsr};

    insn.imm = csrs[rng_below(&group->rng, 3)];
    unit_append_insn(group, &insn);
    /* A reserved mode may be written and read, but not used: see to a good one. */
    if (insn.imm != RV64_CSR_fflags && writes_csr(&insn)) {
        unsigned mode = rng_below(&group->rng, RV64_RMM + 1);
        unsigned old = unit_draw_register(group);

        unit_append_op(group, RV64_csrrwi, old, mode, RV64_CSR_frm);
        group->frm = group->branch_units > 0 ? FRM_UNKNOWN : (int)mode;
    }
}

/* System calls that say the same everywhere: close(-1) fails, sched_yield() succeeds. */
static void append_call(struct group *group, struct rv64_insn insn)
{
    unit_append_op(group, RV64_addi, REG_A0, 0, -1);
    unit_append_op(group, RV64_addi, REG_A7, 0, rng_percent(&group->rng, 50) ? 57 : 124);
    unit_append_insn(group, &insn);
}

/* The unused fields of fences are reserved, and ignored (Base ISA, 2.7; Zifencei, 3.1). */
static void append_fence(struct group *group, struct rv64_insn insn)
{
    code_append_word(group->code, insn.word);
    count(group, &insn);
}

static void append_row(struct group *group, unsigned row)
{
    struct rv64_insn insn = draw_harmless(group, row);
    uint32_t flags = unit_flags(&insn);

    if (before_exception(insn.op) != RV64_illegal) {
        while (insn.rs1 == group->block) {
            insn.rs1 = (uint8_t)unit_draw_register(group);
        }
        unit_append_op(group, before_exception(insn.op), insn.rs1, insn.rs1, 0);
    }
    switch (insn.op) {
    case RV64_ecall:
        append_call(group, insn);
        return;
    case RV64_fence:
    case RV64_fence_i:
        append_fence(group, insn);
        return;
    case RV64_csrrw:
    case RV64_csrrs:
    case RV64_csrrc:
    case RV64_csrrwi:
    case RV64_csrrsi:
    case RV64_csrrci:
        append_csr(group, insn);
        return;
    default:
        break;
    }
    if ((flags & INSN_ATOMIC) != 0) {
        append_atomic(group, insn);
    } else if ((flags & (INSN_LOAD | INSN_STORE)) != 0) {
        append_access(group, insn);
    } else if ((flags & INSN_CONDITIONAL) != 0) {
        append_branch(group, insn);
    } else if ((flags & INSN_INDIRECT) != 0) {
        append_indirect(group, insn);
    } else if ((flags & INSN_JUMP) != 0) {
        append_jump(group, insn);
    } else if (rv64_row(insn.op)->unit >= UNIT_FADD && rv64_row(insn.op)->unit <= UNIT_FMISC) {
        append_float(group, insn);
    } else {
        unit_append_insn(group, &insn);
    }
}

void unit_append(struct group *group, unsigned kind)
{
    if (kind < OP_ROWS + COMPRESSED_ROWS) {
        append_row(group, kind);
    } else {
        pair_append(group, kind - (unsigned)(OP_ROWS + COMPRESSED_ROWS));
    }
}

void unit_end(struct group *group)
{
    if (group->branch_units > 0 && --group->branch_units == 0) {
        group->branch.imm = (int64_t)(group->code->length - group->branch_site);
        code_patch(group->code, group->branch_site, &group->branch);
    }
}
