/* Numbers the values of a trace: in the order of the ops, with what the passes know of each. */
#include "translator/passes/ops.h"

struct value number_new_root(struct ops *ops, unsigned flags)
{
    const unsigned root = ops->roots++;

    if (root < ROOTS_MAX) {
        ops->root_flags[root] = (uint8_t)(flags & (OP_WORD | OP_BYTE));
        return (struct value){.root = (uint16_t)root};
    }
    return (struct value){.root = 0}; /* number_run gives up */
}

static void begin(struct ops *ops)
{
    ops->roots = OPS_REGISTERS;
    ops->fact_count = ops->next_fact = ops->guard_count = 0;
    for (unsigned i = 0; i < COMMON_BUCKETS; i++) {
        ops->common[i] = 0;
    }
    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        ops->guest[reg] = (ops->assumed >> reg & 1) != 0
                              ? (struct value){.offset = ops->assumption[reg]}
                              : (struct value){.root = (uint16_t)reg};
        ops->root_flags[reg] = 0;
    }
}

/* The result of an op with one, and whether it was there before. */
static struct value find_result(struct ops *ops, struct op *op)
{
    struct value out;

    op->older = true;
    op->pass = PASS_VALUES;
    if (values_know(ops, op, &out)) {
        return out;
    }
    op->pass = PASS_LOADS;
    if (op->kind == OP_LOAD && loads_know(ops, op, &out)) {
        return out;
    }
    op->pass = PASS_STRENGTH;
    if (op->kind == OP_COMPUTE && strength_know(ops, op, &out)) {
        return out;
    }
    op->pass = PASS_COMMON;
    if (op->kind == OP_COMPUTE && common_know(ops, op, &out)) {
        return out;
    }
    op->older = false;
    return number_new_root(ops, op->kind == OP_COMPUTE ? values_flags(ops, op) : op->form.flags);
}

/* Registers that the op reads, and what it writes. */
static void number(struct ops *ops, struct op *op)
{
    for (unsigned i = 0; i < 2; i++) {
        op->in[i] = op->rs[i] != NO_REGISTER ? ops->guest[op->rs[i]] : (struct value){.root = 0};
    }
    op->older = false;
    op->form = (struct form){.word = op->word, .rs = {op->rs[0], op->rs[1]}, .flags = op->flags};
    if (op->rd != NO_REGISTER && op->rd != 0) {
        op->out = find_result(ops, op);
    }
    switch (op->kind) {
    case OP_LOAD:
    case OP_STORE:
        loads_note(ops, op, op->out);
        break;
    case OP_COMPUTE:
        common_note(ops, op);
        break;
    case OP_BARRIER:
        loads_forget(ops);
        break;
    case OP_STEP:
        loads_forget(ops);
        op->out.root = (uint16_t)ops->roots; /* the first of them: place.c counts on */
        for (unsigned reg = 1; reg < OPS_REGISTERS; reg++) {
            if ((op->constant >> reg & 1) != 0) {
                ops->guest[reg] = number_new_root(ops, 0);
            }
        }
        break;
    case OP_GUARD:
    case OP_TARGET:
        op->flags &= (uint8_t)~OP_KNOWN;
        if (guards_know(ops, op)) {
            op->flags |= OP_KNOWN;
            op->pass = PASS_GUARDS;
        } else {
            guards_note(ops, op);
        }
        break;
    default:
        break;
    }
    if (op->rd != NO_REGISTER && op->rd != 0) {
        ops->guest[op->rd] = op->out;
    }
}

static void use(struct ops *ops, struct value value, unsigned number)
{
    ops->last_use[value.root] = (uint16_t)number;
}

/* Whose values are wanted, and until when. */
static void note_uses(struct ops *ops)
{
    for (unsigned root = 0; root < ops->roots; root++) {
        ops->last_use[root] = 0;
    }
    for (unsigned i = 0; i < ops->count; i++) {
        const struct op *op = &ops->list[i];
        for (unsigned j = 0; j < 2; j++) {
            if (op->form.rs[j] != NO_REGISTER) {
                use(ops, op->in[j], i);
            }
        }
        if (op->rd != NO_REGISTER && op->rd != 0 && op->older) {
            use(ops, op->out, i);
        }
    }
}

bool number_run(struct ops *ops)
{
    begin(ops);
    for (unsigned i = 0; i < ops->count; i++) {
        number(ops, &ops->list[i]);
    }
    if (ops->roots > ROOTS_MAX) {
        return false;
    }
    note_uses(ops);
    return true;
}
