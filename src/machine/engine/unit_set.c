/* Tells units what happens at an instruction that they watch. */
#include "machine/engine/unit_set.h"

#include "base/check.h"

/* By the convention of the instruction set, which return stacks rest on: x1 and x5 hold return addresses. */
static bool holds_return(unsigned reg)
{
    return reg == 1 || reg == 5;
}

static unsigned jump_flags(const struct rv64_insn *insn)
{
    const bool indirect = insn->op == RV64_jalr;
    const bool returns = indirect && insn->rd == 0 && holds_return(insn->rs1);

    return WATCHED_JUMP | (indirect ? WATCHED_INDIRECT : 0u) | (insn->rd != 0 ? WATCHED_CALL : 0u) |
           (returns ? WATCHED_RETURN : 0u);
}

struct watch_instruction watch_instruction_of(uint64_t pc, const struct rv64_insn *insn)
{
    const uint32_t row = rv64_row(insn->op)->flags;
    unsigned flags = (row & INSN_LOAD ? WATCHED_LOAD : 0u) |
                     (row & INSN_STORE ? WATCHED_STORE : 0u) |
                     (row & INSN_ATOMIC ? WATCHED_ATOMIC : 0u) |
                     (row & INSN_CONDITIONAL ? WATCHED_CONDITIONAL : 0u) |
                     (row & INSN_SYSTEM ? WATCHED_SYSTEM : 0u);
    if (insn->op == RV64_jal || insn->op == RV64_jalr) {
        flags |= jump_flags(insn);
    }
    return (struct watch_instruction){.pc = pc,
                                      .word = insn->length == 2 ? insn->word & 0xffff : insn->word,
                                      .bytes = insn->length,
                                      .flags = (uint16_t)flags,
                                      .insn = insn};
}

unit_told *unit_function(const struct unit_kind *kind, enum watch what)
{
    switch (what) {
    case WATCH_EXECUTED:
        return kind->executed;
    case WATCH_BRANCH:
        return kind->branch;
    case WATCH_MEMORY:
        return kind->memory;
    case WATCH_DISPATCHED:
        return kind->dispatched;
    case WATCH_ISSUED:
        return kind->issued;
    case WATCH_MISSED:
        return kind->missed;
    case WATCH_FILLED:
        return kind->filled;
    case WATCH_STALLED:
        return kind->stalled;
    case WATCH_RETIRED:
        return kind->retired;
    case WATCH_BEFORE:
        return kind->before;
    default:
        return NULL;
    }
}

void watch_site_tell(const struct watch_site *site, enum watch what, struct watch_event *event)
{
    event->instruction = &site->instruction;
    for (unsigned i = 0; i < site->count; i++) {
        if (site->watchers[i].events & what) {
            struct unit *unit = site->watchers[i].unit;
            event->own = site->watchers[i].own;
            unit_function(unit->kind, what)(unit, event);
        }
    }
}
