/* Units of the pairs that the machine executes as one: random ones would hardly ever meet. */
#include "pairs.h"

#include <stdio.h>
#include <stdlib.h>

#include "group.h"
#include "layout.h"
#include "units.h"

enum join { JOIN_none, JOIN_rs1, JOIN_rs2 };

static const struct {
    uint16_t first, second;
    enum join join;
    const char *name;
} pairs[PAIR_COUNT] = {
#define PAIR(first, second, join)                                                                  \
    {RV64_##first, RV64_##second, JOIN_##join, #first " " #second " " #join},
#define PAIR_BRANCH PAIR
#include "machine/engine/pairs.def"
#undef PAIR
#undef PAIR_BRANCH
};

const char *pair_name(unsigned pair)
{
    return pairs[pair].name;
}

static bool is_access(const struct rv64_insn *insn)
{
    return (unit_flags(insn) & (INSN_LOAD | INSN_STORE)) != 0;
}

static struct rv64_insn draw(struct group *group, unsigned op)
{
    struct rv64_insn insn = unit_draw(group, op);
    uint32_t floats = INSN_RD_FLOAT | INSN_RS1_FLOAT | INSN_RS2_FLOAT | INSN_RS3_FLOAT;

    if ((unit_flags(&insn) & floats) != 0) {
        unit_draw_float_operands(group, &insn);
    }
    return insn;
}

static int64_t draw_target(struct group *group, const struct rv64_insn *access)
{
    return unit_draw_target(group, rv64_access_bytes(unit_flags(access)),
                            rng_percent(&group->rng, 50));
}

/* Makes the first compute an address that the second can use.  `base` is a register that it may
 * start from. */
static void append_computed_base(struct group *group, struct rv64_insn *first,
                                 struct rv64_insn *second, unsigned base)
{
    int64_t wanted = draw_target(group, second) - second->imm;
    unsigned other = base;

    while (other == base) {
        other = unit_draw_register(group);
    }
    first->rs1 = first->op == RV64_auipc ? 0 : (uint8_t)base;
    switch (first->op) {
    case RV64_addi:
        unit_append_pointer(group, base, wanted - first->imm);
        break;
    case RV64_add: {
        int64_t added = (int64_t)rng_below(&group->rng, 4096) - 2048;

        first->rs2 = (uint8_t)other;
        unit_append_op(group, RV64_addi, other, 0, added);
        unit_append_pointer(group, base, wanted - added);
        break;
    }
    case RV64_auipc:
        /* the code that follows, of which the frame makes enough */
        first->imm = 0;
        second->imm = rng_below(&group->rng, 64);
        break;
    case RV64_ld: {
        struct rv64_insn store = {
            .op = RV64_sd, .rs1 = (uint8_t)base, .rs2 = (uint8_t)other, .imm = first->imm};

        unit_append_pointer(group, other, wanted);
        unit_append_pointer(group, base, draw_target(group, first) - first->imm);
        unit_append_insn(group, &store);
        break;
    }
    default:
        fprintf(stderr, "generate: pairs.def: no address comes from op %u\n", first->op);
        exit(2);
    }
}

void pair_append(struct group *group, unsigned pair)
{
    struct rv64_insn first, second;
    unsigned base = unit_draw_register(group), second_base;
    bool certain = group->branch_units == 0;

    do {
        first = draw(group, pairs[pair].first);
    } while (pairs[pair].join != JOIN_none && first.rd == 0);
    second = draw(group, pairs[pair].second);
    do {
        second_base = unit_draw_register(group);
    } while (second_base == base || second_base == first.rd);

    if (pairs[pair].join == JOIN_rs1) {
        second.rs1 = first.rd;
    } else if (pairs[pair].join == JOIN_rs2) {
        second.rs2 = first.rd;
    }
    if (is_access(&second) && pairs[pair].join == JOIN_rs1) {
        append_computed_base(group, &first, &second, base);
    } else {
        if (is_access(&second)) {
            second.rs1 = (uint8_t)second_base;
            unit_append_pointer(group, second_base, draw_target(group, &second) - second.imm);
        }
        if (is_access(&first)) {
            first.rs1 = (uint8_t)base;
            unit_append_pointer(group, base, draw_target(group, &first) - first.imm);
        }
    }
    /* No pair has a fence: mostly, the first does not belong to what stands before it. */
    if (rng_percent(&group->rng, 75)) {
        unit_append_op(group, RV64_fence, 0, 0, 0xff);
    }
    unit_append_insn(group, &first);
    if ((unit_flags(&second) & INSN_CONDITIONAL) != 0) {
        unit_append_forward(group, second);
    } else {
        unit_append_insn(group, &second);
    }
    if (certain) {
        group->counts->pair[pair] += group->rounds;
    }
}
