/* A pipeline whose free contexts run slices, over a list in memory, for tests that play its threads. */
#ifndef STRATA_TESTS_HELPERS_RIG_H
#define STRATA_TESTS_HELPERS_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/rv64/decode.h"
#include "isa/rv64/encode.h"
#include "machine/exec/leave.h"
#include "machine/state/memory.h"
#include "machine/helpers/capture.h"
#include "machine/helpers/helpers.h"
#include "machine/pipeline/window.h"
#include "machine/units/origins.h"
#include "slice/slice.h"

#define CODE UINT64_C(0x100000)
#define TRIGGER CODE
#define TARGET (CODE + 4)
#define DATA UINT64_C(0x200000)
#define NODES 256
#define NODE_BYTES GUEST_PAGE_BYTES /* no two of them in one line, nor near */
#define POINTER 10
#define VALUE 11

static struct memory memory;
static const struct origins no_translator; /* all code is the program's */
static struct pipeline *pipeline;
static struct helpers *helpers;
static struct hart hart;

static void ignore(void *machine, guest_addr start, uint64_t bytes)
{
    (void)machine;
    (void)start;
    (void)bytes;
}

/* A list of nodes, each with a pointer to the next, in an order that no stride follows. */
static void make_list(void)
{
    for (unsigned i = 0; i < NODES; i++) {
        const guest_addr node = DATA + i * 7 % NODES * NODE_BYTES;
        const guest_addr next = DATA + (i + 1) * 7 % NODES * NODE_BYTES;
        const uint64_t pointer = i + 1 < NODES ? next : 0;
        assert_true(memory_write(&memory, node, &pointer, sizeof pointer));
    }
}

static int create_with(unsigned contexts)
{
    struct parameters parameters;
    parameters_set_defaults(&parameters);
    parameters.core_contexts = contexts;
    parameters.core_reorder_buffer = 128;
    parameters.core_issue_queue = parameters.core_load_store_queue = 64;
    parameters.dtlb_entries = parameters.itlb_entries = parameters.l1i_bytes = 0;
    parameters.memory_cycles = 200;
    parameters.memory_chunk = 64;
    pipeline = pipeline_create(&parameters);
    assert_true(memory_create(&memory));
    assert_int_equal(
        memory_map(&memory, DATA, NODES * NODE_BYTES, PAGE_READ | PAGE_WRITE, false, -1, 0), 0);
    make_list();
    helpers = helpers_create(pipeline, &memory, &no_translator);
    helpers_set_host(helpers, (struct unit_host){.rewatch = ignore});
    memset(&hart, 0, sizeof hart);
    hart.x[POINTER] = DATA;
    leave_install_handlers();
    return helpers != NULL ? 0 : -1;
}

/* Slices too, which nobody waits for at the end of a program. */
static void run_to_the_end(void)
{
    pipeline_set_active(pipeline, 0, false);
    pipeline_run_to(pipeline, 0, UINT64_MAX);
}

static int destroy(void **state)
{
    (void)state;
    helpers_destroy(helpers);
    pipeline_destroy(pipeline);
    memory_destroy(&memory);
    return 0;
}

static uint32_t word(unsigned op, unsigned rd, unsigned rs1, int64_t imm)
{
    const struct rv64_insn insn = {
        .op = (uint16_t)op, .rd = (uint8_t)rd, .rs1 = (uint8_t)rs1, .imm = imm};
    uint32_t encoded;
    assert_true(rv64_encode(&insn, &encoded));
    return encoded;
}

static void give_to(unsigned context, guest_addr pc, uint32_t encoded, guest_addr address)
{
    struct rv64_insn insn;
    rv64_decode(encoded, &insn);
    const struct record record = {.insn = static_insns_get(pipeline->static_insns, pc, &insn),
                                  .address = address};
    pipeline_give(pipeline, context, &record, 1);
}

/* A thread reaches the trigger. */
static void trigger_on(unsigned context)
{
    hart.context = context;
    captures_follow(helpers_captures(helpers));
    captures_take(helpers_captures(helpers), &hart, TRIGGER);
    give_to(context, TRIGGER, word(RV64_addi, 5, 5, 0), 0);
}

#endif
