/* Tests effort: how it grows with a loop's share, what it comes to, and that paths are recorded by it. */
#include "fragment_rig.h"

#include "translator/fragment/effort.h"

/* In thousandths. */
static unsigned of(uint64_t share)
{
    return effort_of_share(share, 1000);
}

static void nothing_is_worth_nothing_and_all_is_worth_all(void **state)
{
    (void)state;
    assert_int_equal(of(0), 0);
    assert_int_equal(of(1000), EFFORT_MOST);
    assert_int_equal(of(1001), EFFORT_MOST);
    assert_int_equal(effort_of_share(0, 0), EFFORT_MOST);
    assert_int_equal(effort_of_share(1, 0), EFFORT_MOST);
}

static void it_grows_with_the_share_and_less_and_less(void **state)
{
    const unsigned step = 50;
    unsigned last_gain = EFFORT_MOST;

    (void)state;
    for (unsigned share = 1; share <= 1000; share++) {
        assert_true(of(share) >= of(share - 1));
    }
    for (unsigned share = 0; share < 1000; share += step) {
        const unsigned gain = of(share + step) - of(share);
        assert_true(gain <= last_gain + 1); /* which is rounding */
        last_gain = gain;
    }
    /* A hyperbola: it rises by more than half of its height up to where a straight line has risen by a tenth. */
    assert_true(of(100) > EFFORT_MOST / 2);
    assert_in_range(effort_of_share(1, EFFORT_STEEPNESS), EFFORT_MOST / 2,
                    EFFORT_MOST / 2 + EFFORT_MOST / EFFORT_STEEPNESS);
}

static void large_numbers_are_what_small_ones_are(void **state)
{
    (void)state;
    for (unsigned share = 0; share <= 1000; share += 7) {
        for (unsigned bits = 1; bits < 54; bits++) {
            const unsigned large = effort_of_share((uint64_t)share << bits, (uint64_t)1000 << bits);
            assert_in_range(large, of(share), of(share) + 1);
        }
    }
    assert_int_equal(effort_of_share(UINT64_MAX, UINT64_MAX), EFFORT_MOST);
    assert_int_equal(effort_of_share(1, UINT64_MAX), 0);
    assert_int_equal(effort_of_share(UINT64_MAX, 1), EFFORT_MOST);
}

static void each_level_is_reached(void **state)
{
    (void)state;
    assert_int_equal(effort_of_level(0), 0);
    assert_int_equal(effort_of_level(EFFORT_LEVELS), EFFORT_MOST);
    for (unsigned level = 0; level <= EFFORT_LEVELS; level++) {
        assert_int_equal(effort_get_level(effort_of_level(level)), level);
    }
    assert_int_equal(effort_get_level(EFFORT_MOST - 1), EFFORT_LEVELS - 1);
}

static void limits_lie_between_the_least_and_the_most(void **state)
{
    struct effort_limits last = effort_get_limits(0);

    (void)state;
    assert_int_equal(last.blocks, PATH_BLOCKS_LEAST);
    assert_int_equal(last.code_bytes, PATH_CODE_BYTES_LEAST);
    assert_int_equal(last.samples, PATH_SAMPLES_LEAST);
    assert_int_equal(last.agreeing, PATH_SAMPLES_AGREEING_LEAST);
    for (unsigned effort = 1; effort <= EFFORT_MOST; effort++) {
        const struct effort_limits limits = effort_get_limits(effort);
        assert_true(limits.blocks >= last.blocks && limits.code_bytes >= last.code_bytes);
        assert_true(limits.samples >= last.samples && limits.agreeing >= last.agreeing);
        assert_true(limits.agreeing <= limits.samples);
        last = limits;
    }
    assert_int_equal(last.blocks, PATH_BLOCKS);
    assert_int_equal(last.code_bytes, PATH_CODE_BYTES);
    assert_int_equal(last.samples, PATH_SAMPLES);
    assert_int_equal(last.agreeing, PATH_SAMPLES_AGREEING);
}

#define TURNS 200
#define BLOCKS 30

static struct options traced_options(void)
{
    struct options options = rig_options();

    options.threshold = 10;
    options.traces = true;
    options.max_loss = 100;
    return options;
}

/* A loop of BLOCKS blocks, each of which ends with a branch that is never taken. */
static guest_addr run_long_loop(void)
{
    guest_addr branches[BLOCKS - 1];

    go(CODE);
    put(TOY_CONST32, R4, 0, TURNS);
    const guest_addr head = here();
    for (unsigned i = 0; i < BLOCKS - 1; i++) {
        put(TOY_INC, R3, 0, 0);
        branches[i] = put(TOY_BRANCH32, IF_NEGATIVE, 0, 0);
    }
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH32, IF_OTHER, head);
    const guest_addr end = put(TOY_HALT, 0, 0, 0);
    for (unsigned i = 0; i < BLOCKS - 1; i++) {
        asm_send(branches[i], end);
    }
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(reg(R3), (BLOCKS - 1) * TURNS);
    return head;
}

static void the_level_that_is_asked_for_decides_how_long_a_trace_is(void **state)
{
    (void)state;
    for (unsigned level = 0; level <= EFFORT_LEVELS; level++) {
        struct options options = traced_options();
        options.counters = COUNTERS_HW;
        options.effort_given = true;
        options.effort_level = (uint8_t)level;
        rig_create_with_counters(&rig, &options, TOY_COUNTERS_MAX);
        const struct fragment *fragment = rig_find(&rig, run_long_loop());
        const unsigned most = effort_get_limits(effort_of_level(level)).blocks;
        const unsigned open = most < PATH_BLOCKS_OPEN ? most : PATH_BLOCKS_OPEN;
        assert_non_null(fragment->trace);
        assert_int_equal(fragment->trace->path->count, most < BLOCKS ? open : BLOCKS);
        assert_int_equal(effort_level(fragment->loop), level);
        rig_destroy(&rig);
    }
}

/* The toy's clock counts what comes to dispatch: it is moved, so that much seems to have gone by. */
static void the_share_is_executions_times_length_of_what_has_gone_by(void **state)
{
    struct options options = traced_options();

    (void)state;
    options.counters = COUNTERS_HW;
    rig_create_with_counters(&rig, &options, TOY_COUNTERS_MAX);
    const guest_addr head = run_long_loop();
    struct translator *translator = rig.translator;
    const struct loop *loop = rig_find(&rig, head)->loop;
    const uint64_t executions = rig_loop(&rig, head).executions;
    for (uint64_t elapsed = 1000; elapsed < 10000000; elapsed *= 3) {
        translator->optimizer->began = target_clock(translator) - elapsed;
        assert_int_equal(effort_for(translator, loop, 60),
                         effort_of_share(executions * 60, elapsed));
    }
    translator->optimizer->began = target_clock(translator) - 1000000000;
    assert_in_range(effort_for(translator, loop, 60), 1, EFFORT_MOST / 2);
    rig_destroy(&rig);
}

/* Time says nothing about instructions. */
static void without_a_clock_of_instructions_it_is_all(void **state)
{
    struct options options = traced_options();

    (void)state;
    options.counters = COUNTERS_SW;
    rig_create(&rig, &options);
    const struct fragment *fragment = rig_find(&rig, run_long_loop());
    assert_int_equal(fragment->trace->path->count, BLOCKS);
    assert_int_equal(effort_level(fragment->loop), EFFORT_LEVELS);
    rig_destroy(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_worth_nothing_and_all_is_worth_all),
        cmocka_unit_test(it_grows_with_the_share_and_less_and_less),
        cmocka_unit_test(large_numbers_are_what_small_ones_are),
        cmocka_unit_test(each_level_is_reached),
        cmocka_unit_test(limits_lie_between_the_least_and_the_most),
        TEST_ALONE(the_level_that_is_asked_for_decides_how_long_a_trace_is),
        TEST_ALONE(the_share_is_executions_times_length_of_what_has_gone_by),
        TEST_ALONE(without_a_clock_of_instructions_it_is_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
