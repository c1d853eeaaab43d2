/* Tests what is kept of the code that fragments were made from: its pieces, by page. */
#include "fragment_rig.h"

#include "translator/fragment/originals.h"

static struct originals *originals;
static struct fragment fragment;
static struct plan plan;

static int create(void **state)
{
    create_default(state);
    originals = originals_create(CACHE_BYTES_MIN);
    return originals == NULL;
}

#define TEST_ORIGINALS(name) cmocka_unit_test_setup_teardown(name, create, destroy)

/* A step of a plan, of code that is there. */
static void add_step(enum step_kind kind, guest_addr pc, unsigned bytes)
{
    plan_add(&plan, kind, pc, bytes);
    memcpy(plan.code_end, (void *)(uintptr_t)pc, bytes);
    plan.code_end += bytes;
}

static unsigned count_pieces(guest_addr page)
{
    const struct code_page *found = originals_find_page(originals, page);
    unsigned count = 0;

    for (const struct piece *at = found != NULL ? found->pieces : NULL; at != NULL; at = at->next) {
        assert_int_equal(at->start & ~(PAGE - 1), page);
        assert_ptr_equal(*at->back, at);
        count++;
    }
    return count;
}

static void expect_piece(const struct original *original, unsigned number, guest_addr start,
                         unsigned bytes, unsigned copy)
{
    assert_true(number < original->piece_count);
    assert_int_equal(original->pieces[number].start, start);
    assert_int_equal(original->pieces[number].bytes, bytes);
    assert_int_equal(original->pieces[number].copy, copy);
}

static void steps_that_stand_together_are_one_piece(void **state)
{
    (void)state;
    plan_begin(&plan, CODE);
    add_step(STEP_COPY, CODE, 10);
    add_step(STEP_CONSTANT, CODE + 10, 6);
    add_step(STEP_BRANCH, CODE + 16, 2);
    const struct original *original = originals_add(originals, &fragment, &plan, true);
    assert_int_equal(original->piece_count, 1);
    expect_piece(original, 0, CODE, 18, 0);
    assert_int_equal(count_pieces(CODE), 1);
}

static void a_jump_begins_another_piece(void **state)
{
    (void)state;
    plan_begin(&plan, CODE);
    add_step(STEP_COPY, CODE, 10);
    add_step(STEP_JUMP, CODE + 10, 2);
    add_step(STEP_COPY, CODE + 100, 5);
    add_step(STEP_JUMP, CODE + 105, 2);
    add_step(STEP_COPY, CODE + 2 * PAGE, 5);
    add_step(STEP_ON, CODE + 2 * PAGE + 5, 0);
    const struct original *original = originals_add(originals, &fragment, &plan, true);
    assert_int_equal(original->piece_count, 3);
    expect_piece(original, 0, CODE, 12, 0);
    expect_piece(original, 1, CODE + 100, 7, 12);
    expect_piece(original, 2, CODE + 2 * PAGE, 5, 19);
    assert_int_equal(count_pieces(CODE), 2);
    assert_int_equal(count_pieces(CODE + 2 * PAGE), 1);
}

static void code_over_the_end_of_a_page_is_two_pieces(void **state)
{
    (void)state;
    plan_begin(&plan, CODE + PAGE - 4);
    add_step(STEP_COPY, CODE + PAGE - 4, 9);
    const struct original *original = originals_add(originals, &fragment, &plan, true);
    assert_int_equal(original->piece_count, 2);
    expect_piece(original, 0, CODE + PAGE - 4, 4, 0);
    expect_piece(original, 1, CODE + PAGE, 5, 4);
    assert_int_equal(count_pieces(CODE), 1);
    assert_int_equal(count_pieces(CODE + PAGE), 1);
}

/* Its code is that of the whole before it. */
static void a_side_adds_no_code(void **state)
{
    (void)state;
    plan_begin(&plan, CODE);
    add_step(STEP_WHOLE, CODE, 12);
    plan_add(&plan, STEP_SIDE, CODE + 5, 0);
    plan_add(&plan, STEP_SIDE, CODE + 8, 0);
    add_step(STEP_COPY, CODE + 12, 3);
    const struct original *original = originals_add(originals, &fragment, &plan, true);
    assert_int_equal(original->piece_count, 1);
    expect_piece(original, 0, CODE, 15, 0);
}

static void what_goes_leaves_the_others(void **state)
{
    struct original *all[5];

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        plan_begin(&plan, CODE + i * 16);
        add_step(STEP_COPY, CODE + i * 16, 16);
        add_step(STEP_COPY, CODE + PAGE + i * 16, 16);
        all[i] = originals_add(originals, &fragment, &plan, i % 2 == 0);
    }
    assert_int_equal(count_pieces(CODE), 5);
    static const unsigned order[] = {2, 0, 4, 3, 1};
    for (unsigned i = 0; i < 5; i++) {
        originals_remove(all[order[i]]);
        assert_true(all[order[i]]->gone);
        assert_int_equal(count_pieces(CODE), 4 - i);
        assert_int_equal(count_pieces(CODE + PAGE), 4 - i);
    }
}

static void each_byte_that_differs_is_seen_wherever_it_stands(void **state)
{
    (void)state;
    for (unsigned at = 0; at < 16; at++) { /* the copy is aligned otherwise than the code */
        uint8_t *code = (uint8_t *)(uintptr_t)(CODE + at);
        plan_begin(&plan, CODE + at);
        add_step(STEP_COPY, CODE + at, 30);
        const struct original *original = originals_add(originals, &fragment, &plan, true);
        assert_false(originals_differ(original));
        code[-1 + (at == 0)] ^= at == 0 ? 0 : 1;
        code[30] ^= 1;
        assert_false(originals_differ(original));
        for (unsigned i = 0; i < 30; i++) {
            code[i] ^= 1;
            assert_true(originals_differ(original));
            code[i] ^= 1;
        }
    }
}

/* Code and copy are aligned alike, but not to eight bytes: what comes before these counts, too. */
static void each_byte_before_the_first_whole_word_is_seen(void **state)
{
    (void)state;
    for (unsigned lead = 1; lead < 8; lead++) {
        uint8_t *code = (uint8_t *)(uintptr_t)(CODE + 128 + lead);
        plan_begin(&plan, CODE);
        add_step(STEP_COPY, CODE, lead);
        add_step(STEP_COPY, CODE + 128 + lead, 30);
        const struct original *original = originals_add(originals, &fragment, &plan, true);
        assert_false(originals_differ(original));
        for (unsigned i = 0; i < 30; i++) {
            code[i] ^= 1;
            assert_true(originals_differ(original));
            code[i] ^= 1;
        }
        assert_false(originals_differ(original));
    }
}

static void a_page_is_known_from_the_first_piece_on(void **state)
{
    (void)state;
    assert_null(originals_find_page(originals, CODE));
    struct code_page *page = originals_get_page(originals, CODE + 5);
    assert_int_equal(page->address, CODE);
    assert_int_equal(page->state, PAGE_OPEN);
    assert_ptr_equal(originals_get_page(originals, CODE + PAGE - 1), page);
    /* Another in the same bucket. */
    const guest_addr other = CODE + ORIGINAL_BUCKETS * PAGE;
    assert_ptr_not_equal(originals_get_page(originals, other), page);
    assert_ptr_equal(originals_find_page(originals, CODE), page);
    originals_clear(originals);
    assert_ptr_equal(originals_find_page(originals, CODE), page);
    originals_forget_pages(originals);
    assert_null(originals_find_page(originals, CODE));
}

static void there_are_only_so_many_pages(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ORIGINAL_PAGES; i++) {
        assert_non_null(originals_get_page(originals, i * PAGE));
    }
    assert_null(originals_get_page(originals, ORIGINAL_PAGES * PAGE));
    assert_non_null(originals_get_page(originals, 5 * PAGE));
    assert_true(originals_lack_pages(originals));
}

static unsigned visited;

static void visit(void *argument, struct code_page *page)
{
    (void)argument;
    (void)page;
    visited++;
}

static unsigned visit_between(guest_addr start, guest_addr end)
{
    visited = 0;
    originals_each_page(originals, start, end, visit, NULL);
    return visited;
}

static void pages_are_visited_in_small_ranges_and_in_large_ones(void **state)
{
    const guest_addr last = ~UINT64_C(0) & ~(PAGE - 1);

    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        originals_get_page(originals, CODE + 2 * i * PAGE);
    }
    assert_int_equal(visit_between(CODE, CODE), 0);
    assert_int_equal(visit_between(CODE, CODE + 1), 1);
    assert_int_equal(visit_between(CODE + PAGE - 1, CODE + 2 * PAGE), 1);
    assert_int_equal(visit_between(CODE + PAGE - 1, CODE + 2 * PAGE + 1), 2);
    assert_int_equal(visit_between(CODE + PAGE, CODE + 2 * PAGE), 0);
    assert_int_equal(visit_between(0, UINT64_MAX), 10);
    assert_int_equal(visit_between(CODE + PAGE, CODE + 1000 * PAGE), 9);
    originals_get_page(originals, last);
    assert_int_equal(visit_between(last, UINT64_MAX), 1);
    assert_int_equal(visit_between(last + 5, last + 6), 1);
}

/* Jumps over the ends of pages: each has two pieces of its own. */
static void the_most_pieces_that_there_can_be_find_room(void **state)
{
    (void)state;
    plan_begin(&plan, CODE);
    for (unsigned i = 0; i < PLAN_INSTRUCTIONS; i++) {
        add_step(STEP_JUMP, CODE + (1 + i % 60) * PAGE - 3, 5);
    }
    add_step(STEP_ON, CODE + 100, 0);
    while (originals_have_room(originals)) {
        originals->next += 8;
    }
    originals->next -= 8;
    originals_add(originals, &fragment, &plan, true);
    assert_true(originals->next <= originals->end);
}

static void more_memory_is_for_more_fragments(void **state)
{
    (void)state;
    const size_t before = (size_t)(originals->end - originals->memory);
    originals_get_page(originals, CODE);
    originals_enlarge(originals, 2 * CACHE_BYTES_MIN);
    const size_t bytes = (size_t)(originals->end - originals->memory);
    assert_true(bytes >= before + 2 * CACHE_BYTES_MIN);
    assert_non_null(originals_find_page(originals, CODE)); /* they stay known */
    originals_enlarge(originals, CACHE_BYTES_MIN);
    assert_int_equal(originals->end - originals->memory, bytes);
    rig.maps_left = 0;
    originals_enlarge(originals, 8 * CACHE_BYTES_MIN);
    assert_int_equal(originals->end - originals->memory, bytes);
    assert_true(originals_have_room(originals));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ORIGINALS(steps_that_stand_together_are_one_piece),
        TEST_ORIGINALS(a_jump_begins_another_piece),
        TEST_ORIGINALS(code_over_the_end_of_a_page_is_two_pieces),
        TEST_ORIGINALS(a_side_adds_no_code),
        TEST_ORIGINALS(what_goes_leaves_the_others),
        TEST_ORIGINALS(each_byte_that_differs_is_seen_wherever_it_stands),
        TEST_ORIGINALS(each_byte_before_the_first_whole_word_is_seen),
        TEST_ORIGINALS(a_page_is_known_from_the_first_piece_on),
        TEST_ORIGINALS(there_are_only_so_many_pages),
        TEST_ORIGINALS(pages_are_visited_in_small_ranges_and_in_large_ones),
        TEST_ORIGINALS(the_most_pieces_that_there_can_be_find_room),
        TEST_ORIGINALS(more_memory_is_for_more_fragments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
