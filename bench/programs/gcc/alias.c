/* Decides which loads and stores may use the same memory, and removes those that repeat what is known. */
#include "alias.h"

/* Finds the object behind an address with a variable index. */
static void find_object(const struct insn *address, struct place *place, int depth)
{
    if (address->op == OP_GLOBAL) {
        place->symbol = address->symbol;
    } else if (address->op == OP_SLOT) {
        place->slot = address->value;
    } else if (address->op == OP_ADD && depth > 0) {
        find_object(address->args[0], place, depth - 1);
        if (place->symbol == NULL && place->slot < 0) {
            find_object(address->args[1], place, depth - 1);
        }
    }
}

struct place alias_place(const struct insn *access)
{
    const struct insn *address = access->args[0];
    struct place place = {.slot = -1};
    place.bytes = access->op == OP_LOAD_BYTE || access->op == OP_STORE_BYTE ? 1 : 4;
    if (address->op == OP_ADD && is_const(address->args[1])) {
        place.offset = address->args[1]->value;
        address = address->args[0];
    }
    find_object(address, &place, 4);
    if (address->op == OP_GLOBAL) {
        place.offset += address->value;
    } else if (address->op != OP_SLOT) {
        place.base = address;
    }
    return place;
}

bool alias_same(const struct place *a, const struct place *b)
{
    return a->symbol == b->symbol && a->slot == b->slot && a->base == b->base &&
           a->offset == b->offset && a->bytes == b->bytes;
}

static bool is_known(const struct place *place)
{
    return place->symbol != NULL || place->slot >= 0;
}

bool alias_possible(const struct place *a, const struct place *b)
{
    if (is_known(a) && is_known(b) && (a->symbol != b->symbol || a->slot != b->slot)) {
        return false;
    }
    if (a->base == b->base && (a->base != NULL || (is_known(a) && is_known(b)))) {
        return a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
    }
    return true;
}

struct known {
    struct place place;
    struct insn *value;
};

struct memory_state {
    struct known items[48];
    int count;
};

static void forget_overlaps(struct memory_state *state, const struct place *place)
{
    int kept = 0;
    for (int i = 0; i < state->count; i++) {
        if (!alias_possible(&state->items[i].place, place)) {
            state->items[kept++] = state->items[i];
        }
    }
    state->count = kept;
}

static void remember(struct memory_state *state, const struct place *place, struct insn *value)
{
    if (state->count == 48) {
        memmove(state->items, state->items + 1, 47 * sizeof state->items[0]);
        state->count = 47;
    }
    state->items[state->count++] = (struct known){*place, value};
}

static struct insn *find_known(const struct memory_state *state, const struct place *place)
{
    for (int i = state->count - 1; i >= 0; i--) {
        if (alias_same(&state->items[i].place, place)) {
            return state->items[i].value;
        }
    }
    return NULL;
}

static int visit_access(struct memory_state *state, struct insn *insn)
{
    if (insn->op == OP_CALL) {
        state->count = 0;
        return 0;
    }
    struct place place = alias_place(insn);
    if (has_flag(insn, WRITES)) {
        forget_overlaps(state, &place);
        /* A stored byte loses its upper bits: only whole words are passed on. */
        if (insn->op == OP_STORE) {
            remember(state, &place, ir_final(insn->args[1]));
        }
        return 0;
    }
    struct insn *value = find_known(state, &place);
    if (value != NULL) {
        insn->forward = value;
        return 1;
    }
    remember(state, &place, insn);
    return 0;
}

static int forward_tree(struct block *block, const struct memory_state *known)
{
    struct memory_state state;
    int changed = 0;
    state.count = 0;
    if (block->preds.count == 1) {
        state = *known;
    }
    for_each_insn(block, insn)
    {
        for (int i = 0; i < insn->arg_count; i++) {
            insn->args[i] = ir_final(insn->args[i]);
        }
        if (has_flag(insn, READS | WRITES)) {
            changed += visit_access(&state, insn);
        }
    }
    for (int i = 0; i < block->children.count; i++) {
        changed += forward_tree(block->children.items[i], &state);
    }
    return changed;
}

/* Backward: a store is dead when the same place is stored again before anybody can look. */
static int remove_dead_stores(struct block *block)
{
    struct place later[16];
    int count = 0;
    int removed = 0;
    for (struct insn *insn = block->last, *prev; insn != NULL; insn = prev) {
        prev = insn->prev;
        if (insn->op == OP_CALL) {
            count = 0;
            continue;
        }
        if (!has_flag(insn, READS | WRITES)) {
            continue;
        }
        struct place place = alias_place(insn);
        bool dead = false;
        int kept = 0;
        for (int i = 0; i < count; i++) {
            dead = dead || (has_flag(insn, WRITES) && alias_same(&later[i], &place));
            if (has_flag(insn, WRITES) || !alias_possible(&later[i], &place)) {
                later[kept++] = later[i];
            }
        }
        count = kept;
        if (dead) {
            ir_remove(insn);
            removed++;
        } else if (has_flag(insn, WRITES) && count < 16) {
            later[count++] = place;
        }
    }
    return removed;
}

int pass_memory(struct function *f)
{
    struct memory_state nothing;
    nothing.count = 0;
    flow_order(f);
    flow_dominators(f);
    int changed = forward_tree(f->entry, &nothing);
    ir_resolve(f);
    for_each_block(f, block)
    {
        changed += remove_dead_stores(block);
    }
    return changed;
}
