/* Tests how slices run on free contexts: when, how far ahead, and what is said of them. */
#include "helpers_rig.h"

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

static void give(guest_addr pc, uint32_t encoded, guest_addr address)
{
    give_to(0, pc, encoded, address);
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

/* The main thread triggers a chain over the list and waits: what is left to run are slices. */
static void leave_a_chain(void)
{
    const struct slice slice = chain_of(word(RV64_ld, POINTER, POINTER, 0));
    assert_int_not_equal(helpers_add(helpers, &slice, 0), 0);
    trigger();
    pipeline_set_active(pipeline, 0, false);
    pipeline_run(pipeline);
}

/* One thread leaves the context before the slice's last loads have retired, and another one comes. */
static void nothing_of_a_thread_is_dropped_with_a_slice(void **state)
{
    (void)state;
    leave_a_chain();
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
    leave_a_chain();
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
