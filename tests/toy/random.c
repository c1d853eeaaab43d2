/* Writes random programs of the toy. */
#include "random.h"

#include "base/check.h"

#define SLOT_BYTES 2560u /* of code, for each function */
#define SITES 64

/* Two bytes of code that the program changes: one instruction, or two. */
struct writer {
    struct random *random;
    const struct random_wishes *wishes;
    struct assembly *code;
    guest_addr end;                         /* no block begins behind it */
    guest_addr functions[RANDOM_FUNCTIONS]; /* those that can be called: written before */
    uint64_t costs[RANDOM_FUNCTIONS];       /* instructions of each, about */
    unsigned function_count;
    guest_addr sites[SITES];
    unsigned site_count;
    guest_addr words; /* some data among the code */
};

void random_begin(struct random *random, uint64_t seed)
{
    random->state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    random_below(random, 2);
}

uint64_t random_below(struct random *random, uint64_t below)
{
    uint64_t x = random->state;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    random->state = x;
    return (x >> 16) % below;
}

bool random_one_in(struct random *random, uint64_t count)
{
    return random_below(random, count) == 0;
}

static uint64_t below(struct writer *writer, uint64_t limit)
{
    return random_below(writer->random, limit);
}

/* R5 is the data, R6 counts the turns of loops. */
static unsigned any_register(struct writer *writer)
{
    return (unsigned)below(writer, 5);
}

static guest_addr put(struct writer *writer, enum toy_op op, unsigned rd, unsigned rs, int64_t imm)
{
    return asm_put(writer->code, op, rd, rs, imm);
}

static guest_addr put_to(struct writer *writer, enum toy_op op, unsigned rd, guest_addr target)
{
    return asm_put_to(writer->code, op, rd, target);
}

static uint64_t write_block(struct writer *writer, unsigned depth, uint64_t budget);

/* Each of the following returns how many instructions it costs to execute it. */

static uint64_t write_arithmetic(struct writer *writer)
{
    static const enum toy_op ops[] = {TOY_MOV, TOY_ADD, TOY_SUB, TOY_AND,
                                      TOY_OR,  TOY_XOR, TOY_MUL, TOY_CMP};
    static const enum toy_op immediates[] = {TOY_ADD8, TOY_CMP8, TOY_SHL, TOY_SHR};
    const unsigned rd = any_register(writer);

    switch (below(writer, 8)) {
    case 0:
        put(writer, immediates[below(writer, 4)], rd, 0, (int64_t)below(writer, 64) - 20);
        break;
    case 1:
        put(writer, below(writer, 2) != 0 ? TOY_INC : TOY_DEC, rd, 0, 0);
        break;
    case 2:
        put(writer, TOY_CONST8, rd, 0, (int64_t)below(writer, 256) - 128);
        break;
    case 3:
        put(writer, TOY_CONST32, rd, 0, (int32_t)below(writer, UINT64_C(1) << 32));
        break;
    case 4:
        put(writer, TOY_CONST64, rd, 0, (int64_t)(below(writer, UINT64_C(1) << 48) << 13));
        break;
    case 5:
        put(writer, TOY_ADD32, rd, 0, (int32_t)below(writer, UINT64_C(1) << 32));
        break;
    default:
        put(writer, ops[below(writer, 8)], rd, any_register(writer), 0);
        break;
    }
    return 1;
}

static uint64_t write_memory(struct writer *writer)
{
    const unsigned rd = any_register(writer);
    const int64_t offset = (int64_t)below(writer, 16) * 8;
    const unsigned index = any_register(writer);

    switch (below(writer, 6)) {
    case 0:
        put(writer, TOY_LOAD8, rd, R5, offset % 128);
        return 1;
    case 1:
        put(writer, TOY_STORE8, rd, R5, offset % 128);
        return 1;
    case 2:
        put(writer, below(writer, 2) != 0 ? TOY_LOAD32 : TOY_STORE32, rd, R5, offset * 16);
        return 1;
    case 3:
        put(writer, below(writer, 2) != 0 ? TOY_CMP_MEMORY : TOY_ADD_MEMORY, rd, R5, offset % 128);
        return 1;
    case 4:
        put(writer, TOY_PUSH, rd, 0, 0);
        put(writer, TOY_POP, any_register(writer), 0, 0);
        return 2;
    default:
        put(writer, TOY_AND32, index, 0, 63);
        asm_put_index(writer->code, below(writer, 2) != 0 ? TOY_LOAD_INDEX : TOY_STORE_INDEX, rd,
                      R5, index, offset * 8);
        return 2;
    }
}

static uint64_t write_near(struct writer *writer)
{
    const unsigned rd = any_register(writer);
    const guest_addr word = writer->words + below(writer, 8) * 8;

    if (writer->wishes->stores_near && below(writer, 2) != 0) {
        put_to(writer, TOY_STORE_NEAR, rd, word);
    } else {
        put_to(writer, below(writer, 2) != 0 ? TOY_LOAD_NEAR : TOY_LEA, rd, word);
    }
    return 1;
}

/* Over a part of the code, or over something that is none. */
static uint64_t write_forward(struct writer *writer, unsigned depth, uint64_t budget)
{
    uint64_t cost = 1;

    if (below(writer, 3) == 0) {
        const guest_addr jump =
            put(writer, below(writer, 2) != 0 ? TOY_JUMP8 : TOY_JUMP32, 0, 0, 0);
        for (uint64_t i = below(writer, 12); i > 0; i--) {
            *(uint8_t *)(uintptr_t)writer->code->at++ = (uint8_t)below(writer, 256);
        }
        asm_send(jump, writer->code->at);
        return 1;
    }
    const bool near = below(writer, 2) != 0;
    const guest_addr branch =
        put(writer, near ? TOY_BRANCH8 : TOY_BRANCH32, (unsigned)below(writer, 8), 0, 0);
    if (near) {
        for (uint64_t i = below(writer, 5); i > 0; i--) {
            cost += write_arithmetic(writer);
        }
    } else {
        cost += write_block(writer, depth + 1, budget);
    }
    asm_send(branch, writer->code->at);
    return cost;
}

/* Closed by a branch or by a jump; the count of turns of an outer loop is on the stack meanwhile. */
static uint64_t write_loop(struct writer *writer, unsigned depth, uint64_t budget)
{
    const uint64_t turns = 1 + below(writer, 12);
    const bool jumps = below(writer, 3) == 0;

    put(writer, TOY_PUSH, R6, 0, 0);
    put(writer, TOY_CONST8, R6, 0, (int64_t)turns);
    const guest_addr head = writer->code->at;
    const uint64_t cost = write_block(writer, depth + 1, budget / turns);
    put(writer, TOY_DEC, R6, 0, 0);
    if (jumps) {
        const guest_addr out = put(writer, TOY_BRANCH8, IF_ZERO, 0, 0);
        put_to(writer, TOY_JUMP32, 0, head);
        asm_send(out, writer->code->at);
    } else {
        put_to(writer, TOY_BRANCH32, IF_OTHER, head);
    }
    put(writer, TOY_POP, R6, 0, 0);
    return 3 + turns * (cost + 3);
}

static uint64_t write_call(struct writer *writer, uint64_t budget)
{
    if (writer->function_count == 0) {
        return 0;
    }
    const unsigned callee = (unsigned)below(writer, writer->function_count);
    const unsigned rs = any_register(writer);
    if (writer->costs[callee] > budget) {
        return 0;
    }
    switch (below(writer, 3)) {
    case 0:
        put_to(writer, TOY_LEA, rs, writer->functions[callee]);
        put(writer, TOY_CALL_REGISTER, 0, rs, 0);
        break;
    default:
        put_to(writer, TOY_CALL32, 0, writer->functions[callee]);
        break;
    }
    return 2 + writer->costs[callee];
}

/* To one of two places, by whatever the flags are. */
static uint64_t write_indirect_jump(struct writer *writer)
{
    const unsigned rs = any_register(writer);
    const guest_addr first = put(writer, TOY_LEA, rs, 0, 0);
    const guest_addr over = put(writer, TOY_BRANCH8, (unsigned)below(writer, 8), 0, 0);
    const guest_addr second = put(writer, TOY_LEA, rs, 0, 0);

    asm_send(over, writer->code->at);
    put(writer, TOY_JUMP_REGISTER, 0, rs, 0);
    *(uint8_t *)(uintptr_t)writer->code->at++ = 0;
    asm_send(first, writer->code->at);
    write_arithmetic(writer);
    asm_send(second, writer->code->at);
    write_arithmetic(writer);
    return 6;
}

/* What stands between the two must stay whole: else it would be tried for ever. */
static uint64_t write_whole(struct writer *writer)
{
    const unsigned address = R4, value = (unsigned)below(writer, 3);
    guest_addr side = 0, inner = 0;

    put(writer, TOY_MOV, address, R5, 0);
    const guest_addr again = put(writer, TOY_HOLD, value, address, 0);
    if (below(writer, 2) != 0) {
        put(writer, TOY_CMP8, value, 0, (int64_t)below(writer, 128) - 64);
        side = put(writer, below(writer, 2) != 0 ? TOY_BRANCH8 : TOY_BRANCH32,
                   (unsigned)below(writer, 8), 0, 0);
    }
    if (below(writer, 3) == 0) {
        inner = put(writer, TOY_BRANCH8, (unsigned)below(writer, 8), 0, 0);
        put(writer, TOY_INC, value, 0, 0);
        asm_send(inner, writer->code->at);
    }
    put(writer, TOY_ADD8, value, 0, 1);
    put(writer, TOY_KEEP, value, address, 0);
    put_to(writer, TOY_BRANCH8, IF_OTHER, again);
    if (side != 0) {
        asm_send(side, writer->code->at);
    }
    return 8;
}

static uint64_t write_system_call(struct writer *writer)
{
    const uint64_t others = writer->wishes->calls;
    const uint64_t number = below(writer, others + 2);

    if (number >= 2) {
        put(writer, TOY_CONST8, R0, 0, (int64_t)(CALL_OTHERS + number - 2));
    } else {
        put(writer, TOY_CONST8, R0, 0, number == 0 ? CALL_TELL : CALL_YIELD);
    }
    put(writer, TOY_MOV, R1, any_register(writer), 0);
    put(writer, TOY_SYSTEM, 0, 0, 0);
    return 3;
}

/* One instruction of two bytes, or two of one. */
static void choose_bytes(struct writer *writer, uint8_t *bytes)
{
    if (below(writer, 2) != 0) {
        toy_encode(bytes, &(struct toy_insn){.op = TOY_CONST8,
                                             .rd = (uint8_t)any_register(writer),
                                             .imm = (int64_t)below(writer, 256) - 128});
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        static const enum toy_op ops[] = {TOY_NOP, TOY_INC, TOY_DEC};
        toy_encode(bytes + i, &(struct toy_insn){.op = (uint8_t)ops[below(writer, 3)],
                                                 .rd = (uint8_t)any_register(writer)});
    }
}

static uint64_t write_site(struct writer *writer)
{
    uint8_t *code = (uint8_t *)(uintptr_t)writer->code->at;

    choose_bytes(writer, code);
    writer->sites[writer->site_count++ % SITES] = writer->code->at;
    writer->code->at += 2;
    return 2;
}

static uint64_t write_change(struct writer *writer)
{
    const unsigned known = writer->site_count < SITES ? writer->site_count : SITES;
    uint8_t bytes[2];

    if (!writer->wishes->changes_code || known == 0) {
        return 0;
    }
    choose_bytes(writer, bytes);
    put_to(writer, TOY_LEA, R0, writer->sites[below(writer, known)]);
    for (unsigned i = 0; i < 2; i++) {
        put(writer, TOY_CONST8, R1, 0, (int8_t)bytes[i]);
        put(writer, TOY_STORE_BYTE, R1, R0, i);
    }
    if (!writer->wishes->silently) {
        put(writer, TOY_SYNC, 0, 0, 0);
    }
    return 6;
}

static uint64_t write_statement(struct writer *writer, unsigned depth, uint64_t budget)
{
    switch (below(writer, 20)) {
    case 0:
    case 1:
        return depth < 3 ? write_loop(writer, depth, budget) : 0;
    case 2:
    case 3:
        return write_call(writer, budget);
    case 4:
    case 5:
        return write_forward(writer, depth, budget);
    case 6:
        return write_indirect_jump(writer);
    case 7:
        return write_whole(writer);
    case 8:
        return write_system_call(writer);
    case 9:
        return write_site(writer);
    case 10:
        return write_change(writer);
    case 11:
        return write_near(writer);
    case 12:
    case 13:
    case 14:
        return write_memory(writer);
    default:
        return write_arithmetic(writer);
    }
}

static uint64_t write_block(struct writer *writer, unsigned depth, uint64_t budget)
{
    uint64_t cost = 0;

    for (uint64_t left = 1 + below(writer, depth == 0 ? 30 : 8); left > 0; left--) {
        if (writer->code->at >= writer->end || cost >= budget) {
            break;
        }
        cost += write_statement(writer, depth, budget - cost);
    }
    return cost;
}

/* All but the last are called, and return; the last is where the program begins. */
static void write_function(struct writer *writer, guest_addr place, bool last)
{
    const unsigned number = writer->function_count;
    const uint64_t share = last ? writer->wishes->instructions : writer->wishes->instructions / 8;
    uint64_t cost = 0;

    writer->code->at = place + below(writer, 16);
    writer->end = writer->code->at + writer->wishes->block_bytes;
    const guest_addr start = writer->code->at;
    while (writer->code->at < writer->end && cost < share) {
        cost += write_block(writer, 0, share - cost);
        cost += write_arithmetic(writer);
    }
    put(writer, last ? TOY_HALT : TOY_RETURN, 0, 0, 0);
    ASSERT(writer->code->at <= place + SLOT_BYTES);
    writer->functions[number] = start;
    writer->costs[number] = cost + 1;
    writer->function_count++;
}

guest_addr random_code_end(unsigned functions)
{
    return CODE + functions * SLOT_BYTES;
}

guest_addr random_write(struct random *random, struct rig *rig, const struct random_wishes *wishes)
{
    struct writer writer = {
        .random = random, .wishes = wishes, .code = &rig->code, .words = CODE_END - 64};
    bool used[RANDOM_FUNCTIONS + 1] = {false};

    ASSERT(wishes->functions <= RANDOM_FUNCTIONS && wishes->block_bytes <= SLOT_BYTES / 2);
    ASSERT((RANDOM_FUNCTIONS + 1) * SLOT_BYTES < CODE_BYTES);
    for (unsigned i = 0; i < wishes->functions; i++) {
        uint64_t slot;
        do {
            slot = random_below(random, wishes->functions);
        } while (used[slot]);
        used[slot] = true;
        write_function(&writer, random_code_end((unsigned)slot), i + 1 == wishes->functions);
    }
    return writer.functions[wishes->functions - 1];
}
