/* Tests that the engine's work grows with the number of decoded blocks and not faster, by counting it. */
#include "engine_fixture.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define BIG UINT64_C(0x10000000)
/* More than the arena has room for when it is created, and than the indexes have buckets. */
#define MANY 300000u

static uint64_t chain_bytes(uint64_t blocks)
{
    return (blocks * 8 + 4 + GUEST_PAGE_BYTES - 1) & ~(GUEST_PAGE_BYTES - 1);
}

/* `blocks` of two instructions each at `start`, one after the other, then ecall. */
static void write_chain(guest_addr start, uint64_t blocks)
{
    rig_map(&rig, start, chain_bytes(blocks), PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    rig.at = start;
    const uint32_t add = rig_word(RV64_addi, 5, 5, 0, 1);
    const uint32_t jump = rig_word(RV64_jal, 0, 0, 0, 4);
    for (uint64_t i = 0; i < blocks; i++) {
        rig_put_word(&rig, add);
        rig_put_word(&rig, jump);
    }
    put_ecall(&rig);
}

static bool chain_runs(guest_addr start, uint64_t blocks)
{
    rig_reset_hart(&rig);
    rig.hart.pc = start;
    return engine_run(rig.engine, &rig.hart, 10 * blocks) == ENGINE_ECALL &&
           rig.hart.x[5] == blocks && rig.hart.instructions == 2 * blocks + 1 &&
           rig.hart.pc == start + 8 * blocks;
}

static void run_chain(guest_addr start, uint64_t blocks)
{
    assert_true(chain_runs(start, blocks));
}

/* `li x5, value` and an ecall at `start`, made visible in one way or the other. */
static void replace_code(guest_addr start, unsigned value)
{
    rig.at = start;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 0, value);
    put_ecall(&rig);
    if (value % 2 == 0) {
        engine_sync_all(rig.engine);
    } else {
        engine_sync_range(rig.engine, start, 8);
    }
}

static void run_code(guest_addr start, unsigned value)
{
    rig.hart.pc = start;
    assert_int_equal(engine_run(rig.engine, &rig.hart, 10), ENGINE_ECALL);
    assert_int_equal(rig.hart.x[5], value);
}

static struct engine_statistics statistics(void)
{
    return *engine_statistics(rig.engine);
}

static void each_block_is_decoded_once(void **unused)
{
    (void)unused;
    write_chain(BIG, MANY);
    for (unsigned round = 0; round < 3; round++) {
        run_chain(BIG, MANY);
        assert_int_equal(statistics().blocks_decoded, MANY + 1);
    }
    assert_int_equal(statistics().flushes, 0);
    assert_true(rig.engine->arena.room > ARENA_FIRST_BYTES);
}

static void blocks_stay_when_the_arena_grows(void **unused)
{
    const guest_addr other = BIG + UINT64_C(0x10000000);
    (void)unused;
    write_chain(other, 1000);
    run_chain(other, 1000);
    write_chain(BIG, MANY);
    run_chain(BIG, MANY);
    const uint64_t decoded = statistics().blocks_decoded;
    run_chain(other, 1000);
    assert_int_equal(statistics().blocks_decoded, decoded);
    engine_sync_range(rig.engine, other, 8);
    run_chain(other, 1000);
    assert_int_equal(statistics().blocks_compared, 1);
    assert_int_equal(statistics().blocks_decoded, decoded);
}

/* The most that it may have: all is thrown away, and decoded again. */
static void more_code_than_the_largest_arena_holds_runs(void **unused)
{
    (void)unused;
    rig.engine->arena.most = ARENA_FIRST_BYTES;
    write_chain(BIG, MANY);
    run_chain(BIG, MANY);
    const uint64_t flushes = statistics().flushes;
    assert_true(flushes >= 1);
    run_chain(BIG, MANY);
    assert_true(statistics().flushes > flushes);
    assert_int_equal(rig.engine->arena.room, ARENA_FIRST_BYTES);
    rig.engine->arena.most = ARENA_MOST_BYTES;
    run_chain(BIG, MANY);
    run_chain(BIG, MANY);
    const uint64_t decoded = statistics().blocks_decoded;
    run_chain(BIG, MANY);
    assert_int_equal(statistics().blocks_decoded, decoded);
}

static void run_without_memory(void)
{
    struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    setrlimit(RLIMIT_DATA, &none);
    bool right = true;
    for (unsigned round = 0; round < 2; round++) {
        right = chain_runs(BIG, MANY) && right;
    }
    _exit(right && statistics().flushes >= 1 && rig.engine->by_pc.bits == INDEX_FIRST_BITS ? 0 : 1);
}

/* Neither the arena nor the indexes can grow: flushes and long chains, and the same results. */
static void engine_goes_on_where_the_host_has_no_more_memory(void **unused)
{
    (void)unused;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* the sanitizer's own allocator ends the program */
#endif
    write_chain(BIG, MANY);
    int status = -1;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        run_without_memory();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* A branch whose other way is taken for the first time just when the arena is
 * full: its own block makes room for the one that it leads to. */
static void a_link_from_a_flushed_block_is_not_made(void **unused)
{
    (void)unused;
    rig.at = CODE;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, -1);
    put_branch(&rig, RV64_bne, 5, 0, CODE);
    for (unsigned i = 0; i < 40; i++) {
        put_rd_rs1_imm(&rig, RV64_addi, 6, 6, 1);
    }
    put_ecall(&rig);
    rig_reset_hart(&rig);
    rig.hart.x[5] = 100;
    assert_int_equal(engine_run(rig.engine, &rig.hart, 198), ENGINE_BUDGET);
    const size_t room = rig.engine->arena.room;
    rig.engine->arena.used = rig.engine->arena.most = room;
    assert_int_equal(engine_run(rig.engine, &rig.hart, 1000), ENGINE_ECALL);
    assert_int_equal(statistics().flushes, 1);
    assert_int_equal(rig.hart.x[6], 40);
    for (unsigned i = 1; i < 4; i++) {
        rig_reset_hart(&rig);
        rig.hart.x[5] = i;
        assert_int_equal(engine_run(rig.engine, &rig.hart, 1000), ENGINE_ECALL);
        assert_int_equal(rig.hart.x[6], 40);
        assert_int_equal(rig.hart.instructions, 2 * i + 41);
    }
}

/* Dead blocks fill the arena, which starts again instead of growing. */
static void code_that_is_rewritten_needs_no_more_room(void **unused)
{
    (void)unused;
    write_chain(BIG, 1000);
    for (unsigned i = 0; i < MANY; i++) {
        replace_code(CODE, i % 1000);
        run_code(CODE, i % 1000);
        if (i % 100 == 0) {
            run_chain(BIG, 1000);
        }
    }
    assert_true(statistics().flushes >= 1);
    assert_int_equal(rig.engine->arena.room, ARENA_FIRST_BYTES);
    /* Each flush costs the chain once more, and nothing else does. */
    assert_int_equal(statistics().blocks_decoded, MANY + 1001 * (1 + statistics().flushes));
}

/* As from a compiler at run time that maps and unmaps: nobody looks for the blocks again. */
static void code_that_is_unmapped_needs_no_more_room(void **unused)
{
    enum { BLOCKS = 20000, TIMES = 30 };
    guest_addr start = BIG;
    (void)unused;
    for (unsigned i = 0; i < TIMES; i++) {
        write_chain(start, BLOCKS);
        run_chain(start, BLOCKS);
        assert_int_equal(memory_unmap(&rig.memory, start, chain_bytes(BLOCKS)), 0);
        start += chain_bytes(BLOCKS);
    }
    assert_true(statistics().flushes >= 1);
    assert_int_equal(rig.engine->arena.room, ARENA_FIRST_BYTES);
}

/* What a lookup of each block looks at, on average, in hundredths. */
static uint64_t mean_steps(const struct block_index *index, uint64_t *longest)
{
    uint64_t steps = 0;
    *longest = 0;
    for (size_t i = 0; i < (size_t)1 << index->bits; i++) {
        uint64_t length = 0;
        for (const struct block_link *link = index->buckets[i]; link != NULL; link = link->next) {
            steps += ++length;
        }
        *longest = length > *longest ? length : *longest;
    }
    return 100 * steps / index->count;
}

static void chains_stay_short(void **unused)
{
    enum { BLOCKS = 50000 };
    static const uint64_t distances[] = {2,   4,   6,   8,    10,   24,   32,    64,
                                         100, 256, 400, 1024, 4096, 8192, 65536, 1 << 20};
    (void)unused;
    struct block *blocks = calloc(BLOCKS, sizeof *blocks);
    assert_non_null(blocks);
    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; i++) {
        struct block_index index;
        uint64_t longest;
        assert_true(index_create(&index));
        for (uint64_t n = 0; n < BLOCKS; n++) {
            blocks[n].pc = BIG + n * distances[i];
            blocks[n].links[LINK_PC].block = &blocks[n];
            index_insert(&index, index_key_of_pc(blocks[n].pc), &blocks[n].links[LINK_PC]);
            if (n == 100 || n == 20000 || n == BLOCKS - 1) {
                assert_int_equal(index.count, n + 1);
                assert_true(mean_steps(&index, &longest) <= 170);
                assert_true(longest <= 12);
            }
        }
        for (uint64_t n = 0; n < BLOCKS; n++) {
            index_remove(&index, &blocks[n].links[LINK_PC]);
        }
        assert_int_equal(index.count, 0);
        index_destroy(&index);
    }
    free(blocks);
}

static void indexes_grow_with_the_blocks(void **unused)
{
    uint64_t longest;
    (void)unused;
    write_chain(BIG, MANY);
    run_chain(BIG, MANY);
    assert_int_equal(rig.engine->by_pc.count, MANY + 1);
    assert_true(mean_steps(&rig.engine->by_pc, &longest) <= 170);
    /* 32 of these blocks have their code in one granule. */
    assert_true(mean_steps(&rig.engine->by_granule, &longest) <= 1700);
    assert_true(longest <= 160);
    engine_rewatch(rig.engine, 0, GUEST_SPACE_BYTES);
    assert_int_equal(rig.engine->by_pc.count, 0);
    assert_int_equal(rig.engine->by_granule.count, 0);
    run_chain(BIG, MANY);
    assert_int_equal(statistics().blocks_decoded, 2 * (MANY + 1));
}

static void sync_of_a_few_bytes_costs_no_more_with_much_code(void **unused)
{
    enum { BLOCKS = 100000 };
    (void)unused;
    write_chain(CODE, 100);
    run_chain(CODE, 100);
    write_chain(BIG, BLOCKS);
    run_chain(BIG, BLOCKS);
    const struct engine_statistics before = statistics();
    engine_sync_range(rig.engine, CODE + 0x100, 4);
    engine_sync_range(rig.engine, DATA, 4); /* never decoded */
    /* A granule of 256 bytes holds 32 of these blocks. */
    assert_int_equal(statistics().blocks_marked - before.blocks_marked, 32);
    run_chain(BIG, BLOCKS);
    run_chain(CODE, 100);
    assert_int_equal(statistics().blocks_compared - before.blocks_compared, 1);
}

/* As a translator shows its fragments, one after the other. */
static void each_new_piece_of_code_costs_the_same(void **unused)
{
    enum { FIRST = 1000 };
    uint64_t marked_first = 0, compared_first = 0;
    (void)unused;
    rig_map(&rig, BIG, chain_bytes(MANY), PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    for (unsigned i = 0; i < MANY; i++) {
        replace_code(BIG + 8 * i, i % 1000);
        run_code(BIG + 8 * i, i % 1000);
        if (i + 1 == FIRST) {
            marked_first = statistics().blocks_marked;
            compared_first = statistics().blocks_compared;
        }
    }
    assert_int_equal(statistics().blocks_decoded, MANY);
    assert_true(statistics().blocks_marked <= MANY / FIRST * marked_first * 11 / 10);
    assert_int_equal(statistics().blocks_compared, compared_first);
    assert_int_equal(statistics().flushes, 0);
}

/* Each time the same: it pays for the blocks that were entered since the last time. */
static void sync_of_everything_costs_what_was_entered_since(void **unused)
{
    (void)unused;
    write_chain(BIG, MANY);
    run_chain(BIG, MANY);
    write_chain(CODE, 10);
    for (unsigned i = 0; i < 10; i++) {
        run_chain(CODE, 10);
        const struct engine_statistics before = statistics();
        engine_sync_range(rig.engine, 0, GUEST_SPACE_BYTES);
        assert_int_equal(statistics().blocks_marked - before.blocks_marked,
                         i == 0 ? MANY + 12 : 11);
    }
    run_chain(BIG, MANY);
    assert_int_equal(statistics().blocks_decoded, MANY + 12);
}

/* What lies outside a large range is looked at, and stays as it is. */
static void sync_of_a_large_range_leaves_other_blocks_alone(void **unused)
{
    (void)unused;
    write_chain(BIG, 100);
    run_chain(BIG, 100);
    write_chain(CODE, 10);
    run_chain(CODE, 10);
    for (unsigned i = 0; i < 3; i++) {
        const struct engine_statistics before = statistics();
        engine_sync_range(rig.engine, BIG, UINT64_C(1) << 30);
        run_chain(CODE, 10);
        assert_int_equal(statistics().blocks_compared, before.blocks_compared);
        run_chain(BIG, 100);
        assert_int_equal(statistics().blocks_compared - before.blocks_compared, 101);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)
    const struct CMUnitTest tests[] = {
        TEST(each_block_is_decoded_once),
        TEST(blocks_stay_when_the_arena_grows),
        TEST(more_code_than_the_largest_arena_holds_runs),
        TEST(engine_goes_on_where_the_host_has_no_more_memory),
        TEST(a_link_from_a_flushed_block_is_not_made),
        TEST(code_that_is_rewritten_needs_no_more_room),
        TEST(code_that_is_unmapped_needs_no_more_room),
        TEST(chains_stay_short),
        TEST(indexes_grow_with_the_blocks),
        TEST(sync_of_a_few_bytes_costs_no_more_with_much_code),
        TEST(each_new_piece_of_code_costs_the_same),
        TEST(sync_of_everything_costs_what_was_entered_since),
        TEST(sync_of_a_large_range_leaves_other_blocks_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
