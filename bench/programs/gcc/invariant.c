/* Moves what does not change in a loop in front of it. */
#include "alias.h"
#include "loop.h"

/* Several ways into the loop join in the new block, and so do the values they bring. */
static void gather_phis(struct function *f, struct loop *loop, struct block *preheader)
{
    struct block *header = loop->header;
    for_each_phi(header, phi)
    {
        struct insn *joined = ir_insn(f, OP_PHI, preheader->preds.count);
        for (int i = 0; i < preheader->preds.count; i++) {
            joined->args[i] = phi->args[ir_pred_index(header, preheader->preds.items[i])];
        }
        ir_prepend(preheader, joined);
        struct insn **args = arena_array(f->arena, phi->arg_count + 1, sizeof(struct insn *));
        memcpy(args, phi->args, (size_t)phi->arg_count * sizeof(struct insn *));
        args[phi->arg_count++] = joined;
        phi->args = args;
    }
}

static void make_preheader(struct function *f, struct loop *loop)
{
    struct block *header = loop->header;
    struct block *preheader = ir_block(f);
    for (int i = 0; i < header->preds.count; i++) {
        struct block *pred = header->preds.items[i];
        if (!bitset_has(&loop->members, pred->order)) {
            list_push(f->arena, &preheader->preds, pred);
        }
    }
    gather_phis(f, loop, preheader);
    list_push(f->arena, &header->preds, preheader);
    for (int i = 0; i < preheader->preds.count; i++) {
        struct block *pred = preheader->preds.items[i];
        ir_unlink_pred(header, ir_pred_index(header, pred));
        ir_replace_succ(pred, header, preheader);
    }
    ir_append(preheader, ir_insn(f, OP_JUMP, 0));
    preheader->succs[0] = header;
    preheader->succ_count = 1;
}

void loop_prepare(struct function *f)
{
    flow_loops(f);
    bool made = false;
    for (int i = 0; i < f->loops.count; i++) {
        struct loop *loop = f->loops.items[i];
        if (loop->preheader == NULL && loop->header != f->entry) {
            make_preheader(f, loop);
            made = true;
        }
    }
    if (made) {
        flow_loops(f);
    }
}

bool loop_contains(const struct loop *loop, const struct block *block)
{
    return bitset_has(&loop->members, block->order);
}

/* Runs whenever the loop is entered, however the loop is left. */
static bool always_runs(const struct loop *loop, const struct block *block)
{
    for (int i = 0; i < loop->blocks.count; i++) {
        const struct block *member = loop->blocks.items[i];
        for (int k = 0; k < member->succ_count; k++) {
            if (!loop_contains(loop, member->succs[k]) && !flow_dominates(block, member)) {
                return false;
            }
        }
        if (member->succ_count == 0) {
            return false;
        }
    }
    return true;
}

static bool is_clobbered(const struct loop *loop, const struct insn *load)
{
    struct place place = alias_place(load);
    for (int i = 0; i < loop->blocks.count; i++) {
        for_each_insn(loop->blocks.items[i], insn)
        {
            if (insn->op == OP_STORE || insn->op == OP_STORE_BYTE) {
                struct place stored = alias_place(insn);
                if (alias_possible(&place, &stored)) {
                    return true;
                }
            }
        }
    }
    return false;
}

static bool can_move(const struct loop *loop, const struct insn *insn)
{
    for (int i = 0; i < insn->arg_count; i++) {
        if (loop_contains(loop, insn->args[i]->block)) {
            return false;
        }
    }
    if (has_flag(insn, PURE)) {
        return true;
    }
    return (insn->op == OP_LOAD || insn->op == OP_LOAD_BYTE) && !loop->has_call &&
           always_runs(loop, insn->block) && !is_clobbered(loop, insn);
}

static int hoist(struct loop *loop)
{
    int moved = 0;
    for (int i = 0; i < loop->blocks.count; i++) {
        for (struct insn *insn = loop->blocks.items[i]->first, *next; insn != NULL; insn = next) {
            next = insn->next;
            if (can_move(loop, insn)) {
                ir_remove(insn);
                ir_insert_before(loop->preheader->last, insn);
                moved++;
            }
        }
    }
    return moved;
}

int pass_invariant(struct function *f)
{
    int moved = 0;
    loop_prepare(f);
    for (int i = f->loops.count - 1; i >= 0; i--) {
        if (f->loops.items[i]->preheader != NULL) {
            moved += hoist(f->loops.items[i]);
        }
    }
    return moved;
}
