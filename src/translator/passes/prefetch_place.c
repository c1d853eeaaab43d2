/* Writes what touches a line ahead, in the scratch register: whatever that takes is there, or nothing is touched. */
#include "translator/passes/prefetch.h"
#include "translator/passes/registers.h"

#include "target_facts.h"

/* Items of one touch at the most. */
#define PARTS (6 + 2 * AHEAD_CHAIN)

struct parts {
    unsigned count;
    struct item items[PARTS];
};

static struct item *add(struct parts *parts, enum ahead_step step, unsigned src, int64_t constant)
{
    struct item *item = &parts->items[parts->count++];

    *item = (struct item){.kind = ITEM_AHEAD,
                          .step = (uint8_t)step,
                          .dst = step == AHEAD_TOUCH ? NO_REGISTER : PLACE_SCRATCH,
                          .src = {(uint8_t)src, NO_REGISTER},
                          .guest = NO_REGISTER,
                          .pass = PASS_PREFETCH,
                          .constant = constant};
    return item;
}

/* The register, and the constant to add, with which an access reaches the address; false if no register has its root. */
static bool reach(struct place *place, struct parts *parts, const struct ahead *ahead,
                  unsigned *reg, int64_t *constant)
{
    const struct value address = ahead->address;

    *reg = registers_find_near(place, address, ~UINT32_C(0));
    if (*reg != NO_REGISTER && ahead->moves_by_value) {
        const unsigned step = registers_find_exact(place, ahead->step, NO_REGISTER);
        if (step == NO_REGISTER) {
            return false;
        }
        *constant = (int64_t)((uint64_t)address.offset - (uint64_t)place->held[*reg].offset);
        add(parts, AHEAD_SHIFT, step, ahead->shift);
        add(parts, AHEAD_SUM, PLACE_SCRATCH, 0)->src[1] = (uint8_t)*reg;
        *reg = PLACE_SCRATCH;
        return true;
    }
    if (ahead->moves_by_value) {
        return false;
    }
    if (*reg != NO_REGISTER) {
        *constant = (int64_t)((uint64_t)address.offset - (uint64_t)place->held[*reg].offset);
        return true;
    }
    const uint32_t mask = place->holders[address.root];
    if (mask == 0) {
        return false;
    }
    const unsigned near = lowest_bit(mask);
    const int64_t away = (int64_t)((uint64_t)address.offset - (uint64_t)place->held[near].offset);
    const int64_t upper = target_upper_part(away);
    if (upper != (int32_t)upper) {
        return false;
    }
    const struct value value = {.offset = upper};
    unsigned with = registers_find_exact(place, value, NO_REGISTER);
    with = with != NO_REGISTER ? with : registers_hoist_constant(place, value);
    if (with == NO_REGISTER) {
        add(parts, AHEAD_CONSTANT, NO_REGISTER, upper);
        with = PLACE_SCRATCH;
    }
    add(parts, AHEAD_SUM, with, 0)->src[1] = (uint8_t)near;
    *reg = PLACE_SCRATCH;
    *constant = away - upper;
    return true;
}

/* Adds to what the scratch register has. */
static bool add_constant(struct parts *parts, int64_t constant)
{
    if (constant != 0) {
        add(parts, AHEAD_ADD, PLACE_SCRATCH, constant);
    }
    return target_adds(constant);
}

static bool compute(struct place *place, struct parts *parts, const struct ahead *ahead)
{
    for (unsigned i = 0; i < ahead->chain_count; i++) {
        const struct op *op = &place->ops->list[ahead->chain[i].op];
        const unsigned operand = ahead->chain[i].operand, other = 1 - operand;
        if (!add_constant(parts, ahead->chain[i].add)) {
            return false;
        }
        struct item *item = add(parts, AHEAD_COMPUTE, NO_REGISTER, op->constant);
        item->of = ahead->chain[i].op;
        item->src[operand] = PLACE_SCRATCH;
        if (op->form.rs[other] != NO_REGISTER) {
            const unsigned reg = registers_find_exact(place, op->in[other], NO_REGISTER);
            if (reg == NO_REGISTER) {
                return false;
            }
            item->src[other] = (uint8_t)reg;
        }
    }
    return true;
}

static bool make(struct place *place, struct parts *parts, const struct ahead *ahead)
{
    unsigned reg;
    int64_t constant;

    if (!reach(place, parts, ahead, &reg, &constant)) {
        return false;
    }
    if (ahead->indirect) {
        add(parts, AHEAD_LOAD, reg, constant)->of = ahead->load;
        if (!compute(place, parts, ahead)) {
            return false;
        }
        reg = PLACE_SCRATCH;
        constant = ahead->add;
        if (!target_adds(target_touch_part(constant))) {
            return false;
        }
    }
    const int64_t touched = target_touch_part(constant);
    if (!target_adds(touched)) {
        return false;
    }
    add(parts, AHEAD_TOUCH, reg, touched);
    return true;
}

void prefetch_place(struct place *place)
{
    const struct ops *ops = place->ops;

    while (place->next_ahead < ops->ahead_count && ops->ahead[place->next_ahead].at <= place->now) {
        const struct ahead *ahead = &ops->ahead[place->next_ahead++];
        struct parts parts = {.count = 0};
        if (ahead->at != place->now || !make(place, &parts, ahead)) {
            continue;
        }
        for (unsigned i = 0; i < parts.count; i++) {
            struct item *item = registers_add_item(place, ITEM_AHEAD);
            const uint16_t op = item->op;
            *item = parts.items[i];
            item->op = op;
        }
    }
}
