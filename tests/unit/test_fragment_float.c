/* Tests --threshold float: how many executions a loop needs before its path is recorded, and that it is asked for so many. */
#include "fragment_rig.h"

#define TURNS 20000
#define FIRST 100

static void create(enum counters counters)
{
    struct options options = rig_options();

    options.counters = counters;
    options.threshold = FIRST;
    options.threshold_rule = threshold_float;
    options.traces = true;
    options.max_loss = 100;
    rig_create_with_counters(&rig, &options, counters == COUNTERS_HW ? TOY_COUNTERS_MAX : 0);
}

/* A loop of two blocks, the first of which has so many instructions. */
static guest_addr run_loop(unsigned instructions)
{
    go(CODE);
    put(TOY_CONST32, R4, 0, TURNS);
    const guest_addr head = here();
    for (unsigned i = 0; i < instructions - 1; i++) {
        put(TOY_INC, R3, 0, 0);
    }
    const guest_addr branch = put(TOY_BRANCH32, IF_NEGATIVE, 0, 0);
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH32, IF_OTHER, head);
    asm_send(branch, put(TOY_HALT, 0, 0, 0));
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    return head;
}

static struct optimizer *begin_anew(void)
{
    create(COUNTERS_HW);
    *rig.translator->optimizer = (struct optimizer){.began = 0};
    return rig.translator->optimizer;
}

static void a_tight_loop_needs_more_executions(void **state)
{
    uint64_t last = UINT64_MAX;

    (void)state;
    begin_anew();
    for (unsigned length = 1; length <= 128; length++) {
        const uint64_t needs = threshold_float(rig.translator, NULL, length);
        assert_true(needs < last);
        last = needs;
    }
    assert_int_equal(threshold_float(rig.translator, NULL, 0),
                     threshold_float(rig.translator, NULL, 1));
    rig_destroy(&rig);
}

static void it_is_what_traces_cost_over_what_they_save(void **state)
{
    struct optimizer *optimizer = begin_anew();
    const uint64_t prior = threshold_float(rig.translator, NULL, 10);

    (void)state;
    /* 60 000 instructions, over a quarter of ten. */
    assert_in_range(prior, 24000, 24100);
    optimizer->spent = 10000000;
    optimizer->totals.traces = 9;
    assert_true(threshold_float(rig.translator, NULL, 10) > 10 * prior);
    /* What was spent on loops that wait is no trace's. */
    optimizer->asked = optimizer->spent;
    assert_true(threshold_float(rig.translator, NULL, 10) < prior);
    *optimizer = (struct optimizer){.heads = 1000000000};
    assert_true(threshold_float(rig.translator, NULL, 10) > 100 * prior);
    optimizer->gain = 2000000000;
    assert_true(threshold_float(rig.translator, NULL, 10) < prior / 4);
    rig_destroy(&rig);
}

/* The toy knows no lengths: each loop's is taken as 1.  Traces have saved as much as they had, and cost so much. */
static void set_cost(uint64_t cost)
{
    rig.translator->optimizer->heads = UINT64_C(1) << 40;
    rig.translator->optimizer->gain = INT64_C(1) << 40;
    rig.translator->optimizer->spent = cost * 60000;
    rig.translator->optimizer->totals.traces = 59999;
}

static void a_loop_is_recorded_when_it_has_what_it_needs(void **state)
{
    (void)state;
    for (unsigned cost = 1000; cost < 3 * TURNS; cost += 1000) {
        create(COUNTERS_HW);
        set_cost(cost);
        const struct fragment *fragment = rig_find(&rig, run_loop(8));
        assert_in_range(fragment->loop->needs, cost, cost + cost / 100 + 2);
        assert_int_equal(fragment->trace != NULL, cost < TURNS - 10);
        assert_int_equal(rig.translator->optimizer->totals.postponed, 1);
        rig_destroy(&rig);
    }
}

/* Whoever needs one execution more is asked again then, not at once and for ever. */
static void the_last_execution_comes_too(void **state)
{
    (void)state;
    for (unsigned cost = FIRST - 5; cost < FIRST + 5; cost++) {
        create(COUNTERS_HW);
        set_cost(cost);
        assert_non_null(rig_find(&rig, run_loop(8))->trace);
        rig_destroy(&rig);
    }
}

/* There the ledger counts nothing, and what was taken for granted stays. */
static void with_software_counters_it_is_by_size_alone(void **state)
{
    static const enum counters kinds[] = {COUNTERS_SW, COUNTERS_SW_EXACT};

    (void)state;
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        create(kinds[i]);
        rig.translator->optimizer->gain = INT64_C(1) << 40;
        rig.translator->optimizer->heads = UINT64_C(1) << 34;
        rig.translator->optimizer->spent = UINT64_C(1) << 60;
        const struct fragment *fragment = rig_find(&rig, run_loop(8));
        assert_non_null(fragment->trace);
        assert_in_range(fragment->loop->needs, FIRST + 1, TURNS / 2);
        rig_destroy(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(a_tight_loop_needs_more_executions),
        TEST_ALONE(it_is_what_traces_cost_over_what_they_save),
        TEST_ALONE(a_loop_is_recorded_when_it_has_what_it_needs),
        TEST_ALONE(the_last_execution_comes_too),
        TEST_ALONE(with_software_counters_it_is_by_size_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
