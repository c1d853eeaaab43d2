/* Tests traces: which path is chosen, what its plan is, what becomes of the loop, and that counts stay exact.
 *
 * That programs compute the same is compared at each instruction, wherever a test runs one. */
#include "fragment_rig.h"

#include "translator/fragment/flush.h"
#include "translator/fragment/trace.h"

#define TURNS 1000
#define THRESHOLD 10

static const enum counters kinds[] = {COUNTERS_HW, COUNTERS_SW, COUNTERS_SW_EXACT};
#define KINDS (sizeof kinds / sizeof kinds[0])

static void create(enum counters counters)
{
    struct options options = rig_options();

    options.counters = counters;
    options.threshold = THRESHOLD;
    options.traces = true;
    rig_create_with_counters(&rig, &options, counters == COUNTERS_HW ? TOY_COUNTERS_MAX : 0);
}

static const struct optimizer_totals *totals(void)
{
    return &rig.translator->optimizer->totals;
}

/* The loop's head, and the places in its body. */
struct loop_places {
    guest_addr head, seldom, behind;
};

/* A loop of TURNS turns with a branch in it that is taken in one of 256: to `seldom`, which comes back `behind` it. */
static struct loop_places write_branching_loop(void)
{
    struct loop_places places;

    go(CODE);
    put(TOY_CONST32, R4, 0, TURNS);
    places.head = put(TOY_INC, R3, 0, 0);
    put(TOY_MOV, R2, R3, 0);
    put(TOY_AND32, R2, 0, 255);
    const guest_addr branch = put(TOY_BRANCH32, IF_ZERO, 0, 0);
    places.behind = put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH32, IF_OTHER, places.head);
    put(TOY_HALT, 0, 0, 0);
    places.seldom = put(TOY_ADD32, R6, 0, 7);
    put_to(TOY_JUMP32, 0, places.behind);
    asm_send(branch, places.seldom);
    return places;
}

static void expect_executions(enum counters counters, guest_addr head, uint64_t least)
{
    const struct loop_counts counts = rig_loop(&rig, head);

    assert_true(counts.hot);
    if (counters != COUNTERS_SW) {
        assert_int_equal(counts.executions, rig_counted(&rig, head));
        assert_in_range(counts.executions, least, TURNS);
    }
}

static void a_hot_loop_becomes_a_trace(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KINDS; i++) {
        create(kinds[i]);
        const struct loop_places places = write_branching_loop();
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_int_equal(reg(R3), TURNS);
        const struct fragment *fragment = rig_find(&rig, places.head);
        assert_non_null(fragment->trace);
        assert_true(fragment->loop->traced);
        assert_int_equal(totals()->traces, 1);
        assert_int_equal(totals()->recorded, PATH_SAMPLES_AGREEING);
        expect_executions(kinds[i], places.head, TURNS - 3);
        rig_destroy(&rig);
    }
}

/* Whoever looks the head up, or comes from dispatch, comes to the trace as well. */
static void all_ways_to_the_head_lead_to_the_trace(void **state)
{
    (void)state;
    create(COUNTERS_HW);
    const struct loop_places places = write_branching_loop();
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    const struct fragment *fragment = rig_find(&rig, places.head);
    assert_ptr_equal(fragment->landing, fragment->trace->entry);
    const uint8_t *first = fragment_indirect_entry(fragment) + 1;
    assert_ptr_equal(displacement_get(first), fragment_indirect_entry(fragment->trace));
    for (const struct exit *exit = fragment->incoming; exit != NULL; exit = exit->next) {
        assert_ptr_equal(displacement_get(exit->site.displacement), fragment->trace->entry);
    }
    rig_destroy(&rig);
}

static void a_branch_of_the_path_is_a_guard(void **state)
{
    static struct plan plan;
    unsigned joined;

    (void)state;
    create(COUNTERS_HW);
    const struct loop_places places = write_branching_loop();
    const struct path common = {
        .count = 2, .next = places.head, .blocks = {places.head, places.behind}};
    assert_true(trace_plan(rig.threads[0].context, &common, &plan, &joined));
    assert_int_equal(plan.end - plan.steps, 5);
    assert_int_equal(plan.steps[1].kind, STEP_GUARD);
    assert_int_equal(plan.steps[1].value, places.seldom);
    assert_int_equal(plan.steps[1].flags & STEP_TURNED, 0);
    assert_int_equal(plan.steps[2].kind, STEP_BLOCK);
    assert_int_equal(plan.steps[4].kind, STEP_BRANCH);
    assert_int_equal(plan.steps[4].value, places.head);
    assert_int_equal(plan.side_count, 1);
    /* The other way: the guard leaves where the branch is not taken, and the jump back has gone. */
    const struct path seldom = {
        .count = 3, .next = places.head, .blocks = {places.head, places.seldom, places.behind}};
    assert_true(trace_plan(rig.threads[0].context, &seldom, &plan, &joined));
    assert_int_equal(plan.steps[1].kind, STEP_GUARD);
    assert_int_equal(plan.steps[1].value, places.behind);
    assert_int_equal(plan.steps[1].flags & STEP_TURNED, STEP_TURNED);
    assert_int_equal(plan.steps[4].kind, STEP_JUMP);
    assert_int_equal(plan.steps[4].flags & STEP_LEAVES, 0);
    rig_destroy(&rig);
}

static void a_loop_of_one_fragment_stays_as_it_is(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KINDS; i++) {
        create(kinds[i]);
        go(CODE);
        put(TOY_CONST32, R4, 0, TURNS);
        const guest_addr head = put(TOY_INC, R3, 0, 0);
        put(TOY_DEC, R4, 0, 0);
        put_to(TOY_BRANCH8, IF_OTHER, head);
        put(TOY_HALT, 0, 0, 0);
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_null(rig_find(&rig, head)->trace);
        assert_int_equal(totals()->plain, 1);
        expect_executions(kinds[i], head, TURNS - 3);
        rig_destroy(&rig);
    }
}

/* Calls, returns and indirect calls of the path are in the trace, with guards where they may lead elsewhere. */
static void calls_and_returns_are_in_the_trace(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KINDS; i++) {
        create(kinds[i]);
        go(CODE + PAGE);
        const guest_addr direct = put(TOY_ADD32, R6, 0, 3);
        put(TOY_RETURN, 0, 0, 0);
        const guest_addr indirect = put(TOY_ADD32, R6, 0, 5);
        put(TOY_RETURN, 0, 0, 0);
        const guest_addr other = put(TOY_ADD32, R6, 0, 9);
        put(TOY_RETURN, 0, 0, 0);
        go(CODE);
        put(TOY_CONST32, R4, 0, TURNS);
        put(TOY_CONST64, R5, 0, (int64_t)indirect);
        const guest_addr head = put_to(TOY_CALL32, 0, direct);
        put(TOY_CALL_REGISTER, 0, R5, 0);
        put(TOY_INC, R3, 0, 0);
        put(TOY_DEC, R4, 0, 0);
        put_to(TOY_BRANCH32, IF_OTHER, head);
        put(TOY_CMP8, R3, 0, 0);
        /* Once more, where the call leads elsewhere: each guard of a target fails. */
        put(TOY_CONST64, R2, 0, (int64_t)other);
        put(TOY_CMP, R5, R2, 0);
        const guest_addr done = put(TOY_BRANCH32, IF_ZERO, 0, 0);
        put(TOY_MOV, R5, R2, 0);
        put(TOY_CONST32, R4, 0, 20);
        put_to(TOY_JUMP32, 0, head);
        asm_send(done, put(TOY_HALT, 0, 0, 0));
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_int_equal(reg(R6), TURNS * (3 + 5) + 20 * (3 + 9));
        assert_non_null(rig_find(&rig, head)->trace);
        rig_destroy(&rig);
    }
}

/* A trace passes the heads of other loops, and counts them.  Exact counters in software end it there, where it is joined
 * to the trace of that loop. */
static void traces_pass_heads_or_are_joined_there(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KINDS; i++) {
        create(kinds[i]);
        go(CODE);
        put(TOY_CONST32, R4, 0, 100);
        const guest_addr outer = put(TOY_CONST8, R2, 0, 9);
        const guest_addr skip = put(TOY_BRANCH32, IF_NEGATIVE, 0, 0);
        put(TOY_NOP, 0, 0, 0);
        const guest_addr too = put(TOY_BRANCH32, IF_NEGATIVE, 0, 0);
        const guest_addr inner = put(TOY_INC, R3, 0, 0);
        const guest_addr over = put(TOY_BRANCH32, IF_NEGATIVE, 0, 0);
        put(TOY_DEC, R2, 0, 0);
        put_to(TOY_BRANCH32, IF_OTHER, inner);
        asm_send(skip, here());
        asm_send(too, here());
        asm_send(over, here());
        put(TOY_DEC, R4, 0, 0);
        put_to(TOY_BRANCH32, IF_OTHER, outer);
        put(TOY_HALT, 0, 0, 0);
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_int_equal(reg(R3), 900);
        const struct fragment *outer_trace = rig_find(&rig, outer)->trace;
        const struct fragment *inner_fragment = rig_find(&rig, inner);
        assert_non_null(inner_fragment->trace);
        if (kinds[i] != COUNTERS_SW_EXACT) {
            expect_executions(kinds[i], outer, 90);
            assert_int_equal(rig_find(&rig, outer)->loop->passages != NULL,
                             kinds[i] == COUNTERS_HW);
            rig_destroy(&rig);
            continue;
        }
        assert_non_null(outer_trace);
        bool joined = false;
        for (uint64_t j = 0; j < outer_trace->exit_count; j++) {
            joined |= outer_trace->exits[j].to == inner_fragment;
        }
        assert_true(joined);
        rig_destroy(&rig);
    }
}

/* A way out of a trace that is often taken gets a trace of its own, which is no loop. */
static void a_hot_exit_grows_a_trace(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KINDS; i++) {
        create(kinds[i]);
        go(CODE);
        put(TOY_CONST32, R4, 0, TURNS);
        const guest_addr head = put(TOY_INC, R3, 0, 0);
        put(TOY_MOV, R2, R3, 0);
        put(TOY_AND32, R2, 0, 3);
        const guest_addr branch = put(TOY_BRANCH32, IF_OTHER, 0, 0);
        const guest_addr quarter = put(TOY_ADD32, R6, 0, 7);
        const guest_addr never = put(TOY_BRANCH32, IF_ZERO, 0, 0);
        asm_send(branch, put(TOY_DEC, R4, 0, 0));
        put_to(TOY_BRANCH32, IF_OTHER, head);
        asm_send(never, put(TOY_HALT, 0, 0, 0));
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_int_equal(reg(R6), TURNS / 4 * 7);
        assert_non_null(rig_find(&rig, head)->trace);
        const struct fragment *grown = rig_find(&rig, quarter);
        assert_int_equal(grown->trace != NULL, kinds[i] != COUNTERS_SW_EXACT);
        assert_int_equal(rig_loop(&rig, quarter).head, 0);
        expect_executions(kinds[i], head, TURNS - 3);
        rig_destroy(&rig);
    }
}

/* What was only counted for its trace, and turns out to be a loop, is counted as one from then on. */
static void a_hidden_head_is_shown_when_a_loop_leads_there(void **state)
{
    (void)state;
    create(COUNTERS_HW);
    const guest_addr head = put(TOY_INC, R3, 0, 0);
    put(TOY_HALT, 0, 0, 0);
    struct fragment *fragment = rig_build(&rig, head);
    struct exit exit = {.target = head, .counts = true, .grows = true, .to = fragment};
    count_make_when_taken(rig.translator, &exit, fragment);
    assert_true(fragment->loop->hidden);
    assert_int_equal(rig_loop(&rig, head).head, 0);
    assert_int_equal(rig_run(&rig, head), TOY_HALTED);
    assert_int_equal(rig_run(&rig, head), TOY_HALTED);
    exit = (struct exit){.target = head, .counts = true, .to = fragment};
    count_make_when_taken(rig.translator, &exit, fragment);
    assert_false(fragment->loop->hidden);
    assert_int_equal(rig_run(&rig, head), TOY_HALTED);
    assert_int_equal(rig_loop(&rig, head).executions, 1);
    rig_destroy(&rig);
}

/* After a flush the loop is found again, and gets another trace. */
static void a_flushed_loop_is_traced_again(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KINDS; i++) {
        create(kinds[i]);
        const struct loop_places places = write_branching_loop();
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        flush_all(rig.translator);
        assert_null(rig_find(&rig, places.head));
        assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
        assert_non_null(rig_find(&rig, places.head)->trace);
        assert_int_equal(totals()->traces, 2);
        if (kinds[i] != COUNTERS_SW) {
            assert_int_equal(rig_executions(&rig, places.head), rig_counted(&rig, places.head));
        }
        rig_destroy(&rig);
    }
}

/* Such a trace would have no code but the jump to itself. */
static void a_block_that_is_too_long_gets_no_trace(void **state)
{
    (void)state;
    create(COUNTERS_HW);
    go(CODE);
    put(TOY_CONST32, R4, 0, TURNS);
    const guest_addr head = put(TOY_INC, R3, 0, 0);
    for (unsigned i = 0; i < TARGET_TRACE_BYTES / TARGET_INSTRUCTION_BYTES; i++) {
        put(TOY_LEA, R2, 0, 8);
    }
    const guest_addr never = put(TOY_BRANCH32, IF_NEGATIVE, 0, 0);
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH32, IF_OTHER, head);
    asm_send(never, put(TOY_HALT, 0, 0, 0));
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_null(rig_find(&rig, head)->trace);
    rig_destroy(&rig);
}

/* A system call is the last of a trace. */
static void a_system_call_ends_the_path(void **state)
{
    static struct plan plan;

    unsigned joined;

    (void)state;
    create(COUNTERS_HW);
    go(CODE);
    put(TOY_CONST32, R4, 0, TURNS);
    const guest_addr head = put(TOY_INC, R3, 0, 0);
    const guest_addr never = put(TOY_BRANCH32, IF_NEGATIVE, 0, 0);
    const guest_addr behind = put(TOY_CONST8, R0, 0, CALL_NOTHING);
    put(TOY_SYSTEM, 0, 0, 0);
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH32, IF_OTHER, head);
    asm_send(never, put(TOY_HALT, 0, 0, 0));
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_non_null(rig_find(&rig, head)->trace);
    const struct path path = {.count = 2, .next = 0, .blocks = {head, behind}};
    assert_true(trace_plan(rig.threads[0].context, &path, &plan, &joined));
    assert_int_equal(plan.end[-1].kind, STEP_SYSTEM_CALL);
    rig_destroy(&rig);
}

/* A trace goes when code of any of its blocks has changed, and what is recorded then is the new code. */
static void a_trace_goes_with_its_code(void **state)
{
    (void)state;
    create(COUNTERS_HW);
    const struct loop_places places = write_branching_loop();
    rig_sync(&rig);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    const struct fragment *trace = rig_find(&rig, places.head)->trace;
    assert_non_null(trace);
    assert_int_equal(totals()->changed, 0);
    rig_sync(&rig); /* the code is the same */
    assert_ptr_equal(rig_find(&rig, places.head)->trace, trace);
    flush_cut(rig.translator, rig_find(&rig, places.behind));
    assert_int_equal(totals()->changed, 1);
    assert_null(rig_find(&rig, places.head)->trace);
    rig_destroy(&rig);
}

static void without_the_option_nothing_is_recorded(void **state)
{
    struct options options = rig_options();

    (void)state;
    options.counters = COUNTERS_SW_EXACT;
    options.threshold = THRESHOLD;
    rig_create(&rig, &options);
    const struct loop_places places = write_branching_loop();
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_null(rig.translator->optimizer);
    assert_null(rig_find(&rig, places.head)->trace);
    rig_destroy(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(a_hot_loop_becomes_a_trace),
        TEST_ALONE(all_ways_to_the_head_lead_to_the_trace),
        TEST_ALONE(a_branch_of_the_path_is_a_guard),
        TEST_ALONE(a_loop_of_one_fragment_stays_as_it_is),
        TEST_ALONE(calls_and_returns_are_in_the_trace),
        TEST_ALONE(traces_pass_heads_or_are_joined_there),
        TEST_ALONE(a_hot_exit_grows_a_trace),
        TEST_ALONE(a_hidden_head_is_shown_when_a_loop_leads_there),
        TEST_ALONE(a_flushed_loop_is_traced_again),
        TEST_ALONE(a_block_that_is_too_long_gets_no_trace),
        TEST_ALONE(a_system_call_ends_the_path),
        TEST_ALONE(a_trace_goes_with_its_code),
        TEST_ALONE(without_the_option_nothing_is_recorded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
