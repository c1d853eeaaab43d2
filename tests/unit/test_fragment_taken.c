/* Tests the paper's counters in the trampolines of exits: they count branches that are taken. */
#include "fragment_loops.h"

#include "translator/fragment/counter_code.h"
#include "translator/fragment/flush.h"
#include "translator/fragment/link.h"

static void create_with(uint64_t threshold, enum placement placement, bool links)
{
    struct options options = rig_options();

    options.counters = COUNTERS_SW_PAPER_TAKEN;
    options.threshold = threshold;
    options.placement = placement;
    options.link = links;
    rig_create(&rig, &options);
}

static void branches_back_are_counted_from_the_second_on(void **state)
{
    (void)state;
    for (unsigned links = 0; links < 2; links++) {
        create_with(10, PLACEMENT_BACKWARD, links != 0);
        const guest_addr head = write_loop(CODE, 100);
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        /* Of 99 that are taken the first finds no head in the cache. */
        assert_int_equal(rig_executions(&rig, head), 98);
        assert_int_equal(count_get_totals(rig.translator).callbacks, 1);
        assert_int_equal(count_get_totals(rig.translator).created, 1);
        assert_true(rig_loop(&rig, head).hot);
        rig_destroy(&rig);
    }
}

/* Its executions that no branch back leads to are not counted. */
static void a_head_that_is_entered_by_a_jump_is_not_counted_then(void **state)
{
    (void)state;
    create_with(1000, PLACEMENT_BACKWARD, true);
    go(CODE + 0x200);
    const guest_addr head = put(TOY_INC, R3, 0, 0);
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH8, IF_OTHER, head);
    put(TOY_HALT, 0, 0, 0);
    for (unsigned i = 0; i < 5; i++) {
        rig.threads[0].context->registers.r[R4] = 10;
        assert_int_equal(rig_run(&rig, head), TOY_HALTED);
    }
    assert_int_equal(rig_executions(&rig, head), 5 * 9);
    const struct fragment *fragment = rig_find(&rig, head);
    assert_null(fragment->loop);
    assert_ptr_equal(fragment->landing, fragment->entry);
    rig_destroy(&rig);
}

static void a_loop_is_hot_exactly_at_the_threshold(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        create_with(10, PLACEMENT_BACKWARD, true);
        const guest_addr head = write_loop(CODE, 9 + UNCOUNTED + more);
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_int_equal(rig_executions(&rig, head), 9 + more);
        assert_int_equal(rig_loop(&rig, head).hot, more);
        rig_destroy(&rig);
    }
}

static void counts_outlive_a_flush(void **state)
{
    (void)state;
    create_with(1000, PLACEMENT_BACKWARD, true);
    const guest_addr head = write_loop(CODE, 100);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    flush_all(rig.translator);
    assert_int_equal(rig_executions(&rig, head), 98);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(rig_executions(&rig, head), 2 * 98);
    assert_int_equal(count_get_totals(rig.translator).created, 1);
    assert_int_equal(count_get_totals(rig.translator).dropped, 0);
    rig_destroy(&rig);
}

static struct exit *find_counting_exit(guest_addr start)
{
    struct fragment *fragment = rig_find(&rig, start);

    assert_non_null(fragment);
    assert_true(fragment->exits[1].counts);
    return &fragment->exits[1];
}

/* While threads meet, exits are sent to their trampolines and back. */
static void an_exit_keeps_its_code(void **state)
{
    (void)state;
    create_with(1000, PLACEMENT_BACKWARD, true);
    const guest_addr head = write_loop(CODE, 100);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    const struct exit *exit = find_counting_exit(head);
    const uint8_t *code = target_taken_code(exit);
    const unsigned placed = rig.translator->counts->placed_count;
    assert_non_null(code);
    assert_ptr_equal(displacement_get(exit->site.displacement), code);
    link_undo(rig.translator);
    assert_ptr_not_equal(displacement_get(exit->site.displacement), code);
    link_redo(rig.translator);
    assert_ptr_equal(displacement_get(exit->site.displacement), code);
    assert_int_equal(rig.translator->counts->placed_count, placed);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    /* The first branch back of the second run is taken from the fragment before the loop, which leads there
     * since the head was built. */
    assert_int_equal(rig_executions(&rig, head), 98 + 99);
    rig_destroy(&rig);
}

static void the_code_of_an_exit_goes_with_its_fragment(void **state)
{
    (void)state;
    create_with(1000, PLACEMENT_BACKWARD, true);
    const guest_addr head = write_loop(CODE, 100);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    const struct exit *exit = find_counting_exit(head);
    const uint8_t *code = target_taken_code(exit);
    for (unsigned at = 0; at < target_taken_layout.bytes; at++) {
        assert_ptr_equal(counter_code_find(rig.translator, code + at).code, code);
        assert_int_equal(counter_code_find(rig.translator, code + at).loop->head, head);
    }
    struct fragment *fragment = rig_find(&rig, head);
    flush_cut(rig.translator, fragment);
    flush_fragment(rig.translator, fragment);
    assert_null(counter_code_find(rig.translator, code).loop);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    /* Nothing is counted while the head is built again: the fragment before it finds none. */
    assert_int_equal(rig_executions(&rig, head), 98 + 98);
    rig_destroy(&rig);
}

/* As many as a signal finds done when it arrives in the code. */
static void what_is_left_of_counting_is_done(void **state)
{
    (void)state;
    create_with(100, PLACEMENT_BACKWARD, true);
    struct loop *loop = count_get_loop(rig.translator->counts, CODE);
    struct loop *other = count_get_loop(
        rig.translator->counts, CODE + (guest_addr)PAPER_SLOTS * TARGET_SHORTEST_INSTRUCTION);
    struct paper_slot *slot = &rig.translator->counts->slots[paper_slot_of(CODE)];
    paper_counter_finish(rig.translator, loop, PAPER_BEGUN);
    assert_int_equal(paper_counter_read(rig.translator, loop).executions, 1);
    paper_counter_finish(rig.translator, loop, PAPER_BEGUN);
    paper_counter_finish(rig.translator, loop, PAPER_SLOT_TAKEN);
    paper_counter_finish(rig.translator, loop, PAPER_COUNTED);
    assert_int_equal(paper_counter_read(rig.translator, loop).executions, 3);
    assert_int_equal(paper_counter_collisions(rig.translator->counts), 0);
    slot->resets += (uintptr_t)slot;
    paper_counter_finish(rig.translator, other, PAPER_RESET_NOTED);
    assert_int_equal(paper_counter_read(rig.translator, other).executions, 1);
    assert_int_equal(paper_counter_read(rig.translator, loop).executions, 0);
    paper_counter_finish(rig.translator, loop, PAPER_BEGUN);
    assert_int_equal(paper_counter_collisions(rig.translator->counts), 2);
    slot->count = 99;
    paper_counter_finish(rig.translator, other, PAPER_COUNTED);
    assert_false(loop->hot || other->hot);
    paper_counter_finish(rig.translator, loop, PAPER_SLOT_TAKEN);
    assert_true(loop->hot);
    assert_false(other->hot);
    rig_destroy(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(branches_back_are_counted_from_the_second_on),
        TEST_ALONE(a_head_that_is_entered_by_a_jump_is_not_counted_then),
        TEST_ALONE(a_loop_is_hot_exactly_at_the_threshold),
        TEST_ALONE(counts_outlive_a_flush),
        TEST_ALONE(an_exit_keeps_its_code),
        TEST_ALONE(the_code_of_an_exit_goes_with_its_fragment),
        TEST_ALONE(what_is_left_of_counting_is_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
