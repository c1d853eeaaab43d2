/* Tests what becomes of everything when the cache is emptied, and when it grows. */
#include "fragment_rig.h"

#include "translator/fragment/lookups.h"
#include "translator/fragment/flush.h"

static void create_with(size_t cache_bytes, bool fixed)
{
    struct options options = rig_options();

    options.cache_bytes = cache_bytes;
    options.cache_fixed = fixed;
    rig_create(&rig, &options);
}

static size_t cache_bytes(void)
{
    return (size_t)(rig.translator->cache.end - rig.translator->cache.start);
}

/* A loop over `blocks` branches, each of which ends a fragment. */
static guest_addr write_blocks(unsigned blocks, unsigned turns)
{
    go(CODE);
    put(TOY_CONST32, R4, 0, turns);
    const guest_addr loop = here();
    for (unsigned i = 0; i < blocks; i++) {
        put(TOY_CMP8, R4, 0, (int64_t)(i % 100));
        const guest_addr branch = put(TOY_BRANCH32, IF_ZERO, 0, 0);
        asm_send(branch, here());
    }
    put(TOY_ADD8, R4, 0, -1);
    put_to(TOY_BRANCH32, IF_OTHER, loop);
    put(TOY_HALT, 0, 0, 0);
    return CODE;
}

static void nothing_is_left_after_a_flush(void **state)
{
    struct translator *translator = rig.translator;

    (void)state;
    assert_int_equal(rig_run(&rig, write_blocks(20, 3)), TOY_HALTED);
    assert_non_null(rig_find(&rig, CODE));
    assert_true(translator->marks.next > translator->marks.start);
    flush_all(translator);
    assert_null(rig_find(&rig, CODE));
    assert_ptr_equal(translator->marks.next, translator->marks.start);
    assert_ptr_equal(translator->pool.next, translator->pool.start);
    assert_ptr_equal(translator->cache.fragments, translator->cache.start);
    assert_int_equal(translator->lookup_count, 0);
    assert_int_equal(translator->code.count, 0);
    assert_int_equal(translator->statistics.flushes, 1);
    assert_int_equal(rig.flushes_announced, 1);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
}

static void no_lookup_leads_to_what_is_gone(void **state)
{
    (void)state;
    const guest_addr ret = put(TOY_RETURN, 0, 0, 0);
    const guest_addr start = here();
    put(TOY_CONST64, R2, 0, (int64_t)ret);
    put(TOY_CALL_REGISTER, 0, R2, 0);
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, start), TOY_HALTED);
    assert_int_equal(rig.translator->lookup_count, 2);
    flush_all(rig.translator);
    assert_int_equal(rig.translator->lookup_count, 0);
    const uint64_t misses = rig.translator->statistics.lookup_misses;
    assert_int_equal(rig_run(&rig, start), TOY_HALTED);
    assert_int_equal(rig.translator->statistics.lookup_misses, misses + 2);
}

static void a_full_cache_is_emptied_and_the_program_goes_on(void **state)
{
    (void)state;
    create_with(CACHE_BYTES_MIN, true);
    assert_int_equal(rig_run(&rig, write_blocks(1000, 5)), TOY_HALTED);
    assert_true(rig.translator->statistics.flushes >= 5);
    assert_int_equal(cache_bytes(), CACHE_BYTES_MIN);
    assert_int_equal(rig.translator->process.announcements, 1);
}

static void a_cache_that_was_full_of_code_in_use_grows(void **state)
{
    (void)state;
    create_with(CACHE_BYTES_MIN, false);
    assert_int_equal(rig_run(&rig, write_blocks(1000, 20)), TOY_HALTED);
    const size_t bytes = cache_bytes();
    assert_true(bytes > CACHE_BYTES_MIN);
    /* Until all of it has room, and no further. */
    assert_int_equal(bytes, CACHE_BYTES_MIN << rig.translator->statistics.flushes);
    assert_int_equal(rig.translator->process.announcements, 1 + rig.translator->statistics.flushes);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(cache_bytes(), bytes);
    assert_int_equal((rig.translator->index.mask + 1) * INDEX_CACHE_BYTES_PER_BUCKET, bytes);
}

static void a_cache_that_was_full_of_dead_code_does_not_grow(void **state)
{
    (void)state;
    create_with(CACHE_BYTES_MIN, false);
    rig.translator->cache.dead_bytes = CACHE_BYTES_MIN / 2;
    flush_full(rig.translator);
    assert_int_equal(cache_bytes(), CACHE_BYTES_MIN);
    rig.translator->cache.dead_bytes = CACHE_BYTES_MIN / 2 - 1;
    flush_full(rig.translator);
    assert_int_equal(cache_bytes(), 2 * CACHE_BYTES_MIN);
    assert_int_equal(rig.translator->cache.dead_bytes, 0);
}

static void without_memory_a_cache_stays_as_large_as_it_was(void **state)
{
    (void)state;
    for (unsigned maps = 0; maps < 4; maps++) {
        create_with(CACHE_BYTES_MIN, false);
        rig.maps_left = maps;
        flush_full(rig.translator);
        assert_int_equal(cache_bytes(), CACHE_BYTES_MIN);
        assert_int_equal(rig.translator->statistics.flushes, 1);
        assert_int_equal(rig_run(&rig, write_blocks(20, 3)), TOY_HALTED);
        rig_destroy(&rig);
    }
}

/* What fragments were made from has to be kept for as many as there are in the larger cache; else that would
 * never become full, be emptied all the same, and grow without end. */
static void what_code_was_made_from_grows_with_the_cache(void **state)
{
    (void)state;
    create_with(CACHE_BYTES_MIN, false);
    rig_sync(&rig);
    assert_true(rig.translator->changes.indexed);
    assert_int_equal(rig_run(&rig, write_blocks(8000, 4)), TOY_HALTED);
    const size_t bytes = cache_bytes();
    const uint64_t flushes = rig.translator->statistics.flushes;
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(cache_bytes(), bytes);
    assert_int_equal(rig.translator->statistics.flushes, flushes);
}

static void fast_returns_do_not_survive_a_flush(void **state)
{
    struct options options = rig_options();

    (void)state;
    options.returns = RETURNS_FAST;
    rig_create(&rig, &options);
    assert_true(rig_fails(&rig, flush_all(rig.translator)));
    assert_non_null(strstr(rig.message, "--ret fast"));
}

/* Of a fragment that goes alone, the cache knows how much is dead. */
static void a_fragment_that_goes_is_dead_code(void **state)
{
    (void)state;
    write_blocks(2, 1);
    struct fragment *fragment = rig_build(&rig, CODE);
    flush_cut(rig.translator, fragment);
    assert_int_equal(rig.translator->cache.dead_bytes, 0);
    flush_fragment(rig.translator, fragment);
    assert_int_equal(rig.translator->cache.dead_bytes, fragment->end - fragment->code);
    assert_true(fragment->exits[0].dead && fragment->exits[1].dead);
}

static void tables_of_lookups_grow_by_steps_up_to_their_largest(void **state)
{
    (void)state;
    struct translator *translator = rig.translator;
    translator->lookup_bits = LOOKUP_BITS_MAX - LOOKUP_BITS_STEP - 1;
    flush_for_lookups(translator);
    assert_int_equal(translator->lookup_bits, LOOKUP_BITS_MAX - 1);
    flush_for_lookups(translator);
    assert_int_equal(translator->lookup_bits, LOOKUP_BITS_MAX);
    flush_for_lookups(translator);
    assert_int_equal(translator->lookup_bits, LOOKUP_BITS_MAX);
    assert_int_equal(rig_run(&rig, write_blocks(20, 3)), TOY_HALTED);
}

/* In the middle of a program, at each of its system calls. */
static void flush_in_call(struct rig_thread *thread, struct target_registers *registers, bool alone)
{
    (void)registers;
    if (!alone) {
        flush_all(thread->rig->translator);
    }
}

static void a_system_call_may_empty_the_cache(void **state)
{
    (void)state;
    rig.system_call = flush_in_call;
    put(TOY_CONST8, R4, 0, 10);
    const guest_addr loop = put(TOY_CONST8, R0, 0, CALL_OTHERS);
    put(TOY_SYSTEM, 0, 0, 0);
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH8, IF_OTHER, loop);
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(rig.translator->statistics.flushes, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_left_after_a_flush),
        TEST(no_lookup_leads_to_what_is_gone),
        TEST_ALONE(a_full_cache_is_emptied_and_the_program_goes_on),
        TEST_ALONE(a_cache_that_was_full_of_code_in_use_grows),
        TEST_ALONE(a_cache_that_was_full_of_dead_code_does_not_grow),
        TEST_ALONE(without_memory_a_cache_stays_as_large_as_it_was),
        TEST_ALONE(what_code_was_made_from_grows_with_the_cache),
        TEST_ALONE(fast_returns_do_not_survive_a_flush),
        TEST(a_fragment_that_goes_is_dead_code),
        TEST(tables_of_lookups_grow_by_steps_up_to_their_largest),
        TEST(a_system_call_may_empty_the_cache),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
