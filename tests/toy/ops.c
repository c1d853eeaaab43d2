/* Lists of ops for the tests of passes, and what the toy's words mean: the toy's own traces have none of them. */
#include "ops.h"

#include "target_facts.h"
#include "translator/passes/place.h"
#include "translator/passes/prefetch.h"
#include "translator/passes/simpler.h"

#include "base/check.h"

#include <stdio.h>

/* Few constants fit, so that it is often not enough that a root is there. */
#define ADDS_BITS 7

bool target_adds(int64_t constant)
{
    return constant >= -(1 << (ADDS_BITS - 1)) && constant < 1 << (ADDS_BITS - 1);
}

int64_t target_upper_part(int64_t address)
{
    const uint64_t half = UINT64_C(1) << (ADDS_BITS - 1);

    return (int64_t)(((uint64_t)address + half) & ~(2 * half - 1));
}

/* Lines of 8 bytes. */
int64_t target_touch_part(int64_t constant)
{
    return constant & ~INT64_C(7);
}

uint32_t ops_word_with(enum ops_word word, uint64_t constant)
{
    ASSERT(constant < WORD_CONSTANT_LIMIT);
    return (uint32_t)word | (uint32_t)constant << WORD_CONSTANT_SHIFT;
}

uint64_t ops_compute(uint32_t word, uint64_t a, uint64_t b)
{
    const uint64_t constant = word >> WORD_CONSTANT_SHIFT;

    switch (word & ((1u << WORD_CONSTANT_SHIFT) - 1)) {
    case WORD_XOR_WITH:
        return a ^ constant;
    case WORD_LESS_WITH:
        return a < constant;
    case WORD_SHIFT:
        return a << constant;
    case WORD_HIGH:
        return a >> 32;
    case WORD_ADD:
        return a + b;
    case WORD_SUB:
        return a - b;
    case WORD_XOR:
        return a ^ b;
    case WORD_MUL:
        return a * b + (a >> 32);
    case WORD_ADD_32:
        return (uint64_t)(int64_t)(int32_t)(uint32_t)(a + b);
    case WORD_EXTEND:
        return (uint64_t)(int64_t)(int32_t)(uint32_t)a;
    case WORD_BYTE:
        return a & 0xff;
    default:
        return a < b;
    }
}

bool ops_has_one_operand(uint32_t word)
{
    return word == WORD_EXTEND || word == WORD_BYTE;
}

bool target_fold(uint32_t word, uint64_t a, uint64_t b, uint64_t *result)
{
    *result = ops_compute(word, a, b);
    return word != WORD_MUL;
}

/* The result is the operand, plus a constant. */
static struct simpler become_sum(unsigned operand, uint64_t constant)
{
    return (struct simpler){
        .kind = SIMPLER_SUM, .operand = (uint8_t)operand, .constant = (int64_t)constant};
}

static struct simpler become_word(unsigned operand, enum ops_word word, uint64_t constant)
{
    return (struct simpler){
        .kind = SIMPLER_WORD, .operand = (uint8_t)operand, .word = ops_word_with(word, constant)};
}

void target_simplify(uint32_t word, unsigned which, int64_t constant, struct simpler *to)
{
    const uint64_t bits = (uint64_t)constant;
    const unsigned other = 1 - which;
    const bool small = bits < WORD_CONSTANT_LIMIT;

    *to = (struct simpler){.kind = SIMPLER_NOT};
    if (word == WORD_SUB && which == 1) {
        *to = become_sum(0, -bits);
    } else if (word == WORD_XOR && small) {
        *to = bits == 0 ? become_sum(other, 0) : become_word(other, WORD_XOR_WITH, bits);
    } else if (word == WORD_LESS && which == 1 && small) {
        *to = become_word(0, WORD_LESS_WITH, bits);
    } else if (word == WORD_MUL && which == 0 && bits == 0) {
        to->kind = SIMPLER_CONSTANT;
    } else if (word == WORD_MUL && which == 0 && bits == 4) {
        *to = become_word(1, WORD_SHIFT, 2);
    } else if (word == WORD_MUL && which == 1 && bits == 0) {
        *to = become_word(0, WORD_HIGH, 0);
    } else if (word == WORD_ADD_32 && bits << 32 == 0) {
        *to = become_word(other, WORD_EXTEND, 0);
        to->flags = OP_EXTENDS;
    }
}

void target_simplify_near(uint32_t word, int64_t away, struct simpler *to)
{
    *to = (struct simpler){.kind = SIMPLER_NOT};
    if (word == WORD_SUB || ((word == WORD_XOR || word == WORD_LESS) && away == 0)) {
        *to = (struct simpler){.kind = SIMPLER_CONSTANT, .constant = away};
    }
}

bool target_keeps_byte(uint32_t word)
{
    return word == WORD_BYTE;
}

bool target_takes(uint32_t word, uint64_t a, uint64_t b)
{
    switch (word) {
    case WORD_IF_EQUAL:
        return a == b;
    case WORD_IF_OTHER:
        return a != b;
    case WORD_IF_LESS:
        return a < b;
    default:
        return a >= b;
    }
}

uint64_t ops_extend(const struct op *op, uint64_t bytes)
{
    const unsigned unused = 64 - 8u * op->bytes;

    return (op->flags & OP_SIGNED) != 0 ? (uint64_t)((int64_t)(bytes << unused) >> unused)
                                        : bytes << unused >> unused;
}

bool ops_accesses(const struct op *op)
{
    return op->kind == OP_LOAD || op->kind == OP_STORE;
}

void ops_begin(struct ops *ops)
{
    ops->count = 0;
    ops->passes = PASSES_ALL;
    ops->loops = ops->plain_sides = false;
    ops->alone = ops->adds_loads = true;
    ops->named = 0;
    ops->ahead_count = 0;
}

static uint8_t name(struct ops *ops, unsigned reg)
{
    if (reg != NO_REGISTER) {
        ops->named |= UINT32_C(1) << reg;
    }
    return (uint8_t)reg;
}

static struct op *add(struct ops *ops, enum op_kind kind, unsigned rd, unsigned a, unsigned b)
{
    ASSERT(ops->count < OPS_MAX);
    struct op *op = &ops->list[ops->count];

    *op = (struct op){.pc = ops->count, .step = (uint16_t)ops->count};
    ops->count++;
    op->kind = (uint8_t)kind;
    op->rd = name(ops, rd);
    op->rs[0] = name(ops, a);
    op->rs[1] = name(ops, b);
    op->code_bytes = 4;
    return op;
}

struct op *ops_constant(struct ops *ops, unsigned rd, int64_t value)
{
    struct op *op = add(ops, OP_CONSTANT, rd, NO_REGISTER, NO_REGISTER);

    op->constant = value;
    return op;
}

struct op *ops_add(struct ops *ops, unsigned rd, unsigned rs, int64_t constant)
{
    struct op *op = add(ops, OP_ADD, rd, rs, NO_REGISTER);

    op->constant = constant;
    return op;
}

struct op *ops_computed(struct ops *ops, enum ops_word word, unsigned rd, unsigned a, unsigned b)
{
    static const uint8_t flags[] = {[WORD_ADD] = OP_ADDS,
                                    [WORD_XOR] = OP_KEEPS_WORD | OP_KEEPS_BYTE,
                                    [WORD_ADD_32] = OP_WORD,
                                    [WORD_EXTEND] = OP_EXTENDS | OP_WORD,
                                    [WORD_BYTE] = OP_WORD | OP_BYTE,
                                    [WORD_LESS] = OP_WORD | OP_BYTE};
    struct op *op = add(ops, OP_COMPUTE, rd, a, ops_has_one_operand(word) ? NO_REGISTER : b);

    op->word = word;
    op->flags = flags[word];
    return op;
}

struct op *ops_load(struct ops *ops, unsigned rd, unsigned base, int64_t offset, unsigned bytes,
                    bool is_signed)
{
    struct op *op = add(ops, OP_LOAD, rd, base, NO_REGISTER);

    op->constant = offset;
    op->bytes = (uint8_t)bytes;
    if (is_signed || bytes == 8) {
        op->flags = OP_SIGNED | (bytes != 8 ? OP_WORD : 0);
    } else if (bytes < 4) {
        op->flags = OP_WORD | (bytes == 1 ? OP_BYTE : 0);
    }
    return op;
}

struct op *ops_store(struct ops *ops, unsigned from, unsigned base, int64_t offset, unsigned bytes)
{
    struct op *op = add(ops, OP_STORE, NO_REGISTER, base, from);

    op->constant = offset;
    op->bytes = (uint8_t)bytes;
    return op;
}

struct op *ops_other(struct ops *ops, unsigned rd, unsigned a, unsigned b)
{
    return add(ops, OP_OTHER, rd, a, b);
}

struct op *ops_barrier(struct ops *ops, unsigned rd, unsigned a, unsigned b)
{
    return add(ops, OP_BARRIER, rd, a, b);
}

struct op *ops_step(struct ops *ops, uint32_t written)
{
    struct op *op = ops_plain(ops, OP_STEP);

    ops->named |= written;
    op->constant = (int64_t)written;
    return op;
}

struct op *ops_guard(struct ops *ops, enum ops_word word, unsigned a, unsigned b)
{
    struct op *op = add(ops, OP_GUARD, NO_REGISTER, a, b);

    op->word = word;
    return op;
}

struct op *ops_target(struct ops *ops, unsigned rs, int64_t constant)
{
    struct op *op = add(ops, OP_TARGET, NO_REGISTER, rs, NO_REGISTER);

    op->constant = constant;
    return op;
}

struct op *ops_plain(struct ops *ops, enum op_kind kind)
{
    return add(ops, kind, NO_REGISTER, NO_REGISTER, NO_REGISTER);
}

void ops_end(struct ops *ops, uint32_t named)
{
    ops_plain(ops, OP_END);
    ops->named |= named;
}

void ops_print(const struct ops *ops)
{
    static const char *const kinds[] = {"constant", "add",     "compute", "load",  "store",
                                        "other",    "barrier", "step",    "guard", "target",
                                        "nothing",  "block",   "end"};

    for (unsigned i = 0; i < ops->count; i++) {
        const struct op *op = &ops->list[i];
        fprintf(stderr, "%4u %-8s", i, kinds[op->kind]);
        if (op->rd != NO_REGISTER) {
            fprintf(stderr, " x%u =", op->rd);
        }
        for (unsigned j = 0; j < 2; j++) {
            if (op->rs[j] != NO_REGISTER) {
                fprintf(stderr, " x%u (%u%+lld)", op->rs[j], op->in[j].root,
                        (long long)op->in[j].offset);
            }
        }
        fprintf(stderr, " constant %lld word %u bytes %u flags %u", (long long)op->constant,
                op->word, op->bytes, op->flags);
        if (op->rd != NO_REGISTER) {
            fprintf(stderr, " -> (%u%+lld)%s", op->out.root, (long long)op->out.offset,
                    op->older ? " older" : "");
        }
        fprintf(stderr, "\n");
    }
}
