/* Tests the engine at its fixed sizes: block length, full buckets, units, and JSON depth. */
#include "engine_fixture.h"

#include "report/json_statistics.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAR UINT64_C(0x40000000)

static void run_from(guest_addr start, uint64_t instructions)
{
    rig_reset_hart(&rig);
    rig.hart.pc = start;
    assert_int_equal(engine_run(rig.engine, &rig.hart, instructions + 10), ENGINE_ECALL);
    assert_int_equal(rig.hart.instructions, instructions);
}

static void straight_code_of_any_length_runs(void **unused)
{
    static const unsigned lengths[] = {1,
                                       BLOCK_INSTRUCTIONS - 1,
                                       BLOCK_INSTRUCTIONS,
                                       65,
                                       2 * BLOCK_INSTRUCTIONS - 1,
                                       2 * BLOCK_INSTRUCTIONS,
                                       129,
                                       1023,
                                       1024,
                                       1025,
                                       10000};
    (void)unused;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        rig.at = CODE;
        for (unsigned n = 0; n < lengths[i]; n++) {
            put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 1);
        }
        put_ecall(&rig);
        engine_sync_all(rig.engine);
        run_from(CODE, lengths[i] + 1);
        assert_int_equal(rig.hart.x[5], lengths[i]);
        assert_true(blocks_get(rig.engine, CODE)->instructions <= BLOCK_INSTRUCTIONS);
    }
}

static void straight_compressed_code_runs(void **unused)
{
    (void)unused;
    rig.at = CODE;
    for (unsigned n = 0; n < 5001; n++) {
        rig_put_half(&rig, 0x0285); /* c.addi x5, 1 */
    }
    put_ecall(&rig); /* not on a multiple of four */
    run_from(CODE, 5002);
    assert_int_equal(rig.hart.x[5], 5001);
    for (unsigned first = 0; first < 130; first++) {
        run_from(CODE + 2 * first, 5002 - first);
        assert_int_equal(rig.hart.x[5], 5001 - first);
    }
}

/* Addresses at which blocks share a bucket of the engine's index, and a place in its jump cache. */
static void find_places_of_one_bucket(guest_addr *places, unsigned count)
{
    const struct block_index *index = &rig.engine->by_pc;
    const uint64_t step = 2 * JUMP_CACHE_ENTRIES;
    struct block_link **bucket = index_bucket(index, index_key_of_pc(FAR));
    guest_addr place = FAR;
    for (unsigned i = 0; i < count; i++, place += step) {
        while (index_bucket(index, index_key_of_pc(place)) != bucket) {
            place += step;
        }
        places[i] = place;
    }
}

static void blocks_that_share_a_bucket_are_told_apart(void **unused)
{
    enum { PLACES = 100 };
    guest_addr places[PLACES + 1];
    (void)unused;
    find_places_of_one_bucket(places, PLACES + 1);
    for (unsigned i = 0; i <= PLACES; i++) {
        rig_map(&rig, places[i], GUEST_PAGE_BYTES, PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
        rig.at = places[i];
        if (i == PLACES) {
            put_ecall(&rig);
            break;
        }
        put_rd_rs1_imm(&rig, RV64_addi, 5, 5, (int64_t)i);
        put_rd_rs1_imm(&rig, RV64_ld, 6, 7, 0);
        put_rd_rs1_imm(&rig, RV64_addi, 7, 7, 8);
        put_rd_rs1_imm(&rig, RV64_jalr, 0, 6, 0);
    }
    assert_true(memory_write(&rig.memory, DATA, places, sizeof places));
    for (unsigned round = 0; round < 3; round++) {
        rig_reset_hart(&rig);
        rig.hart.pc = places[0];
        rig.hart.x[7] = DATA + sizeof places[0];
        assert_int_equal(engine_run(rig.engine, &rig.hart, 10000), ENGINE_ECALL);
        assert_int_equal(rig.hart.x[5], PLACES * (PLACES - 1) / 2);
        assert_int_equal(rig.hart.instructions, 4 * PLACES + 1);
        if (round == 1) {
            engine_rewatch(rig.engine, places[50], 4);
            engine_sync_range(rig.engine, places[51], 4);
        }
    }
}

static void block_in_two_granules_of_one_bucket_is_taken_out_of_use_once(void **unused)
{
    const struct block_index *index = &rig.engine->by_granule;
    guest_addr border = FAR;
    (void)unused;
    while (index_bucket(index, (border >> GRANULE_BITS) - 1) !=
           index_bucket(index, border >> GRANULE_BITS)) {
        border += GUEST_PAGE_BYTES;
    }
    rig_map(&rig, border - GUEST_PAGE_BYTES, 2 * GUEST_PAGE_BYTES,
            PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    rig.at = border - 6;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 1);
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 2);
    put_ecall(&rig);
    for (unsigned i = 0; i < 3; i++) {
        run_from(border - 6, 3);
        assert_int_equal(rig.hart.x[5], 3);
        engine_rewatch(rig.engine, border - 2, 4);
        run_from(border - 6, 3);
        engine_sync_range(rig.engine, border - 8, 16);
        run_from(border - 6, 3);
        engine_rewatch(rig.engine, border - 8, 1 << 20);
    }
}

/* A unit that watches all there is. */
static struct watch_request watch_all(struct unit *unit,
                                      const struct watch_instruction *instruction)
{
    static struct watch_cell cells[UNITS_MAX];
    const unsigned flags = instruction->flags;
    unsigned number = 0;
    while (rig.units.units[number] != unit) {
        number++;
    }
    return (struct watch_request){
        .events = WATCH_COUNTED | WATCH_EXECUTED | WATCH_RETIRED |
                  (flags & (WATCHED_LOAD | WATCHED_STORE) ? (unsigned)WATCH_MEMORY : 0u) |
                  (flags & (WATCHED_CONDITIONAL | WATCHED_JUMP) ? (unsigned)WATCH_BRANCH : 0u),
        .cell = &cells[number]};
}

static uint64_t heard;

static void hear(struct unit *unit, const struct watch_event *event)
{
    (void)unit;
    (void)event;
    heard++;
}

static const struct unit_kind all = {.name = "all",
                                     .watches = watch_all,
                                     .branch = hear,
                                     .memory = hear,
                                     .executed = hear,
                                     .retired = hear};

/* The largest block that can be: each instruction with every op before and behind it. */
static void largest_block_with_most_units_fits(void **unused)
{
    struct unit units[UNITS_MAX];
    (void)unused;
    for (unsigned i = 0; i < UNITS_MAX; i++) {
        units[i] = (struct unit){.kind = &all};
        rig.units.units[rig.units.count++] = &units[i];
    }
    rig.at = CODE;
    for (unsigned i = 0; i < 3 * BLOCK_INSTRUCTIONS; i++) {
        put_rd_rs1_imm(&rig, RV64_ld, 6, 7, 0);
    }
    put_branch(&rig, RV64_beq, 0, 0, rig.at + 4);
    put_ecall(&rig);
    rig_reset_hart(&rig);
    rig.hart.x[7] = DATA;
    heard = 0;
    assert_int_equal(engine_run(rig.engine, &rig.hart, 10000), ENGINE_ECALL);
    assert_int_equal(rig.hart.instructions, 3 * BLOCK_INSTRUCTIONS + 2);
    assert_int_equal(heard, UNITS_MAX * (3 * 3 * BLOCK_INSTRUCTIONS + 3 + 2));
    rig.units.count = 0;
}

/* Runs `action` in another process; how that one ended. */
static int ending_of(void (*action)(void))
{
    int status = -1;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        close(2);
        action();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void nest(unsigned levels)
{
    struct json_statistics json;
    struct statistics *s = &json.sink;
    json_statistics_begin(&json);
    for (unsigned i = 0; i < levels; i++) {
        s->begin(s, "in");
    }
    s->number(s, "value", 1);
    for (unsigned i = 0; i < levels; i++) {
        s->end(s);
    }
    if (!json_statistics_write(&json, "statistics", "/dev/null")) {
        _exit(1);
    }
}

static void nest_deepest(void)
{
    nest(JSON_DEPTH - 1);
}

static void nest_too_deep(void)
{
    nest(JSON_DEPTH);
}

static void deeper_statistics_than_foreseen_are_a_broken_invariant(void **unused)
{
    (void)unused;
    assert_int_equal(ending_of(nest_deepest), 0);
    const int status = ending_of(nest_too_deep);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void run_with_too_large_a_budget(void)
{
    engine_run(rig.engine, &rig.hart, COST_LOOK);
}

static void larger_budget_than_foreseen_is_a_broken_invariant(void **unused)
{
    (void)unused;
    put_ecall(&rig);
    rig_reset_hart(&rig);
    const int status = ending_of(run_with_too_large_a_budget);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_int_equal(engine_run(rig.engine, &rig.hart, COST_LOOK - 1), ENGINE_ECALL);
    assert_int_equal(rig.hart.instructions, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)
    const struct CMUnitTest tests[] = {
        TEST(straight_code_of_any_length_runs),
        TEST(straight_compressed_code_runs),
        TEST(blocks_that_share_a_bucket_are_told_apart),
        TEST(block_in_two_granules_of_one_bucket_is_taken_out_of_use_once),
        TEST(largest_block_with_most_units_fits),
        TEST(deeper_statistics_than_foreseen_are_a_broken_invariant),
        TEST(larger_budget_than_foreseen_is_a_broken_invariant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
