/* Tests that units hear exactly what they watch, may change that, and cost nothing else. */
#include "engine_rig.h"

#include "machine/engine/callbacks.h"

#include <stdlib.h>

#define LOOP (CODE + 4)
#define FUNCTION (CODE + 0x100)
#define ITERATIONS 10u
#define TRACE_MAX 1000u

/* A unit that watches what the test says, and writes down what it hears. */
struct listener {
    struct unit unit;
    unsigned events; /* enum watch, within the range below */
    guest_addr low, high;
    struct watch_cell cell; /* for WATCH_COUNTED, which must have a range of one address */
    unsigned branches, taken, accesses, executed, retired, matches;
    guest_addr last_target, last_access, match_pc;
    uint64_t match_executions, match_x5;
    guest_addr callback; /* raised with each event; 0: none */
    guest_addr trace[TRACE_MAX];
    void (*on_branch)(struct listener *listener);
};

static struct rig rig;
static struct listener *ear; /* the first of the rig's units */

static struct listener *listener_of(struct unit *unit)
{
    return (struct listener *)(void *)unit;
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    struct listener *listener = listener_of(unit);
    const unsigned flags = instruction->flags;
    const bool inside = instruction->pc >= listener->low && instruction->pc < listener->high;
    unsigned events = inside ? listener->events : 0u;
    if (!(flags & (WATCHED_JUMP | WATCHED_CONDITIONAL))) {
        events &= ~(unsigned)WATCH_BRANCH;
    }
    if (!(flags & (WATCHED_LOAD | WATCHED_STORE))) {
        events &= ~(unsigned)WATCH_MEMORY;
    }
    return (struct watch_request){.events = events, .cell = &listener->cell};
}

static void want_callback(struct listener *listener, const struct watch_event *event)
{
    if (listener->callback != 0) {
        unit_raise(&listener->unit, event, listener->callback, event->instruction->pc);
    }
}

static void hear_count(struct unit *unit, const struct watch_event *event, struct watch_cell *cell)
{
    struct listener *listener = listener_of(unit);
    assert_ptr_equal(cell, &listener->cell);
    assert_int_equal(event->cycle, UNIT_NO_CYCLE);
    listener->matches++;
    listener->match_pc = event->instruction->pc;
    listener->match_executions = cell->executions;
    listener->match_x5 = event->hart->x[5];
    want_callback(listener, event);
}

static void hear_branch(struct unit *unit, const struct watch_event *event)
{
    struct listener *listener = listener_of(unit);
    listener->branches++;
    listener->taken += event->taken;
    listener->last_target = event->address;
    if (listener->on_branch != NULL) {
        listener->on_branch(listener);
    }
    want_callback(listener, event);
}

static void hear_access(struct unit *unit, const struct watch_event *event)
{
    listener_of(unit)->accesses++;
    listener_of(unit)->last_access = event->address;
    want_callback(listener_of(unit), event);
}

static void hear_executed(struct unit *unit, const struct watch_event *event)
{
    struct listener *listener = listener_of(unit);
    assert_true(listener->executed < TRACE_MAX);
    listener->trace[listener->executed++] = event->instruction->pc;
    want_callback(listener, event);
}

static void hear_retired(struct unit *unit, const struct watch_event *event)
{
    (void)event;
    listener_of(unit)->retired++;
}

static const struct unit_kind kind = {
    .name = "listener",
    .watches = watches,
    .counted = hear_count,
    .branch = hear_branch,
    .memory = hear_access,
    .executed = hear_executed,
    .retired = hear_retired,
};

static void raise_callback(void *engine, struct unit *unit, const struct watch_event *event,
                           uint64_t callback, uint64_t argument)
{
    (void)engine;
    callbacks_raise(event->hart, unit, callback, argument);
}

static void rewatch(void *engine, guest_addr start, uint64_t bytes)
{
    engine_rewatch(engine, start, bytes);
}

static struct listener *add_listener(unsigned events, guest_addr low, guest_addr high)
{
    struct listener *listener = calloc(1, sizeof *listener);
    assert_non_null(listener);
    assert_true(rig.units.count < UNITS_MAX);
    listener->unit.kind = &kind;
    listener->unit.host =
        (struct unit_host){.rewatch = rewatch, .raise = raise_callback, .machine = rig.engine};
    listener->cell.unit = &listener->unit;
    listener->events = events;
    listener->low = low;
    listener->high = high;
    rig.units.units[rig.units.count++] = &listener->unit;
    return listener;
}

/* Counts down in x5; each round stores and loads.  Then calls a function that returns at once. */
static void write_program(void)
{
    rig.at = CODE;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 0, ITERATIONS);
    put_store(&rig, RV64_sd, 5, 7, 8);
    put_rd_rs1_imm(&rig, RV64_ld, 6, 7, 8);
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, -1);
    put_branch(&rig, RV64_bne, 5, 0, LOOP);
    put_jal(&rig, 1, FUNCTION);
    put_ecall(&rig);
    rig.at = FUNCTION;
    put_rd_rs1_imm(&rig, RV64_jalr, 0, 1, 0);
}

/* first, the rounds, jal, jalr, ecall */
#define INSTRUCTIONS (1 + 4 * ITERATIONS + 3)

static void run_in_turns(uint64_t turn)
{
    enum engine_stop stop;
    rig_reset_hart(&rig);
    rig.hart.x[7] = DATA;
    do {
        stop = engine_run(rig.engine, &rig.hart, turn);
    } while (stop == ENGINE_BUDGET);
    assert_int_equal(stop, ENGINE_ECALL);
    assert_int_equal(rig.hart.instructions, INSTRUCTIONS);
    assert_int_equal(rig.hart.x[5], 0);
    assert_int_equal(rig.hart.x[6], 1);
}

static int create(void **unused)
{
    (void)unused;
    rig_create(&rig);
    write_program();
    return 0;
}

static int destroy(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < rig.units.count; i++) {
        free(rig.units.units[i]);
    }
    rig_destroy(&rig);
    return 0;
}

static const uint64_t turns[] = {100000, 64, 7, 5, 4, 3, 2, 1};
#define TURNS (sizeof turns / sizeof turns[0])

static void branches_are_heard_with_target_and_outcome(void **unused)
{
    (void)unused;
    ear = add_listener(WATCH_BRANCH, 0, GUEST_SPACE_BYTES);
    for (size_t i = 0; i < TURNS; i++) {
        ear->branches = ear->taken = 0;
        run_in_turns(turns[i]);
        assert_int_equal(ear->branches, ITERATIONS + 2);
        assert_int_equal(ear->taken, ITERATIONS - 1 + 2);
        assert_int_equal(ear->last_target, CODE + 24); /* of the return */
    }
    assert_int_equal(ear->accesses + ear->executed + ear->retired + ear->matches, 0);
}

static void accesses_are_heard_with_their_address(void **unused)
{
    (void)unused;
    ear = add_listener(WATCH_MEMORY, 0, GUEST_SPACE_BYTES);
    for (size_t i = 0; i < TURNS; i++) {
        ear->accesses = 0;
        run_in_turns(turns[i]);
        assert_int_equal(ear->accesses, 2 * ITERATIONS);
        assert_int_equal(ear->last_access, DATA + 8);
    }
    assert_int_equal(ear->branches + ear->executed + ear->retired + ear->matches, 0);
}

static void executed_instructions_are_heard_in_order(void **unused)
{
    guest_addr expected[INSTRUCTIONS];
    (void)unused;
    rig_reset_hart(&rig);
    rig.hart.x[7] = DATA;
    for (unsigned i = 0; i < INSTRUCTIONS; i++) {
        expected[i] = rig.hart.pc;
        engine_run(rig.engine, &rig.hart, 1);
    }
    ear = add_listener(WATCH_EXECUTED | WATCH_RETIRED, 0, GUEST_SPACE_BYTES);
    engine_rewatch(rig.engine, 0, GUEST_SPACE_BYTES);
    for (size_t i = 0; i < TURNS; i++) {
        ear->executed = ear->retired = 0;
        run_in_turns(turns[i]);
        assert_int_equal(ear->executed, INSTRUCTIONS);
        assert_int_equal(ear->retired,
                         INSTRUCTIONS); /* when they are executed, without a pipeline */
        assert_memory_equal(ear->trace, expected, sizeof expected);
    }
}

static void instruction_that_faults_is_not_heard(void **unused)
{
    (void)unused;
    ear = add_listener(WATCH_EXECUTED | WATCH_MEMORY, 0, GUEST_SPACE_BYTES);
    rig_reset_hart(&rig);
    rig.hart.x[7] = NOTHING;
    assert_int_equal(engine_run(rig.engine, &rig.hart, 100), ENGINE_STORE_FAULT);
    assert_int_equal(rig.hart.pc, LOOP);
    assert_int_equal(rig.hart.instructions, 1);
    assert_int_equal(ear->executed, 1);
    assert_int_equal(ear->accesses, 1); /* heard before it is made */
    assert_int_equal(ear->last_access, NOTHING + 8);
}

static void executions_of_an_address_are_counted(void **unused)
{
    (void)unused;
    ear = add_listener(WATCH_COUNTED, LOOP, LOOP + 4);
    for (size_t i = 0; i < TURNS; i++) {
        ear->cell.executions = 0;
        ear->matches = 0;
        ear->cell.fires_at = 7;
        run_in_turns(turns[i]);
        assert_int_equal(ear->cell.executions, ITERATIONS);
        assert_int_equal(ear->matches, 1);
        assert_int_equal(ear->match_pc, LOOP);
        assert_int_equal(ear->match_executions, 7);
        assert_int_equal(ear->match_x5, ITERATIONS - 6); /* before the seventh store */
    }
    ear->cell.executions = 0;
    ear->cell.fires_at = 0;
    run_in_turns(100000);
    assert_int_equal(ear->matches, 1);
}

static void a_count_can_call_the_program_back(void **unused)
{
    (void)unused;
    rig.at = CODE + 0x200;
    put_ecall(&rig);
    ear = add_listener(WATCH_COUNTED, LOOP, LOOP + 4);
    ear->callback = CODE + 0x200;
    for (uint64_t turn = 1; turn < 40; turn += 3) {
        ear->cell = (struct watch_cell){.fires_at = 3, .unit = &ear->unit};
        rig_reset_hart(&rig);
        rig.hart.x[7] = DATA;
        enum engine_stop stop;
        do {
            stop = engine_run(rig.engine, &rig.hart, turn);
        } while (stop == ENGINE_BUDGET);
        assert_int_equal(stop, ENGINE_ECALL);
        assert_int_equal(rig.hart.pc, CODE + 0x200);
        assert_int_equal(rig.hart.callback_return, LOOP);
        assert_int_equal(rig.hart.callback_argument, LOOP);
        assert_int_equal(rig.hart.x[5], ITERATIONS - 2);
        assert_int_equal(rig.hart.instructions, 1 + 2 * 4 + 1);
        callbacks_release(&rig.hart);
    }
}

/* The callback ends the program; it begins where the block ends in which the event was heard. */
static void any_event_can_call_the_program_back(void **unused)
{
    static const unsigned events[] = {WATCH_BRANCH, WATCH_MEMORY, WATCH_EXECUTED};
    (void)unused;
    rig.at = CODE + 0x200;
    put_ecall(&rig);
    ear = add_listener(0, LOOP, LOOP + 16);
    ear->callback = CODE + 0x200;
    for (unsigned i = 0; i < 3; i++) {
        ear->events = events[i];
        engine_rewatch(rig.engine, 0, GUEST_SPACE_BYTES);
        rig_reset_hart(&rig);
        rig.hart.x[7] = DATA;
        enum engine_stop stop;
        do {
            stop = engine_run(rig.engine, &rig.hart, 1000);
        } while (stop == ENGINE_BUDGET);
        assert_int_equal(stop, ENGINE_ECALL);
        assert_int_equal(rig.hart.pc, CODE + 0x200);
        assert_int_equal(rig.hart.callback_return, LOOP); /* the first turn is over */
        assert_true(rig.hart.callback_argument >= LOOP && rig.hart.callback_argument < LOOP + 16);
        assert_int_equal(rig.hart.x[5], ITERATIONS - 1);
        assert_int_equal(rig.hart.instructions, 1 + 4 + 1);
        callbacks_release(&rig.hart);
    }
}

/* Two of a turn's four: the second waits for the end of the first, and none is lost. */
static void callbacks_wait_for_each_other(void **unused)
{
    (void)unused;
    ear = add_listener(WATCH_MEMORY, LOOP, LOOP + 16);
    ear->callback = CODE + 0x200;
    rig_reset_hart(&rig);
    rig.hart.x[7] = DATA;
    assert_int_equal(engine_run(rig.engine, &rig.hart, 1000), ENGINE_BUDGET);
    assert_int_equal(rig.hart.instructions, 1 + 4);
    assert_int_equal(rig.hart.pending_count, 2);
    assert_true(callbacks_due(&rig.hart));
    callbacks_begin(&rig.hart, false);
    assert_int_equal(rig.hart.callback_argument, LOOP);
    assert_false(callbacks_due(&rig.hart));
    assert_true(callbacks_return(&rig.hart));
    assert_int_equal(rig.hart.callback_argument, LOOP + 4);
    assert_int_equal(rig.hart.pc, CODE + 0x200);
    assert_true(callbacks_return(&rig.hart));
    assert_int_equal(rig.hart.pc, LOOP);
    assert_int_equal(rig.hart.skip_count_at, HART_NO_ADDRESS);
    assert_false(callbacks_return(&rig.hart));
    callbacks_release(&rig.hart);
}

static void all_events_together_do_not_disturb_each_other(void **unused)
{
    (void)unused;
    struct listener *ears[UNITS_MAX];
    for (unsigned i = 0; i < UNITS_MAX; i++) {
        ears[i] = add_listener(WATCH_COUNTED | WATCH_BRANCH | WATCH_MEMORY | WATCH_EXECUTED, LOOP,
                               LOOP + 16);
    }
    run_in_turns(100000);
    for (unsigned i = 0; i < UNITS_MAX; i++) {
        assert_int_equal(ears[i]->branches, ITERATIONS);
        assert_int_equal(ears[i]->accesses, 2 * ITERATIONS);
        assert_int_equal(ears[i]->executed, 4 * ITERATIONS);
        assert_int_equal(ears[i]->cell.executions, 4 * ITERATIONS);
    }
}

/* At the fourth branch: also watch memory from now on. */
static void begin_to_watch_memory(struct listener *listener)
{
    if (listener->branches == 4) {
        listener->events |= WATCH_MEMORY;
        unit_rewatch(&listener->unit, LOOP, 16);
    }
}

static void a_unit_may_begin_to_watch_while_running(void **unused)
{
    (void)unused;
    ear = add_listener(WATCH_BRANCH, 0, GUEST_SPACE_BYTES);
    ear->on_branch = begin_to_watch_memory;
    run_in_turns(100000);
    assert_int_equal(ear->branches, ITERATIONS + 2);
    assert_int_equal(ear->accesses, 2 * (ITERATIONS - 4));
}

static void stop_to_watch(struct listener *listener)
{
    if (listener->branches == 4) {
        listener->events = 0;
        unit_rewatch(&listener->unit, LOOP, 16);
    }
}

static void a_unit_may_stop_to_watch_while_running(void **unused)
{
    (void)unused;
    ear = add_listener(WATCH_BRANCH | WATCH_MEMORY, LOOP, LOOP + 16);
    ear->on_branch = stop_to_watch;
    run_in_turns(100000);
    assert_int_equal(ear->branches, 4);
    assert_int_equal(ear->accesses, 8);
    run_in_turns(100000);
    assert_int_equal(ear->branches, 4);
}

static void rewatch_of_other_addresses_decodes_nothing_again(void **unused)
{
    (void)unused;
    ear = add_listener(WATCH_BRANCH, 0, GUEST_SPACE_BYTES);
    run_in_turns(100000);
    const uint64_t decoded = engine_statistics(rig.engine)->blocks_decoded;
    engine_rewatch(rig.engine, CODE + 28, FUNCTION - CODE - 28);
    engine_rewatch(rig.engine, FUNCTION + 4, 0x1000);
    run_in_turns(100000);
    assert_int_equal(engine_statistics(rig.engine)->blocks_decoded, decoded);
    engine_rewatch(rig.engine, FUNCTION, 1);
    run_in_turns(100000);
    assert_int_equal(engine_statistics(rig.engine)->blocks_decoded, decoded + 1);
}

static unsigned ops_at(guest_addr pc)
{
    const struct block *block = blocks_get(rig.engine, pc);
    assert_non_null(block);
    return block->op_count;
}

static void what_nobody_watches_costs_nothing(void **unused)
{
    (void)unused;
    const unsigned start = ops_at(CODE), loop = ops_at(LOOP), function = ops_at(FUNCTION);
    assert_int_equal(loop, 4 + 1); /* and where the branch leads */
    for (unsigned i = 0; i < UNITS_MAX; i++) {
        add_listener(WATCH_EXECUTED | WATCH_RETIRED | WATCH_DISPATCHED | WATCH_MEMORY, DATA,
                     DATA + DATA_BYTES);
    }
    engine_rewatch(rig.engine, 0, GUEST_SPACE_BYTES);
    assert_int_equal(ops_at(CODE), start);
    assert_int_equal(ops_at(LOOP), loop);
    assert_int_equal(ops_at(FUNCTION), function);

    listener_of(rig.units.units[0])->low = LOOP;
    listener_of(rig.units.units[0])->high = LOOP + 4;
    engine_rewatch(rig.engine, 0, GUEST_SPACE_BYTES);
    assert_true(ops_at(LOOP) > loop);
    assert_int_equal(ops_at(FUNCTION), function);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)
    const struct CMUnitTest tests[] = {
        TEST(branches_are_heard_with_target_and_outcome),
        TEST(accesses_are_heard_with_their_address),
        TEST(executed_instructions_are_heard_in_order),
        TEST(instruction_that_faults_is_not_heard),
        TEST(executions_of_an_address_are_counted),
        TEST(a_count_can_call_the_program_back),
        TEST(any_event_can_call_the_program_back),
        TEST(callbacks_wait_for_each_other),
        TEST(all_events_together_do_not_disturb_each_other),
        TEST(a_unit_may_begin_to_watch_while_running),
        TEST(a_unit_may_stop_to_watch_while_running),
        TEST(rewatch_of_other_addresses_decodes_nothing_again),
        TEST(what_nobody_watches_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
