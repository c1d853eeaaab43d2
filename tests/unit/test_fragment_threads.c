/* Tests threads that take turns: in the cache, in dispatch, and while one of them empties the cache. */
#include "fragment_rig.h"
#include "outside.h"

#include "translator/fragment/dispatch.h"
#include "translator/fragment/flush.h"
#include "translator/fragment/outside.h"

#define FIRST CODE
#define SECOND (CODE + 4 * PAGE)

static void create_with(enum counters counters, uint64_t threshold)
{
    struct options options = rig_options();

    options.counters = counters;
    options.threshold = threshold;
    rig_create(&rig, &options);
}

/* A loop of `turns`, with a call through a register in it; returns its head. */
static guest_addr write_loop(guest_addr start, unsigned turns)
{
    go(start + 0x80);
    put(TOY_INC, R3, 0, 0);
    put(TOY_RETURN, 0, 0, 0);
    go(start);
    put(TOY_CONST32, R4, 0, turns);
    put(TOY_NOP, 0, 0, 0);
    const guest_addr head = put_to(TOY_LEA, R2, start + 0x80);
    put(TOY_CALL_REGISTER, 0, R2, 0);
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH8, IF_OTHER, head);
    put(TOY_HALT, 0, 0, 0);
    return head;
}

/* A loop that neither calls nor leaves the cache, once it is linked. */
static guest_addr write_short_loop(guest_addr start, unsigned turns)
{
    go(start);
    put(TOY_CONST32, R4, 0, turns);
    const guest_addr head = put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH8, IF_OTHER, head);
    put(TOY_HALT, 0, 0, 0);
    return head;
}

static void start_at(guest_addr first, guest_addr second)
{
    rig.threads[0].start = first;
    rig_add_thread(&rig, second);
}

static void threads_share_fragments(void **state)
{
    (void)state;
    write_loop(FIRST, 50);
    start_at(FIRST, FIRST);
    rig.slice = 7;
    rig_run_threads(&rig);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(rig.threads[i].stop, TOY_HALTED);
        assert_int_equal(rig.threads[i].registers.r[R3], 50);
    }
    assert_true(rig.translator->statistics.fragments <= 6);
}

/* What one thread has entered into its tables, another finds when it misses: no check stands there twice. */
static void threads_share_the_chains_of_lookups(void **state)
{
    (void)state;
    write_loop(FIRST, 5);
    start_at(FIRST, FIRST);
    rig_run_threads(&rig);
    assert_int_equal(rig.translator->lookup_count, 2);
    assert_int_equal(rig.translator->statistics.lookup_misses, 4);
}

/* Each thread has tables of its own. */
static void no_thread_s_table_leads_to_what_is_gone(void **state)
{
    (void)state;
    write_loop(FIRST, 5);
    start_at(FIRST, FIRST);
    rig_run_threads(&rig);
    flush_all(rig.translator);
    const size_t bytes = sizeof(union target_lookup) << rig.translator->lookup_bits;
    for (unsigned i = 0; i < 2; i++) {
        assert_memory_equal(rig.threads[i].context->lookups, rig.translator->master->lookups,
                            bytes);
    }
}

/* The thread whose lookup found no room has the fragment in its own table afterwards, and misses no more. */
static void a_lookup_that_emptied_the_cache_is_in_the_thread_s_table(void **state)
{
    (void)state;
    write_loop(FIRST, 50);
    start_at(FIRST, SECOND);
    go(SECOND);
    put(TOY_HALT, 0, 0, 0);
    rig_build(&rig, FIRST + 0x80); /* it is there before the lookup */
    rig_build(&rig, FIRST);
    struct cache *cache = &rig.translator->cache;
    while (cache->chunk_end != cache->end) {
        cache_reserve(cache, CACHE_CHUNK_BYTES + 1);
    }
    cache->fragments = cache->trampolines - 8;
    const uint64_t flushes_before = rig.translator->statistics.flushes;
    rig_run_threads(&rig);
    assert_int_equal(rig.threads[0].registers.r[R3], 50);
    assert_int_equal(rig.translator->statistics.flushes, flushes_before + 1);
    assert_int_equal(rig.translator->statistics.lookup_misses, 2);
}

static void the_first_thread_more_empties_the_cache(void **state)
{
    (void)state;
    write_loop(FIRST, 5);
    rig_build(&rig, FIRST);
    rig_add_thread(&rig, FIRST);
    assert_null(rig_find(&rig, FIRST));
    assert_true(rig.translator->threaded);
    assert_ptr_not_equal(rig.translator->master, rig.threads[0].context);
}

static unsigned flushes;

static void flush_in_call(struct rig_thread *thread, struct target_registers *registers, bool alone)
{
    struct translator *translator = thread->rig->translator;

    (void)registers;
    if (!alone) {
        lock_acquire(&translator->lock);
        flush_all(translator);
        flushes++;
        lock_release(&translator->lock);
    }
}

static void write_flusher(guest_addr start, unsigned turns)
{
    go(start);
    put(TOY_CONST32, R4, 0, turns);
    const guest_addr head = put(TOY_CONST8, R0, 0, CALL_OTHERS);
    put(TOY_SYSTEM, 0, 0, 0);
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH8, IF_OTHER, head);
    put(TOY_HALT, 0, 0, 0);
}

static void a_thread_in_the_cache_is_brought_out_before_it_is_emptied(void **state)
{
    (void)state;
    for (unsigned slice = 1; slice < 40; slice++) {
        flushes = 0;
        create_with(COUNTERS_OFF, 0);
        rig.system_call = flush_in_call;
        write_short_loop(FIRST, 300); /* linked to itself: it would never come out alone */
        write_flusher(SECOND, 10);
        start_at(FIRST, SECOND);
        rig.slice = slice;
        rig_run_threads(&rig);
        assert_int_equal(flushes, 10);
        assert_int_equal(rig.threads[0].stop, TOY_HALTED);
        rig_destroy(&rig);
    }
}

static void threads_that_call_through_registers_survive_flushes(void **state)
{
    (void)state;
    for (unsigned slice = 1; slice < 40; slice++) {
        create_with(COUNTERS_OFF, 0);
        rig.system_call = flush_in_call;
        write_loop(FIRST, 60);
        write_flusher(SECOND, 10);
        start_at(FIRST, SECOND);
        rig_add_thread(&rig, FIRST);
        rig.slice = slice;
        rig_run_threads(&rig);
        assert_int_equal(rig.threads[2].registers.r[R3], 60);
        rig_destroy(&rig);
    }
}

/* Code that one thread changes and tells of; the other runs other code meanwhile. */
static void one_thread_changes_code_while_another_runs(void **state)
{
    (void)state;
    for (unsigned slice = 1; slice < 40; slice++) {
        create_with(COUNTERS_OFF, 0);
        write_loop(FIRST, 60);
        go(SECOND + 0x100);
        put(TOY_CONST8, R3, 0, 0);
        put(TOY_ADD, R6, R3, 0);
        put(TOY_RETURN, 0, 0, 0);
        go(SECOND);
        put(TOY_CONST32, R4, 0, 20);
        put(TOY_CONST64, R2, 0, (int64_t)(SECOND + 0x101));
        const guest_addr head = put(TOY_STORE_BYTE, R4, R2, 0);
        put(TOY_SYNC, 0, 0, 0);
        put_to(TOY_CALL32, 0, SECOND + 0x100);
        put(TOY_DEC, R4, 0, 0);
        put_to(TOY_BRANCH8, IF_OTHER, head);
        put(TOY_HALT, 0, 0, 0);
        start_at(FIRST, SECOND);
        rig.slice = slice;
        rig_run_threads(&rig);
        assert_int_equal(rig.threads[1].registers.r[R6], 210);
        assert_int_equal(rig.threads[0].registers.r[R3], 60);
        assert_true(rig.translator->statistics.fragments_changed >= 19);
        rig_destroy(&rig);
    }
}

static guest_addr watched_head;
static unsigned seen;

/* The other thread takes the lock before the last but one execution. */
static void yield_at_head(struct rig_thread *thread)
{
    const struct fragment *fragment = index_find(&rig.translator->index, watched_head);

    if (thread == &rig.threads[0] && fragment != NULL && fragment->landing != fragment->entry &&
        thread->machine.pc == (uintptr_t)fragment->entry && ++seen == 3) {
        rig_yield(&rig);
    }
}

/* And empties the cache when the first thread has left it, and waits for the lock. */
static void flush_late(struct rig_thread *thread, struct target_registers *registers, bool alone)
{
    struct translator *translator = thread->rig->translator;

    (void)registers;
    if (!alone) {
        outside_leave_cache(thread->context);
        lock_acquire(&translator->lock);
        rig_yield(&rig);
        assert_int_equal(rig.threads[0].context->inside, 0);
        flush_all(translator);
        lock_release(&translator->lock);
    }
}

static void a_threshold_is_reached_though_the_counter_has_gone_since(void **state)
{
    static const enum counters kinds[] = {COUNTERS_SW, COUNTERS_SW_EXACT, COUNTERS_SW_PAPER};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        create_with(kinds[i], 5);
        watched_head = write_short_loop(FIRST, 20);
        write_flusher(SECOND, 1);
        seen = 0;
        rig.before_step = yield_at_head;
        rig.system_call = flush_late;
        start_at(FIRST, SECOND);
        rig_run_threads(&rig);
        assert_int_equal(rig.translator->statistics.flushes, 2);
        assert_true(kinds[i] == COUNTERS_SW_PAPER || rig_loop(&rig, watched_head).hot);
        assert_int_equal(count_get_totals(rig.translator).callbacks, 1);
        if (kinds[i] == COUNTERS_SW_EXACT) {
            assert_int_equal(rig_executions(&rig, watched_head), rig_counted(&rig, watched_head));
        } else if (kinds[i] == COUNTERS_SW) {
            assert_int_equal(rig_executions(&rig, watched_head), 5);
        }
        rig_destroy(&rig);
    }
}

/* Code on a guarded page, which one thread executes while another changes it: a whole instruction at once. */
static void guarded_code_changes_among_threads(void **state)
{
    const guest_addr shared = CODE + 16 * PAGE;

    (void)state;
    for (unsigned slice = 1; slice < 30; slice++) {
        struct options options = rig_options();
        options.code_changes = CHANGES_PROTECT;
        rig_create(&rig, &options);
        rig.compares = false; /* who is first is not known */
        rig_set_permissions(&rig, shared, PAGE, HOST_READ | HOST_WRITE | HOST_EXECUTE | TOY_SHARED);
        go(shared);
        put(TOY_CONST8, R3, 0, 0);
        put(TOY_RETURN, 0, 0, 0);
        go(FIRST);
        put(TOY_CONST64, R2, 0, (int64_t)shared);
        const guest_addr wait = put(TOY_CALL_REGISTER, 0, R2, 0);
        put(TOY_CMP8, R3, 0, 20);
        put_to(TOY_BRANCH8, IF_OTHER, wait);
        put(TOY_HALT, 0, 0, 0);
        go(SECOND);
        put(TOY_CONST64, R2, 0, (int64_t)(shared + 1));
        const guest_addr next = put(TOY_INC, R4, 0, 0);
        put(TOY_STORE_BYTE, R4, R2, 0);
        put(TOY_CMP8, R4, 0, 20);
        put_to(TOY_BRANCH8, IF_OTHER, next);
        put(TOY_HALT, 0, 0, 0);
        start_at(FIRST, SECOND);
        rig.slice = slice;
        rig_run_threads(&rig);
        assert_int_equal(rig.threads[0].registers.r[R3], 20);
        rig_destroy(&rig);
    }
}

/* A call that starts a thread goes on elsewhere than in a fragment. */
static void take_detour(struct rig_thread *thread, struct target_registers *registers, bool alone)
{
    (void)registers;
    if (!alone) {
        thread->context->detour = outside_fault_place;
    }
}

static void a_system_call_may_lead_elsewhere(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        create_with(COUNTERS_OFF, 0);
        rig.compares = false;
        rig.system_call = take_detour;
        write_flusher(FIRST, 5);
        if (threads == 1) {
            assert_int_equal(rig_run(&rig, FIRST), TOY_FAULTED);
        } else {
            start_at(FIRST, FIRST);
            rig_run_threads(&rig);
        }
        assert_int_equal(rig.threads[0].stop, TOY_FAULTED); /* where the detour led */
        assert_null(rig.threads[0].context->detour);
        rig_destroy(&rig);
    }
}

/* Without the lock a thread finds fragments that are there. */
static void an_exit_that_is_not_linked_needs_no_lock(void **state)
{
    struct options options = rig_options();

    (void)state;
    options.link = false;
    rig_create(&rig, &options);
    write_short_loop(FIRST, 50);
    start_at(FIRST, FIRST);
    rig_run_threads(&rig);
    uint64_t without_lock = 0;
    for (unsigned i = 0; i < 2; i++) {
        without_lock += rig.threads[i].context->dispatches;
    }
    assert_true(without_lock >= 90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(threads_share_fragments),
        TEST(threads_share_the_chains_of_lookups),
        TEST(no_thread_s_table_leads_to_what_is_gone),
        TEST(a_lookup_that_emptied_the_cache_is_in_the_thread_s_table),
        TEST(the_first_thread_more_empties_the_cache),
        TEST_ALONE(a_thread_in_the_cache_is_brought_out_before_it_is_emptied),
        TEST_ALONE(threads_that_call_through_registers_survive_flushes),
        TEST_ALONE(one_thread_changes_code_while_another_runs),
        TEST_ALONE(a_threshold_is_reached_though_the_counter_has_gone_since),
        TEST_ALONE(guarded_code_changes_among_threads),
        TEST_ALONE(a_system_call_may_lead_elsewhere),
        TEST_ALONE(an_exit_that_is_not_linked_needs_no_lock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
