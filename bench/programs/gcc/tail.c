/* A function that ends by calling itself starts over instead. */
#include "ir.h"

static bool is_tail_call(const struct function *f, const struct block *block)
{
    const struct insn *end = block->last;
    const struct insn *call = end->prev;
    return end->op == OP_RETURN && call != NULL && call->op == OP_CALL &&
           call->symbol->procedure == f->procedure && end->args[0] == call;
}

/* The parameters become phis of the old entry, which is a loop now. */
static struct insn **make_parameters(struct function *f, struct block *header, int count)
{
    struct block *entry = ir_block(f);
    struct insn **phis = arena_array(f->arena, count, sizeof(struct insn *));
    for (int i = 0; i < count; i++) {
        struct insn *parameter = ir_insn(f, OP_PARAMETER, 0);
        parameter->value = i;
        ir_append(entry, parameter);
        phis[i] = ir_insn(f, OP_PHI, 1);
        phis[i]->args[0] = parameter;
    }
    for_each_insn(header, insn)
    {
        if (insn->op == OP_PARAMETER) {
            insn->forward = phis[insn->value];
        }
    }
    for (int i = 0; i < count; i++) {
        ir_prepend(header, phis[i]);
    }
    ir_append(entry, ir_insn(f, OP_JUMP, 0));
    ir_link(f, entry, header);
    f->entry = entry;
    return phis;
}

static void start_over(struct function *f, struct block *block, struct block *header,
                       struct insn **phis)
{
    struct insn *call = block->last->prev;
    struct insn *end = block->last;
    for (int i = 0; i < call->arg_count; i++) {
        struct insn *phi = phis[i];
        struct insn **args = arena_array(f->arena, phi->arg_count + 1, sizeof(struct insn *));
        memcpy(args, phi->args, (size_t)phi->arg_count * sizeof(struct insn *));
        args[phi->arg_count++] = call->args[i];
        phi->args = args;
    }
    end->op = OP_JUMP;
    end->arg_count = 0;
    ir_remove(call);
    ir_link(f, block, header);
}

int pass_tail(struct function *f)
{
    struct block_list ends = {0};
    flow_order(f);
    for_each_block(f, block)
    {
        if (is_tail_call(f, block)) {
            list_push(f->arena, &ends, block);
        }
    }
    if (ends.count == 0 || f->slots.count > 0 || f->entry->preds.count > 0) {
        return 0;
    }
    struct block *header = f->entry;
    struct insn **phis = make_parameters(f, header, f->procedure->parameters.count);
    for (int i = 0; i < ends.count; i++) {
        start_over(f, ends.items[i], header, phis);
    }
    ir_resolve(f);
    flow_order(f);
    return ends.count;
}
