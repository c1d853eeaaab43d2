/* The pass `loads`: what was loaded from a place, or stored there, is not loaded from it again.
 *
 * A load may take its value from an earlier store or load of the same iteration if no store that may have
 * changed the bytes lies between, and no fence and no atomic: RISC-V lets a processor do the same.  Where others may write
 * to the memory, no other load from what may be the same bytes may lie between either: it could see a newer value, and
 * what one place holds must not go backwards.  Nothing is known where the trace begins, so a loop that waits for another
 * thread loads in each turn.  Two places are known to be apart if both are the same root plus constants that are far
 * enough from each other.
 *
 * Needs addresses (values).  Keeps stores, their order, and the first access to each place, which may fault. */
#include "translator/passes/ops.h"

static struct value address_of(const struct op *op)
{
    return value_add(op->in[0], op->constant);
}

void loads_forget(struct ops *ops)
{
    ops->fact_count = ops->next_fact = 0;
}

/* What the load gives where the fact holds; false if that is not one value that is there. */
static bool take(const struct ops *ops, const struct memory_fact *fact, const struct op *op,
                 struct value *out)
{
    const bool is_signed = (op->flags & OP_SIGNED) != 0;
    unsigned flags;

    *out = fact->value;
    if (!fact->stored) {
        return fact->is_signed == is_signed;
    }
    if (op->bytes == 8) {
        return true;
    }
    if (value_is_constant(fact->value)) {
        const uint64_t bits = 8u * op->bytes, value = (uint64_t)fact->value.offset;
        const uint64_t low = value << (64 - bits);
        *out = (struct value){.offset = is_signed ? (int64_t)low >> (64 - bits)
                                                  : (int64_t)(low >> (64 - bits))};
        return true;
    }
    flags = fact->value.offset == 0 ? ops->root_flags[fact->value.root] : 0;
    return (op->bytes == 4 && is_signed && (flags & (OP_WORD | OP_BYTE)) != 0) ||
           ((flags & OP_BYTE) != 0 && (op->bytes != 1 || !is_signed));
}

/* Where others write, a load that is executed after all gives another value than what is said of it here.  It is not, if
 * one of the program's registers should hold the value now: that can be told. */
static bool stays_absent(const struct ops *ops, struct value value)
{
    if (ops->alone || value_is_constant(value)) {
        return true;
    }
    for (unsigned reg = 1; reg < OPS_REGISTERS; reg++) {
        if (value_equals(ops->guest[reg], value)) {
            return true;
        }
    }
    return false;
}

bool loads_know(struct ops *ops, const struct op *op, struct value *out)
{
    const struct value address = address_of(op);

    if (!pass_is_on(ops, PASS_LOADS)) {
        return false;
    }
    for (unsigned i = 0; i < ops->fact_count; i++) {
        const struct memory_fact *fact = &ops->facts[i];
        if (fact->bytes == op->bytes && value_equals(fact->address, address) &&
            take(ops, fact, op, out) && stays_absent(ops, *out)) {
            return true;
        }
    }
    return false;
}

static bool may_overlap(const struct memory_fact *fact, struct value address, unsigned bytes)
{
    /* Differences, so that the ends of the address space are no special case. */
    const uint64_t before = (uint64_t)fact->address.offset - (uint64_t)address.offset;
    const uint64_t behind = (uint64_t)address.offset - (uint64_t)fact->address.offset;

    return fact->address.root != address.root || before < bytes || behind < fact->bytes;
}

static void forget_overlapping(struct ops *ops, struct value address, unsigned bytes)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < ops->fact_count; i++) {
        if (may_overlap(&ops->facts[i], address, bytes)) {
            continue;
        }
        if (kept != i) {
            ops->facts[kept] = ops->facts[i];
        }
        kept++;
    }
    ops->fact_count = kept;
}

static void add_fact(struct ops *ops, const struct memory_fact *fact)
{
    if (ops->fact_count < MEMORY_FACTS) {
        ops->facts[ops->fact_count++] = *fact;
    } else {
        ops->facts[ops->next_fact++ % MEMORY_FACTS] = *fact;
    }
}

void loads_note(struct ops *ops, const struct op *op, struct value out)
{
    const bool floats = (op->flags & OP_FLOATS) != 0;
    struct memory_fact fact = {.address = address_of(op), .bytes = op->bytes};

    if (op->kind == OP_STORE || (!ops->alone && !op->older)) {
        forget_overlapping(ops, fact.address, op->bytes);
    }
    if (op->kind == OP_STORE) {
        fact.stored = true;
        fact.value = op->in[1];
    } else {
        fact.is_signed = (op->flags & OP_SIGNED) != 0;
        fact.value = out;
    }
    if (!floats && (op->kind == OP_STORE || (op->rd != 0 && !op->older))) {
        add_fact(ops, &fact);
    }
}
