/* Reads the program's code into the steps of a plan: a table says what becomes of each instruction. */
#include "emit.h"

#define STEP_OWN STEP_REWRITE /* in a program it is illegal */
static const uint8_t step_kinds[TOY_OPS] = {
#define TOY(id, text, first, form, memory, step) STEP_##step,
#include "toy.def"
#undef TOY
};

/* Another thread may be writing there: each byte is read once. */
static void copy_instruction(guest_addr pc, uint8_t *to)
{
    const volatile uint8_t *from = (const volatile uint8_t *)(uintptr_t)pc;

    to[0] = from[0];
    for (unsigned i = 1; i < toy_length(to[0]); i++) {
        to[i] = from[i];
    }
}

static void move_on(struct plan *plan, unsigned bytes, unsigned instructions)
{
    plan->pc += bytes;
    plan->code_end += bytes;
    plan->instructions += instructions;
}

/* A copy is one step with the one before it. */
static void add_copy(struct plan *plan, unsigned bytes)
{
    struct step *last = plan->end - 1;

    if (plan->end != plan->steps && last->kind == STEP_COPY && step_end(last) == plan->pc) {
        last->bytes = (uint16_t)(last->bytes + bytes);
    } else {
        plan_add(plan, STEP_COPY, plan->pc, bytes);
    }
    move_on(plan, bytes, 1);
}

/* The detail of a step is the instruction, its condition or register, and its second register. */
static uint32_t detail_of(const struct toy_insn *insn)
{
    return (uint32_t)insn->op | (uint32_t)insn->rd << 8 | (uint32_t)insn->rs << 16;
}

/* The `hold` of a sequence takes all of that with it.  Returns how many instructions it took: 0 if the next
 * plan begins here. */
static unsigned scan_whole(struct plan *plan, uint64_t limit, const struct toy_insn *hold)
{
    struct whole whole;

    whole_read(plan->pc, limit, plan->code_end, &whole);
    const bool fits =
        whole.instructions <= limit && plan->side_count + whole.side_count <= TARGET_SIDES;
    if (!fits && plan->end != plan->steps) {
        return 0;
    }
    if (!fits ||
        whole.instructions == 0) { /* not a sequence, or there is no way to keep it whole */
        add_copy(plan, hold->bytes);
        return 1;
    }
    plan_add(plan, STEP_WHOLE, plan->pc, whole.bytes);
    move_on(plan, whole.bytes, whole.instructions);
    for (unsigned i = 0; i < whole.side_count; i++) {
        plan_add(plan, STEP_SIDE, whole.sides[i].from, 0)->value = whole.sides[i].target;
    }
    plan->side_count += whole.side_count;
    return whole.instructions;
}

/* False if the scan ends with it. */
static bool scan_other(struct plan *plan, const struct toy_insn *insn)
{
    const enum step_kind kind = step_kinds[insn->op];
    struct step *step = plan_add(plan, kind, plan->pc, insn->bytes);

    step->detail = toy_is_own((enum toy_op)insn->op) ? TOY_ILLEGAL : detail_of(insn);
    step->value = step_end(step) + (uint64_t)insn->imm; /* where it has a displacement */
    move_on(plan, insn->bytes, 1);
    return kind == STEP_CONSTANT || kind == STEP_REWRITE;
}

static bool may_store(enum toy_op op)
{
    switch (op) {
    case TOY_PUSH:
    case TOY_STORE8:
    case TOY_STORE_BYTE:
    case TOY_STORE32:
    case TOY_STORE_INDEX:
    case TOY_ADD_MEMORY:
    case TOY_STORE_NEAR:
    case TOY_CALL32:
    case TOY_CALL_REGISTER:
    case TOY_HOLD: /* with its `keep` */
    case TOY_KEEP:
        return true;
    default:
        return false;
    }
}

void target_scan(struct plan *plan, uint64_t limit)
{
    bool more = true;

    while (more && limit > 0) {
        struct toy_insn insn;
        unsigned taken = 1;
        copy_instruction(plan->pc, plan->code_end);
        toy_decode(plan->code_end, &insn);
        if (step_kinds[insn.op] == STEP_COPY) {
            add_copy(plan, insn.bytes);
        } else if (step_kinds[insn.op] == STEP_WHOLE) {
            taken = scan_whole(plan, limit, &insn);
            more = taken != 0;
        } else {
            more = scan_other(plan, &insn);
        }
        limit -= taken;
        if (plan->careful && taken != 0) {
            plan->end[-1].flags |= may_store((enum toy_op)insn.op) ? STEP_STORES : 0;
            more = false;
        }
    }
}

bool target_fits(guest_addr pc, guest_addr end)
{
    return pc + toy_length(*(const uint8_t *)(uintptr_t)pc) <= end;
}
