/* Finds the program's addresses for the profile, and what their instructions are. */
#include "base/check.h"
#include "isa/rv64/insn.h"
#include "machine/units/profile_state.h"

#include <stdlib.h>

uint32_t profile_function_at(struct profile *profile, guest_addr pc)
{
    if (pc < profile->function.start || pc >= profile->function.end) {
        profile->function = profile->request.find(profile->request.context, pc);
    }
    return profile->function.number;
}

static bool holds_return(unsigned reg)
{
    return reg == 1 || reg == 5;
}

static void note_control(struct place *place, const struct rv64_insn *insn)
{
    const bool jump = insn->op == RV64_jal || insn->op == RV64_jalr;
    place->control = jump && holds_return(insn->rd) ? CONTROL_CALL
                     : insn->op == RV64_jalr && insn->rd == 0 && holds_return(insn->rs1)
                         ? CONTROL_RETURN
                         : CONTROL_NONE;
    place->bytes = insn->length;
    place->rs1 = insn->rs1;
    place->imm = (int32_t)insn->imm;
}

struct place *profile_place_at(struct profile *profile, guest_addr pc)
{
    const uint32_t function = profile_function_at(profile, pc);
    struct rv64_insn insn;
    struct place *place = place_of(pc_table_first(&profile->places, pc));
    while (place != NULL && (place->item.pc != pc || place->function != function)) {
        place = place_of(place->item.next);
    }
    if (place == NULL) {
        place = calloc(1, sizeof *place);
        ASSERT(place != NULL);
        place->item.pc = pc;
        place->function = function;
        place->falls.unit = place->turned_falls.unit = &profile->unit;
        pc_table_add(&profile->places, &place->item);
    }
    if (origins_read(profile->origins, pc, &insn)) {
        place->word = insn.word;
        if (profile->calls != NULL) {
            note_control(place, &insn);
        }
    }
    return place;
}

bool profile_is_conditional(const struct rv64_insn *insn)
{
    return (rv64_row(insn->op)->flags & INSN_CONDITIONAL) != 0;
}

bool profile_is_backward_branch(const struct profile *profile, const struct rv64_insn *copy,
                                const struct executed *executed, bool *turned)
{
    struct rv64_insn insn;
    if (!profile_is_conditional(copy) || !executed->own ||
        !origins_read(profile->origins, executed->near, &insn) || !profile_is_conditional(&insn) ||
        insn.imm >= 0) {
        return false;
    }
    *turned = insn.op != copy->op;
    return true;
}
