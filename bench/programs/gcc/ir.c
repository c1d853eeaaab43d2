/* Makes, links and checks blocks and instructions. */
#include "ir.h"

const struct op_facts op_facts[OPS] = {
#define OP(name, operands, flags) {#name, operands, flags},
#include "op.def"
#undef OP
};

struct block *ir_block(struct function *f)
{
    struct block *block = arena_take(f->arena, sizeof *block);
    block->id = f->block_ids++;
    list_push(f->arena, &f->blocks, block);
    return block;
}

struct insn *ir_insn(struct function *f, enum op op, int arg_count)
{
    struct insn *insn = arena_take(f->arena, sizeof *insn);
    insn->op = op;
    insn->id = f->insn_ids++;
    insn->arg_count = arg_count;
    insn->reg = -1;
    insn->args = arena_array(f->arena, arg_count, sizeof(struct insn *));
    return insn;
}

void ir_append(struct block *block, struct insn *insn)
{
    insn->block = block;
    insn->prev = block->last;
    insn->next = NULL;
    if (block->last != NULL) {
        block->last->next = insn;
    } else {
        block->first = insn;
    }
    block->last = insn;
}

void ir_prepend(struct block *block, struct insn *insn)
{
    if (block->first == NULL) {
        ir_append(block, insn);
    } else {
        ir_insert_before(block->first, insn);
    }
}

void ir_insert_before(struct insn *place, struct insn *insn)
{
    insn->block = place->block;
    insn->next = place;
    insn->prev = place->prev;
    if (place->prev != NULL) {
        place->prev->next = insn;
    } else {
        place->block->first = insn;
    }
    place->prev = insn;
}

void ir_remove(struct insn *insn)
{
    struct block *block = insn->block;
    if (insn->prev != NULL) {
        insn->prev->next = insn->next;
    } else {
        block->first = insn->next;
    }
    if (insn->next != NULL) {
        insn->next->prev = insn->prev;
    } else {
        block->last = insn->prev;
    }
    insn->block = NULL;
}

struct insn *ir_first_ordinary(struct block *block)
{
    struct insn *insn = block->first;
    while (insn->op == OP_PHI) {
        insn = insn->next;
    }
    return insn;
}

struct insn *ir_constant_before(struct function *f, struct insn *place, int value)
{
    struct insn *insn = ir_insn(f, OP_CONST, 0);
    insn->value = value;
    ir_insert_before(place, insn);
    return insn;
}

void ir_link(struct function *f, struct block *from, struct block *to)
{
    from->succs[from->succ_count++] = to;
    list_push(f->arena, &to->preds, from);
}

/* -1 if it is none. */
static int find_pred(const struct block *block, const struct block *pred)
{
    for (int i = 0; i < block->preds.count; i++) {
        if (block->preds.items[i] == pred) {
            return i;
        }
    }
    return -1;
}

bool ir_has_pred(const struct block *block, const struct block *pred)
{
    return find_pred(block, pred) >= 0;
}

int ir_pred_index(const struct block *block, const struct block *pred)
{
    int index = find_pred(block, pred);
    program_check(index >= 0, "a predecessor is known");
    return index;
}

void ir_move_succs(struct block *from, struct block *to)
{
    to->succ_count = from->succ_count;
    for (int i = 0; i < from->succ_count; i++) {
        struct block *succ = from->succs[i];
        to->succs[i] = succ;
        succ->preds.items[ir_pred_index(succ, from)] = to;
    }
    from->succ_count = 0;
}

void ir_unlink_pred(struct block *block, int index)
{
    for (int i = index; i + 1 < block->preds.count; i++) {
        block->preds.items[i] = block->preds.items[i + 1];
    }
    block->preds.count--;
    for_each_phi(block, phi)
    {
        for (int i = index; i + 1 < phi->arg_count; i++) {
            phi->args[i] = phi->args[i + 1];
        }
        phi->arg_count--;
    }
}

void ir_replace_succ(struct block *block, struct block *old, struct block *replacement)
{
    for (int i = 0; i < block->succ_count; i++) {
        if (block->succs[i] == old) {
            block->succs[i] = replacement;
            return;
        }
    }
    program_check(false, "a successor is known");
}

void ir_make_jump(struct block *block, int taken)
{
    struct block *other = block->succs[1 - taken];
    struct insn *end = block->last;
    ir_unlink_pred(other, ir_pred_index(other, block));
    block->succs[0] = block->succs[taken];
    block->succ_count = 1;
    end->op = OP_JUMP;
    end->arg_count = 0;
}

struct insn *ir_final(struct insn *insn)
{
    struct insn *end = insn;
    while (end->forward != NULL) {
        end = end->forward;
    }
    while (insn->forward != NULL) {
        struct insn *next = insn->forward;
        insn->forward = end;
        insn = next;
    }
    return end;
}

int ir_resolve(struct function *f)
{
    int changed = 0;
    for_each_block(f, block)
    {
        for_each_insn(block, insn)
        {
            for (int i = 0; i < insn->arg_count; i++) {
                if (insn->args[i]->forward != NULL) {
                    insn->args[i] = ir_final(insn->args[i]);
                    changed++;
                }
            }
        }
    }
    for_each_block(f, block)
    {
        for (struct insn *insn = block->first, *next; insn != NULL; insn = next) {
            next = insn->next;
            if (insn->forward != NULL) {
                ir_remove(insn);
            }
        }
    }
    return changed;
}

void ir_clear_marks(struct function *f)
{
    for_each_block(f, block)
    {
        for_each_insn(block, insn)
        {
            insn->mark = 0;
        }
    }
}

void ir_count_uses(struct function *f)
{
    for_each_block(f, block)
    {
        for_each_insn(block, insn)
        {
            insn->uses = 0;
        }
    }
    for_each_block(f, block)
    {
        for_each_insn(block, insn)
        {
            for (int i = 0; i < insn->arg_count; i++) {
                insn->args[i]->uses++;
            }
        }
    }
}

int ir_evaluate(enum op op, int left, int right)
{
    return fold_binary((enum tree_code)((int)op - OP_ADD + TREE_ADD), left, right);
}

static void verify_block(const struct block *block, const char *pass)
{
    bool good = block->last != NULL && has_flag(block->last, ENDS);
    int wanted = !good ? 0 : block->last->op == OP_JUMP ? 1 : block->last->op == OP_BRANCH ? 2 : 0;
    good = good && block->succ_count == wanted;
    bool phis = true;
    for_each_insn(block, insn)
    {
        phis = phis && insn->op == OP_PHI;
        good = good && (phis || insn->op != OP_PHI) && insn->block == block;
        good = good && (has_flag(insn, ENDS) == (insn == block->last));
        good = good && (insn->op != OP_PHI || insn->arg_count == block->preds.count);
        for (int i = 0; i < insn->arg_count; i++) {
            good = good && insn->args[i] != NULL && insn->args[i]->block != NULL;
        }
    }
    for (int i = 0; i < block->succ_count; i++) {
        ir_pred_index(block->succs[i], block);
    }
    if (!good) {
        fprintf(stderr, "block %d is broken after %s\n", block->id, pass);
        exit(4);
    }
}

static void verify_dominance(const struct insn *insn, const char *pass)
{
    for (int i = 0; i < insn->arg_count; i++) {
        const struct insn *arg = insn->args[i];
        bool good;
        if (insn->op == OP_PHI) {
            good = flow_dominates(arg->block, insn->block->preds.items[i]);
        } else if (arg->block == insn->block) {
            good = arg->mark < insn->mark;
        } else {
            good = flow_dominates(arg->block, insn->block);
        }
        if (!good) {
            fprintf(stderr, "%s %d uses %s %d too early after %s\n", op_facts[insn->op].name,
                    insn->id, op_facts[arg->op].name, arg->id, pass);
            exit(4);
        }
    }
}

void ir_verify(struct function *f, const char *pass)
{
    flow_order(f);
    flow_dominators(f);
    for_each_block(f, block)
    {
        int position = 0;
        verify_block(block, pass);
        for_each_insn(block, insn)
        {
            insn->mark = position++;
        }
    }
    for_each_block(f, block)
    {
        for_each_insn(block, insn)
        {
            verify_dominance(insn, pass);
        }
    }
}
