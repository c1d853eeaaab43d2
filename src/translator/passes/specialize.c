/* The pass `specialize`: registers that held the same whenever somebody looked are taken for constants.
 *
 * The trace compares them where it is entered, and who goes around does not pass there.  So each must hold the same again
 * where the loop ends, if all of them did at its beginning: the numbers say so of those that the trace does not write, of
 * those that are put away and come back, and of those that get the same constant in each turn.
 *
 * Needs values that others make something of, and a process that is alone with its memory: else a load through a register
 * would no longer wait for the load of it, as behind a guarded target (guards.c).  Keeps everything, as long as the registers
 * hold what was seen. */
#include "translator/passes/ops.h"

#include "target_facts.h"

/* One bit for each op. */
struct known {
    uint64_t bits[OPS_MAX / 64];
};

/* Whether the op need not be executed. */
static bool is_known(const struct op *op)
{
    return op->kind == OP_GUARD || op->kind == OP_TARGET ? (op->flags & OP_KNOWN) != 0 : op->older;
}

static void note_known(const struct ops *ops, struct known *known)
{
    *known = (struct known){{0}};
    for (unsigned i = 0; i < ops->count; i++) {
        known->bits[i / 64] |= (uint64_t)is_known(&ops->list[i]) << i % 64;
    }
}

/* It is, and was not before registers were taken for constants. */
static bool is_news(const struct ops *ops, const struct known *before, unsigned number)
{
    return is_known(&ops->list[number]) && (before->bits[number / 64] >> number % 64 & 1) == 0;
}

/* Of those that are taken for constants, which do not certainly hold the same at the end. */
static uint32_t find_lost(const struct ops *ops)
{
    uint32_t lost = 0;

    for (uint32_t mask = ops->assumed; mask != 0; mask &= mask - 1) {
        const unsigned reg = lowest_bit(mask);
        const struct value constant = {.offset = ops->assumption[reg]};
        lost |= value_equals(ops->guest[reg], constant) ? 0 : mask & -mask;
    }
    return lost;
}

/* Numbers the ops; fewer and fewer registers are taken for constants, until all that are hold the same at the end.  False if
 * none is left. */
static bool number_closed(struct ops *ops)
{
    uint32_t lost;

    do {
        if (ops->assumed == 0 || !number_run(ops)) {
            return false;
        }
        lost = find_lost(ops);
        ops->assumed &= ~lost;
    } while (lost != 0);
    return true;
}

/* The registers from which the news may follow: what each register holds depends on those that `by` has bits of, and what
 * was stored, on those of `stored`. */
static uint32_t find_sources(const struct ops *ops, const struct known *before)
{
    uint32_t by[OPS_REGISTERS] = {0}, stored = 0, needed = 0;

    for (uint32_t mask = ops->assumed; mask != 0; mask &= mask - 1) {
        by[lowest_bit(mask)] = mask & -mask;
    }
    for (unsigned i = 0; i < ops->count; i++) {
        const struct op *op = &ops->list[i];
        uint32_t from = op->kind == OP_LOAD ? stored : 0;
        for (unsigned j = 0; j < 2; j++) {
            from |= op->rs[j] != NO_REGISTER ? by[op->rs[j]] : 0;
        }
        stored |= op->kind == OP_STORE ? from : 0;
        needed |= is_news(ops, before, i) ? from : 0;
        if (op->rd != NO_REGISTER && op->rd != 0) {
            by[op->rd] = op->older ? from : 0;
        }
    }
    return needed;
}

/* What is known because of these registers is this pass's.  Returns how many ops that are. */
static unsigned claim_news(struct ops *ops, const struct known *before)
{
    unsigned count = 0;

    for (unsigned i = 0; i < ops->count; i++) {
        if (is_news(ops, before, i)) {
            ops->list[i].pass = PASS_SPECIALIZE;
            count++;
        }
    }
    return count;
}

/* Takes no more registers for constants than the same news need: each is left out once.  Returns whether there are any news;
 * the ops are numbered then. */
static bool leave_needed(struct ops *ops, const struct known *before)
{
    const unsigned news = claim_news(ops, before);
    const uint32_t sources = news != 0 ? ops->assumed & find_sources(ops, before) : 0;

    ops->assumed = sources;
    for (uint32_t mask = sources; mask != 0; mask &= mask - 1) {
        const uint32_t all = ops->assumed;
        ops->assumed &= ~(mask & -mask);
        if (!number_closed(ops) || claim_news(ops, before) < news) {
            ops->assumed = all;
        }
    }
    return number_closed(ops) && claim_news(ops, before) != 0;
}

bool specialize_run(struct ops *ops, uint32_t same, const uint64_t values[OPS_REGISTERS])
{
    struct known before;

    note_known(ops, &before);
    ops->assumed = same & ops->named & ~UINT32_C(1) & ~TARGET_OWN_REGISTERS;
    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        ops->assumption[reg] = (int64_t)values[reg];
    }
    if (!ops->loops || !ops->alone || !pass_is_on(ops, PASS_SPECIALIZE) || !number_closed(ops)) {
        return false;
    }
    return leave_needed(ops, &before);
}
