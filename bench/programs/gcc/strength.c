/* Strength reduction: products and addresses that follow a loop counter become counters themselves. */
#include "loop.h"

enum { NEW_COUNTERS = 6 };

bool loop_induction(const struct loop *loop, struct insn *phi, struct induction *induction)
{
    if (loop->latches.count != 1 || loop->preheader == NULL || phi->arg_count != 2) {
        return false;
    }
    int latch = ir_pred_index(loop->header, loop->latches.items[0]);
    struct insn *next = phi->args[latch];
    if (next->op != OP_ADD || next->args[0] != phi || !is_const(next->args[1])) {
        return false;
    }
    *induction = (struct induction){phi, phi->args[1 - latch], next, next->args[1]->value};
    return true;
}

static struct insn *binary_before(struct function *f, struct insn *place, enum op op,
                                  struct insn *left, struct insn *right)
{
    struct insn *insn = ir_insn(f, op, 2);
    insn->args[0] = left;
    insn->args[1] = right;
    ir_insert_before(place, insn);
    return insn;
}

/* A new counter that starts with `start` and grows by `step` where the old one grows. */
static struct insn *add_counter(struct function *f, const struct loop *loop,
                                const struct induction *old, struct insn *start, int step)
{
    struct insn *phi = ir_insn(f, OP_PHI, 2);
    int latch = ir_pred_index(loop->header, loop->latches.items[0]);
    struct insn *amount = ir_constant_before(f, old->next, step);
    struct insn *next = binary_before(f, old->next, OP_ADD, phi, amount);
    phi->args[latch] = next;
    phi->args[1 - latch] = start;
    ir_prepend(loop->header, phi);
    return phi;
}

static bool is_outside(const struct loop *loop, const struct insn *insn)
{
    return !loop_contains(loop, insn->block);
}

static struct insn *reduce_product(struct function *f, const struct loop *loop,
                                   const struct induction *counter, struct insn *insn)
{
    int64_t factor = insn->args[1]->value;
    if (insn->op == OP_SHL) {
        factor = INT64_C(1) << (insn->args[1]->value & 31);
    }
    struct insn *start =
        binary_before(f, loop->preheader->last, insn->op, counter->start, insn->args[1]);
    return add_counter(f, loop, counter, start, wrap(wrap(factor) * (int64_t)counter->step));
}

static struct insn *reduce_sum(struct function *f, const struct loop *loop,
                               const struct induction *counter, struct insn *insn)
{
    struct insn *fixed = insn->args[insn->args[0] == counter->phi ? 1 : 0];
    struct insn *start = binary_before(f, loop->preheader->last, OP_ADD, counter->start, fixed);
    return add_counter(f, loop, counter, start, counter->step);
}

static bool is_address(const struct loop *loop, const struct insn *insn)
{
    for (int i = 0; i < loop->blocks.count; i++) {
        for_each_insn(loop->blocks.items[i], user)
        {
            if (has_flag(user, READS | WRITES) && user->op != OP_CALL && user->args[0] == insn) {
                return true;
            }
        }
    }
    return false;
}

static struct insn *reduce(struct function *f, const struct loop *loop,
                           const struct induction *counter, struct insn *insn)
{
    if ((insn->op == OP_MUL || insn->op == OP_SHL) && insn->args[0] == counter->phi &&
        is_const(insn->args[1])) {
        return reduce_product(f, loop, counter, insn);
    }
    if (insn->op != OP_ADD || insn == counter->next) {
        return NULL;
    }
    const struct insn *other = insn->args[0] == counter->phi   ? insn->args[1]
                               : insn->args[1] == counter->phi ? insn->args[0]
                                                               : NULL;
    if (other == NULL || is_const(other) || !is_outside(loop, other) || !is_address(loop, insn)) {
        return NULL;
    }
    return reduce_sum(f, loop, counter, insn);
}

static int reduce_with(struct function *f, const struct loop *loop, const struct induction *counter,
                       int allowed)
{
    int made = 0;
    for (int i = 0; i < loop->blocks.count; i++) {
        for_each_insn(loop->blocks.items[i], insn)
        {
            if (made == allowed || insn->forward != NULL) {
                continue;
            }
            struct insn *better = reduce(f, loop, counter, insn);
            if (better != NULL) {
                insn->forward = better;
                made++;
            }
        }
    }
    return made;
}

static int reduce_loop(struct function *f, const struct loop *loop)
{
    int made = 0;
    /* New counters come to the front; one more round makes addresses of the products. */
    for (int round = 0; round < 2; round++) {
        LIST_OF(struct induction) counters = {0};
        for_each_phi(loop->header, phi)
        {
            struct induction counter;
            if (loop_induction(loop, phi, &counter)) {
                list_push(f->arena, &counters, counter);
            }
        }
        for (int i = 0; i < counters.count && made < NEW_COUNTERS; i++) {
            made += reduce_with(f, loop, &counters.items[i], NEW_COUNTERS - made);
        }
        ir_resolve(f);
    }
    return made;
}

int pass_strength(struct function *f)
{
    int made = 0;
    loop_prepare(f);
    for (int i = f->loops.count - 1; i >= 0; i--) {
        if (f->loops.items[i]->preheader != NULL) {
            made += reduce_loop(f, f->loops.items[i]);
        }
    }
    return made;
}
