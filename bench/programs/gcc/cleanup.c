/* Tidies the graph: constant branches, blocks that can be merged or skipped, phis that join nothing. */
#include "ir.h"

static int fold_branches(struct function *f)
{
    int changed = 0;
    for_each_block(f, block)
    {
        if (block->last->op == OP_BRANCH && is_const(block->last->args[0])) {
            ir_make_jump(block, block->last->args[0]->value != 0 ? 0 : 1);
            changed++;
        }
    }
    return changed;
}

static void merge_into(struct block *block, struct block *next)
{
    ir_remove(block->last);
    while (next->first != NULL) {
        struct insn *insn = next->first;
        ir_remove(insn);
        if (insn->op == OP_PHI) {
            insn->block = block;
            insn->forward = insn->args[0];
        } else {
            ir_append(block, insn);
        }
    }
    ir_move_succs(next, block);
    next->preds.count = 0;
}

static int merge_blocks(struct function *f)
{
    int changed = 0;
    for_each_block(f, block)
    {
        while (block->first != NULL && block->succ_count == 1 && block->succs[0] != block &&
               block->succs[0]->preds.count == 1 && block->succs[0] != f->entry) {
            merge_into(block, block->succs[0]);
            changed++;
        }
    }
    return changed;
}

static void skip_edge(struct function *f, struct block *pred, struct block *empty,
                      struct block *target)
{
    int index = ir_pred_index(target, empty);
    ir_replace_succ(pred, empty, target);
    ir_unlink_pred(empty, ir_pred_index(empty, pred));
    list_push(f->arena, &target->preds, pred);
    for_each_phi(target, phi)
    {
        struct insn **args = arena_array(f->arena, phi->arg_count + 1, sizeof(struct insn *));
        memcpy(args, phi->args, (size_t)phi->arg_count * sizeof(struct insn *));
        args[phi->arg_count++] = phi->args[index];
        phi->args = args;
    }
}

static int skip_empty(struct function *f)
{
    int changed = 0;
    for_each_block(f, block)
    {
        if (block == f->entry || block->first == NULL || block->first->op != OP_JUMP ||
            block->succs[0] == block) {
            continue;
        }
        for (int i = block->preds.count - 1; i >= 0; i--) {
            struct block *pred = block->preds.items[i];
            if (pred != block && !ir_has_pred(block->succs[0], pred)) {
                skip_edge(f, pred, block, block->succs[0]);
                changed++;
            }
        }
    }
    return changed;
}

static int drop_plain_phis(struct function *f)
{
    int changed = 0;
    for_each_block(f, block)
    {
        for_each_phi(block, phi)
        {
            struct insn *same = NULL;
            bool plain = true;
            for (int i = 0; i < phi->arg_count; i++) {
                struct insn *arg = ir_final(phi->args[i]);
                if (arg == phi || arg == same) {
                    continue;
                }
                plain = same == NULL;
                if (!plain) {
                    break;
                }
                same = arg;
            }
            if (plain && same != NULL) {
                phi->forward = same;
                changed++;
            }
        }
    }
    return changed;
}

int pass_cleanup(struct function *f)
{
    int total = 0;
    int changed;
    do {
        changed = fold_branches(f);
        flow_order(f);
        changed += merge_blocks(f);
        flow_order(f);
        changed += skip_empty(f);
        flow_order(f);
        changed += drop_plain_phis(f);
        ir_resolve(f);
        total += changed;
    } while (changed > 0);
    return total;
}
