/* Tests the counter table by itself: size, eviction, dropping, callbacks and summaries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/engine/callbacks.h"
#include "machine/units/counter_table.h"
#include "machine/units/replacement.h"

#define CALLBACK UINT64_C(0x9000)

static struct counter_table *table;
static struct hart hart;

/* The address that the table last asked to have decoded again. */
static struct {
    unsigned calls;
    guest_addr start;
} rewatched;

static void note_rewatch(void *machine, guest_addr start, uint64_t bytes)
{
    assert_ptr_equal(machine, &rewatched);
    assert_true(bytes > 0);
    rewatched.calls++;
    rewatched.start = start;
}

static void raise_callback(void *machine, struct unit *unit, const struct watch_event *event,
                           uint64_t callback, uint64_t argument)
{
    assert_ptr_equal(machine, &rewatched);
    callbacks_raise(event->hart, unit, callback, argument);
}

static void create_table_with(uint64_t entries, const char *policy)
{
    const struct unit_host host = {
        .rewatch = note_rewatch, .raise = raise_callback, .machine = &rewatched};
    memset(&rewatched, 0, sizeof rewatched);
    memset(&hart, 0, sizeof hart);
    hart.skip_count_at = HART_NO_ADDRESS;
    table = counter_table_create(entries, replacement_find(policy), host);
    assert_non_null(table);
}

static void create_table(uint64_t entries)
{
    create_table_with(entries, NULL);
}

static int destroy(void **unused)
{
    struct unit *unit = counter_table_unit(table);
    (void)unused;
    unit->kind->destroy(unit);
    callbacks_release(&hart);
    return 0;
}

/* What the engine does before the instruction at `pc`: true if a callback starts. */
static bool execute_once(guest_addr pc)
{
    const struct watch_instruction instruction = {.pc = pc, .bytes = 4};
    const struct watch_event event = {.instruction = &instruction, .hart = &hart};
    struct unit *unit = counter_table_unit(table);
    const struct watch_request request = unit->kind->watches(unit, &instruction);
    if (!(request.events & WATCH_COUNTED)) {
        return false;
    }
    if (request.events & WATCH_EXECUTED) {
        struct watch_event executed = event;
        executed.own = request.own;
        unit->kind->executed(unit, &executed);
    }
    hart.pc = pc;
    if (++request.cell->executions != request.cell->fires_at) {
        return false;
    }
    assert_ptr_equal(request.cell->unit, unit);
    unit->kind->counted(unit, &event, request.cell);
    if (!callbacks_due(&hart)) {
        return false;
    }
    callbacks_begin(&hart, true);
    return true;
}

static unsigned execute(guest_addr pc, unsigned times)
{
    unsigned callbacks = 0;
    for (unsigned i = 0; i < times; i++) {
        callbacks += execute_once(pc);
        if (callbacks > 0 && hart.in_callback) {
            assert_true(callbacks_return(&hart));
        }
    }
    return callbacks;
}

static void counts_from_zero(void **unused)
{
    (void)unused;
    create_table(4);
    assert_int_equal(counter_table_entries(table), 4);
    execute(0x1000, 5); /* not monitored yet */
    assert_int_equal(counter_table_read(table, 0x1000), UINT64_MAX);
    counter_table_new(table, 0x1000, 0, 0);
    assert_int_equal(rewatched.calls, 1);
    assert_int_equal(rewatched.start, 0x1000);
    assert_int_equal(counter_table_read(table, 0x1000), 0);
    execute(0x1000, 7);
    assert_int_equal(counter_table_read(table, 0x1000), 7);
    assert_int_equal(counter_table_read(table, 0x1002), UINT64_MAX);
}

static void callback_comes_when_the_count_equals_the_threshold(void **unused)
{
    (void)unused;
    create_table(4);
    counter_table_new(table, 0x1000, CALLBACK, 3);
    assert_false(execute_once(0x1000));
    assert_false(execute_once(0x1000));
    assert_true(execute_once(0x1000));
    assert_true(hart.in_callback);
    assert_int_equal(hart.pc, CALLBACK);
    assert_int_equal(hart.callback_return, 0x1000);
    assert_int_equal(hart.callback_argument, 0x1000);
    assert_int_equal(counter_table_read(table, 0x1000), 3);
    assert_true(callbacks_return(&hart));
    assert_false(hart.in_callback);
    assert_int_equal(hart.pc, 0x1000);
    assert_int_equal(hart.skip_count_at, 0x1000);
    assert_int_equal(execute(0x1000, 100), 0); /* only once, and counting goes on */
    assert_int_equal(counter_table_read(table, 0x1000), 103);
    assert_int_equal(counter_table_totals(table).callbacks, 1);
}

static void return_to_another_place_skips_nothing(void **unused)
{
    (void)unused;
    create_table(4);
    counter_table_new(table, 0x1000, CALLBACK, 1);
    assert_true(execute_once(0x1000));
    hart.callback_return = 0x2000; /* the callback wrote the CSR */
    assert_true(callbacks_return(&hart));
    assert_int_equal(hart.pc, 0x2000);
    assert_int_equal(hart.skip_count_at, HART_NO_ADDRESS);
}

static void return_outside_a_callback_is_refused(void **unused)
{
    (void)unused;
    create_table(4);
    hart.pc = 0x1234;
    assert_false(callbacks_return(&hart));
    assert_int_equal(hart.pc, 0x1234);
}

static void thresholds_and_callbacks_of_zero_only_count(void **unused)
{
    (void)unused;
    create_table(4);
    counter_table_new(table, 0x1000, CALLBACK, 0);
    counter_table_new(table, 0x2000, 0, 5);
    assert_int_equal(execute(0x1000, 50) + execute(0x2000, 50), 0);
    assert_int_equal(counter_table_read(table, 0x1000), 50);
    assert_int_equal(counter_table_read(table, 0x2000), 50);
}

static void threshold_reached_during_a_callback_waits_for_its_return(void **unused)
{
    (void)unused;
    create_table(8);
    counter_table_new(table, 0x1000, CALLBACK, 1);
    for (guest_addr i = 0; i < 20; i++) {
        counter_table_new(table, 0x2000 + 2 * (i % 6), CALLBACK + 0x100 * (1 + i % 6), 1);
    }
    assert_true(execute_once(0x1000));
    for (guest_addr i = 0; i < 6; i++) {
        assert_false(execute_once(0x2000 + 2 * i));
    }
    assert_int_equal(hart.pending_count, 6);
    for (guest_addr i = 0; i < 6; i++) { /* first come, first served */
        assert_true(callbacks_return(&hart));
        assert_true(hart.in_callback);
        assert_int_equal(hart.pc, CALLBACK + 0x100 * (1 + i));
        assert_int_equal(hart.callback_argument, 0x2000 + 2 * i);
        assert_int_equal(hart.callback_return, 0x1000);
    }
    assert_true(callbacks_return(&hart));
    assert_false(hart.in_callback);
    assert_int_equal(hart.pc, 0x1000);
    assert_int_equal(counter_table_totals(table).callbacks, 7);
}

static void many_thresholds_may_wait(void **unused)
{
    enum { MANY = 1000 };
    (void)unused;
    create_table(COUNTER_UNLIMITED);
    counter_table_new(table, 0x1000, CALLBACK, 1);
    for (guest_addr i = 0; i < MANY; i++) {
        counter_table_new(table, 0x10000 + 2 * i, CALLBACK + 2 * i, 1);
    }
    assert_true(execute_once(0x1000));
    for (guest_addr i = 0; i < MANY; i++) {
        assert_false(execute_once(0x10000 + 2 * i));
    }
    for (guest_addr i = 0; i < MANY; i++) {
        assert_true(callbacks_return(&hart));
        assert_int_equal(hart.callback_argument, 0x10000 + 2 * i);
    }
    assert_true(callbacks_return(&hart));
    assert_false(hart.in_callback);
}

static void new_for_a_present_tag_changes_only_callback_and_threshold(void **unused)
{
    (void)unused;
    create_table(2);
    counter_table_new(table, 0x1000, CALLBACK, 100);
    execute(0x1000, 10);
    counter_table_new(table, 0x1000, CALLBACK + 8, 12);
    assert_int_equal(counter_table_read(table, 0x1000), 10);
    assert_false(execute_once(0x1000));
    assert_true(execute_once(0x1000));
    assert_int_equal(hart.pc, CALLBACK + 8);
    assert_true(callbacks_return(&hart));
    counter_table_new(table, 0x1000, CALLBACK, 5); /* passed already: never */
    assert_int_equal(execute(0x1000, 100), 0);
    const struct counter_totals totals = counter_table_totals(table);
    assert_int_equal(totals.created, 1);
    assert_int_equal(totals.evicted, 0);
}

static void full_table_evicts_in_circular_order(void **unused)
{
    (void)unused;
    create_table(3);
    for (guest_addr i = 0; i < 3; i++) {
        counter_table_new(table, 0x1000 + 2 * i, 0, 0);
        execute(0x1000 + 2 * i, (unsigned)i + 1);
    }
    for (guest_addr i = 3; i < 9; i++) {
        counter_table_new(table, 0x1000 + 2 * i, 0, 0);
        assert_int_equal(counter_table_read(table, 0x1000 + 2 * (i - 3)), UINT64_MAX);
        assert_int_equal(counter_table_read(table, 0x1000 + 2 * i), 0);
        assert_int_not_equal(counter_table_read(table, 0x1000 + 2 * (i - 2)), UINT64_MAX);
    }
    const struct counter_totals totals = counter_table_totals(table);
    assert_int_equal(totals.created, 9);
    assert_int_equal(totals.evicted, 6);
    assert_int_equal(totals.live, 3);
    assert_int_equal(totals.addresses, 9);
}

static void evicted_counter_has_no_callback_and_starts_anew(void **unused)
{
    (void)unused;
    create_table(1);
    counter_table_new(table, 0x1000, CALLBACK, 5);
    execute(0x1000, 4);
    counter_table_new(table, 0x2000, CALLBACK, 5);
    assert_int_equal(execute(0x1000, 100), 0);
    counter_table_new(table, 0x1000, CALLBACK, 5);
    assert_int_equal(counter_table_read(table, 0x1000), 0);
    assert_int_equal(counter_table_read(table, 0x2000), UINT64_MAX);
    execute(0x1000, 4);
    assert_true(execute_once(0x1000));
}

static void dropped_entry_is_free_until_its_turn(void **unused)
{
    (void)unused;
    create_table(3);
    counter_table_new(table, 0x1000, CALLBACK, 5);
    counter_table_new(table, 0x2000, 0, 0);
    counter_table_drop(table, 0x1000);
    assert_int_equal(counter_table_read(table, 0x1000), UINT64_MAX);
    assert_int_equal(execute(0x1000, 10), 0);
    counter_table_drop(table, 0x1000); /* gone already */
    counter_table_drop(table, 0x7000); /* never was */
    assert_int_equal(counter_table_totals(table).dropped, 1);
    counter_table_new(table, 0x3000, 0, 0);
    counter_table_new(table, 0x4000, 0, 0); /* where the dropped one was: evicts nothing */
    assert_int_equal(counter_table_totals(table).evicted, 0);
    assert_int_equal(counter_table_totals(table).live, 3);
    counter_table_new(table, 0x1000, 0, 0); /* again: evicts 0x2000 */
    assert_int_equal(counter_table_totals(table).evicted, 1);
    assert_int_equal(counter_table_read(table, 0x2000), UINT64_MAX);
    assert_int_equal(counter_table_read(table, 0x1000), 0);
}

/* Counters of 0x1000, 0x2000 and 0x3000 in a table of three, which count so often, in this order. */
static void fill(const char *policy, unsigned first, unsigned second, unsigned third)
{
    create_table_with(3, policy);
    counter_table_new(table, 0x1000, 0, 0);
    counter_table_new(table, 0x2000, 0, 0);
    counter_table_new(table, 0x3000, 0, 0);
    execute(0x1000, first);
    execute(0x2000, second);
    execute(0x3000, third);
}

/* Whose counter has gone for that of `tag`. */
static guest_addr goes_for(guest_addr tag)
{
    guest_addr gone = 0;
    bool was[3];

    for (unsigned i = 0; i < 3; i++) {
        was[i] = counter_table_read(table, 0x1000 * (i + 1)) != UINT64_MAX;
    }
    counter_table_new(table, tag, 0, 0);
    for (unsigned i = 0; i < 3; i++) {
        const guest_addr at = 0x1000 * (i + 1);
        if (was[i] && counter_table_read(table, at) == UINT64_MAX) {
            assert_int_equal(gone, 0);
            gone = at;
        }
    }
    return gone;
}

static void usual_policy_is_circular(void **unused)
{
    (void)unused;
    assert_string_equal(replacement_find(NULL)->name, "circular");
    assert_null(replacement_find("circula"));
    fill(NULL, 9, 1, 5);
    assert_int_equal(goes_for(0x4000), 0x1000);
}

static void least_count_goes(void **unused)
{
    (void)unused;
    fill("least-count", 9, 4, 5);
    assert_int_equal(goes_for(0x4000), 0x2000);
    execute(0x4000, 5);
    /* Of two with the same count the one that was made first. */
    assert_int_equal(goes_for(0x5000), 0x3000);
    assert_int_equal(counter_table_read(table, 0x5000), 0);
}

static void least_recent_goes(void **unused)
{
    (void)unused;
    fill("least-recent", 1, 9, 9);
    execute(0x1000, 1);
    assert_int_equal(goes_for(0x4000), 0x2000);
    execute(0x3000, 1);
    /* A counter that has not counted yet was made at a time, too. */
    assert_int_equal(goes_for(0x5000), 0x1000);
    execute(0x5000, 1);
    execute(0x3000, 1);
    counter_table_new(table, 0x6000, 0, 0); /* for 0x4000 */
    assert_int_equal(counter_table_read(table, 0x4000), UINT64_MAX);
}

/* No two were made at the same time, wherever their entries are. */
static void of_those_that_never_counted_the_first_goes(void **unused)
{
    (void)unused;
    fill("least-recent", 1, 1, 1);
    assert_int_equal(goes_for(0x4000), 0x1000);
    counter_table_drop(table, 0x2000);
    counter_table_drop(table, 0x4000);
    counter_table_new(table, 0x5000, 0, 0); /* the second entry */
    counter_table_new(table, 0x6000, 0, 0); /* the first */
    counter_table_drop(table, 0x3000);
    counter_table_new(table, 0x7000, 0, 0); /* the third: the index is at the first again */
    counter_table_new(table, 0x8000, 0, 0);
    assert_int_equal(counter_table_read(table, 0x5000), UINT64_MAX);
    assert_int_equal(counter_table_read(table, 0x6000), 0);
}

/* A new counter takes over what the one before it had, for the order only: it counts and calls from 0 on. */
static void frequent_takes_over(void **unused)
{
    (void)unused;
    fill("frequent", 9, 4, 5);
    assert_int_equal(goes_for(0x4000), 0x2000);
    assert_int_equal(counter_table_read(table, 0x4000), 0);
    execute(0x4000, 2);                         /* 4 + 2 */
    assert_int_equal(goes_for(0x5000), 0x3000); /* 5 */
    execute(0x5000, 2);                         /* 5 + 2 */
    counter_table_new(table, 0x6000, CALLBACK, 2);
    assert_int_equal(counter_table_read(table, 0x4000), UINT64_MAX);
    assert_int_equal(execute(0x6000, 4), 1); /* 6 + 4 */
    assert_int_equal(counter_table_read(table, 0x6000), 4);
    counter_table_new(table, 0x7000, 0, 0);
    assert_int_equal(counter_table_read(table, 0x5000), UINT64_MAX);
    assert_int_equal(counter_table_read(table, 0x1000), 9);
}

/* Only the paper's evicts while an entry is free. */
static void free_entry_is_taken_first(void **unused)
{
    (void)unused;
    static const char *const policies[] = {"least-count", "least-recent", "frequent"};
    for (unsigned i = 0; i < 3; i++) {
        fill(policies[i], 9, 4, 5);
        counter_table_drop(table, 0x3000);
        assert_int_equal(goes_for(0x4000), 0);
        assert_int_equal(counter_table_totals(table).evicted, 0);
        counter_table_new(table, 0x5000, 0, 0);
        assert_int_equal(counter_table_totals(table).evicted, 1);
        assert_int_equal(counter_table_totals(table).live, 3);
        destroy(NULL);
    }
    create_table(1);
}

static void bits_decide_how_many_entries(void **unused)
{
    (void)unused;
    create_table(1);
    static const struct {
        const char *policy;
        uint64_t entries;
    } expected[] = {{"circular", 64}, {"least-count", 64}, {"least-recent", 62}, {"frequent", 51}};
    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct replacement *policy = replacement_find(expected[i].policy);
        assert_int_equal(counter_table_entries_in(16384, policy), expected[i].entries);
        assert_int_equal(counter_table_entries_in(255, policy), 0);
    }
}

static void unlimited_table_evicts_nothing(void **unused)
{
    enum { MANY = 20000 };
    (void)unused;
    create_table(COUNTER_UNLIMITED);
    for (guest_addr i = 0; i < MANY; i++) {
        counter_table_new(table, 0x1000 + 2 * i, 0, 0);
    }
    for (guest_addr i = 0; i < MANY; i += 97) {
        execute(0x1000 + 2 * i, 3);
        assert_int_equal(counter_table_read(table, 0x1000 + 2 * i), 3);
    }
    const struct counter_totals totals = counter_table_totals(table);
    assert_int_equal(totals.live, MANY);
    assert_int_equal(totals.evicted, 0);
    counter_table_drop(table, 0x1000);
    assert_int_equal(counter_table_totals(table).live, MANY - 1);
}

static void largest_table_holds_its_number(void **unused)
{
    (void)unused;
    create_table(COUNTER_ENTRIES_MAX);
    for (guest_addr i = 0; i < 5000; i++) {
        counter_table_new(table, 2 * i, 0, 0);
    }
    assert_int_equal(counter_table_totals(table).evicted, 0);
    assert_int_equal(counter_table_read(table, 0), 0);
}

static void summaries_count_on_after_eviction_most_executed_first(void **unused)
{
    (void)unused;
    create_table(2);
    counter_table_new(table, 0x1000, 0, 0);
    execute(0x1000, 10);
    counter_table_new(table, 0x2000, CALLBACK, 30);
    counter_table_new(table, 0x3000, 0, 0); /* evicts 0x1000 */
    execute(0x1000, 20);
    execute(0x2000, 40);
    execute(0x3000, 30);
    struct counter_summary *summaries = counter_table_summaries(table);
    const struct counter_totals totals = counter_table_totals(table);
    assert_int_equal(totals.addresses, 3);
    assert_int_equal(totals.executions, 100);
    assert_int_equal(summaries[0].tag, 0x2000);
    assert_int_equal(summaries[0].executions, 40);
    assert_true(summaries[0].callback_taken && !summaries[0].evicted);
    assert_int_equal(summaries[1].tag, 0x1000); /* equal counts: by address */
    assert_int_equal(summaries[1].executions, 30);
    assert_true(summaries[1].evicted && !summaries[1].callback_taken);
    assert_int_equal(summaries[2].tag, 0x3000);
    free(summaries);
}

/* Other code may be there next. */
static void what_is_dropped_is_not_counted_until_it_is_new_again(void **unused)
{
    (void)unused;
    create_table(1);
    counter_table_new(table, 0x1000, 0, 0);
    execute(0x1000, 10);
    rewatched.calls = 0;
    counter_table_drop(table, 0x1000);
    assert_int_equal(rewatched.calls, 1);
    assert_int_equal(rewatched.start, 0x1000);
    execute(0x1000, 100);
    assert_int_equal(counter_table_totals(table).executions, 10);
    counter_table_new(table, 0x1000, CALLBACK, 3);
    assert_int_equal(execute(0x1000, 5), 1);
    assert_int_equal(counter_table_read(table, 0x1000), 5);
    assert_int_equal(counter_table_totals(table).executions, 15);
    assert_int_equal(counter_table_totals(table).addresses, 1);
    counter_table_new(table, 0x2000, 0, 0); /* evicts it: it is counted on, for statistics */
    execute(0x1000, 20);
    assert_int_equal(counter_table_totals(table).executions, 35);
    counter_table_drop(table, 0x1000); /* of which nobody has a counter */
    execute(0x1000, 40);
    assert_int_equal(counter_table_totals(table).executions, 35);
    assert_int_equal(counter_table_totals(table).dropped, 1);
}

/* Each instruction that is decoded is looked up, so many counters must not make that slow. */
static void lookups_among_many_counters_stay_short(void **unused)
{
    enum { COUNTERS = 100000, DISTANCE = 64 };
    (void)unused;
    create_table(COUNTERS / 2);
    for (unsigned i = 0; i < COUNTERS; i++) {
        counter_table_new(table, 0x1000 + DISTANCE * i, 0, 0);
    }
    assert_in_range(counter_table_longest_chain(table), 1, 12);
    for (unsigned i = 0; i < COUNTERS; i++) {
        execute(0x1000 + DISTANCE * i, 1);
    }
    for (unsigned i = COUNTERS; i-- > 0;) {
        const uint64_t count = counter_table_read(table, 0x1000 + DISTANCE * i);
        assert_int_equal(count, i < COUNTERS / 2 ? UINT64_MAX : 1);
        counter_table_drop(table, 0x1000 + DISTANCE * i);
    }
    assert_int_equal(counter_table_totals(table).executions, COUNTERS);
    assert_int_equal(counter_table_totals(table).dropped, COUNTERS / 2);
    assert_int_equal(counter_table_totals(table).live, 0);
}

static void empty_table_has_no_summaries(void **unused)
{
    (void)unused;
    create_table(1);
    struct counter_summary *summaries = counter_table_summaries(table);
    assert_int_equal(counter_table_totals(table).addresses, 0);
    free(summaries);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, destroy)
    const struct CMUnitTest tests[] = {
        TEST(counts_from_zero),
        TEST(callback_comes_when_the_count_equals_the_threshold),
        TEST(return_to_another_place_skips_nothing),
        TEST(return_outside_a_callback_is_refused),
        TEST(thresholds_and_callbacks_of_zero_only_count),
        TEST(threshold_reached_during_a_callback_waits_for_its_return),
        TEST(many_thresholds_may_wait),
        TEST(new_for_a_present_tag_changes_only_callback_and_threshold),
        TEST(full_table_evicts_in_circular_order),
        TEST(evicted_counter_has_no_callback_and_starts_anew),
        TEST(dropped_entry_is_free_until_its_turn),
        TEST(usual_policy_is_circular),
        TEST(least_count_goes),
        TEST(least_recent_goes),
        TEST(of_those_that_never_counted_the_first_goes),
        TEST(frequent_takes_over),
        TEST(free_entry_is_taken_first),
        TEST(bits_decide_how_many_entries),
        TEST(unlimited_table_evicts_nothing),
        TEST(largest_table_holds_its_number),
        TEST(summaries_count_on_after_eviction_most_executed_first),
        TEST(what_is_dropped_is_not_counted_until_it_is_new_again),
        TEST(lookups_among_many_counters_stay_short),
        TEST(empty_table_has_no_summaries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
