/* Tests that an instruction that cannot complete stops the engine there and does nothing. */
#include "engine_fixture.h"

#include "isa/rv64/rows.h"

#include <sys/mman.h>
#include <unistd.h>

/* `before` harmless instructions, the one in question, and many behind it. */
static void write_around(unsigned before, uint32_t word)
{
    rig.at = CODE;
    for (unsigned i = 0; i < before; i++) {
        put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 1);
    }
    rig_put_word(&rig, word);
    for (unsigned i = 0; i < 100; i++) {
        put_rd_rs1_imm(&rig, RV64_addi, 6, 6, 1);
    }
    engine_sync_range(rig.engine, CODE, CODE_BYTES);
}

/* The instruction stops the engine with `stop` wherever it stands in a block,
 * whatever the budget, and leaves no trace. */
static void assert_fault(uint32_t word, guest_addr address, enum engine_stop stop,
                         guest_addr fault_address)
{
    for (unsigned before = 0; before < 2 * BLOCK_INSTRUCTIONS + 3; before += before < 8 ? 1 : 11) {
        write_around(before, word);
        for (unsigned extra = 1; extra <= 200; extra = extra * 3 + 1) {
            rig_reset_hart(&rig);
            rig.hart.x[10] = address;
            rig.hart.x[11] = rig.hart.x[12] = 0x1234;
            rig.hart.f[12] = 0x5678;
            assert_int_equal(engine_run(rig.engine, &rig.hart, before + extra), stop);
            assert_int_equal(rig.hart.pc, CODE + 4 * before);
            assert_int_equal(rig.hart.instructions, before);
            assert_int_equal(rig.hart.fault_address, fault_address);
            assert_int_equal(rig.hart.x[5], before);
            assert_int_equal(rig.hart.x[6], 0);
            assert_int_equal(rig.hart.x[12], 0x1234);
            assert_int_equal(rig.hart.f[12], 0x5678);
        }
    }
}

/* Registers as assert_fault sets them: address in x10, stored value in x11, result in 12. */
static uint32_t word_of(unsigned op)
{
    const unsigned fields = rv64_format_rows[rv64_row(op)->format].fields;
    return rig_word(op, fields & FIELD_RD ? 12 : 0, 10, fields & FIELD_RS2 ? 11 : 0, 0);
}

static void every_access_to_nothing_faults(void **unused)
{
    unsigned tried = 0;
    (void)unused;
    for (unsigned op = 1; op < RV64_OP_COUNT; op++) {
        const uint32_t flags = rv64_row(op)->flags;
        if ((flags & (INSN_LOAD | INSN_STORE)) == 0) {
            continue;
        }
        const enum engine_stop stop = flags & INSN_STORE ? ENGINE_STORE_FAULT : ENGINE_LOAD_FAULT;
        if (op == RV64_sc_w || op == RV64_sc_d) {
            continue; /* without a reservation it may fail before it looks at memory */
        }
        assert_fault(word_of(op), NOTHING, stop, NOTHING);
        tried++;
    }
    assert_true(tried >= 30);
}

static void stores_to_read_only_pages_fault(void **unused)
{
    (void)unused;
    assert_fault(word_of(RV64_sb), READ_ONLY, ENGINE_STORE_FAULT, READ_ONLY);
    assert_fault(word_of(RV64_sd), READ_ONLY + 8, ENGINE_STORE_FAULT, READ_ONLY + 8);
    assert_fault(word_of(RV64_fsd), READ_ONLY + 8, ENGINE_STORE_FAULT, READ_ONLY + 8);
    assert_fault(word_of(RV64_amoadd_d), READ_ONLY, ENGINE_STORE_FAULT, READ_ONLY);
}

static void access_across_a_page_end_names_the_first_byte_that_failed(void **unused)
{
    (void)unused;
    assert_fault(word_of(RV64_ld), NOTHING - 3, ENGINE_LOAD_FAULT, NOTHING);
    assert_fault(word_of(RV64_lw), NOTHING - 1, ENGINE_LOAD_FAULT, NOTHING);
    assert_fault(word_of(RV64_sd), READ_ONLY - 5, ENGINE_STORE_FAULT, READ_ONLY);
}

static void addresses_outside_the_space_fault(void **unused)
{
    (void)unused;
    assert_fault(word_of(RV64_ld), GUEST_SPACE_BYTES, ENGINE_LOAD_FAULT, GUEST_SPACE_BYTES);
    assert_fault(word_of(RV64_ld), UINT64_MAX, ENGINE_LOAD_FAULT, UINT64_MAX);
    assert_fault(word_of(RV64_sb), UINT64_C(1) << 47, ENGINE_STORE_FAULT, UINT64_C(1) << 47);
    assert_fault(word_of(RV64_lbu), GUEST_SPACE_BYTES - 1, ENGINE_LOAD_FAULT,
                 GUEST_SPACE_BYTES - 1);
}

static void misaligned_atomics_stop(void **unused)
{
    (void)unused;
    assert_fault(word_of(RV64_amoadd_w), DATA + 2, ENGINE_MISALIGNED, DATA + 2);
    assert_fault(word_of(RV64_amoswap_d), DATA + 4, ENGINE_MISALIGNED, DATA + 4);
    assert_fault(word_of(RV64_lr_d), DATA + 4, ENGINE_MISALIGNED, DATA + 4);
    assert_fault(word_of(RV64_sc_w), DATA + 1, ENGINE_MISALIGNED, DATA + 1);
}

static void reserved_rounding_mode_is_illegal(void **unused)
{
    const struct rv64_insn insn = {.op = RV64_fadd_d, .rd = 12, .rs1 = 1, .rs2 = 2, .rm = RV64_DYN};
    uint32_t word = 0;
    (void)unused;
    assert_true(rv64_encode(&insn, &word));
    for (unsigned before = 0; before < 70; before += 7) {
        write_around(before, word);
        rig_reset_hart(&rig);
        rig.hart.rounding_mode = 5;
        assert_int_equal(engine_run(rig.engine, &rig.hart, 1000), ENGINE_ILLEGAL);
        assert_int_equal(rig.hart.pc, CODE + 4 * before);
        assert_int_equal(rig.hart.instructions, before);
        assert_int_equal(rig.hart.fault_address, word);
    }
}

static void page_of_a_file_behind_its_end_is_a_bus_fault(void **unused)
{
    const int file = memfd_create("short", MFD_CLOEXEC);
    (void)unused;
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)GUEST_PAGE_BYTES), 0);
    assert_int_equal(memory_map(&rig.memory, NOTHING, 2 * GUEST_PAGE_BYTES,
                                PAGE_READ | PAGE_WRITE | PAGE_EXECUTE, true, file, 0),
                     0);
    const guest_addr behind = NOTHING + GUEST_PAGE_BYTES;
    assert_fault(word_of(RV64_ld), behind, ENGINE_BUS_FAULT, behind);
    assert_fault(word_of(RV64_sd), behind + 8, ENGINE_BUS_FAULT, behind + 8);

    /* Also when there should be instructions. */
    rig.at = CODE;
    put_rd_rs1_imm(&rig, RV64_jalr, 0, 10, 0);
    engine_sync_range(rig.engine, CODE, 4);
    rig_reset_hart(&rig);
    rig.hart.x[10] = behind;
    assert_int_equal(engine_run(rig.engine, &rig.hart, 10), ENGINE_BUS_FAULT);
    assert_int_equal(rig.hart.pc, behind);
    assert_int_equal(rig.hart.instructions, 1);
    close(file);
}

static void jump_to_nothing_faults_at_its_target(void **unused)
{
    static const guest_addr targets[] = {
        0, NOTHING, DATA, GUEST_SPACE_BYTES, UINT64_MAX - 1, UINT64_C(1) << 63};
    (void)unused;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        rig.at = CODE;
        put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 1);
        put_rd_rs1_imm(&rig, RV64_jalr, 1, 10, 0);
        rig_reset_hart(&rig);
        rig.hart.x[10] = targets[i];
        assert_int_equal(engine_run(rig.engine, &rig.hart, 10), ENGINE_FETCH_FAULT);
        assert_int_equal(rig.hart.pc, targets[i]);
        assert_int_equal(rig.hart.fault_address, targets[i]);
        assert_int_equal(rig.hart.instructions, 2);
        assert_int_equal(rig.hart.x[1], CODE + 8);
    }
}

static void instruction_that_reaches_into_nothing_faults_at_its_second_half(void **unused)
{
    const guest_addr end = CODE + CODE_BYTES;
    (void)unused;
    rig.at = end - 6;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 1);
    rig_put_half(&rig, 0x0013); /* the first half of addi x0, x0, 0 */
    rig_reset_hart(&rig);
    rig.hart.pc = end - 6;
    assert_int_equal(engine_run(rig.engine, &rig.hart, 10), ENGINE_FETCH_FAULT);
    assert_int_equal(rig.hart.pc, end - 2);
    assert_int_equal(rig.hart.fault_address, end);
    assert_int_equal(rig.hart.instructions, 1);
    assert_int_equal(rig.hart.x[5], 1);
}

static void instruction_across_two_pages_runs(void **unused)
{
    (void)unused;
    rig.at = CODE + GUEST_PAGE_BYTES - 6;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 1);
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 2);
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 4);
    put_ecall(&rig);
    for (unsigned i = 0; i < 2; i++) {
        rig_reset_hart(&rig);
        rig.hart.pc = CODE + GUEST_PAGE_BYTES - 6;
        assert_int_equal(engine_run(rig.engine, &rig.hart, 10), ENGINE_ECALL);
        assert_int_equal(rig.hart.x[5], 7);
        assert_int_equal(rig.hart.instructions, 4);
    }
    /* Its second half changes alone. */
    *(uint8_t *)memory_host(&rig.memory, CODE + GUEST_PAGE_BYTES + 1) = 1; /* imm 2 becomes 18 */
    engine_sync_range(rig.engine, CODE + GUEST_PAGE_BYTES + 1, 1);
    rig_reset_hart(&rig);
    rig.hart.pc = CODE + GUEST_PAGE_BYTES - 6;
    assert_int_equal(engine_run(rig.engine, &rig.hart, 10), ENGINE_ECALL);
    assert_int_equal(rig.hart.x[5], 23);
}

static void faulting_instruction_can_be_repeated(void **unused)
{
    (void)unused;
    write_around(5, word_of(RV64_ld));
    rig_reset_hart(&rig);
    rig.hart.x[10] = NOTHING;
    assert_int_equal(engine_run(rig.engine, &rig.hart, 20), ENGINE_LOAD_FAULT);
    rig.hart.x[10] = DATA;
    memcpy(memory_host(&rig.memory, DATA), &(uint64_t){99}, 8);
    assert_int_equal(engine_run(rig.engine, &rig.hart, 3), ENGINE_BUDGET);
    assert_int_equal(rig.hart.x[12], 99);
    assert_int_equal(rig.hart.x[6], 2);
    assert_int_equal(rig.hart.instructions, 8);
}

/* What was raised before a fault, in the same run, is not lost. */
static void float_flags_raised_before_a_fault_are_kept(void **unused)
{
    const double third[2] = {1.0, 3.0};
    (void)unused;
    rig.at = CODE;
    put_rd_rs1_rs2(&rig, RV64_fdiv_d, 3, 1, 2);
    put_rd_rs1_imm(&rig, RV64_ld, 12, 10, 0);
    rig_reset_hart(&rig);
    memcpy(rig.hart.f + 1, third, sizeof third);
    rig.hart.x[10] = NOTHING;
    assert_int_equal(engine_run(rig.engine, &rig.hart, 20), ENGINE_LOAD_FAULT);
    assert_int_equal(rig.hart.float_flags, 1); /* inexact */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)
    const struct CMUnitTest tests[] = {
        TEST(every_access_to_nothing_faults),
        TEST(stores_to_read_only_pages_fault),
        TEST(access_across_a_page_end_names_the_first_byte_that_failed),
        TEST(addresses_outside_the_space_fault),
        TEST(misaligned_atomics_stop),
        TEST(reserved_rounding_mode_is_illegal),
        TEST(page_of_a_file_behind_its_end_is_a_bus_fault),
        TEST(jump_to_nothing_faults_at_its_target),
        TEST(instruction_that_reaches_into_nothing_faults_at_its_second_half),
        TEST(instruction_across_two_pages_runs),
        TEST(faulting_instruction_can_be_repeated),
        TEST(float_flags_raised_before_a_fault_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
