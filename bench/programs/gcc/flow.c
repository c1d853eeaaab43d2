/* What the shape of the graph says: order, dominators, frontiers, loops, critical edges. */
#include "ir.h"

static void flow_visit(struct block *root, struct block_list *stack, struct arena *arena,
                       struct block_list *postorder)
{
    root->mark = 1;
    list_push(arena, stack, root);
    while (stack->count > 0) {
        struct block *block = stack->items[stack->count - 1];
        if (block->mark <= block->succ_count) {
            /* The last successor first: the first one then follows its block. */
            struct block *succ = block->succs[block->succ_count - block->mark];
            block->mark++;
            if (succ->mark == 0) {
                succ->mark = 1;
                list_push(arena, stack, succ);
            }
            continue;
        }
        stack->count--;
        list_push(arena, postorder, block);
    }
}

static void drop_unreachable(struct block *block)
{
    for (int i = 0; i < block->succ_count; i++) {
        struct block *succ = block->succs[i];
        if (succ->mark != 0) {
            ir_unlink_pred(succ, ir_pred_index(succ, block));
        }
    }
    for_each_insn(block, insn)
    {
        insn->block = NULL;
    }
}

void flow_order(struct function *f)
{
    struct block_list stack = {0};
    struct block_list postorder = {0};
    for_each_block(f, block)
    {
        block->mark = 0;
    }
    flow_visit(f->entry, &stack, f->arena, &postorder);
    for_each_block(f, block)
    {
        if (block->mark == 0) {
            drop_unreachable(block);
        }
    }
    f->blocks.count = 0;
    for (int i = postorder.count - 1; i >= 0; i--) {
        postorder.items[i]->order = f->blocks.count;
        f->blocks.items[f->blocks.count++] = postorder.items[i];
    }
}

static struct block *intersect(struct block *a, struct block *b)
{
    while (a != b) {
        while (a->order > b->order) {
            a = a->idom;
        }
        while (b->order > a->order) {
            b = b->idom;
        }
    }
    return a;
}

static void number_tree(struct block *root)
{
    int clock = 0;
    struct block *block = root;
    block->mark = 0;
    block->tree_in = clock++;
    while (block != NULL) {
        if (block->mark < block->children.count) {
            block = block->children.items[block->mark++];
            block->mark = 0;
            block->tree_in = clock++;
        } else {
            block->tree_out = clock++;
            block = block == root ? NULL : block->idom;
        }
    }
}

/* The order must be current. */
void flow_dominators(struct function *f)
{
    bool changed = true;
    for_each_block(f, block)
    {
        block->idom = NULL;
        block->children.count = 0;
    }
    f->entry->idom = f->entry;
    while (changed) {
        changed = false;
        for (int i = 1; i < f->blocks.count; i++) {
            struct block *block = f->blocks.items[i];
            struct block *idom = NULL;
            for (int k = 0; k < block->preds.count; k++) {
                struct block *pred = block->preds.items[k];
                if (pred->idom != NULL) {
                    idom = idom == NULL ? pred : intersect(idom, pred);
                }
            }
            if (block->idom != idom) {
                block->idom = idom;
                changed = true;
            }
        }
    }
    for (int i = 1; i < f->blocks.count; i++) {
        struct block *block = f->blocks.items[i];
        list_push(f->arena, &block->idom->children, block);
    }
    number_tree(f->entry);
}

bool flow_dominates(const struct block *a, const struct block *b)
{
    return a->tree_in <= b->tree_in && b->tree_out <= a->tree_out;
}

void flow_frontiers(struct function *f)
{
    for_each_block(f, block)
    {
        block->frontier.count = 0;
    }
    for_each_block(f, block)
    {
        if (block->preds.count < 2) {
            continue;
        }
        for (int i = 0; i < block->preds.count; i++) {
            for (struct block *run = block->preds.items[i]; run != block->idom; run = run->idom) {
                struct block_list *list = &run->frontier;
                if (list->count == 0 || list->items[list->count - 1] != block) {
                    list_push(f->arena, list, block);
                }
            }
        }
    }
}

static void collect_loop(struct function *f, struct loop *loop, struct block *latch)
{
    struct block_list work = {0};
    list_push(f->arena, &loop->latches, latch);
    if (!bitset_has(&loop->members, latch->order)) {
        bitset_add(&loop->members, latch->order);
        list_push(f->arena, &work, latch);
    }
    while (work.count > 0) {
        struct block *block = work.items[--work.count];
        for (int i = 0; i < block->preds.count; i++) {
            struct block *pred = block->preds.items[i];
            if (!bitset_has(&loop->members, pred->order)) {
                bitset_add(&loop->members, pred->order);
                list_push(f->arena, &work, pred);
            }
        }
    }
}

static struct loop *make_loop(struct function *f, struct block *header)
{
    struct loop *loop = arena_take(f->arena, sizeof *loop);
    loop->header = header;
    loop->members = bitset_make(f->arena, f->blocks.count);
    bitset_add(&loop->members, header->order);
    list_push(f->arena, &f->loops, loop);
    return loop;
}

/* Headers come in reverse postorder, so outer loops before inner ones. */
static void nest_loops(struct function *f)
{
    for (int i = 0; i < f->loops.count; i++) {
        struct loop *loop = f->loops.items[i];
        loop->outer = loop->header->loop;
        loop->depth = loop->outer == NULL ? 1 : loop->outer->depth + 1;
        for (int bit = bitset_next(&loop->members, 0); bit >= 0;
             bit = bitset_next(&loop->members, bit + 1)) {
            struct block *block = f->blocks.items[bit];
            block->loop = loop;
            list_push(f->arena, &loop->blocks, block);
            for_each_insn(block, insn)
            {
                loop->has_call = loop->has_call || insn->op == OP_CALL;
            }
        }
    }
}

/* A preheader is the only predecessor from outside and has no other successor. */
static void find_preheader(struct loop *loop)
{
    struct block *found = NULL;
    int outside = 0;
    for (int i = 0; i < loop->header->preds.count; i++) {
        struct block *pred = loop->header->preds.items[i];
        if (!bitset_has(&loop->members, pred->order)) {
            found = pred;
            outside++;
        }
    }
    loop->preheader = outside == 1 && found->succ_count == 1 ? found : NULL;
}

void flow_loops(struct function *f)
{
    flow_order(f);
    flow_dominators(f);
    f->loops.count = 0;
    for_each_block(f, block)
    {
        struct loop *loop = NULL;
        block->loop = NULL;
        for (int i = 0; i < block->preds.count; i++) {
            if (flow_dominates(block, block->preds.items[i])) {
                loop = loop == NULL ? make_loop(f, block) : loop;
                collect_loop(f, loop, block->preds.items[i]);
            }
        }
    }
    nest_loops(f);
    for (int i = 0; i < f->loops.count; i++) {
        find_preheader(f->loops.items[i]);
    }
}

struct block *flow_split_edge(struct function *f, struct block *from, struct block *to)
{
    struct block *middle = ir_block(f);
    ir_append(middle, ir_insn(f, OP_JUMP, 0));
    ir_replace_succ(from, to, middle);
    to->preds.items[ir_pred_index(to, from)] = middle;
    list_push(f->arena, &middle->preds, from);
    middle->succs[0] = to;
    middle->succ_count = 1;
    return middle;
}

/* From a block with two successors to one with two predecessors: nowhere to put a copy. */
void flow_split_edges(struct function *f)
{
    int count = f->blocks.count;
    for (int i = 0; i < count; i++) {
        struct block *block = f->blocks.items[i];
        for (int k = 0; block->succ_count == 2 && k < 2; k++) {
            if (block->succs[k]->preds.count > 1) {
                flow_split_edge(f, block, block->succs[k]);
            }
        }
    }
}
