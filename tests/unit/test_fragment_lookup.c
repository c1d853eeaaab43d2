/* Tests how indirect jumps find their fragments, with each kind of lookup: in tables, in chains, by dispatch. */
#include "fragment_rig.h"

#include "translator/fragment/lookups.h"
#include "translator/fragment/flush.h"

static void create_with(enum indirect indirect, enum returns returns)
{
    struct options options = rig_options();

    options.indirect = indirect;
    options.returns = returns;
    options.lookup_bits = LOOKUP_BITS_MIN;
    rig_create(&rig, &options);
}

/* A loop that calls a function through a register `turns` times. */
static guest_addr write_caller(unsigned turns)
{
    go(CODE + 0x100);
    const guest_addr function = put(TOY_INC, R3, 0, 0);
    put(TOY_RETURN, 0, 0, 0);
    go(CODE);
    put(TOY_CONST32, R4, 0, turns);
    const guest_addr loop = put_to(TOY_LEA, R2, function);
    put(TOY_CALL_REGISTER, 0, R2, 0);
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH8, IF_OTHER, loop);
    put(TOY_HALT, 0, 0, 0);
    return CODE;
}

static void each_kind_of_lookup_finds_its_target(void **state)
{
    static const struct {
        enum indirect indirect;
        enum returns returns;
        uint64_t misses_max;
    } cases[] = {
        {INDIRECT_SIEVE, RETURNS_CACHE, 2},     {INDIRECT_SIEVE, RETURNS_INDIRECT, 2},
        {INDIRECT_IBTC, RETURNS_CACHE, 2},      {INDIRECT_IBTC, RETURNS_INDIRECT, 2},
        {INDIRECT_BUILDER, RETURNS_CACHE, 101}, {INDIRECT_BUILDER, RETURNS_INDIRECT, 200},
        {INDIRECT_SIEVE, RETURNS_FAST, 1},      {INDIRECT_IBTC, RETURNS_FAST, 1},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        create_with(cases[i].indirect, cases[i].returns);
        assert_int_equal(rig_run(&rig, write_caller(100)), TOY_HALTED);
        assert_int_equal(reg(R3), 100);
        assert_int_equal(rig.translator->statistics.lookup_misses, cases[i].misses_max);
        rig_destroy(&rig);
    }
}

/* Functions whose addresses have the same entry in each table. */
#define SAME (1u << LOOKUP_BITS_MIN)

static guest_addr write_callers_of(unsigned functions, unsigned turns)
{
    for (unsigned i = 0; i < functions; i++) {
        go(CODE + PAGE + i * SAME);
        put(TOY_ADD8, R3, 0, i);
        put(TOY_RETURN, 0, 0, 0);
    }
    go(CODE);
    put(TOY_CONST32, R4, 0, turns);
    const guest_addr loop = here();
    for (unsigned i = 0; i < functions; i++) {
        put(TOY_CONST64, R2, 0, (int64_t)(CODE + PAGE + i * SAME));
        put(TOY_CALL_REGISTER, 0, R2, 0);
    }
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH32, IF_OTHER, loop);
    put(TOY_HALT, 0, 0, 0);
    return CODE;
}

static void targets_that_share_an_entry_are_told_apart(void **state)
{
    (void)state;
    for (unsigned indirect = INDIRECT_SIEVE; indirect <= INDIRECT_BUILDER; indirect++) {
        create_with((enum indirect)indirect, RETURNS_CACHE);
        assert_int_equal(rig_run(&rig, write_callers_of(9, 20)), TOY_HALTED);
        assert_int_equal(reg(R3), 20 * 36);
        if (indirect == INDIRECT_SIEVE) { /* and none is looked for twice */
            assert_int_equal(rig.translator->statistics.lookup_misses, 18);
            assert_int_equal(rig.translator->lookup_count, 18);
        }
        rig_destroy(&rig);
    }
}

/* The check of a fragment that was built for a lookup falls into it; that of another stands elsewhere. */
static void a_fragment_that_is_built_for_a_lookup_has_its_check_before_it(void **state)
{
    (void)state;
    create_with(INDIRECT_SIEVE, RETURNS_CACHE);
    const guest_addr start = write_callers_of(2, 3);
    const struct fragment *before = rig_build(&rig, CODE + PAGE); /* by no lookup */
    assert_int_equal(rig_run(&rig, start), TOY_HALTED);
    const struct fragment *by_lookup = rig_find(&rig, CODE + PAGE + SAME);
    const uint8_t *check = by_lookup->checks.of[false][LOOKUP_SIEVE];
    assert_in_range((uintptr_t)check, (uintptr_t)by_lookup->code, (uintptr_t)by_lookup->entry);
    const uint8_t *elsewhere = before->checks.of[false][LOOKUP_SIEVE];
    assert_non_null(elsewhere);
    assert_not_in_range((uintptr_t)elsewhere, (uintptr_t)before->code, (uintptr_t)before->entry);
    rig_destroy(&rig);
}

static void a_fragment_that_goes_is_found_no_more(void **state)
{
    (void)state;
    for (unsigned indirect = INDIRECT_SIEVE; indirect <= INDIRECT_IBTC; indirect++) {
        create_with((enum indirect)indirect, RETURNS_CACHE);
        rig.translator->far_way_bytes = TARGET_FAR_WAY_BYTES;
        const guest_addr start = write_callers_of(5, 4);
        assert_int_equal(rig_run(&rig, start), TOY_HALTED);
        const uint64_t misses = rig.translator->statistics.lookup_misses;
        const uint64_t count = rig.translator->lookup_count;
        /* The one in the middle of a chain, whose neighbours must stay. */
        struct fragment *middle = rig_find(&rig, CODE + PAGE + 2 * SAME);
        flush_cut(rig.translator, middle);
        flush_fragment(rig.translator, middle);
        rig.threads[0].context->registers.r[R3] = 0;
        assert_int_equal(rig_run(&rig, start), TOY_HALTED);
        assert_int_equal(reg(R3), 4 * 10);
        if (indirect == INDIRECT_SIEVE) {
            assert_int_equal(rig.translator->statistics.lookup_misses, misses + 1);
            assert_int_equal(rig.translator->lookup_count, count);
        }
        rig_destroy(&rig);
    }
}

static void tables_that_are_crowded_grow(void **state)
{
    (void)state;
    create_with(INDIRECT_SIEVE, RETURNS_INDIRECT);
    const unsigned functions = LOOKUPS_PER_ENTRY << LOOKUP_BITS_MIN;
    assert_int_equal(rig_run(&rig, write_callers_of(functions, 3)), TOY_HALTED);
    assert_int_equal(rig.translator->lookup_bits, LOOKUP_BITS_MIN + LOOKUP_BITS_STEP);
    assert_int_equal(rig.translator->statistics.flushes, 1);
    assert_int_equal(rig.translator->lookup_count, 2 * functions);
    rig_destroy(&rig);
}

static void tables_of_a_fixed_size_stay(void **state)
{
    struct options options = rig_options();

    (void)state;
    options.lookup_bits = LOOKUP_BITS_MIN;
    options.lookup_fixed = true;
    rig_create(&rig, &options);
    const unsigned functions = LOOKUPS_PER_ENTRY << LOOKUP_BITS_MIN;
    assert_int_equal(rig_run(&rig, write_callers_of(functions, 3)), TOY_HALTED);
    assert_int_equal(rig.translator->lookup_bits, LOOKUP_BITS_MIN);
    assert_int_equal(rig.translator->statistics.flushes, 0);
    rig_destroy(&rig);
}

/* They have one target for each entry: nothing becomes longer. */
static void inline_lookups_and_the_builder_do_not_crowd_tables(void **state)
{
    (void)state;
    for (unsigned indirect = INDIRECT_IBTC; indirect <= INDIRECT_BUILDER; indirect++) {
        create_with((enum indirect)indirect, RETURNS_INDIRECT);
        const unsigned functions = LOOKUPS_PER_ENTRY << LOOKUP_BITS_MIN;
        assert_int_equal(rig_run(&rig, write_callers_of(functions, 3)), TOY_HALTED);
        assert_int_equal(rig.translator->statistics.flushes, 0);
        rig_destroy(&rig);
    }
}

/* No memory is at such an address, but the program may jump there: it faults there, and nowhere else. */
static void an_address_with_the_mark_of_calls_is_not_another(void **state)
{
    (void)state;
    create_with(INDIRECT_SIEVE, RETURNS_CACHE);
    put(TOY_CONST64, R2, 0, (int64_t)((CODE + 0x100) | TARGET_CALL_MARK));
    put(TOY_JUMP_REGISTER, 0, R2, 0);
    go(CODE + 0x100);
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_FAULTED);
    assert_int_equal(rig.threads[0].pc, (CODE + 0x100) | TARGET_CALL_MARK);
    rig_destroy(&rig);
}

/* A lookup that was added when there was no room any more empties the cache. */
static void without_room_for_a_check_the_cache_is_emptied(void **state)
{
    (void)state;
    create_with(INDIRECT_SIEVE, RETURNS_CACHE);
    const guest_addr start = write_caller(3);
    rig_build(&rig, CODE + 0x100); /* it is there before the lookup */
    rig_build(&rig, CODE);
    struct cache *cache = &rig.translator->cache;
    while (cache->chunk_end != cache->end) {
        cache_reserve(cache, CACHE_CHUNK_BYTES + 1);
    }
    cache->fragments = cache->trampolines - 8;
    assert_int_equal(rig_run(&rig, start), TOY_HALTED);
    assert_int_equal(rig.translator->statistics.flushes, 1);
    /* The function was built again for the lookup that found no room, and the next ones find it. */
    const struct fragment *function = rig_find(&rig, CODE + 0x100);
    const uint8_t *check = function->checks.of[false][LOOKUP_SIEVE];
    assert_in_range((uintptr_t)check, (uintptr_t)function->code, (uintptr_t)function->entry);
    assert_int_equal(rig.translator->statistics.lookup_misses, 2);
    rig_destroy(&rig);
}

static void fast_returns_go_where_the_call_was_made(void **state)
{
    (void)state;
    create_with(INDIRECT_SIEVE, RETURNS_FAST);
    rig.compares = false; /* the program can tell */
    go(CODE + 0x100);
    put(TOY_LOAD8, R3, SP, 0); /* it sees an address of the cache */
    put(TOY_POP, R2, 0, 0);
    put(TOY_JUMP_REGISTER, 0, R2, 0); /* which leads back all the same */
    go(CODE);
    put_to(TOY_CALL32, 0, CODE + 0x100);
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(rig.threads[0].pc, CODE + 5);
    assert_true(reg(R3) >= (uintptr_t)rig.translator->cache.start &&
                reg(R3) < (uintptr_t)rig.translator->cache.end);
    assert_int_equal(target_program_address(rig.translator, reg(R3)), CODE + 5);
    assert_int_equal(target_program_address(rig.translator, CODE), CODE);
    rig_destroy(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(each_kind_of_lookup_finds_its_target),
        TEST_ALONE(targets_that_share_an_entry_are_told_apart),
        TEST_ALONE(a_fragment_that_is_built_for_a_lookup_has_its_check_before_it),
        TEST_ALONE(a_fragment_that_goes_is_found_no_more),
        TEST_ALONE(tables_that_are_crowded_grow),
        TEST_ALONE(tables_of_a_fixed_size_stay),
        TEST_ALONE(inline_lookups_and_the_builder_do_not_crowd_tables),
        TEST_ALONE(an_address_with_the_mark_of_calls_is_not_another),
        TEST_ALONE(without_room_for_a_check_the_cache_is_emptied),
        TEST_ALONE(fast_returns_go_where_the_call_was_made),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
