/* Tests what slice_check refuses: each rule of slice.h by a slice that breaks just this one. */
#include "slice_rig.h"

static struct slice slice;

static uint32_t word_of(struct rv64_insn insn)
{
    uint32_t word = 0;
    assert_true(rv64_encode(&insn, &word));
    return word;
}

/* addi x10,x10,8; bne x10,x11 | ld x12,0(x10); add x12,x12,x13; *lw x14,4(x12) */
static int make(void **state)
{
    (void)state;
    const struct rv64_insn insns[] = {
        {.op = RV64_addi, .rd = 10, .rs1 = 10, .imm = 8},
        {.op = RV64_bne, .rs1 = 10, .rs2 = 11},
        {.op = RV64_ld, .rd = 12, .rs1 = 10},
        {.op = RV64_add, .rd = 12, .rs1 = 12, .rs2 = 13},
        {.op = RV64_lw, .rd = 14, .rs1 = 12, .imm = 4},
    };
    slice = (struct slice){.trigger = 0x100,
                           .kind = SLICE_CHAINING,
                           .guard = SLICE_GUARD_TAKEN,
                           .length = 5,
                           .prologue = 2,
                           .unroll = 1,
                           .live_ins = X(10) | X(11) | X(13)};
    for (unsigned i = 0; i < 5; i++) {
        slice.instructions[i] = (struct slice_instruction){
            .pc = 0x100 + 4 * i, .word = word_of(insns[i]), .delinquent = i == 4};
    }
    return 0;
}

static void whole_slice_passes(void **state)
{
    (void)state;
    assert_null(slice_check(&slice));
}

/* Where the loop carries the address itself, there is nothing behind the prologue. */
static void slice_that_is_all_prologue_passes(void **state)
{
    (void)state;
    slice.prologue = slice.length;
    assert_null(slice_check(&slice));
}

static void refuses(const char *words)
{
    const char *wrong = slice_check(&slice);
    assert_non_null(wrong);
    assert_non_null(strstr(wrong, words));
}

static void instructions_with_effects_are_refused(void **state)
{
    static const struct {
        struct rv64_insn insn;
        const char *words;
    } bad[] = {
        {{.op = RV64_sd, .rs1 = 10, .rs2 = 12}, "a store"},
        {{.op = RV64_fsd, .rs1 = 10, .rs2 = 12}, "a store"},
        {{.op = RV64_amoadd_w, .rd = 12, .rs1 = 10, .rs2 = 13}, "atomic"},
        {{.op = RV64_lr_d, .rd = 12, .rs1 = 10}, "atomic"},
        {{.op = RV64_ecall}, "system"},
        {{.op = RV64_fence}, "system"},
        {{.op = RV64_csrrw, .rd = 12, .rs1 = 13, .imm = 1}, "system"},
        {{.op = RV64_ctr_drop, .rs1 = 10}, "system"},
        {{.op = RV64_jal, .rd = 12}, "a jump"},
        {{.op = RV64_jalr, .rd = 12, .rs1 = 10}, "a jump"},
        {{.op = RV64_beq, .rs1 = 10, .rs2 = 13}, "a branch"},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        make(state);
        slice.instructions[3].word = word_of(bad[i].insn);
        refuses(bad[i].words);
    }
}

static void words_that_are_no_instruction_are_refused(void **state)
{
    static const uint32_t words[] = {0, 0xffffffff, 0x4501 /* c.li a0,0 */};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        make(state);
        slice.instructions[3].word = words[i];
        refuses("no instruction of 32 bits");
    }
}

#define REFUSED(name, change, words)                                                               \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        change;                                                                                    \
        refuses(words);                                                                            \
    }

REFUSED(unknown_kind_is_refused, slice.kind = 2, "a kind")
REFUSED(unknown_guard_is_refused, slice.guard = 3, "a kind")
REFUSED(no_instructions_are_refused, slice.length = 0, "none")
REFUSED(too_many_instructions_are_refused, slice.length = SLICE_INSTRUCTIONS_MAX + 1, "too many")
REFUSED(prologue_without_end_is_refused, slice.prologue = 6, "its prologue")
REFUSED(prologue_that_never_runs_is_refused, slice.unroll = 0, "never run")
REFUSED(too_much_unrolling_is_refused, slice.unroll = SLICE_UNROLL_MAX + 1, "unroll")
REFUSED(too_wide_a_throttle_is_refused, slice.throttle = SLICE_THROTTLE_MAX + 1, "throttle")
REFUSED(chain_without_prologue_is_refused, slice.prologue = slice.unroll = 0, "no prologue")
REFUSED(branch_without_guard_is_refused, slice.guard = SLICE_UNGUARDED, "a branch")
REFUSED(guard_in_the_body_is_refused, slice.prologue = 1, "a branch")
REFUSED(guard_that_is_no_branch_is_refused, slice.instructions[1].word = slice.instructions[0].word,
        "no branch")
REFUSED(odd_trigger_is_refused, slice.trigger = 0x101, "odd")
REFUSED(odd_address_is_refused, slice.instructions[0].pc = 0x101, "odd")
REFUSED(register_from_nowhere_is_refused, slice.live_ins = X(10) | X(11), "live-ins")
REFUSED(live_in_that_is_not_read_is_refused, slice.live_ins |= X(20), "live-ins")
REFUSED(no_delinquent_load_is_refused, slice.instructions[4].delinquent = false, "no delinquent")
REFUSED(delinquent_addition_is_refused, slice.instructions[3].delinquent = true, "is no load")

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, make)
    const struct CMUnitTest tests[] = {
        TEST(whole_slice_passes),
        TEST(slice_that_is_all_prologue_passes),
        TEST(instructions_with_effects_are_refused),
        TEST(words_that_are_no_instruction_are_refused),
        TEST(unknown_kind_is_refused),
        TEST(unknown_guard_is_refused),
        TEST(no_instructions_are_refused),
        TEST(too_many_instructions_are_refused),
        TEST(prologue_without_end_is_refused),
        TEST(prologue_that_never_runs_is_refused),
        TEST(too_much_unrolling_is_refused),
        TEST(too_wide_a_throttle_is_refused),
        TEST(chain_without_prologue_is_refused),
        TEST(branch_without_guard_is_refused),
        TEST(guard_in_the_body_is_refused),
        TEST(guard_that_is_no_branch_is_refused),
        TEST(odd_trigger_is_refused),
        TEST(odd_address_is_refused),
        TEST(register_from_nowhere_is_refused),
        TEST(live_in_that_is_not_read_is_refused),
        TEST(no_delinquent_load_is_refused),
        TEST(delinquent_addition_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
