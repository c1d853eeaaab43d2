/* After the registers are known: frame, order of the blocks, branches that fall through. */
#include "machine.h"

static unsigned saved_registers(const struct function *f)
{
    unsigned used = 0;
    for_each_block(f, block)
    {
        for (int i = 0; i < block->code.count; i++) {
            int rd = block->code.items[i].rd;
            if (rd >= R_SAVED) {
                used |= 1u << rd;
            }
        }
    }
    return used | (f->calls ? 1u << R_RA : 0);
}

static void move_saved(struct function *f, struct block *block, unsigned saved, int offset,
                       enum machine_op op)
{
    for (int reg = 0; reg < REGISTER_COUNT; reg++) {
        if ((saved >> reg & 1) == 0) {
            continue;
        }
        if (op == M_SW) {
            machine_emit(f, block, machine_make(M_SW, -1, R_SP, reg, offset));
        } else {
            machine_emit(f, block, machine_make(M_LW, reg, R_SP, -1, offset));
        }
        offset += 4;
    }
}

void finish_frame(struct function *f)
{
    unsigned saved = saved_registers(f);
    int offset = f->frame_bytes;
    for (int reg = 0; reg < REGISTER_COUNT; reg++) {
        f->frame_bytes += (saved >> reg & 1) != 0 ? 4 : 0;
    }
    program_check(f->frame_bytes < 32000, "the frame can be addressed");
    if (f->frame_bytes == 0) {
        return;
    }
    for_each_block(f, block)
    {
        struct machine_insn *old = block->code.items;
        int count = block->code.count;
        bool returns = count > 0 && old[count - 1].op == M_JR;
        if (block != f->entry && !returns) {
            continue;
        }
        block->code.items = NULL;
        block->code.count = block->code.capacity = 0;
        if (block == f->entry) {
            machine_emit(f, block, machine_make(M_ADDI, R_SP, R_SP, -1, -f->frame_bytes));
            move_saved(f, block, saved, offset, M_SW);
        }
        for (int i = 0; i < count - returns; i++) {
            machine_emit(f, block, old[i]);
        }
        if (returns) {
            move_saved(f, block, saved, offset, M_LW);
            machine_emit(f, block, machine_make(M_ADDI, R_SP, R_SP, -1, f->frame_bytes));
            machine_emit(f, block, old[count - 1]);
        }
    }
}

static bool only_jumps(const struct block *block)
{
    return block->code.count == 1 && block->code.items[0].op == M_J;
}

static struct block *final_target(struct block *block)
{
    for (int i = 0; i < 16 && only_jumps(block); i++) {
        block = block->code.items[0].target;
    }
    return block;
}

static enum machine_op inverted(enum machine_op op)
{
    static const unsigned char inverse[MACHINE_OPS] = {
        [M_BEQ] = M_BNE, [M_BNE] = M_BEQ,   [M_BLT] = M_BGE,
        [M_BGE] = M_BLT, [M_BLTU] = M_BGEU, [M_BGEU] = M_BLTU,
    };
    return inverse[op];
}

static void fall_through(struct block *block, const struct block *next,
                         struct backend_counts *counts)
{
    int count = block->code.count;
    struct machine_insn *jump = &block->code.items[count - 1];
    if (jump->op != M_J) {
        return;
    }
    struct machine_insn *branch =
        count > 1 && machine_facts[jump[-1].op].format == BRANCHES ? jump - 1 : NULL;
    if (branch != NULL && branch->target == next) {
        branch->op = inverted(branch->op);
        branch->target = jump->target;
        block->code.count--;
        counts->peepholes++;
    } else if (jump->target == next) {
        block->code.count--;
        counts->peepholes++;
    }
}

void layout_blocks(struct function *f, struct backend_counts *counts)
{
    for_each_block(f, block)
    {
        for (int i = 0; i < block->code.count; i++) {
            if (block->code.items[i].target != NULL) {
                block->code.items[i].target = final_target(block->code.items[i].target);
            }
        }
    }
    for_each_block(f, block)
    {
        block->mark = block == f->entry;
    }
    for_each_block(f, block)
    {
        for (int i = 0; i < block->code.count; i++) {
            if (block->code.items[i].target != NULL && !only_jumps(block)) {
                block->code.items[i].target->mark = 1;
            }
        }
    }
    int kept = 0;
    for (int i = 0; i < f->blocks.count; i++) {
        if (f->blocks.items[i]->mark != 0) {
            f->blocks.items[kept++] = f->blocks.items[i];
        }
    }
    f->blocks.count = kept;
    for (int i = 0; i + 1 < kept; i++) {
        fall_through(f->blocks.items[i], f->blocks.items[i + 1], counts);
    }
}
