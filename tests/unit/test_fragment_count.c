/* Tests the counters at the heads of loops: all kinds, and those in software, beside what the interpreter counts
 * itself. */
#include "fragment_loops.h"

#include "translator/fragment/counter_code.h"
#include "translator/fragment/flush.h"
#include "translator/fragment/link.h"

static const enum counters software[] = {COUNTERS_SW, COUNTERS_SW_EXACT, COUNTERS_SW_PAPER};
static const enum counters exact[] = {COUNTERS_SW_EXACT, COUNTERS_HW, COUNTERS_SW_PAPER};

static void create_with(enum counters counters, uint64_t threshold,
                        void (*change)(struct options *))
{
    struct options options = rig_options();

    options.counters = counters;
    options.threshold = threshold;
    if (change != NULL) {
        change(&options);
    }
    rig_create_with_counters(&rig, &options, counters == COUNTERS_HW ? TOY_COUNTERS_MAX : 0);
}

static bool is_hot(guest_addr head)
{
    const struct fragment *fragment = rig_find(&rig, head);

    return fragment->loop->hot;
}

static void exact_counters_count_each_execution(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        create_with(exact[i], 10, NULL);
        const guest_addr head = write_loop(CODE, 1000);
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_int_equal(rig_executions(&rig, head), 1000 - UNCOUNTED);
        assert_int_equal(rig_counted(&rig, head), 1000 - UNCOUNTED);
        assert_true(is_hot(head));
        assert_int_equal(count_get_totals(rig.translator).callbacks, 1);
        assert_int_equal(count_get_totals(rig.translator).created, 1);
        rig_destroy(&rig);
    }
}

/* However often its counter comes to the threshold. */
static void a_loop_becomes_hot_once(void **state)
{
    struct loop loop = {.hot = false};

    (void)state;
    create_with(COUNTERS_SW, 10, NULL);
    count_note_hot(rig.translator->counts, &loop);
    count_note_hot(rig.translator->counts, &loop);
    assert_true(loop.hot);
    assert_int_equal(count_get_totals(rig.translator).callbacks, 1);
    rig_destroy(&rig);
}

static void a_counter_that_only_looks_for_heat_stops_at_the_threshold(void **state)
{
    (void)state;
    create_with(COUNTERS_SW, 10, NULL);
    const guest_addr head = write_loop(CODE, 1000);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(rig_executions(&rig, head), 10);
    assert_true(is_hot(head));
    const struct fragment *fragment = rig_find(&rig, head);
    assert_ptr_equal(fragment->landing, fragment->entry);
    const uint8_t *first =
        fragment_indirect_entry(fragment) + 1; /* the displacement of its first jump */
    assert_ptr_equal(displacement_get(first), first + 2);
    assert_true(fragment->loop->removed);
    rig_destroy(&rig);
}

static void a_loop_below_the_threshold_is_not_hot(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        create_with(software[i], 10, NULL);
        const guest_addr head = write_loop(CODE, 9 + UNCOUNTED);
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_int_equal(rig_executions(&rig, head), 9);
        assert_false(is_hot(head));
        assert_int_equal(count_get_totals(rig.translator).callbacks, 0);
        rig_destroy(&rig);
    }
}

static void a_loop_is_hot_exactly_at_the_threshold(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        create_with(software[i], 10, NULL);
        const guest_addr head = write_loop(CODE, 10 + UNCOUNTED);
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_int_equal(rig_executions(&rig, head), 10);
        assert_true(is_hot(head));
        rig_destroy(&rig);
    }
}

static void with_no_threshold_no_loop_is_hot(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        create_with(software[i], 0, NULL);
        const guest_addr head = write_loop(CODE, 500);
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_int_equal(rig_executions(&rig, head), 498);
        assert_false(is_hot(head));
        rig_destroy(&rig);
    }
}

static void do_not_link(struct options *options)
{
    options->link = false;
}

static void counts_are_the_same_without_links(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        create_with(exact[i], 10, do_not_link);
        const guest_addr head = write_loop(CODE, 100);
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_int_equal(rig_executions(&rig, head), 98);
        assert_int_equal(rig_counted(&rig, head), 98);
        assert_true(is_hot(head));
        rig_destroy(&rig);
    }
}

/* A head that is reached by its loop, by calls through a register, and by a jump. */
static void executions_count_whatever_way_control_comes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        create_with(exact[i], 1000, NULL);
        go(CODE + 0x100);
        const guest_addr head = put(TOY_INC, R3, 0, 0);
        put(TOY_CMP8, R3, 0, 20);
        put_to(TOY_BRANCH8, IF_BELOW, head);
        put(TOY_RETURN, 0, 0, 0);
        go(CODE);
        put(TOY_CONST8, R4, 0, 50);
        const guest_addr outer = put(TOY_CONST64, R2, 0, (int64_t)head);
        put(TOY_CALL_REGISTER, 0, R2, 0);
        put_to(TOY_CALL32, 0, head);
        put(TOY_DEC, R4, 0, 0);
        put_to(TOY_BRANCH8, IF_OTHER, outer);
        put(TOY_HALT, 0, 0, 0);
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_int_equal(rig_executions(&rig, head), rig_counted(&rig, head));
        assert_true(rig_counted(&rig, head) > 50);
        assert_int_equal(rig_executions(&rig, outer), rig_counted(&rig, outer));
        rig_destroy(&rig);
    }
}

static void counts_outlive_a_flush(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        create_with(exact[i], 50, NULL);
        const guest_addr head = write_loop(CODE, 30);
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        const uint64_t once = rig_executions(&rig, head);
        flush_all(rig.translator);
        assert_int_equal(rig_executions(&rig, head), once);
        assert_int_equal(count_get_totals(rig.translator).dropped, 1);
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_int_equal(rig_executions(&rig, head), rig_counted(&rig, head));
        assert_true(rig_executions(&rig, head) >= 56);
        assert_true(is_hot(head)); /* both together */
        assert_int_equal(count_get_totals(rig.translator).callbacks, 1);
        flush_all(rig.translator);
        assert_int_equal(rig_run(&rig, CODE),
                         TOY_HALTED); /* a hot loop does not become hot again */
        assert_int_equal(count_get_totals(rig.translator).callbacks, 1);
        assert_int_equal(rig_executions(&rig, head), rig_counted(&rig, head));
        rig_destroy(&rig);
    }
}

static void a_hot_loop_gets_no_counter_that_only_looks_for_heat(void **state)
{
    (void)state;
    create_with(COUNTERS_SW, 10, NULL);
    const guest_addr head = write_loop(CODE, 100);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    flush_all(rig.translator);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(rig_executions(&rig, head), 10);
    assert_int_equal(count_get_totals(rig.translator).created, 1);
    assert_int_equal(count_get_totals(rig.translator).dropped, 0);
    rig_destroy(&rig);
}

/* The code of the head changes, that of the branch which closes the loop does not: the loop has a counter
 * again, though its exits lead there already. */
static void a_head_that_is_built_anew_is_counted_again(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        create_with(exact[i], 1000, NULL);
        rig_sync(&rig); /* from now on single fragments go */
        go(CODE + PAGE);
        const guest_addr head = put(TOY_CONST8, R3, 0, 1);
        const guest_addr over = put(TOY_BRANCH32, IF_NEGATIVE, 0, 0);
        go(CODE + 2 * PAGE);
        asm_send(over, here());
        put(TOY_HALT, 0, 0, 0);
        go(over + 5);
        put(TOY_DEC, R4, 0, 0);
        put_to(TOY_BRANCH32, IF_OTHER, head);
        put(TOY_CONST8, R4, 0, 100);
        put(TOY_CMP8, R4, 0, 0);
        put(TOY_CONST64, R2, 0, (int64_t)(head + 1)); /* the second time, with other code */
        put(TOY_STORE_BYTE, R4, R2, 0);
        put(TOY_SYNC, 0, 0, 0);
        put(TOY_DEC, R5, 0, 0);
        put_to(TOY_BRANCH32, IF_OTHER, head);
        put(TOY_HALT, 0, 0, 0);
        rig.threads[0].context->registers.r[R4] = 100;
        rig.threads[0].context->registers.r[R5] = 2;
        assert_int_equal(rig_run(&rig, head), TOY_HALTED);
        assert_int_equal(rig.translator->statistics.fragments_changed, 1);
        assert_int_equal(rig_executions(&rig, head), rig_counted(&rig, head));
        assert_true(rig_executions(&rig, head) >= 195);
        rig_destroy(&rig);
    }
}

static void each_byte_of_a_counter_is_known_to_be_its_own(void **state)
{
    (void)state;
    create_with(COUNTERS_SW_EXACT, 1000, NULL);
    const guest_addr heads[] = {write_loop(CODE, 10), write_loop(CODE + 0x100, 10),
                                write_loop(CODE + 0x200, 10)};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(rig_run(&rig, CODE + i * 0x100), TOY_HALTED);
    }
    const unsigned bytes = counter_code_layout(rig.translator)->bytes;
    for (unsigned i = 0; i < 3; i++) {
        const struct loop *loop = rig_find(&rig, heads[i])->loop;
        for (unsigned at = 0; at < bytes; at++) {
            assert_ptr_equal(counter_code_find(rig.translator, loop->code + at).loop, loop);
        }
        assert_ptr_not_equal(counter_code_find(rig.translator, loop->code - 1).loop, loop);
        assert_ptr_not_equal(counter_code_find(rig.translator, loop->code + bytes).loop, loop);
    }
    assert_null(counter_code_find(rig.translator, rig.translator->cache.start).loop);
    /* One that goes leaves the others. */
    struct loop *gone = rig_find(&rig, heads[1])->loop;
    counter_code_forget(rig.translator, gone->code, gone);
    assert_null(counter_code_find(rig.translator, gone->code).loop);
    assert_non_null(counter_code_find(rig.translator, rig_find(&rig, heads[0])->loop->code).loop);
    flush_all(rig.translator);
    assert_int_equal(rig.translator->counts->placed_count, 0);
    rig_destroy(&rig);
}

/* A head that was built long ago: its counter stands in what was left of its chunk. */
static void a_counter_for_a_head_that_is_far_stands_near_it(void **state)
{
    (void)state;
    create_with(COUNTERS_SW_EXACT, 1000, NULL);
    const guest_addr head = write_loop(CODE, 100);
    struct fragment *fragment = rig_build(&rig, head);
    struct cache *cache = &rig.translator->cache;
    while (displacement_reaches(fragment->entry, cache->fragments)) {
        cache_reserve(cache, CACHE_CHUNK_BYTES);
        cache_commit(cache, cache->fragments + 1);
    }
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(rig_executions(&rig, head), rig_counted(&rig, head));
    assert_true(rig_executions(&rig, head) >= 98);
    assert_true(fragment->loop->code < cache->start + CACHE_CHUNK_BYTES);
    rig_destroy(&rig);
}

static void without_room_for_its_code_there_is_no_counter(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        create_with(software[i], 10, NULL);
        const guest_addr head = write_loop(CODE, 50);
        struct fragment *fragment = rig_build(&rig, head);
        rig_build(&rig, CODE);
        rig_build(&rig, CODE + 10);
        struct cache *cache = &rig.translator->cache;
        cache->fragments = cache->trampolines - 16;
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_null(fragment->loop);
        assert_true(count_get_totals(rig.translator).unplaced >= 1);
        assert_int_equal(count_get_totals(rig.translator).created, 0);
        rig_destroy(&rig);
    }
}

static void too_many_heads_are_not_counted(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        create_with(exact[i], 10, NULL);
        const guest_addr head = write_loop(CODE, 50);
        rig.translator->counts->loop_count = LOOPS;
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        rig.translator->counts->loop_count = 0;
        assert_null(rig_find(&rig, head)->loop);
        assert_true(count_get_totals(rig.translator).overflows >= 1);
        rig_destroy(&rig);
    }
}

static void counters_that_have_gone_make_room_for_others(void **state)
{
    (void)state;
    create_with(COUNTERS_SW_EXACT, 10, NULL);
    const guest_addr head = write_loop(CODE, 50);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    struct counts *counts = rig.translator->counts;
    const struct placed placed = counts->placed[0];
    for (unsigned i = 0; i < LOOPS; i++) { /* all of them have gone, but one in the middle */
        counts->placed[i] = (struct placed){placed.code + (i > 100) - (i < 100), NULL};
    }
    counts->placed[100] = placed;
    counts->placed_count = LOOPS;
    const guest_addr second = write_loop(CODE + 0x100, 50);
    assert_int_equal(rig_run(&rig, CODE + 0x100), TOY_HALTED);
    assert_int_equal(counts->placed_count, 2);
    assert_ptr_equal(counter_code_find(rig.translator, placed.code).loop,
                     rig_find(&rig, head)->loop);
    const struct loop *loop = rig_find(&rig, second)->loop;
    assert_ptr_equal(counter_code_find(rig.translator, loop->code).loop, loop);
    rig_destroy(&rig);
}

static void two_heads_that_share_a_slot_take_it_from_each_other(void **state)
{
    (void)state;
    create_with(COUNTERS_SW_PAPER, 1000, NULL);
    const guest_addr first = write_loop(CODE, 20);
    const guest_addr second = write_loop(CODE + PAPER_SLOTS, 20);
    assert_int_equal(paper_slot_of(first), paper_slot_of(second));
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(rig_executions(&rig, first), 18);
    assert_int_equal(count_get_totals(rig.translator).collisions, 0);
    assert_int_equal(rig_run(&rig, CODE + PAPER_SLOTS), TOY_HALTED);
    assert_int_equal(rig_executions(&rig, first), 0);
    assert_int_equal(rig_executions(&rig, second), 18);
    assert_int_equal(count_get_totals(rig.translator).collisions, 1);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(count_get_totals(rig.translator).collisions, 2);
    rig_destroy(&rig);
}

static void additions_are_counted_back_from_their_sum(void **state)
{
    static const uint64_t amounts[] = {1, 2, 3, 40, 0x10000008, 0x123456789abcdef0};

    (void)state;
    for (unsigned i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
        for (uint64_t times = 0; times < 100000; times = times * 3 + 1) {
            assert_int_equal(count_additions(times * amounts[i], amounts[i]), times);
        }
    }
}

static void the_best_kind_is_chosen_by_itself(void **state)
{
    (void)state;
    create_with(COUNTERS_AUTO, 10, NULL);
    assert_int_equal(rig.translator->options.counters, COUNTERS_SW);
    rig_destroy(&rig);
    struct options options = rig_options();
    options.counters = COUNTERS_AUTO;
    options.stats_fd = 2; /* who asks for counts wants them whole */
    rig_create(&rig, &options);
    assert_int_equal(rig.translator->options.counters, COUNTERS_SW_EXACT);
    rig_destroy(&rig);
    options.stats_fd = -1;
    options.stats_path = "stats";
    rig_create(&rig, &options);
    assert_int_equal(rig.translator->options.counters, COUNTERS_SW_EXACT);
    rig_destroy(&rig);
    rig_create_with_counters(&rig, &options, 4);
    assert_int_equal(rig.translator->options.counters, COUNTERS_HW);
    rig_destroy(&rig);
}

static void hardware_that_is_not_there_is_an_error(void **state)
{
    struct options options = rig_options();

    (void)state;
    rig_create(&rig, &options);
    rig.translator->options.counters = COUNTERS_HW;
    assert_true(rig_fails(&rig, count_start(rig.translator)));
    assert_non_null(strstr(rig.message, "hardware"));
    rig.translator->options.counters = COUNTERS_SW;
    rig.maps_left = 0;
    assert_true(rig_fails(&rig, count_start(rig.translator)));
    assert_non_null(strstr(rig.message, "memory"));
    rig_destroy(&rig);
}

static void what_was_counted_too_early_is_taken_back(void **state)
{
    (void)state;
    for (unsigned i = 1; i < 3; i++) {
        create_with(software[i], 1000, NULL);
        const guest_addr head = write_loop(CODE, 50);
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        const struct loop *loop = rig_find(&rig, head)->loop;
        if (software[i] == COUNTERS_SW_PAPER) {
            paper_counter_take_back(rig.translator, loop);
        } else {
            sw_counter_take_back(rig.translator, loop);
        }
        assert_int_equal(rig_executions(&rig, head), 47);
        rig_destroy(&rig);
    }
}

static void without_counters_there_are_no_numbers(void **state)
{
    (void)state;
    create_with(COUNTERS_OFF, 10, NULL);
    const guest_addr head = write_loop(CODE, 50);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(rig_executions(&rig, head), 0);
    assert_int_equal(count_get_totals(rig.translator).created, 0);
    assert_null(counter_code_find(rig.translator, rig.translator->cache.start).loop);
    rig_destroy(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(exact_counters_count_each_execution),
        TEST_ALONE(a_loop_becomes_hot_once),
        TEST_ALONE(a_counter_that_only_looks_for_heat_stops_at_the_threshold),
        TEST_ALONE(a_loop_below_the_threshold_is_not_hot),
        TEST_ALONE(a_loop_is_hot_exactly_at_the_threshold),
        TEST_ALONE(with_no_threshold_no_loop_is_hot),
        TEST_ALONE(counts_are_the_same_without_links),
        TEST_ALONE(executions_count_whatever_way_control_comes),
        TEST_ALONE(counts_outlive_a_flush),
        TEST_ALONE(a_hot_loop_gets_no_counter_that_only_looks_for_heat),
        TEST_ALONE(a_head_that_is_built_anew_is_counted_again),
        TEST_ALONE(each_byte_of_a_counter_is_known_to_be_its_own),
        TEST_ALONE(a_counter_for_a_head_that_is_far_stands_near_it),
        TEST_ALONE(without_room_for_its_code_there_is_no_counter),
        TEST_ALONE(too_many_heads_are_not_counted),
        TEST_ALONE(counters_that_have_gone_make_room_for_others),
        TEST_ALONE(two_heads_that_share_a_slot_take_it_from_each_other),
        TEST_ALONE(additions_are_counted_back_from_their_sum),
        TEST_ALONE(the_best_kind_is_chosen_by_itself),
        TEST_ALONE(hardware_that_is_not_there_is_an_error),
        TEST_ALONE(what_was_counted_too_early_is_taken_back),
        TEST_ALONE(without_counters_there_are_no_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
