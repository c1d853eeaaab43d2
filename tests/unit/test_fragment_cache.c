/* Tests the memory that fragments live in: chunks and gaps of the cache, the pool, marks and index beside it. */
#include "fragment_rig.h"

#define CHUNK CACHE_CHUNK_BYTES

static struct cache cache;
static struct cache_gap gaps[16];
static _Alignas(4096) uint8_t memory[5 * CHUNK / 2];

static int create_cache(void **state)
{
    (void)state;
    cache_create(&cache, memory, sizeof memory, gaps);
    return 0;
}

static void fragments_and_trampolines_grow_towards_each_other(void **state)
{
    (void)state;
    assert_ptr_equal(cache.fragments, memory);
    assert_ptr_equal(cache.trampolines, memory + CHUNK);
    cache_commit(&cache, cache.fragments + 100);
    assert_ptr_equal(cache_add_trampoline(&cache, 20), memory + CHUNK - 24);
    assert_true(cache_has_room(&cache, CHUNK - 124));
    assert_false(cache_has_room(&cache, CHUNK - 123));
}

static void a_full_chunk_is_followed_by_the_next(void **state)
{
    (void)state;
    cache_commit(&cache, cache.fragments + 1000);
    cache_add_trampoline(&cache, 800);
    assert_true(cache_reserve(&cache, CHUNK - 1800));
    assert_ptr_equal(cache.fragments, memory + 1000);
    assert_true(cache_reserve(&cache, CHUNK - 1799));
    assert_ptr_equal(cache.fragments, memory + CHUNK);
    assert_ptr_equal(cache.chunk_end, memory + 2 * CHUNK);
    assert_ptr_equal(gaps[0].start, memory + 1000);
    assert_ptr_equal(gaps[0].end, memory + CHUNK - 800);
}

static void the_last_chunk_may_be_smaller(void **state)
{
    (void)state;
    assert_true(cache_reserve(&cache, CHUNK));
    cache_commit(&cache, cache.fragments + 1);
    assert_true(cache_reserve(&cache, CHUNK));
    cache_commit(&cache, cache.fragments + 1);
    assert_false(cache_reserve(&cache, CHUNK));
    assert_ptr_equal(cache.chunk_end, memory + sizeof memory);
    assert_true(cache_reserve(&cache, CHUNK / 2));
    cache_commit(&cache, cache.fragments + 1);
    assert_false(cache_reserve(&cache, CHUNK / 2));
}

static void what_was_left_of_a_chunk_can_be_taken(void **state)
{
    (void)state;
    assert_null(cache_take_gap(&cache, memory, 8)); /* it is in use */
    cache_commit(&cache, cache.fragments + 1001);
    cache_add_trampoline(&cache, 800);
    assert_true(cache_reserve(&cache, CHUNK));
    assert_ptr_equal(cache_take_gap(&cache, memory + 500, 100), memory + 1008);
    assert_ptr_equal(cache_take_gap(&cache, memory + CHUNK - 8, 1), memory + 1112);
    assert_null(cache_take_gap(&cache, memory, CHUNK));
    assert_ptr_equal(cache_take_gap(&cache, memory, CHUNK - 800 - 1120), memory + 1120);
    assert_null(cache_take_gap(&cache, memory, 1));
    assert_null(cache_take_gap(&cache, memory + CHUNK, 1));
}

static void an_empty_cache_begins_anew_and_has_no_gaps(void **state)
{
    (void)state;
    cache_commit(&cache, cache.fragments + 1000);
    assert_true(cache_reserve(&cache, CHUNK));
    cache.dead_bytes = 5;
    cache_clear(&cache);
    assert_ptr_equal(cache.fragments, memory);
    assert_ptr_equal(cache.trampolines, memory + CHUNK);
    assert_int_equal(cache.dead_bytes, 0);
    assert_null(cache_take_gap(&cache, memory, 8));
}

static void space_is_made_for_a_cache_of_any_size(void **state)
{
    (void)state;
    for (size_t bytes = CACHE_BYTES_MIN; bytes <= CACHE_BYTES_DEFAULT; bytes *= 4) {
        struct options options = rig_options();
        options.cache_bytes = bytes;
        rig_create(&rig, &options);
        const struct translator *translator = rig.translator;
        assert_int_equal(translator->cache.end - translator->cache.start, bytes);
        assert_true(space_has_room(translator));
        assert_int_equal((translator->index.mask + 1) * INDEX_CACHE_BYTES_PER_BUCKET, bytes);
        rig_destroy(&rig);
    }
}

static void without_memory_there_is_no_space_and_none_is_kept(void **state)
{
    static struct translator translator;
    unsigned before = 0, after = 0;

    (void)state;
    for (unsigned i = 0; i < RIG_MAPS; i++) {
        before += rig.maps[i].start != NULL;
    }
    for (unsigned left = 0; left < 4; left++) {
        rig.maps_left = left;
        assert_false(space_create(&translator, CACHE_BYTES_MIN));
    }
    for (unsigned i = 0; i < RIG_MAPS; i++) {
        after += rig.maps[i].start != NULL;
    }
    assert_int_equal(before, after);
}

static void there_is_no_room_if_any_part_is_full(void **state)
{
    struct translator *translator = rig.translator;

    (void)state;
    assert_true(space_has_room(translator));
    const struct pool pool = translator->pool;
    translator->pool.next = pool.last + 1;
    assert_false(space_has_room(translator));
    assert_false(space_use_more(translator)); /* another chunk does not help */
    translator->pool = pool;
    const struct marks marks = translator->marks;
    translator->marks.next = marks.last + 1;
    assert_false(space_has_room(translator));
    translator->marks = marks;
    translator->cache.fragments = translator->cache.trampolines - 100;
    assert_false(space_has_room(translator));
    assert_true(space_use_more(translator));
    assert_true(space_has_room(translator));
}

static void what_is_taken_from_the_pool_is_zero_even_after_a_flush(void **state)
{
    struct translator *translator = rig.translator;

    (void)state;
    memset(pool_take(&translator->pool, 1000), 0xff, 1000);
    space_clear(translator);
    const uint8_t *taken = pool_take(&translator->pool, 1000);
    for (unsigned i = 0; i < 1000; i++) {
        assert_int_equal(taken[i], 0);
    }
}

static void fragments_are_found_by_their_addresses(void **state)
{
    struct index *index = &rig.translator->index;
    const size_t size = index->mask + 1;
    static struct fragment fragments[3];

    (void)state;
    for (unsigned i = 0; i < 3; i++) { /* all in one bucket */
        fragments[i].start = CODE + i * size;
        index_add(index, &fragments[i]);
    }
    for (unsigned i = 0; i < 3; i++) {
        assert_ptr_equal(index_find(index, CODE + i * size), &fragments[i]);
    }
    assert_null(index_find(index, CODE + 3 * size));
    assert_null(index_find(index, CODE + 1));
    index_remove(index, &fragments[1]);
    assert_null(index_find(index, CODE + size));
    assert_ptr_equal(index_find(index, CODE), &fragments[0]);
    assert_ptr_equal(index_find(index, CODE + 2 * size), &fragments[2]);
    index_clear(index);
    assert_null(index_find(index, CODE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(fragments_and_trampolines_grow_towards_each_other, create_cache),
        cmocka_unit_test_setup(a_full_chunk_is_followed_by_the_next, create_cache),
        cmocka_unit_test_setup(the_last_chunk_may_be_smaller, create_cache),
        cmocka_unit_test_setup(what_was_left_of_a_chunk_can_be_taken, create_cache),
        cmocka_unit_test_setup(an_empty_cache_begins_anew_and_has_no_gaps, create_cache),
        TEST_ALONE(space_is_made_for_a_cache_of_any_size),
        TEST(without_memory_there_is_no_space_and_none_is_kept),
        TEST(there_is_no_room_if_any_part_is_full),
        TEST(what_is_taken_from_the_pool_is_zero_even_after_a_flush),
        TEST(fragments_are_found_by_their_addresses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
