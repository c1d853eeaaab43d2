/* Tests dynamic speculative precomputation: which loads are delinquent, what the buffer makes of the lecture's loops,
 * and what becomes of a slice, by the tables and by what puts them together. */
#include "slice_examples.h"

#include "isa/rv64/decode.h"
#include "machine/memory.h"
#include "machine/pipeline/dsp.h"
#include "machine/pipeline/window.h"
#include "machine/statistics.h"
#include "machine/units/dlit.h"
#include "machine/units/rib.h"
#include "machine/units/sit.h"

#define PC UINT64_C(0x1000)

static struct parameters parameters;
static struct dlit dlit;
static struct rib rib;
static struct sit sit;

static int create(void **state)
{
    (void)state;
    parameters_set_defaults(&parameters);
    dlit = (struct dlit){.parameters = &parameters};
    rib = (struct rib){.entries = (unsigned)parameters.dsp_rib_entries};
    sit = (struct sit){.parameters = &parameters, .may_optimize = true};
    return 0;
}

/* The load enters with the first instruction, runs so often, and once more when its trial is over. */
static struct dlit_entry *try_load(unsigned executions, uint64_t waited)
{
    uint8_t place = 0;
    for (unsigned i = 0; i + 1 < executions; i++) {
        dlit_retired(&dlit, PC, i == 0, waited, i, &place);
    }
    return dlit_retired(&dlit, PC, executions == 1, waited, parameters.dsp_trial, &place);
}

static void load_that_waits_often_is_locked(void **state)
{
    (void)state;
    const struct dlit_entry *entry = try_load(100, 5);
    assert_non_null(entry);
    assert_true(entry->locked);
}

static void load_that_runs_too_seldom_leaves(void **state)
{
    (void)state;
    assert_null(try_load(99, 300));
    assert_int_equal(dlit.statistics.dropped, 1);
}

static void load_that_does_not_wait_leaves(void **state)
{
    (void)state;
    assert_null(try_load(1000, 4));
    assert_int_equal(dlit.statistics.dropped, 1);
}

static void first_come_first_served(void **state)
{
    (void)state;
    uint8_t place = 0;
    for (unsigned i = 0; i < parameters.dsp_dlit_entries; i++) {
        place = 0;
        assert_non_null(dlit_retired(&dlit, PC + 4 * i, true, 300, i, &place));
    }
    place = 0;
    assert_null(dlit_retired(&dlit, PC - 4, true, 300, 100, &place));
    assert_int_equal(dlit.statistics.full, 1);
    dlit_look(&dlit, 2 * parameters.dsp_trial); /* none ran often: there is room again */
    assert_non_null(dlit_retired(&dlit, PC - 4, true, 300, 2 * parameters.dsp_trial, &place));
}

static void load_that_hits_does_not_enter(void **state)
{
    (void)state;
    uint8_t place = 0;
    assert_null(dlit_retired(&dlit, PC, false, 300, 0, &place));
}

/* Turns of a loop whose last line is the load, after one instance of it. */
static enum rib_answer record(const struct line *turn, unsigned lines, unsigned turns,
                              const struct slice_rules *rules, struct slice *slice)
{
    struct slice_retired retired[32];
    enum rib_answer answer = RIB_WAITS;
    retire(retired, turn, lines);
    rib_begin(&rib, &retired[lines - 1], rules);
    for (unsigned i = 0; i < turns * lines; i++) {
        assert_int_equal(answer, RIB_WAITS);
        answer = rib_retired(&rib, &retired[i % lines], slice);
    }
    return answer;
}

static void buffer_makes_the_lecture_s_slice_of_the_increments(void **state)
{
    (void)state;
    struct slice slice;
    struct line turn[INCREMENTS_LINES];
    for (unsigned i = 0; i < INCREMENTS_LINES; i++) {
        turn[i] = increments[(i + 6) % INCREMENTS_LINES]; /* from behind the load to the load */
    }
    assert_int_equal(record(turn, INCREMENTS_LINES, 1, &slice_rules_simple, &slice), RIB_SLICE);
    assert_string_equal(slice_text(&slice), "ld x1,0(x2); add x1,x4,x1; *ld x5,0(x1)");
    assert_int_equal(slice.live_ins, X(2) | X(4));
    assert_int_equal(slice.trigger, INCREMENTS_LOAD);
}

static void buffer_makes_the_lecture_s_slice_of_mcf(void **state)
{
    (void)state;
    struct slice slice;
    assert_int_equal(record(pricing, PRICING_LINES, 1, &slice_rules_simple, &slice), RIB_SLICE);
    assert_string_equal(slice_text(&slice),
                        "add x9,x9,x11; ld x16,0(x9); addi x15,x16,80; *lw x21,0(x15)");
    assert_int_equal(slice.live_ins, X(9) | X(11));
    assert_int_equal(slice.trigger, PRICING_LOAD);
}

static void optimized_slice_takes_two_turns(void **state)
{
    (void)state;
    struct slice slice;
    assert_int_equal(record(pricing, PRICING_LINES, 2, &slice_rules_optimized, &slice), RIB_SLICE);
    assert_int_equal(slice.kind, SLICE_CHAINING);
}

/* What the loop carries is on the stack behind the load, and in a register elsewhere. */
static void trigger_is_where_registers_have_what_the_loop_carries(void **state)
{
    (void)state;
    static const struct line turn[] = {
        LOAD(0x200, ld, 8, 0, 2, 0x8000),  LOAD(0x204, ld, 8, 0, 8, 0x1000),
        STORE(0x208, sd, 8, 0, 2, 0x8000), I(0x20c, addi, 9, 8, 0),
        I(0x210, addi, 8, 0, 0),           LOAD(0x214, ld, 10, 8, 9, 0x1008),
    };
    struct slice slice;
    assert_int_equal(record(LINES(turn), 2, &slice_rules_optimized, &slice), RIB_SLICE);
    assert_int_equal(slice.kind, SLICE_CHAINING);
    assert_int_not_equal(slice.trigger, 0x214);
}

static void buffer_that_is_full_gives_up(void **state)
{
    (void)state;
    struct slice slice;
    rib.entries = 8;
    enum rib_answer answer = record(pricing, PRICING_LINES, 0, &slice_rules_simple, &slice);
    const struct slice_retired other = {.pc = 0x300, .word = 0x13};
    for (unsigned i = 1; i < rib.entries; i++) {
        assert_int_equal(answer, RIB_WAITS);
        answer = rib_retired(&rib, &other, &slice);
    }
    assert_int_equal(answer, RIB_FAILED);
    assert_int_equal(rib.statistics.overflows, 1);
}

/* What a look advises of a slice that was started 1000 times since the last one. */
static enum sit_advice advice(uint64_t used, uint64_t evicted, uint64_t waited)
{
    const struct dlit_entry load = {.pc = PC,
                                    .locked = true,
                                    .executions = 1000,
                                    .waited = 1000 * waited,
                                    .trial_executions = 1000,
                                    .trial_waited = 1000 * 200};
    struct sit_entry *entry = sit_find(&sit, PC, true);
    struct slice_ledger ledger = entry->seen;
    ledger.started += 1000;
    ledger.timely += used;
    ledger.evicted += evicted;
    return sit_look(&sit, entry, &ledger, &load);
}

static void slice_that_does_well_is_kept(void **state)
{
    (void)state;
    assert_int_equal(advice(900, 10, 20), SIT_KEEP);
}

static void slice_that_does_poorly_is_optimized_once(void **state)
{
    (void)state;
    assert_int_equal(advice(900, 10, 190), SIT_OPTIMIZE);
    sit_find(&sit, PC, false)->optimized = true;
    assert_int_equal(advice(900, 10, 190), SIT_KEEP);
}

static void useless_slice_is_optimized_and_then_given_up(void **state)
{
    (void)state;
    assert_int_equal(advice(10, 0, 20), SIT_OPTIMIZE);
    sit_find(&sit, PC, false)->optimized = true;
    assert_int_equal(advice(10, 0, 20), SIT_GIVE_UP);
}

static void useless_simple_slice_is_given_up(void **state)
{
    (void)state;
    sit.may_optimize = false;
    assert_int_equal(advice(10, 0, 20), SIT_GIVE_UP);
    assert_int_equal(advice(100, 90, 20), SIT_GIVE_UP); /* it brings what nobody uses */
    assert_int_equal(advice(100, 10, 190), SIT_KEEP);
}

static void slice_that_was_hardly_started_is_left_alone(void **state)
{
    (void)state;
    parameters.dsp_started = 1001;
    assert_int_equal(advice(0, 0, 200), SIT_KEEP);
}

/* The tables together, with instructions as they retire. */
static struct memory memory;
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
    helpers = pipeline_run_slices(pipeline, &memory);
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
    dsp_destroy(dsp);
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
    const struct entry entry = {.slot = slots_get(pipeline->slots, retired.pc, &insn),
                                .address = retired.address,
                                .cause = misses ? CAUSE_memory : CAUSE_l1,
                                .done = misses ? WAIT : 0};
    dsp_retired(dsp, 0, &entry, 0);
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
    struct slice_account account;
    assert_true(helpers_account(helpers, number, &account));
    assert_true(helpers_triggers(helpers, account.trigger) || account.removed);
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
    dsp_destroy(dsp);
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
    retire_line(&pricing[PRICING_LINES - 1]);
    for (unsigned i = 0; i + 1 < parameters.dsp_tries; i++) {
        long_turn();
    }
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
    retire_line(&pricing[PRICING_LINES - 1]);
    for (unsigned i = 0; i + 1 < parameters.dsp_tries; i++) {
        long_turn();
    }
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
    retire_line(&pricing[PRICING_LINES - 1]);
    for (unsigned i = 0; i < parameters.dsp_tries; i++) {
        long_turn();
    }
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
    retire_line(&pricing[PRICING_LINES - 1]);
    for (unsigned i = 0; i + 1 < parameters.dsp_tries; i++) {
        long_turn();
    }
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
        cmocka_unit_test_setup(load_that_waits_often_is_locked, create),
        cmocka_unit_test_setup(load_that_runs_too_seldom_leaves, create),
        cmocka_unit_test_setup(load_that_does_not_wait_leaves, create),
        cmocka_unit_test_setup(first_come_first_served, create),
        cmocka_unit_test_setup(load_that_hits_does_not_enter, create),
        cmocka_unit_test_setup(buffer_makes_the_lecture_s_slice_of_the_increments, create),
        cmocka_unit_test_setup(buffer_makes_the_lecture_s_slice_of_mcf, create),
        cmocka_unit_test_setup(optimized_slice_takes_two_turns, create),
        cmocka_unit_test_setup(trigger_is_where_registers_have_what_the_loop_carries, create),
        cmocka_unit_test_setup(buffer_that_is_full_gives_up, create),
        cmocka_unit_test_setup(slice_that_does_well_is_kept, create),
        cmocka_unit_test_setup(slice_that_does_poorly_is_optimized_once, create),
        cmocka_unit_test_setup(useless_slice_is_optimized_and_then_given_up, create),
        cmocka_unit_test_setup(useless_simple_slice_is_given_up, create),
        cmocka_unit_test_setup(slice_that_was_hardly_started_is_left_alone, create),
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
