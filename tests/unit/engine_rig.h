/* What tests of the engine share: memory and an engine, code by name, states to compare. */
#ifndef TESTS_ENGINE_RIG_H
#define TESTS_ENGINE_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/rv64/encode.h"
#include "machine/engine/block.h"
#include "machine/engine/engine.h"
#include "machine/exec/leave.h"

/* Code and data are near enough for auipc; behind them nothing is mapped. */
#define CODE UINT64_C(0x100000)
#define CODE_BYTES UINT64_C(0x10000)
#define DATA (CODE + CODE_BYTES)
#define DATA_BYTES UINT64_C(0x2000)
#define READ_ONLY (DATA + DATA_BYTES)
#define NOTHING (READ_ONLY + GUEST_PAGE_BYTES)

struct rig {
    struct memory memory;
    struct unit_set units;
    struct engine *engine;
    struct hart hart;
    guest_addr at; /* where the next instruction is written */
};

static inline void rig_reset_hart(struct rig *rig)
{
    leave_install_handlers(); /* cmocka puts its own in place when it begins a test */
    memset(&rig->hart, 0, sizeof rig->hart);
    rig->hart.memory_base = rig->memory.base;
    rig->hart.skip_count_at = HART_NO_ADDRESS;
    rig->hart.pc = CODE;
}

static inline void rig_code_changed(void *rig, guest_addr start, uint64_t bytes)
{
    engine_sync_range(((struct rig *)rig)->engine, start, bytes);
}

static inline void rig_map(struct rig *rig, guest_addr start, uint64_t bytes, unsigned permissions)
{
    assert_int_equal(memory_map(&rig->memory, start, bytes, permissions, false, -1, 0), 0);
}

static inline void rig_create(struct rig *rig)
{
    memset(rig, 0, sizeof *rig);
    assert_true(memory_create(&rig->memory));
    rig->engine = engine_create(&rig->memory, &rig->units);
    assert_non_null(rig->engine);
    rig->memory.code_changed = rig_code_changed;
    rig->memory.code_changed_context = rig;
    rig_map(rig, CODE, CODE_BYTES, PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    rig_map(rig, DATA, DATA_BYTES, PAGE_READ | PAGE_WRITE);
    rig_map(rig, READ_ONLY, GUEST_PAGE_BYTES, PAGE_READ);
    rig->at = CODE;
    rig_reset_hart(rig);
}

static inline void rig_destroy(struct rig *rig)
{
    engine_destroy(rig->engine);
    memory_destroy(&rig->memory);
}

static inline uint32_t rig_word(unsigned op, unsigned rd, unsigned rs1, unsigned rs2, int64_t imm)
{
    const struct rv64_insn insn = {.op = (uint16_t)op,
                                   .rd = (uint8_t)rd,
                                   .rs1 = (uint8_t)rs1,
                                   .rs2 = (uint8_t)rs2,
                                   .imm = imm};
    uint32_t word = 0;
    assert_true(rv64_encode(&insn, &word));
    return word;
}

static inline void rig_put_word(struct rig *rig, uint32_t word)
{
    memcpy(memory_host(&rig->memory, rig->at), &word, sizeof word);
    rig->at += sizeof word;
}

static inline void rig_put_half(struct rig *rig, uint16_t half)
{
    memcpy(memory_host(&rig->memory, rig->at), &half, sizeof half);
    rig->at += sizeof half;
}

/* Operands by kind of instruction. */
static inline void put_rd_rs1_rs2(struct rig *rig, unsigned op, unsigned rd, unsigned rs1,
                                  unsigned rs2)
{
    rig_put_word(rig, rig_word(op, rd, rs1, rs2, 0));
}

static inline void put_rd_rs1_imm(struct rig *rig, unsigned op, unsigned rd, unsigned rs1,
                                  int64_t imm)
{
    rig_put_word(rig, rig_word(op, rd, rs1, 0, imm));
}

static inline void put_store(struct rig *rig, unsigned op, unsigned rs2, unsigned rs1, int64_t imm)
{
    rig_put_word(rig, rig_word(op, 0, rs1, rs2, imm));
}

static inline void put_branch(struct rig *rig, unsigned op, unsigned rs1, unsigned rs2,
                              guest_addr target)
{
    rig_put_word(rig, rig_word(op, 0, rs1, rs2, (int64_t)(target - rig->at)));
}

static inline void put_jal(struct rig *rig, unsigned rd, guest_addr target)
{
    rig_put_word(rig, rig_word(RV64_jal, rd, 0, 0, (int64_t)(target - rig->at)));
}

static inline void put_ecall(struct rig *rig)
{
    rig_put_word(rig, rig_word(RV64_ecall, 0, 0, 0, 0));
}

/* All that the program could see, and where it stands. */
struct state {
    uint64_t x[32];
    uint64_t f[32];
    guest_addr pc;
    uint64_t instructions;
    uint32_t rounding_mode, float_flags;
    uint8_t data[DATA_BYTES];
};

static inline void state_take(const struct rig *rig, struct state *state)
{
    memset(state, 0, sizeof *state);
    memcpy(state->x, rig->hart.x, sizeof state->x);
    memcpy(state->f, rig->hart.f, sizeof state->f);
    state->pc = rig->hart.pc;
    state->instructions = rig->hart.instructions;
    state->rounding_mode = rig->hart.rounding_mode;
    state->float_flags = rig->hart.float_flags;
    memcpy(state->data, memory_host(&rig->memory, DATA), sizeof state->data);
}

static inline void assert_states_equal(const struct state *a, const struct state *b)
{
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(a->x[i], b->x[i]);
        assert_int_equal(a->f[i], b->f[i]);
    }
    assert_int_equal(a->pc, b->pc);
    assert_int_equal(a->instructions, b->instructions);
    assert_int_equal(a->rounding_mode, b->rounding_mode);
    assert_int_equal(a->float_flags, b->float_flags);
    assert_memory_equal(a->data, b->data, sizeof a->data);
}

#endif
