/* Builds static single assignment form: variables become values, joined by phis. */
#include "ir.h"

struct renaming {
    struct function *f;
    struct insn **current;
    struct insn *undefined;
    LIST_OF(struct undo {
        int variable;
        struct insn *value;
    })
    undo;
};

/* Variables that are read in a block before it sets them: only these need phis. */
static struct bitset find_shared(struct function *f)
{
    struct bitset shared = bitset_make(f->arena, f->variable_count + 1);
    struct bitset set_here = bitset_make(f->arena, f->variable_count + 1);
    for_each_block(f, block)
    {
        bitset_clear(&set_here);
        for_each_insn(block, insn)
        {
            if (insn->op == OP_GET && !bitset_has(&set_here, insn->value)) {
                bitset_add(&shared, insn->value);
            } else if (insn->op == OP_SET) {
                bitset_add(&set_here, insn->value);
            }
        }
    }
    return shared;
}

static void place_phis(struct function *f, int variable, struct block_list *work)
{
    struct bitset placed = bitset_make(f->arena, f->blocks.count);
    while (work->count > 0) {
        struct block *block = work->items[--work->count];
        for (int i = 0; i < block->frontier.count; i++) {
            struct block *join = block->frontier.items[i];
            if (bitset_has(&placed, join->order)) {
                continue;
            }
            bitset_add(&placed, join->order);
            struct insn *phi = ir_insn(f, OP_PHI, join->preds.count);
            phi->value = variable;
            ir_prepend(join, phi);
            list_push(f->arena, work, join);
        }
    }
}

static int place_all_phis(struct function *f)
{
    struct bitset shared = find_shared(f);
    struct block_list *setters = arena_array(f->arena, f->variable_count, sizeof *setters);
    for_each_block(f, block)
    {
        for_each_insn(block, insn)
        {
            if (insn->op == OP_SET && bitset_has(&shared, insn->value)) {
                list_push(f->arena, &setters[insn->value], block);
            }
        }
    }
    int before = f->insn_ids;
    for (int variable = 0; variable < f->variable_count; variable++) {
        place_phis(f, variable, &setters[variable]);
    }
    return f->insn_ids - before;
}

static void set_current(struct renaming *r, int variable, struct insn *value)
{
    struct undo undo = {variable, r->current[variable]};
    list_push(r->f->arena, &r->undo, undo);
    r->current[variable] = value;
}

static struct insn *get_current(struct renaming *r, int variable)
{
    if (r->current[variable] != NULL) {
        return r->current[variable];
    }
    if (r->undefined == NULL) {
        r->undefined = ir_insn(r->f, OP_CONST, 0);
        ir_prepend(r->f->entry, r->undefined);
    }
    return r->undefined;
}

static void fill_phis(struct renaming *r, struct block *block)
{
    for (int i = 0; i < block->succ_count; i++) {
        struct block *succ = block->succs[i];
        int index = ir_pred_index(succ, block);
        for_each_phi(succ, phi)
        {
            phi->args[index] = get_current(r, phi->value);
        }
    }
}

static void rename_block(struct renaming *r, struct block *block)
{
    int mark = r->undo.count;
    for (struct insn *insn = block->first, *next; insn != NULL; insn = next) {
        next = insn->next;
        if (insn->op == OP_PHI) {
            set_current(r, insn->value, insn);
        } else if (insn->op == OP_GET) {
            insn->forward = get_current(r, insn->value);
        } else if (insn->op == OP_SET) {
            set_current(r, insn->value, ir_final(insn->args[0]));
            ir_remove(insn);
        }
    }
    fill_phis(r, block);
    for (int i = 0; i < block->children.count; i++) {
        rename_block(r, block->children.items[i]);
    }
    while (r->undo.count > mark) {
        struct undo *undo = &r->undo.items[--r->undo.count];
        r->current[undo->variable] = undo->value;
    }
}

int pass_ssa(struct function *f)
{
    struct renaming r = {.f = f};
    flow_order(f);
    flow_dominators(f);
    flow_frontiers(f);
    int phis = place_all_phis(f);
    r.current = arena_array(f->arena, f->variable_count, sizeof(struct insn *));
    rename_block(&r, f->entry);
    ir_resolve(f);
    return phis;
}
