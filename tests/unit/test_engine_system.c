/* Tests the engine together with system instructions: new code made visible, counters, budgets. */
#include "engine_rig.h"

#include "machine/processor/machine.h"
#include "machine/units/counter_table.h"

static struct machine machine;
static struct rig rig; /* only its memory, to write code with */
static struct hart hart;

static int create(void **unused)
{
    const struct machine_options options = {.counter_entries = 4};
    (void)unused;
    if (!machine_create(&machine, &options)) {
        return -1;
    }
    rig.memory = machine.memory;
    rig.at = CODE;
    return memory_map(&machine.memory, CODE, CODE_BYTES, PAGE_READ | PAGE_WRITE | PAGE_EXECUTE,
                      false, -1, 0);
}

static int destroy(void **unused)
{
    (void)unused;
    machine_release_hart(&machine, &hart);
    machine_destroy(&machine);
    return 0;
}

static void begin(void)
{
    machine_release_hart(&machine, &hart);
    machine_init_hart(&machine, &hart);
    leave_install_handlers();
    hart.pc = CODE;
}

#define PATCHED (CODE + 0x200)
#define ADD_1 rig_word(RV64_addi, 10, 10, 0, 1)
#define ADD_5 rig_word(RV64_addi, 10, 10, 0, 5)

/* Calls the function at PATCHED, writes the word in x11 over its first
 * instruction, executes `sync`, calls it again. */
static void write_patcher(uint32_t sync)
{
    rig.at = CODE;
    put_jal(&rig, 1, PATCHED);
    put_store(&rig, RV64_sw, 11, 12, 0);
    rig_put_word(&rig, sync);
    put_jal(&rig, 1, PATCHED);
    put_ecall(&rig);
    rig.at = PATCHED;
    rig_put_word(&rig, ADD_1);
    put_rd_rs1_imm(&rig, RV64_jalr, 0, 1, 0);
}

static void assert_patch_is_seen(uint32_t sync, uint64_t turn)
{
    enum engine_stop stop;
    write_patcher(sync);
    engine_sync_all(machine.engine);
    begin();
    hart.x[11] = ADD_5;
    hart.x[12] = PATCHED;
    hart.x[13] = 4;
    do {
        stop = machine_run(&machine, &hart, turn);
    } while (stop == ENGINE_BUDGET);
    assert_int_equal(stop, ENGINE_ECALL);
    assert_int_equal(hart.x[10], 6);
    assert_int_equal(hart.instructions, 9);
}

static void fence_i_makes_new_code_visible(void **unused)
{
    (void)unused;
    for (uint64_t turn = 1; turn < 12; turn++) {
        assert_patch_is_seen(rig_word(RV64_fence_i, 0, 0, 0, 0), turn);
    }
}

static void ic_sync_makes_new_code_visible(void **unused)
{
    (void)unused;
    for (uint64_t turn = 1; turn < 12; turn++) {
        assert_patch_is_seen(rig_word(RV64_ic_sync, 0, 12, 13, 0), turn);
    }
    assert_int_equal(machine.ic_sync_calls, 11);
}

static void budget_is_exact_across_system_instructions(void **unused)
{
    (void)unused;
    write_patcher(rig_word(RV64_fence_i, 0, 0, 0, 0));
    for (uint64_t budget = 1; budget < 9; budget++) {
        begin();
        hart.x[11] = ADD_1;
        hart.x[12] = PATCHED;
        const uint64_t before = machine.instructions;
        assert_int_equal(machine_run(&machine, &hart, budget), ENGINE_BUDGET);
        assert_int_equal(hart.instructions, budget);
        assert_int_equal(machine.instructions - before, budget);
    }
}

static void ctr_ret_outside_a_callback_is_illegal_and_not_counted(void **unused)
{
    const uint32_t word = rig_word(RV64_ctr_ret, 0, 0, 0, 0);
    (void)unused;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 1);
    rig_put_word(&rig, word);
    begin();
    assert_int_equal(machine_run(&machine, &hart, 10), ENGINE_ILLEGAL);
    assert_int_equal(hart.pc, CODE + 4);
    assert_int_equal(hart.fault_address, word);
    assert_int_equal(hart.instructions, 1);
    assert_int_equal(machine.instructions, 1);
}

/* The callback stands before the third round's first instruction, which is
 * counted once; whatever the turns are. */
static void callback_is_taken_at_the_same_instruction_for_every_budget(void **unused)
{
    const guest_addr callback = CODE + 0x300;
    (void)unused;
    rig.at = CODE;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 1);
    put_branch(&rig, RV64_bltu, 5, 6, CODE);
    put_ecall(&rig);
    rig.at = callback;
    put_rd_rs1_imm(&rig, RV64_addi, 7, 5, 0);
    put_rd_rs1_imm(&rig, RV64_addi, 8, 8, 1);
    rig_put_word(&rig, rig_word(RV64_ctr_ret, 0, 0, 0, 0));
    for (uint64_t turn = 1; turn < 50; turn++) {
        enum engine_stop stop;
        counter_table_drop(machine.counters, CODE);
        counter_table_new(machine.counters, CODE, callback, 3);
        begin();
        hart.x[6] = 10;
        do {
            stop = machine_run(&machine, &hart, turn);
        } while (stop == ENGINE_BUDGET);
        assert_int_equal(stop, ENGINE_ECALL);
        assert_int_equal(hart.x[5], 10);
        assert_int_equal(hart.x[7], 2);
        assert_int_equal(hart.x[8], 1);
        assert_int_equal(hart.instructions, 2 * 10 + 3 + 1);
        assert_int_equal(counter_table_read(machine.counters, CODE), 10);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)
    const struct CMUnitTest tests[] = {
        TEST(fence_i_makes_new_code_visible),
        TEST(ic_sync_makes_new_code_visible),
        TEST(budget_is_exact_across_system_instructions),
        TEST(ctr_ret_outside_a_callback_is_illegal_and_not_counted),
        TEST(callback_is_taken_at_the_same_instruction_for_every_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
