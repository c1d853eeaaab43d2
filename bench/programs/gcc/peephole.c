/* Improves pairs of neighbouring instructions. */
#include "machine.h"

typedef bool peephole(struct machine_insn *first, struct machine_insn *second);

static void make_nothing(struct machine_insn *insn)
{
    *insn = machine_make(M_ADDI, R_ZERO, R_ZERO, -1, 0);
}

static bool is_nothing(const struct machine_insn *insn)
{
    return insn->op == M_ADDI && insn->rd == R_ZERO;
}

static void make_move(struct machine_insn *insn, int rd, int rs)
{
    if (rd == rs) {
        make_nothing(insn);
    } else {
        *insn = machine_make(M_ADDI, rd, rs, -1, 0);
    }
}

static bool move_back(struct machine_insn *first, struct machine_insn *second)
{
    if (!machine_is_move(first) || !machine_is_move(second) || first->rd != second->rs1 ||
        first->rs1 != second->rd) {
        return false;
    }
    make_nothing(second);
    return true;
}

static bool same_address(const struct machine_insn *first, const struct machine_insn *second)
{
    return first->rs1 == second->rs1 && first->imm == second->imm;
}

static bool load_stored(struct machine_insn *first, struct machine_insn *second)
{
    if (first->op != M_SW || second->op != M_LW || !same_address(first, second)) {
        return false;
    }
    make_move(second, second->rd, first->rs2);
    return true;
}

static bool load_again(struct machine_insn *first, struct machine_insn *second)
{
    if (first->op != M_LW || second->op != M_LW || !same_address(first, second) ||
        first->rd == first->rs1) {
        return false;
    }
    make_move(second, second->rd, first->rd);
    return true;
}

static bool store_again(struct machine_insn *first, struct machine_insn *second)
{
    if (first->op != M_SW || second->op != M_SW || !same_address(first, second)) {
        return false;
    }
    make_nothing(first);
    return true;
}

static bool add_twice(struct machine_insn *first, struct machine_insn *second)
{
    if (first->op != M_ADDI || second->op != M_ADDI || second->rs1 != first->rd ||
        second->rd != first->rd || first->rd == R_SP) {
        return false;
    }
    int sum = first->imm + second->imm;
    if (sum < -32768 || sum > 32767) {
        return false;
    }
    second->rs1 = first->rs1;
    second->imm = sum;
    make_nothing(first);
    return true;
}

static bool mask_twice(struct machine_insn *first, struct machine_insn *second)
{
    if (first->op != M_ANDI || second->op != M_ANDI || second->rs1 != first->rd ||
        second->rd != first->rd) {
        return false;
    }
    second->rs1 = first->rs1;
    second->imm &= first->imm;
    make_nothing(first);
    return true;
}

static bool result_unused(struct machine_insn *first, struct machine_insn *second)
{
    int uses[USE_LIMIT];
    if (first->rd <= R_SP || first->rd != second->rd || first->op == M_CMOV) {
        return false;
    }
    int count = machine_uses(second, uses);
    for (int i = 0; i < count; i++) {
        if (uses[i] == first->rd) {
            return false;
        }
    }
    make_nothing(first);
    return true;
}

/* What was just copied is read at its source, so that the copy may turn out to be unused. */
static bool read_source(struct machine_insn *first, struct machine_insn *second)
{
    if (!machine_is_move(first)) {
        return false;
    }
    bool changed = false;
    if (second->rs1 == first->rd && machine_facts[second->op].format != RETURNS) {
        second->rs1 = first->rs1;
        changed = true;
    }
    if (second->rs2 == first->rd) {
        second->rs2 = first->rs1;
        changed = true;
    }
    return changed;
}

static bool drop_empty_store(struct machine_insn *first, struct machine_insn *second)
{
    if (first->op != M_LW || second->op != M_SW || !same_address(first, second) ||
        first->rd != second->rs2 || first->rd == first->rs1) {
        return false;
    }
    make_nothing(second);
    return true;
}

static peephole *const peepholes[] = {
    move_back,  load_stored, load_again,    store_again,      add_twice,
    mask_twice, read_source, result_unused, drop_empty_store,
};

static bool improve_pair(struct machine_insn *first, struct machine_insn *second)
{
    for (size_t i = 0; i < sizeof peepholes / sizeof peepholes[0]; i++) {
        if (peepholes[i](first, second)) {
            return true;
        }
    }
    return false;
}

static int remove_nothing(struct block *block)
{
    int kept = 0;
    for (int i = 0; i < block->code.count; i++) {
        if (!is_nothing(&block->code.items[i])) {
            block->code.items[kept++] = block->code.items[i];
        }
    }
    int removed = block->code.count - kept;
    block->code.count = kept;
    return removed;
}

void peephole_function(struct function *f, struct backend_counts *counts)
{
    for_each_block(f, block)
    {
        bool changed = true;
        for (int round = 0; changed && round < 8; round++) {
            changed = false;
            for (int i = 0; i + 1 < block->code.count; i++) {
                if (improve_pair(&block->code.items[i], &block->code.items[i + 1])) {
                    counts->peepholes++;
                    changed = true;
                }
            }
            remove_nothing(block);
        }
    }
}
