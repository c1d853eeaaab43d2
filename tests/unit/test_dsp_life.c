/* Tests what puts the tables of dynamic speculative precomputation together: the life of a load's slices, by what retires. */
#include "slice_examples.h"

#include "isa/rv64/decode.h"
#include "machine/state/memory.h"
#include "machine/helpers/dsp.h"
#include "machine/helpers/helpers.h"
#include "machine/pipeline/window.h"
#include "machine/units/origins.h"
#include "machine/state/statistics.h"
#include "machine/helpers/rib.h"

static struct parameters parameters;
static struct memory memory;
static const struct origins no_translator; /* all code is the program's */
static struct pipeline *pipeline;
static struct helpers *helpers;
static struct dsp *dsp;

static void ignore(void *machine, guest_addr start, uint64_t bytes)
{
    (void)machine;
    (void)start;
    (void)bytes;
}

static int create_dsp(bool optimize)
{
    parameters_set_defaults(&parameters);
    parameters.dsp_trial = parameters.dsp_look = 1000;
    parameters.dsp_executions = 10;
    pipeline = pipeline_create(&parameters);
    assert_non_null(pipeline);
    assert_true(memory_create(&memory));
    helpers = helpers_create(pipeline, &memory, &no_translator);
    assert_non_null(helpers);
    helpers_set_host(helpers, (struct unit_host){.rewatch = ignore});
    dsp = dsp_create(&pipeline->parameters, helpers, optimize);
    return dsp != NULL ? 0 : -1;
}

static int create_simple(void **state)
{
    (void)state;
    return create_dsp(false);
}

static int create_optimized(void **state)
{
    (void)state;
    return create_dsp(true);
}

static int destroy_dsp(void **state)
{
    (void)state;
    dsp_unit(dsp)->kind->destroy(dsp_unit(dsp));
    helpers_destroy(helpers);
    pipeline_destroy(pipeline);
    memory_destroy(&memory);
    return 0;
}

#define WAIT 200 /* cycles, of the load that misses */

static void retire_line(const struct line *line)
{
    struct slice_retired retired;
    struct rv64_insn insn;
    retire(&retired, line, 1);
    rv64_decode(retired.word, &insn);
    const bool misses = line->pc == PRICING_LOAD;
    const struct watch_instruction instruction = watch_instruction_of(retired.pc, &insn);
    const struct watch_event event = {.instruction = &instruction,
                                      .address = retired.address,
                                      .level = misses ? WATCH_MAIN_MEMORY : WATCH_L1,
                                      .times = {.done = misses ? WAIT : 0}};
    dsp_unit(dsp)->kind->retired(dsp_unit(dsp), &event);
}

static void turn_of_the_loop(void)
{
    for (unsigned i = 0; i < PRICING_LINES; i++) {
        retire_line(&pricing[i]);
    }
}

/* Something else that the program does, for so many instructions. */
static void rest(uint64_t instructions)
{
    static const struct line nothing = I(0x300, addi, 0, 0, 0);
    for (uint64_t i = 0; i < instructions; i++) {
        retire_line(&nothing);
    }
}

/* A turn that is too long for the buffer: this recording of the load fails. */
static void long_turn(void)
{
    rest(parameters.dsp_rib_entries);
    retire_line(&pricing[PRICING_LINES - 1]);
}

/* So many in a row, from an instance of the load on. */
static void fail_recordings(uint64_t times)
{
    retire_line(&pricing[PRICING_LINES - 1]);
    for (uint64_t i = 0; i < times; i++) {
        long_turn();
    }
}

static void lock_the_load(void)
{
    for (unsigned i = 0; i < parameters.dsp_executions; i++) {
        retire_line(&pricing[PRICING_LINES - 1]);
        rest(parameters.dsp_trial / parameters.dsp_executions);
    }
}

struct number_wanted {
    struct statistics statistics;
    const char *table, *key;
    bool inside;
    uint64_t value;
};

static void take_number(struct statistics *statistics, const char *key, uint64_t value)
{
    struct number_wanted *wanted = (struct number_wanted *)statistics;
    if (wanted->inside && strcmp(key, wanted->key) == 0) {
        wanted->value = value;
    }
}

static void take_begin(struct statistics *statistics, const char *key)
{
    struct number_wanted *wanted = (struct number_wanted *)statistics;
    wanted->inside = strcmp(key, wanted->table) == 0;
}

static void take_end(struct statistics *statistics)
{
    ((struct number_wanted *)statistics)->inside = false;
}

/* Of the statistics: `key` of a table. */
static uint64_t count(const char *table, const char *key)
{
    struct number_wanted wanted = {
        .statistics = {.number = take_number, .begin = take_begin, .end = take_end},
        .table = table,
        .key = key,
        .value = UINT64_MAX};
    dsp_report(dsp, &wanted.statistics);
    return wanted.value;
}

/* Whether the slice that was made as number `number` may still be started. */
static bool runs(unsigned number)
{
    const struct rv64_insn any = {.word = 0};
    struct slice_account account;
    assert_true(helpers_account(helpers, number, &account));
    assert_true(helpers_triggers(helpers, account.trigger.pc, &any) || account.removed);
    return !account.removed;
}

static void make_simple_slice(void)
{
    lock_the_load();
    turn_of_the_loop();
    turn_of_the_loop();
    assert_int_equal(count("sit", "installed"), 1);
    assert_true(runs(1));
}

/* Looks at which the load had not run; the first of them ends a time in which it had. */
static void unused_looks(uint64_t looks)
{
    rest((looks + 1) * parameters.dsp_look);
}

static void slice_whose_load_does_not_run_any_more_is_destroyed(void **state)
{
    (void)state;
    make_simple_slice();
    unused_looks(parameters.dsp_unused_looks - 1);
    assert_true(runs(1));
    rest(parameters.dsp_look);
    assert_false(runs(1));
    assert_int_equal(count("sit", "destroyed"), 1);
    assert_int_equal(count("sit", "given_up"), 0);
    assert_int_equal(count("dlit", "dropped"), 1);
}

static void looks_without_the_load_count_in_a_row_only(void **state)
{
    (void)state;
    make_simple_slice();
    for (unsigned i = 0; i < 3; i++) {
        unused_looks(parameters.dsp_unused_looks - 1);
        retire_line(&pricing[PRICING_LINES - 1]);
    }
    unused_looks(parameters.dsp_unused_looks - 1);
    assert_true(runs(1));
    assert_int_equal(count("sit", "destroyed"), 0);
    assert_int_equal(count("dlit", "dropped"), 0);
}

/* Both tables have forgotten it: it gets its next slice like a load that was never seen. */
static void load_of_a_destroyed_slice_can_come_back(void **state)
{
    (void)state;
    make_simple_slice();
    unused_looks(parameters.dsp_unused_looks);
    turn_of_the_loop();
    turn_of_the_loop();
    assert_int_equal(count("dlit", "entered"), 2);
    assert_int_equal(count("rib", "recordings"), 1);
    lock_the_load();
    turn_of_the_loop();
    turn_of_the_loop();
    assert_int_equal(count("dlit", "locked"), 2);
    assert_int_equal(count("sit", "installed"), 2);
    assert_true(runs(2));
    assert_false(runs(1));
}

/* The buffer waits for an instance that does not come, and does not take the load's room for ever. */
static void load_that_leaves_while_it_is_recorded_is_forgotten(void **state)
{
    (void)state;
    dsp_unit(dsp)->kind->destroy(dsp_unit(dsp));
    pipeline->parameters.dsp_unused_looks = 2;
    pipeline->parameters.dsp_rib_entries = RIB_ENTRIES_MAX; /* more than it takes to two looks */
    dsp = dsp_create(&pipeline->parameters, helpers, false);
    lock_the_load();
    turn_of_the_loop();
    assert_int_equal(count("rib", "recordings"), 1);
    unused_looks(2);
    assert_int_equal(count("dlit", "dropped"), 1);
    assert_int_equal(count("sit", "destroyed"), 0); /* there was no slice yet */
    rest(RIB_ENTRIES_MAX);
    assert_int_equal(count("rib", "overflows"), 0);
}

static void load_without_a_slice_after_four_recordings_gets_none(void **state)
{
    (void)state;
    lock_the_load();
    fail_recordings(parameters.dsp_tries - 1);
    assert_int_equal(count("rib", "overflows"), parameters.dsp_tries - 1);
    assert_int_equal(count("rib", "recordings"), parameters.dsp_tries);
    long_turn();
    for (unsigned i = 0; i < 10; i++) {
        turn_of_the_loop();
    }
    assert_int_equal(count("rib", "recordings"), parameters.dsp_tries);
    assert_int_equal(count("rib", "overflows"), parameters.dsp_tries);
    assert_int_equal(count("sit", "installed"), 0);
}

static void last_recording_may_still_give_a_slice(void **state)
{
    (void)state;
    lock_the_load();
    fail_recordings(parameters.dsp_tries - 1);
    turn_of_the_loop();
    assert_int_equal(count("rib", "overflows"), parameters.dsp_tries - 1);
    assert_int_equal(count("sit", "installed"), 1);
    assert_true(runs(1));
}

/* The slice was started and its lines were used, though its load waits as long as ever. */
static void use(unsigned number)
{
    struct slice_ledger *ledger = helpers_ledger(helpers, number);
    ledger->started += 1000;
    ledger->lines += 1000;
    ledger->timely += 1000;
    retire_line(&pricing[PRICING_LINES - 1]);
    rest(parameters.dsp_look);
}

static void slice_that_does_poorly_is_replaced(void **state)
{
    (void)state;
    make_simple_slice();
    use(1);
    for (unsigned i = 0; i < 3; i++) { /* two turns that are alike, from the load on */
        turn_of_the_loop();
    }
    assert_int_equal(count("sit", "optimized"), 1);
    assert_int_equal(count("sit", "installed"), 2);
    assert_false(runs(1));
    assert_true(runs(2));
}

static void simple_slice_is_kept_after_four_recordings_for_a_better_one(void **state)
{
    (void)state;
    make_simple_slice();
    use(1);
    fail_recordings(parameters.dsp_tries);
    assert_int_equal(count("rib", "overflows"), parameters.dsp_tries);
    for (unsigned i = 0; i < 3; i++) {
        use(1);
        turn_of_the_loop();
        turn_of_the_loop();
        turn_of_the_loop();
    }
    assert_true(runs(1));
    assert_int_equal(count("rib", "recordings"), 1 + parameters.dsp_tries);
    assert_int_equal(count("sit", "installed"), 1);
}

static void recordings_for_a_better_one_are_counted_anew(void **state)
{
    (void)state;
    lock_the_load();
    fail_recordings(parameters.dsp_tries - 1);
    turn_of_the_loop();
    assert_true(runs(1));
    use(1);
    retire_line(&pricing[PRICING_LINES - 1]);
    long_turn();
    for (unsigned i = 0; i < 3; i++) {
        turn_of_the_loop();
    }
    assert_int_equal(count("rib", "overflows"), parameters.dsp_tries);
    assert_int_equal(count("sit", "optimized"), 1);
}

/* It was started, and nobody used a line of it. */
static void use_nothing(unsigned number)
{
    helpers_ledger(helpers, number)->started += 1000;
    retire_line(&pricing[PRICING_LINES - 1]);
    rest(parameters.dsp_look);
}

static void useless_slice_is_given_up_when_no_better_one_can_be_made(void **state)
{
    (void)state;
    make_simple_slice();
    use_nothing(1);
    retire_line(&pricing[PRICING_LINES - 1]);
    for (unsigned i = 0; i < parameters.dsp_tries; i++) {
        assert_true(runs(1));
        assert_int_equal(count("rib", "overflows"), i);
        use_nothing(1); /* which is too long a turn, too */
    }
    assert_int_equal(count("rib", "overflows"), parameters.dsp_tries);
    assert_false(runs(1));
    assert_int_equal(count("sit", "given_up"), 1);
    for (unsigned i = 0; i < 3; i++) {
        turn_of_the_loop();
    }
    assert_int_equal(count("sit", "installed"), 1);
}

#define DSP_TEST(function, kind)                                                                   \
    cmocka_unit_test_setup_teardown(function, create_##kind, destroy_dsp)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DSP_TEST(slice_whose_load_does_not_run_any_more_is_destroyed, simple),
        DSP_TEST(looks_without_the_load_count_in_a_row_only, simple),
        DSP_TEST(load_of_a_destroyed_slice_can_come_back, simple),
        DSP_TEST(load_that_leaves_while_it_is_recorded_is_forgotten, simple),
        DSP_TEST(load_without_a_slice_after_four_recordings_gets_none, simple),
        DSP_TEST(last_recording_may_still_give_a_slice, simple),
        DSP_TEST(slice_that_does_poorly_is_replaced, optimized),
        DSP_TEST(simple_slice_is_kept_after_four_recordings_for_a_better_one, optimized),
        DSP_TEST(recordings_for_a_better_one_are_counted_anew, optimized),
        DSP_TEST(useless_slice_is_given_up_when_no_better_one_can_be_made, optimized),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
