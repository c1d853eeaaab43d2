/* Tests the engine's promises: exact budgets, links, changed code. */
#include "engine_fixture.h"

#include <stdlib.h>

#define STEPS 420u

/* Loops, calls, both ways of a branch, pairs, memory and compressed code; never ends. */
static void write_mixture(void)
{
    const guest_addr function = CODE + 0x800;
    rig.at = CODE;
    const guest_addr loop = rig.at;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 1);
    put_rd_rs1_imm(&rig, RV64_andi, 6, 5, 31);
    put_rd_rs1_imm(&rig, RV64_slli, 6, 6, 3);
    put_rd_rs1_rs2(&rig, RV64_add, 6, 6, 7);
    put_store(&rig, RV64_sd, 5, 6, 0);
    put_rd_rs1_imm(&rig, RV64_ld, 8, 6, 0);
    put_rd_rs1_imm(&rig, RV64_andi, 9, 5, 3);
    put_branch(&rig, RV64_bne, 9, 0, rig.at + 8);
    put_jal(&rig, 1, function);
    rig_put_half(&rig, 0x0525); /* c.addi x10, 9 */
    put_rd_rs1_rs2(&rig, RV64_mul, 10, 10, 8);
    put_rd_rs1_imm(&rig, RV64_andi, 11, 5, 7);
    put_branch(&rig, RV64_beq, 11, 0, rig.at + 8);
    put_branch(&rig, RV64_bltu, 0, 5, loop);
    put_jal(&rig, 0, loop);
    rig.at = function;
    for (unsigned i = 0; i < 5; i++) {
        put_rd_rs1_imm(&rig, RV64_addi, 12, 12, 7);
        put_rd_rs1_rs2(&rig, RV64_xor, 13, 13, 12);
    }
    put_rd_rs1_imm(&rig, RV64_jalr, 0, 1, 0);
}

static void begin_mixture(void)
{
    rig_reset_hart(&rig);
    rig.hart.x[7] = DATA;
    memset(memory_host(&rig.memory, DATA), 0, DATA_BYTES);
}

/* The state after each instruction, from an engine that is asked for one at a time. */
static struct state *step_through_mixture(void)
{
    struct state *states = calloc(STEPS + 1, sizeof *states);
    assert_non_null(states);
    begin_mixture();
    state_take(&rig, &states[0]);
    for (unsigned i = 1; i <= STEPS; i++) {
        assert_int_equal(engine_run(rig.engine, &rig.hart, 1), ENGINE_BUDGET);
        state_take(&rig, &states[i]);
        assert_int_equal(states[i].instructions, i);
    }
    return states;
}

static void budget_is_exact_for_every_number(void **unused)
{
    struct state now;
    (void)unused;
    write_mixture();
    struct state *states = step_through_mixture();
    for (unsigned budget = 1; budget <= STEPS; budget++) {
        begin_mixture();
        assert_int_equal(engine_run(rig.engine, &rig.hart, budget), ENGINE_BUDGET);
        state_take(&rig, &now);
        assert_states_equal(&now, &states[budget]);
    }
    free(states);
}

static void budget_is_exact_in_a_cold_engine(void **unused)
{
    struct state now;
    (void)unused;
    write_mixture();
    struct state *states = step_through_mixture();
    for (unsigned budget = 1; budget <= STEPS; budget += 13) {
        struct engine *warm = rig.engine;
        rig.engine = engine_create(&rig.memory, &rig.units);
        begin_mixture();
        assert_int_equal(engine_run(rig.engine, &rig.hart, budget), ENGINE_BUDGET);
        state_take(&rig, &now);
        assert_states_equal(&now, &states[budget]);
        engine_destroy(rig.engine);
        rig.engine = warm;
    }
    free(states);
}

static void turns_of_any_length_lead_to_the_same_states(void **unused)
{
    struct state now;
    (void)unused;
    write_mixture();
    struct state *states = step_through_mixture();
    for (unsigned turn = 2; turn <= 70; turn++) {
        begin_mixture();
        for (unsigned done = turn; done <= STEPS; done += turn) {
            assert_int_equal(engine_run(rig.engine, &rig.hart, turn), ENGINE_BUDGET);
            state_take(&rig, &now);
            assert_states_equal(&now, &states[done]);
        }
    }
    free(states);
}

static void budget_of_zero_changes_nothing(void **unused)
{
    (void)unused;
    write_mixture();
    begin_mixture();
    assert_int_equal(engine_run(rig.engine, &rig.hart, 0), ENGINE_BUDGET);
    assert_int_equal(rig.hart.pc, CODE);
    assert_int_equal(rig.hart.instructions, 0);
}

static void ecall_stops_and_is_counted(void **unused)
{
    enum { BEFORE = 9 };
    (void)unused;
    for (unsigned i = 0; i < BEFORE; i++) {
        put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 1);
    }
    put_ecall(&rig);
    for (unsigned budget = 1; budget < 20; budget++) {
        rig_reset_hart(&rig);
        const enum engine_stop stop = engine_run(rig.engine, &rig.hart, budget);
        const unsigned expected = budget <= BEFORE ? budget : BEFORE + 1;
        assert_int_equal(stop, budget <= BEFORE ? ENGINE_BUDGET : ENGINE_ECALL);
        assert_int_equal(rig.hart.instructions, expected);
        assert_int_equal(rig.hart.pc, CODE + 4 * (budget < BEFORE ? budget : BEFORE));
        assert_int_equal(rig.hart.x[5], budget < BEFORE ? budget : BEFORE);
    }
}

/* What does not retire may stop a run whose budget ends just before it. */
static void assert_stops_before(unsigned before, enum engine_stop expected)
{
    for (unsigned budget = 1; budget < before + 10; budget++) {
        rig_reset_hart(&rig);
        const enum engine_stop stop = engine_run(rig.engine, &rig.hart, budget);
        const unsigned done = budget < before ? budget : before;
        assert_int_equal(rig.hart.instructions, done);
        assert_int_equal(rig.hart.pc, CODE + 4 * done);
        assert_int_equal(rig.hart.x[5], done);
        if (budget > before) {
            assert_int_equal(stop, expected);
        } else if (budget < before) {
            assert_int_equal(stop, ENGINE_BUDGET);
        }
    }
}

static void ebreak_stops_and_is_not_counted(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 7; i++) {
        put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 1);
    }
    rig_put_word(&rig, rig_word(RV64_ebreak, 0, 0, 0, 0));
    assert_stops_before(7, ENGINE_EBREAK);
}

static void illegal_word_stops_and_is_not_counted(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 7; i++) {
        put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 1);
    }
    rig_put_word(&rig, 0xffffffff);
    assert_stops_before(7, ENGINE_ILLEGAL);
    assert_int_equal(rig.hart.fault_address, 0xffffffff);
}

static void linked_blocks_need_no_lookups(void **unused)
{
    (void)unused;
    write_mixture();
    begin_mixture();
    engine_run(rig.engine, &rig.hart, 10000);
    const uint64_t before = engine_statistics(rig.engine)->lookups;
    const uint64_t decoded = engine_statistics(rig.engine)->blocks_decoded;
    assert_int_equal(engine_run(rig.engine, &rig.hart, 1000000), ENGINE_BUDGET);
    /* The first block of a run is looked up, and one whose middle it began in may be new. */
    assert_true(engine_statistics(rig.engine)->lookups - before <= 3);
    assert_true(engine_statistics(rig.engine)->blocks_decoded - decoded <= 2);
    assert_int_equal(rig.hart.instructions, 1010000);
}

/* A loop that calls two functions in turn through one jalr each. */
static void write_calls(guest_addr first, guest_addr second)
{
    rig.at = CODE;
    put_rd_rs1_imm(&rig, RV64_jalr, 1, 6, 0);
    put_rd_rs1_imm(&rig, RV64_jalr, 1, 7, 0);
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, -1);
    put_branch(&rig, RV64_bne, 5, 0, CODE);
    put_ecall(&rig);
    rig.at = first;
    put_rd_rs1_imm(&rig, RV64_addi, 10, 10, 1);
    put_rd_rs1_imm(&rig, RV64_jalr, 0, 1, 0);
    rig.at = second;
    put_rd_rs1_imm(&rig, RV64_addi, 11, 11, 3);
    put_rd_rs1_imm(&rig, RV64_jalr, 0, 1, 0);
    rig_reset_hart(&rig);
    rig.hart.x[5] = 1000;
    rig.hart.x[6] = first;
    rig.hart.x[7] = second;
}

static uint64_t lookups_of_calls(guest_addr first, guest_addr second)
{
    write_calls(first, second);
    const uint64_t before = engine_statistics(rig.engine)->lookups;
    assert_int_equal(engine_run(rig.engine, &rig.hart, 100000), ENGINE_ECALL);
    assert_int_equal(rig.hart.x[10], 1000);
    assert_int_equal(rig.hart.x[11], 3000);
    assert_int_equal(rig.hart.instructions, 8 * 1000 + 1);
    return engine_statistics(rig.engine)->lookups - before;
}

static void jump_cache_remembers_targets(void **unused)
{
    (void)unused;
    assert_true(lookups_of_calls(CODE + 0x1000, CODE + 0x1100) < 20);
}

static void targets_that_share_a_place_in_the_jump_cache_are_looked_up(void **unused)
{
    const guest_addr first = CODE + 0x1000;
    (void)unused;
    assert_true(lookups_of_calls(first, first + 2 * JUMP_CACHE_ENTRIES) >= 2000);
}

static void jump_drops_the_lowest_bit(void **unused)
{
    (void)unused;
    put_rd_rs1_imm(&rig, RV64_jalr, 1, 6, 0);
    rig.at = CODE + 0x40;
    put_ecall(&rig);
    rig.hart.x[6] = CODE + 0x41;
    assert_int_equal(engine_run(rig.engine, &rig.hart, 10), ENGINE_ECALL);
    assert_int_equal(rig.hart.pc, CODE + 0x40);
    assert_int_equal(rig.hart.x[1], CODE + 4);
}

static void run_to_ecall(void)
{
    rig_reset_hart(&rig);
    assert_int_equal(engine_run(rig.engine, &rig.hart, 100000), ENGINE_ECALL);
}

/* Two blocks: the first adds 1, the second 10. */
static void write_two_blocks(void)
{
    rig.at = CODE;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 1);
    put_jal(&rig, 0, CODE + 0x400);
    rig.at = CODE + 0x400;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 10);
    put_ecall(&rig);
}

static void patch_second_block(int64_t adds)
{
    rig.at = CODE + 0x400;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, adds);
}

static void changed_code_is_seen_after_sync_all(void **unused)
{
    (void)unused;
    write_two_blocks();
    run_to_ecall();
    assert_int_equal(rig.hart.x[5], 11);
    for (int64_t adds = 20; adds < 30; adds++) {
        patch_second_block(adds);
        engine_sync_all(rig.engine);
        run_to_ecall();
        assert_int_equal(rig.hart.x[5], 1 + adds);
    }
}

static void changed_code_is_seen_after_sync_range(void **unused)
{
    (void)unused;
    write_two_blocks();
    run_to_ecall();
    for (int64_t adds = 20; adds < 30; adds++) {
        patch_second_block(adds);
        engine_sync_range(rig.engine, CODE + 0x400, 4);
        run_to_ecall();
        assert_int_equal(rig.hart.x[5], 1 + adds);
    }
}

static void one_changed_byte_in_a_block_is_enough(void **unused)
{
    (void)unused;
    rig.at = CODE;
    for (unsigned i = 0; i < 60; i++) {
        put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 1);
    }
    put_ecall(&rig);
    run_to_ecall();
    for (unsigned place = 0; place < 60; place++) {
        uint8_t *top = memory_host(&rig.memory, CODE + 4 * place + 3);
        const uint8_t old = *top;
        *top = 1; /* imm 1 becomes 17 */
        engine_sync_range(rig.engine, CODE + 4 * place + 3, 1);
        run_to_ecall();
        assert_int_equal(rig.hart.x[5], 76);
        *top = old;
        engine_sync_range(rig.engine, CODE + 4 * place + 3, 1);
        run_to_ecall();
        assert_int_equal(rig.hart.x[5], 60);
    }
}

static void unchanged_code_is_compared_once_and_kept(void **unused)
{
    (void)unused;
    write_two_blocks();
    run_to_ecall();
    const struct engine_statistics *statistics = engine_statistics(rig.engine);
    const uint64_t decoded = statistics->blocks_decoded;
    for (unsigned i = 1; i <= 5; i++) {
        const uint64_t compared = statistics->blocks_compared;
        engine_sync_all(rig.engine);
        run_to_ecall();
        run_to_ecall();
        assert_int_equal(statistics->blocks_compared - compared, 2);
    }
    assert_int_equal(statistics->blocks_decoded, decoded);
}

static void sync_of_other_bytes_leaves_a_block_alone(void **unused)
{
    (void)unused;
    write_two_blocks();
    run_to_ecall();
    const uint64_t compared = engine_statistics(rig.engine)->blocks_compared;
    engine_sync_range(rig.engine, CODE + 8, 0x3f8);   /* between the blocks */
    engine_sync_range(rig.engine, CODE + 0x408, 256); /* behind the second */
    engine_sync_range(rig.engine, CODE, 0);
    run_to_ecall();
    assert_int_equal(engine_statistics(rig.engine)->blocks_compared, compared);
}

static void unmapped_code_is_gone(void **unused)
{
    (void)unused;
    write_two_blocks();
    rig.at = CODE;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 1);
    put_jal(&rig, 0, CODE + 0x1000);
    rig.at = CODE + 0x1000;
    put_ecall(&rig);
    run_to_ecall();
    assert_int_equal(memory_unmap(&rig.memory, CODE + 0x1000, GUEST_PAGE_BYTES), 0);
    rig_reset_hart(&rig);
    assert_int_equal(engine_run(rig.engine, &rig.hart, 100), ENGINE_FETCH_FAULT);
    assert_int_equal(rig.hart.pc, CODE + 0x1000);
    assert_int_equal(rig.hart.instructions, 2);
    rig_map(&rig, CODE + 0x1000, GUEST_PAGE_BYTES, PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    rig.at = CODE + 0x1000;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 5);
    put_ecall(&rig);
    run_to_ecall();
    assert_int_equal(rig.hart.x[5], 6);
}

static void code_that_may_not_be_executed_any_more_faults(void **unused)
{
    (void)unused;
    write_two_blocks();
    run_to_ecall();
    assert_int_equal(memory_protect(&rig.memory, CODE, CODE_BYTES, PAGE_READ | PAGE_WRITE), 0);
    rig_reset_hart(&rig);
    assert_int_equal(engine_run(rig.engine, &rig.hart, 100), ENGINE_FETCH_FAULT);
    assert_int_equal(rig.hart.instructions, 0);
    assert_int_equal(rig.hart.fault_address, CODE);
}

static void sync_of_everything_by_range_is_as_good(void **unused)
{
    (void)unused;
    write_two_blocks();
    run_to_ecall();
    patch_second_block(77);
    engine_sync_range(rig.engine, 0, GUEST_SPACE_BYTES);
    run_to_ecall();
    assert_int_equal(rig.hart.x[5], 78);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)
    const struct CMUnitTest tests[] = {
        TEST(budget_is_exact_for_every_number),
        TEST(budget_is_exact_in_a_cold_engine),
        TEST(turns_of_any_length_lead_to_the_same_states),
        TEST(budget_of_zero_changes_nothing),
        TEST(ecall_stops_and_is_counted),
        TEST(ebreak_stops_and_is_not_counted),
        TEST(illegal_word_stops_and_is_not_counted),
        TEST(linked_blocks_need_no_lookups),
        TEST(jump_cache_remembers_targets),
        TEST(targets_that_share_a_place_in_the_jump_cache_are_looked_up),
        TEST(jump_drops_the_lowest_bit),
        TEST(changed_code_is_seen_after_sync_all),
        TEST(changed_code_is_seen_after_sync_range),
        TEST(one_changed_byte_in_a_block_is_enough),
        TEST(unchanged_code_is_compared_once_and_kept),
        TEST(sync_of_other_bytes_leaves_a_block_alone),
        TEST(unmapped_code_is_gone),
        TEST(code_that_may_not_be_executed_any_more_faults),
        TEST(sync_of_everything_by_range_is_as_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
