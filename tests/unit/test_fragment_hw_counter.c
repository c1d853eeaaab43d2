/* Tests the counters that the processor has: who makes them, and which it evicts. */
#include "fragment_loops.h"

#include "translator/fragment/flush.h"
#include "translator/fragment/link.h"

static void create_hardware(unsigned entries, uint64_t threshold)
{
    struct options options = rig_options();

    options.counters = COUNTERS_HW;
    options.threshold = threshold;
    rig_create_with_counters(&rig, &options, entries);
}

static void an_exit_makes_its_counter_and_takes_itself_out_of_the_way(void **state)
{
    (void)state;
    create_hardware(4, 10);
    const guest_addr head = write_loop(CODE, 100);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    const struct fragment *fragment = rig_find(&rig, head);
    assert_int_equal(rig.counters.created, 1);
    assert_int_equal(target_hw_read(fragment->entry), 100 - UNCOUNTED);
    const struct exit *maker = fragment->loop->maker;
    assert_non_null(maker);
    assert_true(target_hw_linked(maker));
    assert_true(rig.translator->statistics.dispatches < 8);
    rig_destroy(&rig);
}

static void evicted_counters_are_known(void **state)
{
    (void)state;
    create_hardware(1, 10);
    const guest_addr first = write_loop(CODE, 100);
    const guest_addr second = write_loop(CODE + 0x100, 5);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(rig_run(&rig, CODE + 0x100), TOY_HALTED);
    assert_true(rig_loop(&rig, first).evicted);
    assert_int_equal(rig_executions(&rig, first), 10); /* so many it has surely had */
    assert_false(rig_loop(&rig, second).evicted);
    assert_int_equal(count_get_totals(rig.translator).evicted, 1);
    assert_int_equal(count_get_totals(rig.translator).created, 2);
    assert_int_equal(rig.counters.evicted, 1);
    flush_all(rig.translator);
    assert_true(rig_loop(&rig, first).evicted);
    assert_int_equal(count_get_totals(rig.translator).evicted, 1);
    assert_int_equal(count_get_totals(rig.translator).dropped, 1);
    assert_int_equal(rig.counters.dropped, 1);
    rig_destroy(&rig);
}

/* Loops inside each other, which take the only counter from each other all the time. */
static void made_evicted_and_dropped_are_those_of_the_processor(void **state)
{
    (void)state;
    for (unsigned entries = 1; entries <= 4; entries *= 2) {
        create_hardware(entries, 10);
        put(TOY_CONST8, R1, 0, 20);
        const guest_addr outer = put(TOY_CONST8, R2, 0, 5);
        const guest_addr middle = put(TOY_CONST8, R3, 0, 3);
        const guest_addr inner = put(TOY_DEC, R3, 0, 0);
        put_to(TOY_BRANCH8, IF_OTHER, inner);
        put(TOY_DEC, R2, 0, 0);
        put_to(TOY_BRANCH8, IF_OTHER, middle);
        put(TOY_DEC, R1, 0, 0);
        put_to(TOY_BRANCH8, IF_OTHER, outer);
        put(TOY_HALT, 0, 0, 0);
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
            flush_all(rig.translator);
        }
        const struct count_totals totals = count_get_totals(rig.translator);
        assert_int_equal(totals.created, rig.counters.created);
        assert_int_equal(totals.evicted, rig.counters.evicted);
        assert_int_equal(totals.dropped, rig.counters.dropped);
        assert_true(rig.counters.created >= 3);
        rig_destroy(&rig);
    }
}

/* Two ways back to one head: only one exit at a time may make its counter. */
static void several_ways_to_a_head_make_one_counter(void **state)
{
    (void)state;
    create_hardware(4, 10);
    put(TOY_CONST8, R4, 0, 100);
    const guest_addr head = put(TOY_DEC, R4, 0, 0);
    const guest_addr out = put(TOY_BRANCH8, IF_ZERO, 0, 0);
    put(TOY_MOV, R1, R4, 0);
    put(TOY_AND32, R1, 0, 1);
    put_to(TOY_BRANCH8, IF_ZERO, head);
    put_to(TOY_JUMP8, 0, head);
    asm_send(out, here());
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(rig.counters.created, 1);
    assert_int_equal(rig_executions(&rig, head), rig_counted(&rig, head));
    assert_true(rig_executions(&rig, head) >= 97);
    rig_destroy(&rig);
}

/* Two heads whose entries are so far apart that their tags have the same place in the table of tags. */
static void tags_that_share_a_place_are_told_apart(void **state)
{
    (void)state;
    create_hardware(4, 10);
    const guest_addr first = write_loop(CODE, 50), second = write_loop(CODE + 0x100, 50);
    struct fragment *near = rig_build(&rig, first);
    struct cache *cache = &rig.translator->cache;
    while (cache->fragments < near->code + LOOP_BUCKETS) {
        assert_true(cache_reserve(cache, CACHE_CHUNK_BYTES));
        cache_commit(cache, cache->fragments + 1);
    }
    cache->fragments = near->code + LOOP_BUCKETS;
    struct fragment *far = rig_build(&rig, second);
    assert_int_equal(far->entry - near->entry, LOOP_BUCKETS);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(rig_run(&rig, CODE + 0x100), TOY_HALTED);
    assert_int_equal(rig_executions(&rig, first), rig_counted(&rig, first));
    assert_int_equal(rig_executions(&rig, second), rig_counted(&rig, second));
    assert_int_equal(count_get_totals(rig.translator).callbacks, 2);
    flush_all(rig.translator);
    assert_int_equal(count_get_totals(rig.translator).dropped, 2);
    for (unsigned i = 0; i < LOOP_BUCKETS; i++) {
        assert_null(rig.translator->counts->tags[i]);
    }
    rig_destroy(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(an_exit_makes_its_counter_and_takes_itself_out_of_the_way),
        TEST_ALONE(evicted_counters_are_known),
        TEST_ALONE(made_evicted_and_dropped_are_those_of_the_processor),
        TEST_ALONE(several_ways_to_a_head_make_one_counter),
        TEST_ALONE(tags_that_share_a_place_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
