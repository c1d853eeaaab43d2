/* Jump threading: who knows already how a later branch will go jumps there at once. */
#include "ir.h"

/* Phis, perhaps one comparison of them with a constant, and the branch. */
static bool is_candidate(const struct block *block)
{
    const struct insn *insn = block->first;
    if (insn == NULL || insn->op != OP_PHI || block->last->op != OP_BRANCH) {
        return false;
    }
    while (insn->op == OP_PHI) {
        insn = insn->next;
    }
    if (has_flag(insn, COMPARES)) {
        insn = insn->next;
    }
    return insn == block->last;
}

/* Marks the values that are used elsewhere than in their own block or in a phi right behind it. */
static void mark_escapes(struct function *f)
{
    ir_clear_marks(f);
    for_each_block(f, block)
    {
        for_each_insn(block, insn)
        {
            for (int i = 0; i < insn->arg_count; i++) {
                struct insn *arg = insn->args[i];
                const struct block *user = insn->op == OP_PHI ? block->preds.items[i] : block;
                if (arg->block != user) {
                    arg->mark = 1;
                }
            }
        }
    }
}

static bool any_escape(const struct block *block)
{
    for_each_insn(block, insn)
    {
        if (insn->mark != 0) {
            return true;
        }
    }
    return false;
}

/* What a value of the block is when it is entered from the given predecessor. */
static struct insn *value_from(const struct block *block, struct insn *insn, int index)
{
    return insn->op == OP_PHI && insn->block == block ? insn->args[index] : insn;
}

static bool outcome(const struct block *block, int index, int *result)
{
    struct insn *condition = value_from(block, block->last->args[0], index);
    if (is_const(condition)) {
        *result = condition->value;
        return true;
    }
    if (condition->block != block || !has_flag(condition, COMPARES)) {
        return false;
    }
    const struct insn *left = value_from(block, condition->args[0], index);
    const struct insn *right = value_from(block, condition->args[1], index);
    if (!is_const(left) || !is_const(right)) {
        return false;
    }
    *result = ir_evaluate(condition->op, left->value, right->value);
    return true;
}

static void redirect(struct function *f, struct block *block, int index, struct block *target,
                     int result)
{
    struct block *pred = block->preds.items[index];
    int old = ir_pred_index(target, block);
    for_each_phi(target, phi)
    {
        struct insn *value = value_from(block, phi->args[old], index);
        if (value->block == block && value->op != OP_PHI && has_flag(value, COMPARES)) {
            value = ir_constant_before(f, pred->last, result != 0);
        }
        struct insn **args = arena_array(f->arena, phi->arg_count + 1, sizeof(struct insn *));
        memcpy(args, phi->args, (size_t)phi->arg_count * sizeof(struct insn *));
        args[phi->arg_count++] = value;
        phi->args = args;
    }
    list_push(f->arena, &target->preds, pred);
    ir_replace_succ(pred, block, target);
    ir_unlink_pred(block, index);
}

static int thread_block(struct function *f, struct block *block)
{
    int threaded = 0;
    for (int i = block->preds.count - 1; i >= 0; i--) {
        int result;
        if (block->preds.items[i] == block || !outcome(block, i, &result)) {
            continue;
        }
        struct block *target = block->succs[result != 0 ? 0 : 1];
        if (target != block && !ir_has_pred(target, block->preds.items[i])) {
            redirect(f, block, i, target, result);
            threaded++;
        }
    }
    return threaded;
}

int pass_thread(struct function *f)
{
    int threaded = 0;
    flow_order(f);
    for_each_block(f, block)
    {
        if (!is_candidate(block)) {
            continue;
        }
        mark_escapes(f);
        if (!any_escape(block)) {
            threaded += thread_block(f, block);
        }
    }
    flow_order(f);
    return threaded;
}
