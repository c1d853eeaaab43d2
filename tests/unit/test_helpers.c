/* Tests how slices run on free contexts: when, how far ahead, and what is said of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/rv64/decode.h"
#include "isa/rv64/encode.h"
#include "machine/exec/leave.h"
#include "machine/memory.h"
#include "machine/pipeline/capture.h"
#include "machine/pipeline/helpers.h"
#include "machine/pipeline/window.h"
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
    helpers = pipeline_run_slices(pipeline, &memory);
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

static int create(void **state)
{
    (void)state;
    return create_with(4);
}

static int create_one(void **state)
{
    (void)state;
    return create_with(1);
}

static int destroy(void **state)
{
    (void)state;
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

static uint32_t store_word(void)
{
    const struct rv64_insn insn = {.op = RV64_sd, .rs1 = POINTER, .rs2 = VALUE, .imm = 8};
    uint32_t encoded;
    assert_true(rv64_encode(&insn, &encoded));
    return encoded;
}

/* prologue: the next node; body: a load from it. */
static struct slice chain_of(uint32_t prologue)
{
    return (struct slice){
        .trigger = TRIGGER,
        .kind = SLICE_CHAINING,
        .length = 2,
        .prologue = 1,
        .unroll = 1,
        .throttle = NODES,
        .live_ins = 1u << POINTER,
        .instructions = {
            {.pc = CODE, .word = prologue},
            {.pc = TARGET, .word = word(RV64_ld, VALUE, POINTER, 8), .delinquent = true}}};
}

static void give_to(unsigned context, guest_addr pc, uint32_t encoded, guest_addr address)
{
    struct rv64_insn insn;
    rv64_decode(encoded, &insn);
    const struct record record = {.slot = slots_get(pipeline->slots, pc, &insn),
                                  .address = address};
    pipeline_give(pipeline, context, &record, 1);
}

static void give(guest_addr pc, uint32_t encoded, guest_addr address)
{
    give_to(0, pc, encoded, address);
}

/* A thread reaches the trigger. */
static void trigger_on(unsigned context)
{
    hart.context = context;
    captures_follow(helpers_captures(helpers));
    captures_take(helpers_captures(helpers), &hart, TRIGGER);
    give_to(context, TRIGGER, word(RV64_addi, 5, 5, 0), 0);
}

static void trigger(void)
{
    trigger_on(0);
}

static const struct slice_ledger *run(const struct slice *slice)
{
    assert_null(slice_check(slice));
    const unsigned number = helpers_add(helpers, slice, 0);
    assert_int_not_equal(number, 0);
    trigger();
    run_to_the_end();
    return helpers_ledger(helpers, number);
}

/* Each node's address is in the one before it: no number of contexts makes that faster. */
static void list_takes_one_latency_per_node(void **state)
{
    (void)state;
    const struct slice slice = chain_of(word(RV64_ld, POINTER, POINTER, 0));
    const struct slice_ledger *ledger = run(&slice);
    const uint64_t latency = pipeline->parameters.memory_cycles;
    assert_int_equal(ledger->started, 1);
    assert_int_equal(ledger->lines, NODES);
    assert_true(pipeline_cycles(pipeline) >= NODES * latency);
    assert_true(pipeline_cycles(pipeline) < NODES * (latency + 60));
}

/* Addresses that can be computed are fetched as many at a time as there are MSHRs: no slice waits for what it does
 * not read. */
static void array_takes_less(void **state)
{
    (void)state;
    struct slice slice = chain_of(word(RV64_addi, POINTER, POINTER, 64));
    slice.throttle = 100;
    const struct slice_ledger *ledger = run(&slice);
    const uint64_t latency = pipeline->parameters.memory_cycles;
    assert_int_equal(ledger->started + ledger->chained, 100);
    assert_int_equal(ledger->lines, 100);
    assert_true(pipeline_cycles(pipeline) < 100 * latency / 2);
    assert_true(pipeline_cycles(pipeline) >= (100 / pipeline->parameters.l1d_mshrs - 1) * latency);
}

/* The main thread makes the live-in by a load that misses: the slice waits for it. */
static void live_in_is_waited_for(void **state)
{
    (void)state;
    struct slice slice = chain_of(word(RV64_addi, POINTER, POINTER, 64));
    slice.kind = SLICE_BASIC;
    slice.throttle = 0;
    slice.instructions[slice.length++] = (struct slice_instruction){
        .pc = TARGET + 4,
        .word = word(RV64_addi, VALUE, VALUE, 1)}; /* or nobody waits for the load */
    give(CODE + 32, word(RV64_ld, POINTER, 6, 0), DATA + 100 * NODE_BYTES);
    run(&slice);
    const uint64_t latency = pipeline->parameters.memory_cycles;
    assert_true(pipeline_cycles(pipeline) >= 2 * latency);
}

static void list_ends_at_null(void **state)
{
    (void)state;
    const struct slice slice = chain_of(word(RV64_ld, POINTER, POINTER, 0));
    const struct slice_ledger *ledger = run(&slice);
    assert_int_equal(ledger->faulted, 1); /* the last node's pointer */
    assert_int_equal(ledger->chained, NODES - 1);
    for (unsigned i = 0; i < 4; i++) {
        assert_true(helpers_context_free(pipeline, i));
    }
}

/* The guard stands where the next slice would be started. */
static void chain_ends_with_its_guard(void **state)
{
    (void)state;
    struct slice slice = chain_of(word(RV64_ld, POINTER, POINTER, 0));
    slice.instructions[1] =
        (struct slice_instruction){.pc = TARGET, .word = word(RV64_bne, 0, POINTER, 8)};
    slice.instructions[0].delinquent = true;
    slice.prologue = 2;
    slice.guard = SLICE_GUARD_TAKEN;
    const struct slice_ledger *ledger = run(&slice);
    assert_int_equal(ledger->started + ledger->chained, NODES);
    assert_int_equal(ledger->guarded, 1);
    assert_int_equal(ledger->faulted, 0);
}

static void chain_waits_for_the_main_thread(void **state)
{
    (void)state;
    struct slice slice = chain_of(word(RV64_addi, POINTER, POINTER, 64));
    slice.throttle = 5;
    const struct slice_ledger *ledger = run(&slice);
    assert_int_equal(ledger->started + ledger->chained, 5);
    assert_int_equal(ledger->throttled, 1);
    /* It uses one up: one more may be started. */
    give(TARGET, word(RV64_ld, VALUE, POINTER, 8), DATA + 64);
    run_to_the_end();
    assert_int_equal(ledger->started + ledger->chained, 6);
    assert_int_equal(ledger->timely + ledger->late, 1);
    /* The trigger does not start a second chain beside it. */
    trigger();
    run_to_the_end();
    assert_int_equal(ledger->started, 1);
    assert_int_equal(ledger->triggers, 2);
}

static void threads_share_a_chain(void **state)
{
    (void)state;
    struct slice slice = chain_of(word(RV64_addi, POINTER, POINTER, 64));
    slice.throttle = 5;
    const struct slice_ledger *ledger = run(&slice);
    trigger_on(2);
    run_to_the_end();
    assert_int_equal(ledger->triggers, 2);
    assert_int_equal(ledger->started, 1);
    assert_int_equal(ledger->chained, 4);
}

/* One thread leaves the context before the slice's last loads have retired, and another one comes. */
static void nothing_of_a_thread_is_dropped_with_a_slice(void **state)
{
    (void)state;
    const struct slice slice = chain_of(word(RV64_ld, POINTER, POINTER, 0));
    assert_int_not_equal(helpers_add(helpers, &slice, 0), 0);
    trigger();
    pipeline_set_active(pipeline, 0, false);
    pipeline_run(pipeline);
    const unsigned context = (unsigned)__builtin_ctz(pipeline->slices);
    for (unsigned i = 0; i < 3; i++) {
        pipeline_set_active(pipeline, context, true);
        give_to(context, CODE + 40, word(RV64_addi, 7, 7, 0), 0);
        pipeline_set_active(pipeline, context, false);
    }
    run_to_the_end();
    assert_int_equal(pipeline->contexts[0].statistics.instructions +
                         (context != 0 ? pipeline->contexts[context].statistics.instructions : 0),
                     1 + 3);
}

/* Instructions are numbered by context, and those of a slice that were dropped have no numbers: else what another
 * thread reads would never have been written. */
static void store_behind_a_slice_is_not_waited_for_in_vain(void **state)
{
    (void)state;
    const struct slice slice = chain_of(word(RV64_ld, POINTER, POINTER, 0));
    const unsigned number = helpers_add(helpers, &slice, 0);
    pipeline->parameters.slices_spawn_cycles = 1000;
    trigger();
    pipeline_set_active(pipeline, 0, false);
    pipeline_run(pipeline);
    const unsigned context = (unsigned)__builtin_ctz(pipeline->slices);
    const unsigned other = context == 0 ? 1 : 0;
    pipeline_set_active(pipeline, context, true);
    assert_int_equal(helpers_ledger(helpers, number)->cut_short, 1);
    give_to(context, CODE + 40, store_word(), DATA + 8);
    give_to(other, CODE + 44, word(RV64_ld, VALUE, POINTER, 8), DATA + 8);
    pipeline_set_active(pipeline, context, false);
    run_to_the_end();
    assert_int_equal(pipeline->contexts[context].count + pipeline->contexts[other].count, 0);
    assert_int_equal(pipeline->contexts[other].stream_count, 0);
}

static void lines_are_accounted_for(void **state)
{
    (void)state;
    struct slice slice = chain_of(word(RV64_addi, POINTER, POINTER, 64));
    slice.kind = SLICE_BASIC;
    slice.throttle = 0;
    const struct slice_ledger *ledger = run(&slice);
    assert_int_equal(ledger->lines, 1);
    trigger();
    run_to_the_end();
    assert_int_equal(ledger->redundant, 1);
    assert_int_equal(ledger->loads, 2);
    /* Late: the main thread comes when the line has just been asked for. */
    hart.x[POINTER] = DATA + 64;
    trigger();
    for (unsigned i = 0; i < 60; i++) {
        give(CODE + 40 + 4 * i, word(RV64_addi, 7, 7, 0), 0);
    }
    give(TARGET, word(RV64_ld, VALUE, 6, 8), DATA + 128);
    run_to_the_end();
    assert_int_equal(ledger->late, 1);
    assert_int_equal(ledger->lines, 2);
    assert_int_equal(ledger->timely, 0);
}

static void no_slice_without_a_free_context(void **state)
{
    (void)state;
    const struct slice slice = chain_of(word(RV64_addi, POINTER, POINTER, 64));
    const struct slice_ledger *ledger = run(&slice);
    assert_int_equal(ledger->started, 0);
    assert_int_equal(ledger->no_context, 1);
}

/* The main thread waits for something: that does not take as long as a chain. */
static void slices_alone_do_not_make_time_pass(void **state)
{
    (void)state;
    const struct slice slice = chain_of(word(RV64_ld, POINTER, POINTER, 0));
    assert_int_not_equal(helpers_add(helpers, &slice, 0), 0);
    trigger();
    pipeline_set_active(pipeline, 0, false);
    pipeline_run(pipeline);
    assert_int_equal(pipeline->contexts[0].retired, 1);
    assert_true(pipeline_cycles(pipeline) < pipeline->parameters.memory_cycles);
    assert_int_not_equal(pipeline->slices, 0); /* until the pipeline is drained */
    const unsigned chained = (unsigned)helpers_ledger(helpers, 1)->chained;
    pipeline_drain(pipeline);
    run_to_the_end();
    assert_int_equal(pipeline->slices, 0);
    assert_int_equal(helpers_ledger(helpers, 1)->chained, chained);
}

static void instructions_are_not_the_program_s(void **state)
{
    (void)state;
    const struct slice slice = chain_of(word(RV64_ld, POINTER, POINTER, 0));
    run(&slice);
    uint64_t program = 0, helper = 0;
    for (unsigned i = 0; i < 4; i++) {
        program += pipeline->contexts[i].statistics.instructions;
        helper += pipeline->contexts[i].statistics.helper_instructions;
    }
    assert_int_equal(program, 1);
    assert_int_equal(helper, helpers_ledger(helpers, 1)->instructions);
}

/* Numbers are few: that of a slice which was removed is used again, but not its lines. */
static void lines_are_not_those_of_the_next_with_the_number(void **state)
{
    (void)state;
    struct slice slice = chain_of(word(RV64_addi, POINTER, POINTER, 64));
    slice.kind = SLICE_BASIC;
    slice.throttle = 0;
    const struct slice_ledger *ledger = run(&slice);
    assert_int_equal(ledger->lines, 1);
    helpers_remove(helpers, 1);
    for (unsigned i = 2; i <= SLICES_MAX; i++) {
        assert_int_equal(helpers_add(helpers, &slice, 0), i);
    }
    assert_int_equal(helpers_add(helpers, &slice, 0), 1);
    assert_int_equal(helpers_add(helpers, &slice, 0), 0); /* no room */
    assert_int_equal(helpers_refused(helpers), 1);
    give(TARGET, word(RV64_ld, VALUE, POINTER, 8), DATA + 64);
    run_to_the_end();
    assert_int_equal(ledger->lines, 0);
    assert_int_equal(ledger->timely + ledger->late + ledger->evicted, 0);
}

/* Random slices, for threads that come and go. */
static uint32_t random_state;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(random_state >> 8) * bound >> 24);
}

#define FIRST_REGISTER 5
#define RANDOM_REGISTERS 8

static unsigned random_register(void)
{
    return FIRST_REGISTER + random_below(RANDOM_REGISTERS);
}

static guest_addr random_address(void)
{
    /* Few lines, so that slices and threads meet. */
    return DATA + random_below(8) * NODE_BYTES + random_below(8) * 61;
}

static struct slice random_slice(void)
{
    struct slice slice = {.trigger = TRIGGER,
                          .kind = random_below(2) ? SLICE_CHAINING : SLICE_BASIC,
                          .length = (uint16_t)(1 + random_below(10)),
                          .unroll = (uint16_t)(1 + random_below(3)),
                          .throttle = (uint16_t)random_below(6)};
    for (unsigned i = 0; i < slice.length; i++) {
        const bool load = i + 1 == slice.length || random_below(2);
        const int64_t offset = (int64_t)random_below(2048) - 512;
        const unsigned to = random_register(), from = random_register();
        slice.instructions[i] =
            (struct slice_instruction){.pc = load ? TARGET : CODE + 8,
                                       .word = word(load ? RV64_ld : RV64_addi, to, from, offset),
                                       .delinquent = load};
    }
    const bool guarded = slice.length > 1 && random_below(3) == 0;
    slice.prologue = (uint16_t)random_below(slice.length);
    if (guarded || (slice.kind == SLICE_CHAINING && slice.prologue == 0)) {
        slice.prologue = slice.length > 1 ? slice.length - 1 : 1;
    }
    if (guarded) {
        slice.guard = SLICE_GUARD_TAKEN;
        slice.instructions[slice.prologue - 1] = (struct slice_instruction){
            .pc = CODE + 8, .word = word(RV64_bne, 0, random_register(), 8)};
    }
    slice.live_ins = slice_reads(slice.instructions, slice.length);
    assert_null(slice_check(&slice));
    return slice;
}

/* A thread executes a little on the context: so many instructions. */
static uint64_t random_thread(unsigned context)
{
    uint64_t given = 0;
    pipeline_set_active(pipeline, context, true);
    for (unsigned count = random_below(6); count > 0; count--) {
        for (unsigned i = 0; i < RANDOM_REGISTERS; i++) {
            hart.x[FIRST_REGISTER + i] = random_below(16) ? random_address() : random_state;
        }
        if (random_below(2)) {
            trigger_on(context);
            given++;
        }
        given++;
        give_to(context, random_below(2) ? TARGET : CODE + 12,
                word(RV64_ld, VALUE, random_register(), 0), random_address());
    }
    pipeline_set_active(pipeline, context, random_below(4) == 0);
    switch (random_below(4)) {
    case 0: /* slices go on beside the next */
        break;
    case 1:
        pipeline_drain(pipeline);
        break;
    default:
        pipeline_run_to(pipeline, context, pipeline->contexts[context].statistics.instructions + 2);
    }
    return given;
}

static void ledger_adds_up(const struct slice_account *account)
{
    const struct slice_ledger *l = &account->ledger;
    const uint64_t ran = l->started + l->chained, asked = l->started + l->no_context;
    assert_int_equal(l->loads, l->redundant + l->lines);
    assert_true(l->timely + l->late + l->evicted <= l->lines);
    assert_true(l->loads <= l->instructions);
    assert_true(asked <= l->triggers);
    assert_true(account->chaining || account->removed || asked == l->triggers);
    assert_true(account->chaining || l->chained + l->throttled + l->overtaken == 0);
    assert_true(l->overtaken <= asked);
    assert_true(l->guarded + l->faulted <= ran);
    assert_true(l->cut_short <= ran);
    assert_true(l->throttled <= ran);
    assert_true(l->started > 0 || l->chained == 0);
}

/* Lines of slices that nobody has used so far. */
static uint64_t lines_in_the_cache(void)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < pipeline->parameters.l1d_bytes / pipeline->parameters.l1d_line; i++) {
        count += pipeline->l1d.lines[i].slice != 0;
    }
    return count;
}

static void account_of_random_slices_adds_up(void **state)
{
    (void)state;
    uint64_t started = 0, chained = 0, faulted = 0, guarded = 0, cut_short = 0, removed = 0;
    for (unsigned seed = 1; seed <= 60; seed++) {
        struct slice_account account;
        uint64_t given = 0, retired = 0, executed = 0, dropped = 0, unused = 0;
        random_state = seed;
        assert_int_equal(create_with(2 + random_below(4)), 0);
        for (unsigned i = random_below(5); i < 5; i++) {
            const struct slice slice = random_slice();
            assert_int_not_equal(helpers_add(helpers, &slice, 0), 0);
        }
        for (unsigned i = 0; i < 60; i++) {
            given += random_thread(random_below((uint32_t)pipeline->context_count));
            if (random_below(40) == 0 && helpers_account(helpers, 1, &account) &&
                !account.removed) {
                helpers_remove(helpers, 1);
            }
        }
        pipeline_drain(pipeline);
        run_to_the_end();
        for (unsigned i = 0; i < pipeline->context_count; i++) {
            assert_true(helpers_context_free(pipeline, i));
            retired += pipeline->contexts[i].statistics.helper_instructions;
            given -= pipeline->contexts[i].statistics.instructions;
        }
        assert_int_equal(given, 0);
        for (unsigned i = 1; helpers_account(helpers, i, &account); i++) {
            ledger_adds_up(&account);
            const struct slice_ledger *l = &account.ledger;
            executed += l->instructions;
            dropped += l->cut_short;
            unused += l->lines - l->timely - l->late - l->evicted;
            started += l->started;
            chained += l->chained;
            faulted += l->faulted;
            guarded += l->guarded;
            removed += account.removed;
        }
        cut_short += dropped;
        assert_true(dropped == 0 ? retired == executed : retired < executed);
        assert_int_equal(unused, lines_in_the_cache());
        destroy(NULL);
    }
    /* All of it happened. */
    assert_true(started > 0 && chained > 0 && faulted > 0 && guarded > 0 && cut_short > 0);
    assert_true(removed > 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, create, destroy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(list_takes_one_latency_per_node),
        TEST(array_takes_less),
        TEST(live_in_is_waited_for),
        TEST(list_ends_at_null),
        TEST(chain_ends_with_its_guard),
        TEST(chain_waits_for_the_main_thread),
        TEST(threads_share_a_chain),
        TEST(nothing_of_a_thread_is_dropped_with_a_slice),
        TEST(store_behind_a_slice_is_not_waited_for_in_vain),
        TEST(lines_are_accounted_for),
        cmocka_unit_test_setup_teardown(no_slice_without_a_free_context, create_one, destroy),
        TEST(slices_alone_do_not_make_time_pass),
        TEST(instructions_are_not_the_program_s),
        TEST(lines_are_not_those_of_the_next_with_the_number),
        cmocka_unit_test(account_of_random_slices_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
