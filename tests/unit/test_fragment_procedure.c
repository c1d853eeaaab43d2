/* Tests whole procedures: which fork is the most frequent, that every block is covered, and where the profile is started by
 * a counter. */
#include "fragment_rig.h"

#include "translator/detect/detectors.h"
#include "translator/detect/procedure.h"
#include "translator/fragment/trace.h"

#define TURNS 1000
#define THRESHOLD 20

static void create(const struct detector *detector, enum counters counters)
{
    struct options options = rig_options();

    options.detector = detector;
    options.counters = counters;
    options.threshold = THRESHOLD;
    options.traces = true;
    rig_create_with_counters(&rig, &options, counters == COUNTERS_HW ? TOY_COUNTERS_MAX : 0);
}

/* The places of a procedure that is called in each of TURNS turns. */
struct places {
    guest_addr head;   /* of the loop that calls it */
    guest_addr entry;  /* a branch to `seldom` in one of four executions, */
    guest_addr common; /* or this, which ends with a branch to `rare` in one of 256 */
    guest_addr last;   /* behind that */
    guest_addr seldom, rare, end;
    guest_addr other; /* another procedure that each turn calls, of one block */
};

static struct places write_program(void)
{
    struct places places;

    go(CODE);
    put(TOY_CONST32, R4, 0, TURNS);
    places.head = here();
    const guest_addr call = put(TOY_CALL32, 0, 0, 0);
    const guest_addr other = put(TOY_CALL32, 0, 0, 0);
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH32, IF_OTHER, places.head);
    put(TOY_HALT, 0, 0, 0);
    go(CODE + 2 * PAGE);
    places.other = put(TOY_ADD32, R5, 0, 3);
    put(TOY_RETURN, 0, 0, 0);
    asm_send(other, places.other);
    go(CODE + PAGE);
    places.entry = put(TOY_INC, R3, 0, 0);
    put(TOY_MOV, R2, R3, 0);
    put(TOY_AND32, R2, 0, 3);
    const guest_addr first = put(TOY_BRANCH32, IF_ZERO, 0, 0);
    places.common = put(TOY_MOV, R2, R3, 0);
    put(TOY_AND32, R2, 0, 255);
    put(TOY_CMP8, R2, 0, 1);
    const guest_addr second = put(TOY_BRANCH32, IF_ZERO, 0, 0);
    places.last = put(TOY_ADD32, R6, 0, 5);
    put(TOY_RETURN, 0, 0, 0);
    places.seldom = put(TOY_ADD32, R6, 0, 7);
    put_to(TOY_JUMP32, 0, places.common);
    places.rare = put(TOY_ADD32, R6, 0, 11);
    put_to(TOY_JUMP32, 0, places.last);
    places.end = here();
    asm_send(call, places.entry);
    asm_send(first, places.seldom);
    asm_send(second, places.rare);
    return places;
}

/* Whether all blocks of the procedure that were executed are in traces, or are traces of one block: fragments. */
static void expect_covered(const struct places *places)
{
    const struct index *index = &rig.translator->index;
    unsigned blocks = 0;

    for (const struct fragment *at = index->last; at != NULL; at = at->before) {
        if (at->start >= places->entry && at->start < places->end) {
            assert_non_null(at->loop);
            assert_true(at->holders != NULL || at->loop->profiled);
            blocks++;
        }
    }
    assert_in_range(blocks, 5, 8);
}

static void expect_path(guest_addr head, unsigned count, const guest_addr *blocks)
{
    const struct fragment *fragment = rig_find(&rig, head);

    assert_non_null(fragment->trace);
    const struct path *path = fragment->trace->path;
    assert_int_equal(path->count, count);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(path->blocks[i], blocks[i]);
    }
}

static void every_block_of_a_hot_procedure_is_covered(void **state)
{
    static const enum counters kinds[] = {COUNTERS_HW, COUNTERS_SW, COUNTERS_SW_EXACT};

    (void)state;
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        create(&procedure_detector, kinds[i]);
        const struct places places = write_program();
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_int_equal(reg(R3), TURNS);
        expect_covered(&places);
        const guest_addr common[] = {places.entry, places.common, places.last};
        expect_path(places.entry, 3, common);
        rig_destroy(&rig);
    }
}

static void a_counter_starts_the_profile_of_its_procedure_alone(void **state)
{
    (void)state;
    create(&counted_procedure_detector, COUNTERS_HW);
    const struct places places = write_program();
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(reg(R3), TURNS);
    /* A jump back in the one has a counter; nobody asks for the other. */
    expect_covered(&places);
    assert_null(rig_find(&rig, places.other)->loop);
    assert_null(rig_find(&rig, places.other)->trace);
    rig_destroy(&rig);
}

/* More than are looked at together. */
#define MANY_BLOCKS (PROCEDURE_BLOCKS + PROCEDURE_BLOCKS / 8)

/* A procedure of so many blocks, all of them in a loop of two turns; returns its end. */
static guest_addr write_long_procedure(guest_addr *entry)
{
    go(CODE);
    put(TOY_CONST32, R4, 0, TURNS);
    const guest_addr head = here();
    const guest_addr call = put(TOY_CALL32, 0, 0, 0);
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH32, IF_OTHER, head);
    put(TOY_HALT, 0, 0, 0);
    go(CODE + PAGE);
    *entry = put(TOY_CONST32, R6, 0, 2);
    const guest_addr loop = here();
    for (unsigned i = 0; i < MANY_BLOCKS; i++) {
        put(TOY_INC, R3, 0, 0);
        const guest_addr branch = put(TOY_BRANCH32, IF_ZERO, 0, 0);
        asm_send(branch, here());
    }
    put(TOY_DEC, R6, 0, 0);
    put_to(TOY_BRANCH32, IF_OTHER, loop);
    put(TOY_RETURN, 0, 0, 0);
    asm_send(call, *entry);
    return here();
}

static void a_procedure_of_many_blocks_is_covered_by_several_looks(void **state)
{
    static const struct detector *const detectors[] = {&procedure_detector,
                                                       &counted_procedure_detector};
    guest_addr entry;

    (void)state;
    for (unsigned i = 0; i < sizeof detectors / sizeof detectors[0]; i++) {
        unsigned covered = 0;
        create(detectors[i], COUNTERS_SW_EXACT);
        const guest_addr end = write_long_procedure(&entry);
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_int_equal(reg(R3), TURNS * 2 * MANY_BLOCKS);
        for (const struct fragment *at = rig.translator->index.last; at != NULL; at = at->before) {
            covered += at->start >= entry && at->start < end && at->loop != NULL &&
                       (at->holders != NULL || at->loop->profiled);
        }
        assert_in_range(covered, MANY_BLOCKS, MANY_BLOCKS + 2);
        rig_destroy(&rig);
    }
}

/* A procedure of blocks at PAGE, PAGE + 1 and so on, with so many executions each. */
static struct procedure_blocks blocks;
static struct fragment fragments[8];

static struct procedure_block *add_block(uint64_t executions)
{
    struct procedure_block *block = &blocks.blocks[blocks.count];

    fragments[blocks.count].start = PAGE + blocks.count;
    *block =
        (struct procedure_block){.fragment = &fragments[blocks.count], .executions = executions};
    blocks.count++;
    return block;
}

static void lead(unsigned from, unsigned to, unsigned other)
{
    struct procedure_block *block = &blocks.blocks[from];

    block->ways[0] = PAGE + to;
    blocks.blocks[to].before++;
    if (other != to) {
        block->ways[1] = PAGE + other;
        block->branches = true;
        blocks.blocks[other].before++;
    }
}

static void expect_cover(unsigned count, const unsigned *numbers, unsigned next)
{
    struct path path;

    const struct procedure_block *start = procedure_cover(&blocks, &path);
    assert_int_equal(start - blocks.blocks, numbers[0]);
    assert_int_equal(path.count, count);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(path.blocks[i], PAGE + numbers[i]);
    }
    assert_int_equal(path.next, next != 0 ? PAGE + next : 0);
}

static void the_most_frequent_fork_is_that_of_the_way_not_of_the_block(void **state)
{
    struct path path;

    (void)state;
    /* 0 leads to 1 or, past it, to 2; 2 is the head of a loop and is executed most, but 0 leads there seldom. */
    blocks = (struct procedure_blocks){.entry = PAGE};
    add_block(100);
    add_block(90);
    add_block(5000);
    add_block(100)->returns = true;
    lead(0, 2, 1);
    lead(1, 2, 2);
    lead(2, 2, 3);
    procedure_find_heads(&blocks);
    expect_cover(2, (const unsigned[]){0, 1}, 2);
    expect_cover(1, (const unsigned[]){2}, 2);
    expect_cover(1, (const unsigned[]){3}, 0);
    assert_null(procedure_cover(&blocks, &path));
}

static void traces_begin_where_most_is_executed_until_all_is_covered(void **state)
{
    struct path path;

    (void)state;
    /* A branch of three ways in two steps, which come together again, by jumps back as well. */
    blocks = (struct procedure_blocks){.entry = PAGE};
    add_block(100);
    add_block(60);
    add_block(40);
    add_block(30);
    add_block(10);
    add_block(100)->returns = true;
    lead(0, 1, 2);
    lead(1, 5, 5);
    lead(2, 3, 4);
    lead(3, 5, 5);
    lead(4, 3, 3);
    procedure_find_heads(&blocks);
    expect_cover(3, (const unsigned[]){0, 1, 5}, 0);
    expect_cover(2, (const unsigned[]){2, 3}, 5);
    expect_cover(1, (const unsigned[]){4}, 3);
    assert_null(procedure_cover(&blocks, &path));
}

static void the_trace_of_a_loop_begins_at_its_head(void **state)
{
    struct path path;

    (void)state;
    /* 1 to 3 are a loop, and 2 one within it; the procedure is called once. */
    blocks = (struct procedure_blocks){.entry = PAGE};
    add_block(1);
    add_block(100);
    add_block(900);
    add_block(100);
    add_block(1)->returns = true;
    lead(0, 1, 1);
    lead(1, 2, 2);
    lead(2, 2, 3);
    lead(3, 1, 4);
    procedure_find_heads(&blocks);
    expect_cover(1, (const unsigned[]){0}, 1);
    expect_cover(1, (const unsigned[]){2}, 2);
    expect_cover(1, (const unsigned[]){1}, 2);
    expect_cover(1, (const unsigned[]){3}, 1);
    expect_cover(1, (const unsigned[]){4}, 0);
    assert_null(procedure_cover(&blocks, &path));
}

static void a_head_comes_before_other_blocks_of_its_loop(void **state)
{
    struct path path;

    (void)state;
    /* 0 leads into the middle of the loop of 1 and 2, so that 2 is its head. */
    blocks = (struct procedure_blocks){.entry = PAGE};
    add_block(1);
    add_block(101);
    add_block(100);
    add_block(1)->returns = true;
    lead(0, 2, 2);
    lead(1, 2, 2);
    lead(2, 1, 3);
    procedure_find_heads(&blocks);
    expect_cover(1, (const unsigned[]){0}, 2);
    expect_cover(2, (const unsigned[]){2, 1}, 2);
    expect_cover(1, (const unsigned[]){3}, 0);
    assert_null(procedure_cover(&blocks, &path));
}

static void a_trace_ends_with_a_call(void **state)
{
    (void)state;
    blocks = (struct procedure_blocks){.entry = PAGE};
    add_block(10)->call = CODE;
    add_block(10)->returns = true;
    lead(0, 1, 1);
    expect_cover(1, (const unsigned[]){0}, 0);
    expect_cover(1, (const unsigned[]){1}, 0);
}

static void procedures_are_found_by_any_address_in_them(void **state)
{
    static struct procedures procedures;

    (void)state;
    procedures.count = 0;
    assert_null(procedures_find(&procedures, CODE));
    procedures_note(&procedures, CODE + 64);
    procedures_note(&procedures, CODE);
    procedures_note(&procedures, CODE + 64);
    procedures_note(&procedures, CODE + 32);
    assert_int_equal(procedures.count, 3);
    assert_null(procedures_find(&procedures, CODE - 1));
    assert_int_equal(procedures_find(&procedures, CODE + 31)->entry, CODE);
    assert_int_equal(procedures_find(&procedures, CODE + 32)->entry, CODE + 32);
    assert_int_equal(procedures_find(&procedures, CODE + 63)->entry, CODE + 32);
    assert_int_equal(procedures_find(&procedures, UINT64_MAX)->entry, CODE + 64);
    for (unsigned i = 0; i < PROCEDURES + 10; i++) {
        procedures_note(&procedures, CODE + PAGE + i);
    }
    assert_int_equal(procedures.count, PROCEDURES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(every_block_of_a_hot_procedure_is_covered),
        TEST_ALONE(a_counter_starts_the_profile_of_its_procedure_alone),
        TEST_ALONE(a_procedure_of_many_blocks_is_covered_by_several_looks),
        cmocka_unit_test(the_most_frequent_fork_is_that_of_the_way_not_of_the_block),
        cmocka_unit_test(traces_begin_where_most_is_executed_until_all_is_covered),
        cmocka_unit_test(the_trace_of_a_loop_begins_at_its_head),
        cmocka_unit_test(a_head_comes_before_other_blocks_of_its_loop),
        cmocka_unit_test(a_trace_ends_with_a_call),
        cmocka_unit_test(procedures_are_found_by_any_address_in_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
