/* Replaces calls of small functions by their bodies. */
#include "ir.h"

enum { SMALL_BODY = 28, INLINES_PER_FUNCTION = 8 };

struct copy_map {
    struct insn **insns;
    struct block **blocks;
};

static bool is_small(const struct function *caller, const struct function *callee)
{
    if (callee == NULL || callee == caller || callee->slots.count > 0 ||
        callee->insn_count > SMALL_BODY) {
        return false;
    }
    for_each_block(callee, block)
    {
        for_each_insn(block, insn)
        {
            if (insn->op == OP_CALL && insn->symbol->procedure == callee->procedure) {
                return false;
            }
        }
    }
    return true;
}

/* What follows the call goes into a block of its own. */
static struct block *split_behind(struct function *f, struct insn *call)
{
    struct block *block = call->block;
    struct block *rest = ir_block(f);
    while (call->next != NULL) {
        struct insn *insn = call->next;
        ir_remove(insn);
        ir_append(rest, insn);
    }
    ir_move_succs(block, rest);
    return rest;
}

static void copy_insns(struct function *f, const struct function *callee, const struct insn *call,
                       struct copy_map *map)
{
    for_each_block(callee, block)
    {
        for_each_insn(block, insn)
        {
            if (insn->op == OP_PARAMETER) {
                map->insns[insn->id] = call->args[insn->value];
                continue;
            }
            struct insn *copy = ir_insn(f, insn->op, insn->arg_count);
            copy->value = insn->value;
            copy->symbol = insn->symbol;
            map->insns[insn->id] = copy;
            ir_append(map->blocks[block->id], copy);
        }
    }
}

static void connect_copies(struct function *f, const struct function *callee, struct copy_map *map)
{
    for_each_block(callee, block)
    {
        struct block *copy = map->blocks[block->id];
        copy->succ_count = block->succ_count;
        for (int i = 0; i < block->succ_count; i++) {
            copy->succs[i] = map->blocks[block->succs[i]->id];
        }
        for (int i = 0; i < block->preds.count; i++) {
            list_push(f->arena, &copy->preds, map->blocks[block->preds.items[i]->id]);
        }
        for_each_insn(block, insn)
        {
            for (int i = 0; insn->op != OP_PARAMETER && i < insn->arg_count; i++) {
                map->insns[insn->id]->args[i] = map->insns[insn->args[i]->id];
            }
        }
    }
}

/* Returns become jumps behind the call; what they return joins in a phi. */
static void connect_returns(struct function *f, const struct function *callee, struct insn *call,
                            struct copy_map *map, struct block *rest)
{
    LIST_OF(struct insn *) results = {0};
    for_each_block(callee, block)
    {
        struct block *copy = map->blocks[block->id];
        struct insn *end = copy->last;
        if (end->op != OP_RETURN) {
            continue;
        }
        list_push(f->arena, &results, end->args[0]);
        end->op = OP_JUMP;
        end->arg_count = 0;
        ir_link(f, copy, rest);
    }
    struct insn *phi = ir_insn(f, OP_PHI, results.count);
    for (int i = 0; i < results.count; i++) {
        phi->args[i] = results.items[i];
    }
    ir_prepend(rest, phi);
    call->forward = phi;
}

static void inline_call(struct function *f, struct insn *call)
{
    const struct function *callee = call->symbol->procedure->function;
    struct block *block = call->block;
    struct block *rest = split_behind(f, call);
    struct copy_map map;
    map.insns = arena_array(f->arena, callee->insn_ids, sizeof(struct insn *));
    map.blocks = arena_array(f->arena, callee->block_ids, sizeof(struct block *));
    for_each_block(callee, body)
    {
        map.blocks[body->id] = ir_block(f);
    }
    copy_insns(f, callee, call, &map);
    connect_copies(f, callee, &map);
    connect_returns(f, callee, call, &map, rest);
    ir_append(block, ir_insn(f, OP_JUMP, 0));
    ir_link(f, block, map.blocks[callee->entry->id]);
}

static bool always_returns(const struct function *callee)
{
    for_each_block(callee, block)
    {
        if (block->last->op == OP_RETURN) {
            return true;
        }
    }
    return false;
}

int pass_inline(struct function *f)
{
    LIST_OF(struct insn *) calls = {0};
    for_each_block(f, block)
    {
        for_each_insn(block, insn)
        {
            if (insn->op != OP_CALL || calls.count == INLINES_PER_FUNCTION) {
                continue;
            }
            const struct function *callee = insn->symbol->procedure->function;
            if (is_small(f, callee) && always_returns(callee)) {
                list_push(f->arena, &calls, insn);
            }
        }
    }
    for (int i = 0; i < calls.count; i++) {
        inline_call(f, calls.items[i]);
    }
    ir_resolve(f);
    flow_order(f);
    return calls.count;
}
