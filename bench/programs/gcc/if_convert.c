/* If conversion: short branches around cheap values become selections. */
#include "ir.h"

enum { CHEAP_INSNS = 4, JOINED_VALUES = 2 };

static bool is_cheap(const struct insn *insn)
{
    return has_flag(insn, PURE) && insn->op != OP_MUL && (insn->op < OP_DIV || insn->op > OP_MODU);
}

/* A side that does nothing but compute, on the way from the branch to the join. */
static bool is_side(const struct block *side, const struct block *from, const struct block *join)
{
    int count = 0;
    if (side == join) {
        return true;
    }
    if (side->preds.count != 1 || side->preds.items[0] != from || side->succ_count != 1 ||
        side->succs[0] != join || side == from) {
        return false;
    }
    for (const struct insn *insn = side->first; insn != side->last; insn = insn->next) {
        if (!is_cheap(insn) || count++ == CHEAP_INSNS) {
            return false;
        }
    }
    return true;
}

static int count_phis(const struct block *block)
{
    int count = 0;
    for_each_phi(block, phi)
    {
        count++;
    }
    return count;
}

static void move_side(struct block *block, struct block *side)
{
    while (side->first != side->last) {
        struct insn *insn = side->first;
        ir_remove(insn);
        ir_insert_before(block->last, insn);
    }
}

static struct block *find_join(const struct block *block)
{
    struct block *yes = block->succs[0];
    struct block *no = block->succs[1];
    struct block *join = yes->succ_count == 1 && yes->succs[0] == no ? no
                         : no->succ_count == 1                       ? no->succs[0]
                                                                     : NULL;
    if (join == NULL || join == block || !is_side(yes, block, join) || !is_side(no, block, join) ||
        (yes == join && no == join)) {
        return NULL;
    }
    return count_phis(join) <= JOINED_VALUES ? join : NULL;
}

static void convert(struct function *f, struct block *block, struct block *join)
{
    struct block *yes = block->succs[0];
    struct block *no = block->succs[1];
    struct insn *condition = block->last->args[0];
    int yes_index = ir_pred_index(join, yes == join ? block : yes);
    int no_index = ir_pred_index(join, no == join ? block : no);
    if (yes != join) {
        move_side(block, yes);
    }
    if (no != join) {
        move_side(block, no);
    }
    for_each_phi(join, phi)
    {
        struct insn *select = ir_insn(f, OP_SELECT, 3);
        select->args[0] = condition;
        select->args[1] = phi->args[yes_index];
        select->args[2] = phi->args[no_index];
        ir_insert_before(block->last, select);
        phi->args[yes_index] = select;
    }
    join->preds.items[yes_index] = block;
    ir_unlink_pred(join, no_index);
    block->last->op = OP_JUMP;
    block->last->arg_count = 0;
    block->succs[0] = join;
    block->succ_count = 1;
    if (yes != join) {
        yes->preds.count = yes->succ_count = 0;
    }
    if (no != join) {
        no->preds.count = no->succ_count = 0;
    }
}

int pass_if_convert(struct function *f)
{
    int converted = 0;
    flow_order(f);
    /* Backward, so that inner branches are gone before outer ones are looked at. */
    for (int i = f->blocks.count - 1; i >= 0; i--) {
        struct block *block = f->blocks.items[i];
        struct block *join = NULL;
        if (block->last != NULL && block->last->op == OP_BRANCH) {
            join = find_join(block);
        }
        if (join != NULL) {
            convert(f, block, join);
            converted++;
        }
    }
    flow_order(f);
    return converted;
}
