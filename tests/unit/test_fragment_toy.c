/* Tests the toy by itself: its instructions, alone and in the cache, and that the rig finds what is wrong. */
#include "fragment_rig.h"

static void each_instruction_is_decoded_as_it_was_encoded(void **state)
{
    (void)state;
    for (unsigned op = 0; op < TOY_OPS; op++) {
        uint8_t code[16];
        struct toy_insn insn, again;
        toy_encode(code,
                   &(struct toy_insn){.op = (uint8_t)op, .rd = 5, .rs = 6, .rx = 3, .imm = 0});
        toy_decode(code, &insn);
        assert_int_equal(insn.op, op);
        assert_int_equal(insn.bytes, toy_length(code[0]));
        assert_int_equal(toy_encode(code, &insn), insn.bytes);
        toy_decode(code, &again);
        assert_memory_equal(&insn, &again, sizeof insn);
        assert_true(toy_is_own((enum toy_op)op) || insn.bytes <= TARGET_LONGEST_INSTRUCTION);
    }
}

static void a_loop_runs_in_the_cache_as_alone(void **state)
{
    (void)state;
    put(TOY_CONST8, R1, 0, 10);
    put(TOY_CONST8, R2, 0, 0);
    const guest_addr loop = put(TOY_ADD, R2, R1, 0);
    put(TOY_DEC, R1, 0, 0);
    put_to(TOY_BRANCH8, IF_OTHER, loop);
    const guest_addr end = put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(rig.threads[0].pc, end);
    assert_int_equal(reg(R2), 55);
    assert_int_equal(rig.threads[0].alone.instructions, 2 + 3 * 10 + 1);
}

static void each_instruction_that_computes_does_so_in_the_cache(void **state)
{
    (void)state;
    put(TOY_CONST64, R5, 0, (int64_t)DATA);
    for (unsigned op = TOY_INC; op <= TOY_STORE_NEAR; op++) {
        const bool memory = toy_uses_memory((enum toy_op)op);
        put(TOY_CONST32, R1, 0, 0x12345678);
        put(TOY_CONST8, R2, 0, -3);
        put(TOY_CMP, R2, R1, 0);
        if (op == TOY_LEA || op == TOY_LOAD_NEAR || op == TOY_STORE_NEAR) {
            put_to((enum toy_op)op, R2, DATA + 64);
        } else {
            asm_put_index(&rig.code, (enum toy_op)op, R1, memory ? R5 : R2, R6, 8);
        }
        put(TOY_PUSH, R1, 0, 0);
        put(TOY_POP, R3, 0, 0);
    }
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
}

/* Each condition after comparisons with each outcome, across an indirect jump and a call. */
static void flags_live_through_all_that_the_translator_adds(void **state)
{
    static const int64_t pairs[][2] = {{1, 1}, {1, 2}, {2, 1}, {-1, 1}, {1, -1}, {-2, -1}};
    const guest_addr ret = put(TOY_RETURN, 0, 0, 0);
    const guest_addr start = here();

    (void)state;
    for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        for (unsigned condition = 0; condition < 8; condition++) {
            put(TOY_CONST8, R1, 0, pairs[i][0]);
            put(TOY_CONST8, R2, 0, pairs[i][1]);
            put(TOY_CMP, R1, R2, 0);
            put_to(TOY_CALL32, 0, ret);
            const guest_addr lea = put(TOY_LEA, R0, 0, 0);
            put(TOY_JUMP_REGISTER, 0, R0, 0);
            asm_send(lea, here());
            put(TOY_SHL, R3, 0, 1);
            put(TOY_CMP, R1, R2, 0);
            put_to(TOY_LEA, R0, ret);
            put(TOY_CALL_REGISTER, 0, R0, 0);
            const guest_addr branch = put(TOY_BRANCH8, condition, 0, 0);
            put(TOY_INC, R3, 0, 0);
            asm_send(branch, here());
        }
    }
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, start), TOY_HALTED);
}

static void what_holds_is_kept_only_if_nothing_comes_between(void **state)
{
    (void)state;
    put(TOY_CONST64, R5, 0, (int64_t)DATA);
    put(TOY_HOLD, R1, R5, 0);
    put(TOY_INC, R1, 0, 0);
    put(TOY_KEEP, R1, R5, 0);
    const guest_addr first = put(TOY_BRANCH8, IF_OTHER, 0, 0); /* it was kept */
    put(TOY_INC, R2, 0, 0);
    asm_send(first, here());
    put(TOY_HOLD, R1, R5, 0);
    put(TOY_LOAD8, R3, R5, 8);
    put(TOY_KEEP, R1, R5, 0);
    const guest_addr second = put(TOY_BRANCH8, IF_ZERO, 0, 0); /* it was not */
    put(TOY_INC, R2, 0, 0);
    asm_send(second, here());
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(reg(R2), 2);
}

/* Runs one instruction that faults, with everything that could be lost on the way. */
static void expect_stop(guest_addr start, guest_addr pc, enum toy_stop stop)
{
    assert_int_equal(rig_run(&rig, start), stop);
    assert_int_equal(rig.threads[0].pc, pc);
}

static void faults_find_the_program_at_the_instruction(void **state)
{
    static const enum toy_op ops[] = {
        TOY_LOAD8,      TOY_STORE8,     TOY_LOAD_BYTE,  TOY_STORE_BYTE,  TOY_LOAD32, TOY_STORE32,
        TOY_LOAD_INDEX, TOY_CMP_MEMORY, TOY_ADD_MEMORY, TOY_STORE_INDEX, TOY_HOLD};

    (void)state;
    for (unsigned i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        const guest_addr start = put(TOY_CONST32, R4, 0, 16);
        put(TOY_CMP8, R4, 0, 16);
        const guest_addr faults = put(ops[i], R1, R4, 0);
        put(TOY_HALT, 0, 0, 0);
        expect_stop(start, faults, TOY_FAULTED);
        assert_int_equal(rig.threads[0].machine.fault, 16);
    }
}

static void stacks_that_are_not_there_fault_at_the_instruction(void **state)
{
    static const enum toy_op ops[] = {TOY_PUSH, TOY_POP, TOY_RETURN, TOY_CALL32, TOY_CALL_REGISTER};

    (void)state;
    for (unsigned i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        const guest_addr start = put(TOY_CONST8, SP, 0, 64);
        put(TOY_CMP8, SP, 0, 65);
        const guest_addr faults = put(ops[i], R1, R4, 0);
        put(TOY_HALT, 0, 0, 0);
        expect_stop(start, faults, TOY_FAULTED);
        assert_int_equal(reg(SP), 64);
    }
}

static void near_loads_and_stores_fault_at_the_instruction(void **state)
{
    (void)state;
    for (unsigned op = TOY_LOAD_NEAR; op <= TOY_STORE_NEAR; op++) {
        for (unsigned rd = R0; rd <= R1; rd++) {
            const guest_addr start = here();
            put(TOY_CONST8, rd, 0, 99);
            const guest_addr faults = put_to((enum toy_op)op, rd, CODE_END + PAGE);
            expect_stop(start, faults, TOY_FAULTED);
            assert_int_equal(reg(rd), 99);
        }
    }
}

static void own_instructions_are_illegal_in_a_program(void **state)
{
    (void)state;
    for (unsigned op = TOY_OWN_JUMP; op < TOY_OPS; op++) {
        const guest_addr start = put(TOY_INC, R1, 0, 0);
        const guest_addr illegal = put((enum toy_op)op, R1, R2, 0);
        expect_stop(start, illegal, TOY_ILLEGAL_STOP);
    }
}

static void system_calls_are_made_once(void **state)
{
    (void)state;
    put(TOY_CONST8, R0, 0, CALL_TELL);
    put(TOY_CONST8, R1, 0, 7);
    put(TOY_SYSTEM, 0, 0, 0);
    put(TOY_CONST8, R0, 0, CALL_TELL);
    put(TOY_CONST8, R1, 0, 9);
    put(TOY_SYSTEM, 0, 0, 0);
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(rig.threads[0].told[false], 7 * 31 + 9);
    assert_int_equal(rig.translator->statistics.dispatches, 3);
}

static void instructions_are_described(void **state)
{
    struct target_instruction found;

    (void)state;
    const guest_addr at = put_to(TOY_JUMP32, 0, CODE + 0x100);
    target_describe((const uint8_t *)(uintptr_t)at, at, &found);
    assert_int_equal(found.bytes, 5);
    assert_int_equal(found.target, CODE + 0x100);
    assert_true(found.leaves);
    assert_string_equal(found.text, "10000000: jmp 0, 0, 10000100");
    target_describe((const uint8_t *)(uintptr_t)put(TOY_ADD, R1, R2, 0), 5, &found);
    assert_int_equal(found.bytes, 2);
    assert_int_equal(found.target, 0);
    assert_false(found.leaves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(each_instruction_is_decoded_as_it_was_encoded),
        TEST(a_loop_runs_in_the_cache_as_alone),
        TEST(each_instruction_that_computes_does_so_in_the_cache),
        TEST(flags_live_through_all_that_the_translator_adds),
        TEST(what_holds_is_kept_only_if_nothing_comes_between),
        TEST(faults_find_the_program_at_the_instruction),
        TEST(stacks_that_are_not_there_fault_at_the_instruction),
        TEST(near_loads_and_stores_fault_at_the_instruction),
        TEST(own_instructions_are_illegal_in_a_program),
        TEST(system_calls_are_made_once),
        TEST(instructions_are_described),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
