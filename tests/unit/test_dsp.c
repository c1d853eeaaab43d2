/* Tests the tables of dynamic speculative precomputation: which loads are delinquent, what the buffer makes of the
 * lecture's loops, and what becomes of a slice. */
#include "slice_examples.h"

#include "machine/pipeline/parameters.h"
#include "machine/helpers/dlit.h"
#include "machine/helpers/rib.h"
#include "machine/helpers/sit.h"

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
    for (unsigned i = 0; i + 1 < executions; i++) {
        dlit_retired(&dlit, PC, i == 0, waited, i);
    }
    return dlit_retired(&dlit, PC, executions == 1, waited, parameters.dsp_trial);
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
    for (unsigned i = 0; i < parameters.dsp_dlit_entries; i++) {
        assert_non_null(dlit_retired(&dlit, PC + 4 * i, true, 300, i));
    }
    assert_null(dlit_retired(&dlit, PC - 4, true, 300, 100));
    assert_int_equal(dlit.statistics.full, 1);
    dlit_look(&dlit, 2 * parameters.dsp_trial); /* none ran often: there is room again */
    assert_non_null(dlit_retired(&dlit, PC - 4, true, 300, 2 * parameters.dsp_trial));
}

static void load_that_hits_does_not_enter(void **state)
{
    (void)state;
    assert_null(dlit_retired(&dlit, PC, false, 300, 0));
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

static void best_of_several_chains_is_the_shortest_and_first(void **state)
{
    (void)state;
    /* Behind the load, what the loop carries is in x8, which must be copied; behind the addition, it is in x9. */
    static const struct line turn[] = {
        I(0x200, addi, 9, 8, 64),
        R(0x204, mul, 13, 9, 11),
        I(0x208, addi, 8, 9, 0),
        LOAD(0x20c, ld, 16, 0, 13, 0x3000),
        LOAD(0x210, lw, 21, 0, 16, 0x7000),
    };
    struct slice slice;
    assert_int_equal(record(LINES(turn), 2, &slice_rules_optimized, &slice), RIB_SLICE);
    assert_int_equal(slice.kind, SLICE_CHAINING);
    assert_string_equal(slice_text(&slice),
                        "addi x9,x9,64 | mul x13,x9,x11; ld x16,0(x13); *lw x21,0(x16)");
    assert_int_equal(slice.trigger, 0x200);
}

/* The second turn goes on where the first one came to the load: they are not alike, however they begin. */
static void turns_of_different_lengths_are_not_alike(void **state)
{
    (void)state;
    static const struct line turns[] = {
        LOAD(0x200, ld, 10, 0, 10, 0x1000), I(0x204, addi, 10, 10, 8),
        LOAD(0x200, ld, 10, 0, 10, 0x2000), I(0x204, addi, 10, 10, 8),
        I(0x208, addi, 10, 10, 16),         LOAD(0x200, ld, 10, 0, 10, 0x3000),
    };
    struct slice_retired retired[6];
    struct slice slice;
    enum rib_answer answer = RIB_WAITS;
    retire(retired, LINES(turns));
    rib_begin(&rib, &retired[0], &slice_rules_optimized);
    for (unsigned i = 1; i < 6; i++) {
        assert_int_equal(answer, RIB_WAITS);
        answer = rib_retired(&rib, &retired[i], &slice);
    }
    assert_int_equal(answer, RIB_SLICE);
    assert_string_equal(slice_text(&slice), "*ld x10,24(x10)");
}

static void turns_of_different_paths_are_not_alike(void **state)
{
    (void)state;
    static const struct line turns[] = {
        LOAD(0x200, ld, 10, 0, 10, 0x1000), I(0x204, addi, 10, 10, 8),
        LOAD(0x200, ld, 10, 0, 10, 0x2000), I(0x208, addi, 10, 10, 16),
        LOAD(0x200, ld, 10, 0, 10, 0x3000),
    };
    struct slice_retired retired[5];
    struct slice slice;
    retire(retired, LINES(turns));
    rib_begin(&rib, &retired[0], &slice_rules_optimized);
    for (unsigned i = 1; i < 4; i++) {
        assert_int_equal(rib_retired(&rib, &retired[i], &slice), RIB_WAITS);
    }
    assert_int_equal(rib_retired(&rib, &retired[4], &slice), RIB_SLICE);
    assert_string_equal(slice_text(&slice), "*ld x10,16(x10)");
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
        cmocka_unit_test_setup(best_of_several_chains_is_the_shortest_and_first, create),
        cmocka_unit_test_setup(turns_of_different_lengths_are_not_alike, create),
        cmocka_unit_test_setup(turns_of_different_paths_are_not_alike, create),
        cmocka_unit_test_setup(trigger_is_where_registers_have_what_the_loop_carries, create),
        cmocka_unit_test_setup(buffer_that_is_full_gives_up, create),
        cmocka_unit_test_setup(slice_that_does_well_is_kept, create),
        cmocka_unit_test_setup(slice_that_does_poorly_is_optimized_once, create),
        cmocka_unit_test_setup(useless_slice_is_optimized_and_then_given_up, create),
        cmocka_unit_test_setup(useless_simple_slice_is_given_up, create),
        cmocka_unit_test_setup(slice_that_was_hardly_started_is_left_alone, create),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
