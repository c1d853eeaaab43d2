/* Which registers are live where a block starts and ends. */
#include "machine.h"

static void find_local(const struct block *block, struct bitset *use, struct bitset *defined)
{
    int registers[DEF_LIMIT];
    for (int i = 0; i < block->code.count; i++) {
        const struct machine_insn *insn = &block->code.items[i];
        int count = machine_uses(insn, registers);
        for (int k = 0; k < count; k++) {
            if (!bitset_has(defined, registers[k])) {
                bitset_add(use, registers[k]);
            }
        }
        count = machine_defs(insn, registers);
        for (int k = 0; k < count; k++) {
            bitset_add(defined, registers[k]);
        }
    }
}

struct liveness liveness_find(struct function *f, struct arena *scratch)
{
    int blocks = f->blocks.count;
    struct liveness live = {0};
    struct bitset *use = arena_array(scratch, blocks, sizeof *use);
    struct bitset *defined = arena_array(scratch, blocks, sizeof *defined);
    live.in = arena_array(scratch, blocks, sizeof *live.in);
    live.out = arena_array(scratch, blocks, sizeof *live.out);
    for (int i = 0; i < blocks; i++) {
        use[i] = bitset_make(scratch, f->register_count);
        defined[i] = bitset_make(scratch, f->register_count);
        live.in[i] = bitset_make(scratch, f->register_count);
        live.out[i] = bitset_make(scratch, f->register_count);
        find_local(f->blocks.items[i], &use[i], &defined[i]);
    }
    bool changed = true;
    while (changed) {
        changed = false;
        live.rounds++;
        for (int i = blocks - 1; i >= 0; i--) {
            const struct block *block = f->blocks.items[i];
            for (int k = 0; k < block->succ_count; k++) {
                bitset_unite(&live.out[i], &live.in[block->succs[k]->order]);
            }
            changed |= bitset_transfer(&live.in[i], &use[i], &live.out[i], &defined[i]);
        }
    }
    return live;
}
