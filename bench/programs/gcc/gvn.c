/* Global value numbering: what is computed again where it is known already goes. */
#include "ir.h"

struct entry {
    struct entry *next;
    struct insn *insn;
    uint32_t hash;
};

static uint32_t hash_insn(const struct insn *insn)
{
    uint32_t hash = (uint32_t)insn->op * 0x9e3779b1u + (uint32_t)insn->value * 0x85ebca6bu;
    if (insn->op == OP_GLOBAL) {
        hash += (uint32_t)insn->symbol->offset * 31u;
    }
    for (int i = 0; i < insn->arg_count; i++) {
        hash = (hash ^ (uint32_t)insn->args[i]->id) * 0xc2b2ae35u;
        hash ^= hash >> 13;
    }
    return hash;
}

static bool same_value(const struct insn *a, const struct insn *b)
{
    if (a->op != b->op || a->value != b->value || a->symbol != b->symbol ||
        a->arg_count != b->arg_count || (a->op == OP_PHI && a->block != b->block)) {
        return false;
    }
    for (int i = 0; i < a->arg_count; i++) {
        if (a->args[i] != b->args[i]) {
            return false;
        }
    }
    return true;
}

static void order_args(struct insn *insn)
{
    for (int i = 0; i < insn->arg_count; i++) {
        insn->args[i] = ir_final(insn->args[i]);
    }
    /* Constants stay on the right, where the other passes look for them. */
    if (has_flag(insn, COMMUTES) && !is_const(insn->args[1]) &&
        (is_const(insn->args[0]) || insn->args[0]->id > insn->args[1]->id)) {
        struct insn *left = insn->args[0];
        insn->args[0] = insn->args[1];
        insn->args[1] = left;
    }
}

/* Constants cost nothing until they are used, so that they may all stand at the start. */
static void move_to_entry(struct function *f, struct insn *insn)
{
    if (insn->op == OP_CONST || insn->op == OP_GLOBAL || insn->op == OP_SLOT) {
        ir_remove(insn);
        ir_prepend(f->entry, insn);
    }
}

static int number_insn(struct function *f, struct insn *insn, struct entry **table, uint32_t mask)
{
    order_args(insn);
    if (insn->op == OP_PHI) {
        insn->value = 0;
    }
    uint32_t hash = hash_insn(insn);
    for (struct entry *entry = table[hash & mask]; entry != NULL; entry = entry->next) {
        if (entry->hash == hash && same_value(entry->insn, insn) &&
            flow_dominates(entry->insn->block, insn->block)) {
            insn->forward = entry->insn;
            return 1;
        }
    }
    move_to_entry(f, insn);
    struct entry *entry = arena_take(f->arena, sizeof *entry);
    entry->insn = insn;
    entry->hash = hash;
    entry->next = table[hash & mask];
    table[hash & mask] = entry;
    return 0;
}

int pass_gvn(struct function *f)
{
    int changed = 0;
    int buckets = 64;
    flow_order(f);
    flow_dominators(f);
    while (buckets < f->insn_ids / 4) {
        buckets *= 2;
    }
    struct entry **table = arena_array(f->arena, buckets, sizeof(struct entry *));
    for_each_block(f, block)
    {
        for (struct insn *insn = block->first, *next; insn != NULL; insn = next) {
            next = insn->next;
            if (has_flag(insn, PURE) || insn->op == OP_PHI) {
                changed += number_insn(f, insn, table, (uint32_t)buckets - 1);
            }
        }
    }
    ir_resolve(f);
    return changed;
}
