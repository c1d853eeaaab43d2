/* Which register holds what while a trace is placed, and how a value comes into one.
 *
 * The one rule of place.c is kept here: before a register is overwritten that alone tells what one of the program's should
 * hold, that is moved. */
#include "translator/passes/registers.h"

#include "target_facts.h"

static void note_home(struct place *place, unsigned reg)
{
    const bool home =
        registers_holds(place, reg) && value_equals(place->held[reg], place->guest[reg]);

    place->astray = (place->astray & ~register_bit(reg)) | (home ? 0 : register_bit(reg));
}

void registers_set_held(struct place *place, unsigned reg, struct value value)
{
    if (registers_holds(place, reg)) {
        place->holders[place->held[reg].root] &= ~register_bit(reg);
    }
    place->held[reg] = value;
    if (value.root == ROOT_NONE) {
        place->full &= ~register_bit(reg);
    } else {
        place->holders[value.root] |= register_bit(reg);
        place->full |= register_bit(reg);
    }
    note_home(place, reg);
}

void registers_set_guest(struct place *place, unsigned reg, struct value value)
{
    place->guests[place->guest[reg].root]--;
    place->guests[value.root]++;
    place->guest[reg] = value;
    note_home(place, reg);
}

/* Items.  Each takes effect at once. */

struct item *registers_add_item(struct place *place, enum item_kind kind)
{
    struct arranged *to = place->to;

    if (to->item_count == ITEMS_MAX) {
        place->failed = true;
        to->item_count = 0;
    }
    struct item *item = &to->items[to->item_count++];
    *item = (struct item){.kind = (uint8_t)kind,
                          .dst = NO_REGISTER,
                          .src = {NO_REGISTER, NO_REGISTER},
                          .guest = NO_REGISTER,
                          .pass = NO_PASS,
                          .op = (uint16_t)place->now};
    return item;
}

/* `pass`: which has left out what is computed now. */
void registers_add_move(struct place *place, unsigned dst, unsigned src, int64_t constant,
                        struct value value, unsigned pass)
{
    struct item *item = registers_add_item(place, src == NO_REGISTER ? ITEM_CONSTANT : ITEM_ADD);

    item->dst = (uint8_t)dst;
    item->src[0] = (uint8_t)src;
    item->constant = constant;
    item->value = value;
    item->pass = (uint8_t)pass;
    registers_set_held(place, dst, value);
}

void registers_add_note(struct place *place, unsigned dst, unsigned guest, struct value value)
{
    struct item *item = registers_add_item(place, ITEM_NOTE);

    item->dst = (uint8_t)dst;
    item->guest = (uint8_t)guest;
    item->value = value;
    if (dst != NO_REGISTER) {
        registers_set_held(place, dst, value);
    }
    if (guest != NO_REGISTER) {
        registers_set_guest(place, guest, value);
    }
}

/* Where values are. */

static bool fits(int64_t to, int64_t from)
{
    return target_adds((int64_t)((uint64_t)to - (uint64_t)from));
}

/* The register among `mask` that holds exactly this, `wanted` if that does; NO_REGISTER if none does. */
unsigned registers_find_exact(const struct place *place, struct value value, unsigned wanted)
{
    unsigned found = NO_REGISTER;

    if (value.root == 0 && value.offset == 0) {
        return 0;
    }
    if (wanted != NO_REGISTER && registers_holds(place, wanted) &&
        value_equals(place->held[wanted], value)) {
        return wanted;
    }
    for (uint32_t mask = place->holders[value.root]; mask != 0; mask &= mask - 1) {
        const unsigned reg = lowest_bit(mask);
        if (place->held[reg].offset == value.offset) {
            found = reg;
        }
    }
    return found;
}

/* A register of `mask` from which the value is an addition away. */
unsigned registers_find_near(const struct place *place, struct value value, uint32_t mask)
{
    for (mask &= place->holders[value.root]; mask != 0; mask &= mask - 1) {
        const unsigned reg = lowest_bit(mask);
        if (fits(value.offset, place->held[reg].offset)) {
            return reg;
        }
    }
    return NO_REGISTER;
}

bool registers_can_tell(const struct place *place, struct value value)
{
    return value.root == 0 || registers_find_near(place, value, ~UINT32_C(0)) != NO_REGISTER;
}

/* One of the program's registers, but for `rd`, that could not be told any more if `reg` held `next`; or NO_REGISTER. */
static unsigned find_needy(const struct place *place, unsigned reg, unsigned rd, struct value next)
{
    const uint16_t root = place->held[reg].root;

    if (!registers_holds(place, reg) || root == 0 || place->guests[root] == 0) {
        return NO_REGISTER;
    }
    unsigned left = place->guests[root];
    if (left == 1 && rd != NO_REGISTER && place->guest[rd].root == root) {
        return NO_REGISTER;
    }
    for (unsigned guest = 1; left != 0; guest++) {
        if (place->guest[guest].root != root) {
            continue;
        }
        left--;
        if (guest == rd || (next.root == root && fits(place->guest[guest].offset, next.offset)) ||
            registers_find_near(place, place->guest[guest], ~register_bit(reg)) != NO_REGISTER) {
            continue;
        }
        return guest;
    }
    return NO_REGISTER;
}

/* Somebody may still want to have what it holds, and nobody else would have it if it held `next`. */
static bool is_wanted(const struct place *place, unsigned reg, struct value next)
{
    const uint16_t root = place->held[reg].root;

    return registers_holds(place, reg) && root != 0 && root != next.root &&
           place->ops->last_use[root] > place->now && place->holders[root] == register_bit(reg);
}

/* A register that may be overwritten, when one of the program's, `rd`, is: one that nobody wants, or a spare one; if it must
 * be, one that is wanted. */
static unsigned find_free(struct place *place, bool must, unsigned rd)
{
    uint32_t mask = place->usable & ~place->reserved & ~TARGET_NEVER_SPARE;
    unsigned wanted = NO_REGISTER;

    if (rd == NO_REGISTER) { /* the op that is placed now reads its operands later */
        mask &= ~place->pinned;
    }

    for (; mask != 0; mask &= mask - 1) {
        const unsigned reg = lowest_bit(mask);
        if (find_needy(place, reg, rd, NOTHING) != NO_REGISTER) {
            continue;
        }
        if (!is_wanted(place, reg, NOTHING)) {
            return reg;
        }
        wanted = reg;
    }
    if (place->left == 0) {
        return must ? wanted : NO_REGISTER;
    }
    const unsigned spare = lowest_bit(place->left);
    place->left &= ~register_bit(spare);
    place->usable |= register_bit(spare);
    place->to->spares |= register_bit(spare);
    registers_add_note(place, spare, NO_REGISTER, NOTHING);
    return spare;
}

/* What `reg` holds goes elsewhere, as far as one of the program's registers but `rd` depends on it: to that one, which may
 * be in the same position, or anywhere.  A register is visited once on the way. */
static void evacuate(struct place *place, unsigned reg, unsigned rd, struct value next)
{
    const uint32_t pinned = place->pinned;
    unsigned needy;

    place->pinned |= register_bit(reg);
    while (!place->stuck && (needy = find_needy(place, reg, rd, next)) != NO_REGISTER) {
        const struct value value = place->guest[needy];
        unsigned to = find_free(place, false, NO_REGISTER);
        if (to == NO_REGISTER && (place->pinned >> needy & 1) == 0) {
            evacuate(place, needy, needy, value);
            to = needy;
        }
        if (to == NO_REGISTER) {
            to = find_free(place, true, NO_REGISTER);
        }
        if (to == NO_REGISTER || place->stuck) {
            place->stuck = true;
            break;
        }
        registers_add_move(place, to, reg,
                           (int64_t)((uint64_t)value.offset - (uint64_t)place->held[reg].offset),
                           value, place->left_by[needy]);
    }
    place->pinned = pinned;
}

/* Where an op's result goes. */
unsigned registers_choose(struct place *place, unsigned rd, struct value out)
{
    const bool needy = find_needy(place, rd, rd, out) != NO_REGISTER;

    if (needy || is_wanted(place, rd, out)) {
        const unsigned reg = find_free(place, needy, rd);
        if (reg != NO_REGISTER) {
            return reg;
        }
    }
    if (needy) {
        evacuate(place, rd, rd, out);
    }
    return rd;
}

/* Before the loop: a register that holds the same in each turn; NO_REGISTER if there is none left. */
struct item *registers_take_before(struct place *place, enum item_kind kind)
{
    struct arranged *to = place->to;

    if (!place->ops->loops || !pass_is_on(place->ops, PASS_INVARIANT) || place->left == 0 ||
        to->before_count == BEFORE_MAX) {
        return NULL;
    }
    const unsigned spare = lowest_bit(place->left);
    struct item *item = &to->before[to->before_count++];
    place->left &= ~register_bit(spare);
    place->reserved |= register_bit(spare);
    to->spares |= register_bit(spare);
    *item = (struct item){.kind = (uint8_t)kind,
                          .dst = (uint8_t)spare,
                          .src = {NO_REGISTER, NO_REGISTER},
                          .guest = NO_REGISTER,
                          .op = (uint16_t)place->now};
    return item;
}

/* A constant that the loop needs in a register.  It is there from the beginning. */
unsigned registers_hoist_constant(struct place *place, struct value value)
{
    struct item *item = registers_take_before(place, ITEM_CONSTANT);

    if (item == NULL) {
        return NO_REGISTER;
    }
    item->constant = value.offset;
    item->value = value;
    registers_add_note(place, item->dst, NO_REGISTER, value);
    return item->dst;
}

/* Puts a value, which can be told, into a register: the one of `guest`, whose it is, if that is free. */
static unsigned materialize(struct place *place, struct value value, unsigned guest)
{
    const unsigned near = registers_find_near(place, value, ~UINT32_C(0));
    unsigned reg = guest;

    if (near == NO_REGISTER && value.root != 0) {
        place->failed = true;
        return 0;
    }
    if (value.root == 0) {
        const unsigned hoisted = registers_hoist_constant(place, value);
        if (hoisted != NO_REGISTER) {
            return hoisted;
        }
    }
    const bool needy = (place->pinned >> reg & 1) != 0 || (place->usable >> reg & 1) == 0 ||
                       find_needy(place, reg, NO_REGISTER, value) != NO_REGISTER;
    if (needy || is_wanted(place, reg, value)) {
        const unsigned other = find_free(place, needy, NO_REGISTER);
        reg = other != NO_REGISTER ? other : reg;
        if (other == NO_REGISTER && needy) {
            if ((place->pinned >> reg & 1) != 0 || (place->usable >> reg & 1) == 0) {
                place->stuck = true;
                return 0;
            }
            evacuate(place, reg, NO_REGISTER, value);
            return place->stuck ? 0 : materialize(place, value, guest);
        }
    }
    if (near != NO_REGISTER) {
        registers_add_move(place, reg, near,
                           (int64_t)((uint64_t)value.offset - (uint64_t)place->held[near].offset),
                           value, place->left_by[guest]);
    } else {
        registers_add_move(place, reg, NO_REGISTER, value.offset, value, place->left_by[guest]);
    }
    return reg;
}

unsigned registers_get(struct place *place, struct value value, unsigned guest)
{
    unsigned reg = registers_find_exact(place, value, guest);

    if (reg == NO_REGISTER) {
        reg = materialize(place, value, guest);
    }
    place->pinned |= register_bit(reg);
    return reg;
}

/* The register to which an access to memory adds *constant. */
unsigned registers_get_address(struct place *place, const struct op *op, int64_t *constant)
{
    const struct value base = op->in[0], address = value_add(base, op->constant);
    unsigned reg = registers_find_exact(place, base, op->rs[0]);

    *constant = op->constant;
    if (reg == NO_REGISTER) {
        reg = registers_find_near(place, address, ~UINT32_C(0));
        if (reg != NO_REGISTER) {
            *constant = (int64_t)((uint64_t)address.offset - (uint64_t)place->held[reg].offset);
        }
    }
    if (reg == NO_REGISTER && base.root == 0) {
        const struct value upper = {.offset = target_upper_part(address.offset)};
        *constant = (int64_t)((uint64_t)address.offset - (uint64_t)upper.offset);
        reg = materialize(place, upper, op->rs[0]);
    }
    if (reg == NO_REGISTER) {
        reg = materialize(place, base, op->rs[0]);
    }
    place->pinned |= register_bit(reg);
    return reg;
}
