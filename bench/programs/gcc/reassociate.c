/* Flattens chains of one commutative operation and puts values that change rarely together, constants last. */
#include "ir.h"

enum { LEAF_LIMIT = 12 };

struct leaf {
    struct insn *insn;
    int rank;
};

static void collect(struct insn *insn, enum op op, struct leaf *leaves, int *count)
{
    for (int i = 0; i < 2; i++) {
        struct insn *arg = insn->args[i];
        if (arg->op == op && arg->uses == 1 && arg->block == insn->block &&
            *count + 2 < LEAF_LIMIT) {
            collect(arg, op, leaves, count);
        } else if (*count < LEAF_LIMIT) {
            int depth = arg->block->loop == NULL ? 0 : arg->block->loop->depth;
            leaves[*count].rank = is_const(arg) ? INT32_MAX : depth * 1000 + arg->block->order;
            leaves[(*count)++].insn = arg;
        }
    }
}

static void sort_leaves(struct leaf *leaves, int count)
{
    for (int i = 1; i < count; i++) {
        struct leaf leaf = leaves[i];
        int k = i;
        for (; k > 0 && leaves[k - 1].rank > leaf.rank; k--) {
            leaves[k] = leaves[k - 1];
        }
        leaves[k] = leaf;
    }
}

static int rebuild(struct function *f, struct insn *root, struct leaf *leaves, int count)
{
    struct insn *sum = leaves[0].insn;
    for (int i = 1; i + 1 < count; i++) {
        struct insn *insn = ir_insn(f, root->op, 2);
        insn->args[0] = sum;
        insn->args[1] = leaves[i].insn;
        ir_insert_before(root, insn);
        sum = insn;
    }
    root->args[0] = sum;
    root->args[1] = leaves[count - 1].insn;
    return 1;
}

static bool is_sorted(const struct leaf *leaves, int count)
{
    for (int i = 1; i < count; i++) {
        if (leaves[i - 1].rank > leaves[i].rank) {
            return false;
        }
    }
    return true;
}

/* Inside a longer chain of the same operation: the end of the chain does the work. */
static void mark_inner(struct function *f)
{
    ir_clear_marks(f);
    for_each_block(f, block)
    {
        for_each_insn(block, insn)
        {
            for (int i = 0; i < insn->arg_count; i++) {
                const struct insn *arg = insn->args[i];
                if (arg->op == insn->op && arg->uses == 1 && arg->block == block) {
                    insn->args[i]->mark = 1;
                }
            }
        }
    }
}

int pass_reassociate(struct function *f)
{
    int changed = 0;
    flow_loops(f);
    ir_count_uses(f);
    mark_inner(f);
    for_each_block(f, block)
    {
        for_each_insn(block, insn)
        {
            if (insn->mark != 0 || insn->op < OP_ADD || insn->op > OP_XOR ||
                !has_flag(insn, COMMUTES)) {
                continue;
            }
            struct leaf leaves[LEAF_LIMIT + 2];
            int count = 0;
            collect(insn, insn->op, leaves, &count);
            if (count > 2 && count < LEAF_LIMIT && !is_sorted(leaves, count)) {
                sort_leaves(leaves, count);
                changed += rebuild(f, insn, leaves, count);
            }
        }
    }
    return changed;
}
