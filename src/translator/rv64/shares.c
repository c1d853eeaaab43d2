/* Counts what passes have left out of a trace, and what was added to it, while it is written.
 *
 * The program's instructions are compared with what a trace without passes has for them.  That is one instruction each; for
 * constants, and addresses that targets are compared with, what guard.c would write: mostly an addition to the one before. */
#include "translator/rv64/emit.h"

static unsigned constant_length(uint64_t value)
{
    const int64_t wanted = (int64_t)value;
    const int32_t low = low_part(wanted);

    return wanted == low || (wanted == (int32_t)wanted && low == 0) ? 1 : 2;
}

/* An addition to gp, if that is near. */
static bool is_near(const struct share_counter *counter, uint64_t value)
{
    const int64_t step = (int64_t)(value - counter->gp);

    return counter->knows_gp && step >= -2048 && step < 2048;
}

/* As in emit_known. */
static unsigned target_plain(struct share_counter *counter, uint64_t value)
{
    const unsigned length =
        is_near(counter, value) ? (value != counter->gp) : constant_length(value);

    counter->knows_gp = true;
    counter->gp = value;
    return length + 1;
}

/* Instructions that a trace without passes has for the op. */
static unsigned plain_length(struct emitter *emitter, const struct op *op)
{
    struct share_counter *counter = &emitter->special->share_counter;
    const uint64_t constant = (uint64_t)op->constant;

    switch (op->kind) {
    case OP_NOTHING:
    case OP_BLOCK:
        return 0;
    case OP_TARGET:
        return target_plain(counter, constant);
    case OP_CONSTANT:
        switch (emitter->special->plan->steps[op->step].kind) {
        case STEP_COPY:
            return 1;
        case STEP_CONSTANT:
            return constant_length(constant);
        default: /* a return address */
            return is_near(counter, constant) ? 1 : constant_length(constant);
        }
    default:
        return 1;
    }
}

void shares_begin(struct emitter *emitter, struct block_shares *shares)
{
    emitter->special->share_counter = (struct share_counter){.to = shares};
    if (shares != NULL) {
        *shares = (struct block_shares){.added = 0};
    }
}

void shares_next_block(struct emitter *emitter)
{
    struct block_shares **to = &emitter->special->share_counter.to;

    if (*to != NULL) {
        *++*to = (struct block_shares){.added = 0};
    }
}

void shares_count(struct emitter *emitter, const struct item *item, const uint8_t *from)
{
    struct share_counter *counter = &emitter->special->share_counter;
    const struct op *op = &emitter->special->ops->list[item->op];
    const bool is_op = item->kind == ITEM_OP || item->kind == ITEM_EMPTY;

    if (counter->to == NULL) {
        return;
    }
    if (is_op && (op->kind == OP_STEP || op->kind == OP_END)) {
        counter->knows_gp = false; /* they are written as they are */
        return;
    }
    if (item->kind == ITEM_NOTE && item->pass != NO_PASS) {
        const int constant = (int)constant_length((uint64_t)item->constant);
        int16_t *const left_out = counter->to->left_out;
        left_out[item->pass] = (int16_t)(left_out[item->pass] + constant);
        left_out[item->before] = (int16_t)(left_out[item->before] - constant);
        return;
    }
    const int saved =
        (is_op ? (int)plain_length(emitter, op) : 0) - (int)target_length(from, emitter->at);
    if (item->pass != NO_PASS) {
        int16_t *const left_out = &counter->to->left_out[item->pass];
        *left_out = (int16_t)(*left_out + saved);
    } else {
        counter->to->added = (int16_t)(counter->to->added - saved);
    }
}
