/* Unrolls loops of one block that turn a few times only, and a known number of times. */
#include "loop.h"

enum { TURN_LIMIT = 8, COPIED_LIMIT = 80 };

/* The number of turns of a loop that tests its counter against a constant at its end, or 0. */
static int count_turns(const struct loop *loop)
{
    const struct block *block = loop->header;
    const struct insn *test = block->last->op == OP_BRANCH ? block->last->args[0] : NULL;
    if (test == NULL || (test->op != OP_LT && test->op != OP_NE) || !is_const(test->args[1]) ||
        block->succs[0] != block) {
        return 0;
    }
    struct induction counter;
    for_each_phi(block, phi)
    {
        if (!loop_induction(loop, phi, &counter) || test->args[0] != counter.next ||
            !is_const(counter.start)) {
            continue;
        }
        int value = counter.start->value;
        for (int turn = 1; turn <= TURN_LIMIT; turn++) {
            value = wrap((int64_t)value + counter.step);
            if (ir_evaluate(test->op, value, test->args[1]->value) == 0) {
                return turn;
            }
        }
    }
    return 0;
}

static struct insn *mapped(struct insn **map, struct insn *insn)
{
    return map[insn->id] != NULL ? map[insn->id] : insn;
}

/* Of the phis in the turn behind those that were copied, all of them before any is changed: one may
 * be the next value of another. */
static struct insn **next_values(struct function *f, struct block *block, struct insn **map)
{
    int latch = ir_pred_index(block, block);
    int count = 0;
    for_each_phi(block, phi)
    {
        count++;
    }
    struct insn **values = arena_array(f->arena, count, sizeof(struct insn *));
    count = 0;
    for_each_phi(block, phi)
    {
        struct insn *next = phi->args[latch];
        values[count++] = map[phi->id] == NULL ? phi->args[1 - latch] : mapped(map, next);
    }
    return values;
}

/* One more turn at the end of the code in front; the map says what each value is after it. */
static void copy_turn(struct function *f, const struct loop *loop, struct insn **map, int ids)
{
    struct block *block = loop->header;
    struct insn **values = next_values(f, block, map);
    int count = 0;
    for_each_phi(block, phi)
    {
        map[phi->id] = values[count++];
    }
    for (struct insn *insn = ir_first_ordinary(block); insn != block->last; insn = insn->next) {
        struct insn *copy = ir_insn(f, insn->op, insn->arg_count);
        copy->value = insn->value;
        copy->symbol = insn->symbol;
        for (int i = 0; i < insn->arg_count; i++) {
            struct insn *arg = insn->args[i];
            copy->args[i] = arg->id < ids ? mapped(map, arg) : arg;
        }
        ir_insert_before(loop->preheader->last, copy);
        map[insn->id] = copy;
    }
}

/* All turns but the last are copied in front; the last one stays, as straight code. */
static void unroll(struct function *f, const struct loop *loop, int turns)
{
    struct block *block = loop->header;
    int ids = f->insn_ids;
    struct insn **map = arena_array(f->arena, ids, sizeof(struct insn *));
    int latch = ir_pred_index(block, block);
    for (int turn = 1; turn < turns; turn++) {
        copy_turn(f, loop, map, ids);
    }
    struct insn **values = next_values(f, block, map);
    int count = 0;
    for_each_phi(block, phi)
    {
        phi->args[1 - latch] = values[count++];
    }
    ir_make_jump(block, 1);
}

int pass_unroll(struct function *f)
{
    int unrolled = 0;
    loop_prepare(f);
    for (int i = 0; i < f->loops.count; i++) {
        const struct loop *loop = f->loops.items[i];
        if (loop->blocks.count != 1 || loop->preheader == NULL) {
            continue;
        }
        int size = 0;
        for_each_insn(loop->header, insn)
        {
            size++;
        }
        int turns = count_turns(loop);
        if (turns > 1 && turns * size <= COPIED_LIMIT) {
            unroll(f, loop, turns);
            unrolled++;
        }
    }
    flow_order(f);
    return unrolled;
}
