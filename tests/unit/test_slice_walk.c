/* Tests the walk that makes slices of traces, first with both examples of the lecture, step by step. */
#include "slice_examples.h"

/* From one instance of the load, its sixth line, to the next. */
static void retire_increments(struct slice_retired retired[10])
{
    retire(retired, increments + 5, 4);
    retire(retired + 4, increments, 6);
}

static void walk_of_the_increments_keeps_what_the_table_says(void **state)
{
    (void)state;
    static const struct {
        bool kept;
        slice_registers live; /* after it */
    } table[] = {
        {true, X(1)},         /* load r5=[r1] */
        {true, X(1) | X(4)},  /* add r1=r4+r1 */
        {false, X(1) | X(4)}, /* add r2=r2+8 */
        {false, X(1) | X(4)}, /* add r6=r3-100 */
        {false, X(1) | X(4)}, /* add r3=r3+1 */
        {true, X(2) | X(4)},  /* load r1=[r2] */
        {false, X(2) | X(4)}, /* blt r6,loop */
        {false, X(2) | X(4)}, /* store [r1]=r5 */
        {false, X(2) | X(4)}, /* add r5=r5+1 */
    };
    struct slice_retired retired[10];
    struct slice_walk walk = {.live = 0};
    retire_increments(retired);
    for (unsigned i = 0; i < 9; i++) {
        struct rv64_insn insn;
        rv64_decode(retired[9 - i].word, &insn);
        if (i == 0) {
            slice_walk_keep(&walk, &insn);
        } else {
            assert_int_equal(slice_walk_step(&walk, &insn), table[i].kept);
        }
        assert_int_equal(walk.live, table[i].live);
    }
}

static void slice_of_the_increments_is_the_lecture_s(void **state)
{
    (void)state;
    struct slice_retired retired[10];
    struct slice slice = {0};
    retire_increments(retired);
    assert_int_equal(slice_build_between(&slice, retired, 10, &slice_rules_simple), SLICE_BUILT_OK);
    assert_string_equal(slice_text(&slice), "ld x1,0(x2); add x1,x4,x1; *ld x5,0(x1)");
    assert_int_equal(slice.live_ins, X(2) | X(4));
    assert_int_equal(slice.trigger, INCREMENTS_LOAD);
    assert_int_equal(slice.kind, SLICE_BASIC);
    assert_int_equal(slice.origin.traced, 9);
}

static void walk_of_mcf_keeps_what_feeds_the_address(void **state)
{
    (void)state;
    struct slice_retired retired[PRICING_LINES];
    struct slice_walk walk = {.live = 0};
    retire(retired, pricing, PRICING_LINES);
    for (unsigned i = PRICING_LINES; i-- > 1;) {
        struct rv64_insn insn;
        rv64_decode(retired[i].word, &insn);
        const uint64_t pc = retired[i].pc;
        if (pc == PRICING_LOAD) {
            slice_walk_keep(&walk, &insn);
        } else {
            const bool kept = pc == 0x404904 || pc == 0x404930 || pc == 0x404960;
            assert_int_equal(slice_walk_step(&walk, &insn), kept);
        }
        const slice_registers live = pc > 0x404960   ? X(15)
                                     : pc > 0x404930 ? X(16)
                                     : pc > 0x404904 ? X(9)
                                                     : X(9) | X(11);
        assert_int_equal(walk.live, live);
    }
}

static void slice_of_mcf_is_the_lecture_s(void **state)
{
    (void)state;
    const struct slice_pcs none = {.count = 0};
    struct slice_retired retired[PRICING_LINES];
    struct slice_trace trace;
    struct slice slice = {0};
    retire(retired, pricing, PRICING_LINES);
    assert_true(slice_trace_read(&trace, retired, PRICING_LINES, false));
    assert_int_equal(slice_build(&slice, &trace, 0, PRICING_LOAD, &none, &slice_rules_simple),
                     SLICE_BUILT_OK);
    assert_string_equal(slice_text(&slice),
                        "add x9,x9,x11; ld x16,0(x9); addi x15,x16,80; *lw x21,0(x15)");
    assert_int_equal(slice.live_ins, X(9) | X(11));
    assert_int_equal(slice.trigger, 0x404900);
    slice_trace_free(&trace);
}

/* Two turns of the loop from line `first` on, with the branch that closes it. */
static struct slice mcf_chain(unsigned first, const struct slice_rules *rules)
{
    const struct slice_pcs none = {.count = 0};
    const struct line back = B(0x404998, bltu, 3, 30, -0x98);
    struct slice_retired turn[PRICING_LINES + 1], retired[3 * (PRICING_LINES + 1)];
    const unsigned length = PRICING_LINES + 1;
    struct slice_trace trace;
    struct slice slice = {0};
    retire(turn, pricing, PRICING_LINES);
    retire(turn + PRICING_LINES, &back, 1);
    for (unsigned i = 0; i < 3; i++) {
        memcpy(retired + i * length, turn, sizeof turn);
    }
    assert_true(slice_trace_read(&trace, retired + first, 2 * length, rules->through_stack));
    assert_int_equal(slice_build(&slice, &trace, length, PRICING_LOAD, &none, rules),
                     SLICE_BUILT_OK);
    slice_trace_free(&trace);
    return slice;
}

static void chain_of_mcf_spawns_behind_the_lecture_s_prologue(void **state)
{
    (void)state;
    struct slice_rules rules = slice_rules_simple;
    rules.chain = true;
    struct slice slice = mcf_chain(1, &rules);
    assert_string_equal(slice_text(&slice),
                        "add x9,x9,x11 | ld x16,0(x9); addi x15,x16,80; *lw x21,0(x15)");
    assert_int_equal(slice.live_ins, X(9) | X(11));
    assert_int_equal(slice.kind, SLICE_CHAINING);
    assert_int_equal(slice.unroll, 1);
    rules.unroll = 5;
    slice = mcf_chain(1, &rules);
    assert_int_equal(slice.unroll, 5);
}

static void optimized_chain_of_mcf_folds_the_constant_and_has_a_guard(void **state)
{
    (void)state;
    struct slice_rules rules = slice_rules_optimized;
    struct slice slice = mcf_chain(1, &rules);
    assert_string_equal(
        slice_text(&slice),
        "add x3,x3,x11; bltu x3,x30,404998; add x9,x9,x11 | ld x16,0(x9); *lw x21,80(x16)");
    assert_int_equal(slice.guard, SLICE_GUARD_TAKEN);
    assert_int_equal(slice.live_ins, X(3) | X(9) | X(11) | X(30));
    rules.chain = rules.guard = false;
    slice = mcf_chain(1, &rules);
    assert_string_equal(slice_text(&slice), "add x9,x9,x11 | ld x16,0(x9); *lw x21,80(x16)");
    assert_int_equal(slice.kind, SLICE_BASIC);
    assert_int_equal(slice.unroll, 7); /* 128 instructions, 20 of them a turn */
}

static void loop_carried_list_needs_no_body(void **state)
{
    (void)state;
    static const struct line list[] = {LOAD(0x100, ld, 10, 8, 10, 0x1000),
                                       I(0x104, addi, 11, 11, 1), B(0x108, bne, 10, 0, -8),
                                       LOAD(0x100, ld, 10, 8, 10, 0x2000)};
    struct slice_retired retired[4];
    struct slice slice = {0};
    retire(retired, LINES(list));
    assert_int_equal(slice_build_between(&slice, retired, 4, &slice_rules_optimized),
                     SLICE_BUILT_OK);
    assert_string_equal(slice_text(&slice), "bne x10,x0,108; *ld x10,8(x10)");
    assert_int_equal(slice.prologue, 2);
    assert_int_equal(slice.live_ins, X(10));
}

static void value_through_the_stack_stays_in_a_register(void **state)
{
    (void)state;
    static const struct line spilled[] = {
        LOAD(0x100, ld, 5, 0, 11, 0x9000),  STORE(0x104, sd, 10, 16, 2, 0x800),
        R(0x108, add, 10, 12, 13),          LOAD(0x10c, ld, 14, 16, 2, 0x800),
        I(0x110, addi, 14, 14, 8),          I(0x114, addi, 14, 14, 8),
        LOAD(0x118, ld, 15, 24, 14, 0x5000)};
    const struct slice_pcs none = {.count = 0};
    struct slice_retired retired[7];
    struct slice_trace trace;
    struct slice slice = {0};
    retire(retired, LINES(spilled));
    assert_true(slice_trace_read(&trace, retired, 7, true));
    assert_int_equal(slice_build(&slice, &trace, 0, 0x118, &none, &slice_rules_optimized),
                     SLICE_BUILT_OK);
    assert_string_equal(slice_text(&slice), "*ld x15,40(x10)");
    assert_int_equal(slice.live_ins, X(10));
    slice_trace_free(&trace);
    assert_true(slice_trace_read(&trace, retired, 7, false));
    assert_int_equal(slice_build(&slice, &trace, 0, 0x118, &none, &slice_rules_simple),
                     SLICE_BUILT_OK);
    assert_string_equal(slice_text(&slice),
                        "ld x14,16(x2); addi x14,x14,8; addi x14,x14,8; *ld x15,24(x14)");
    slice_trace_free(&trace);
}

static void extension_of_what_is_extended_goes(void **state)
{
    (void)state;
    static const struct line extended[] = {
        LOAD(0x100, ld, 5, 0, 11, 0x9000), I(0x104, addiw, 13, 13, 1), I(0x108, addiw, 31, 13, 0),
        R(0x10c, add, 14, 31, 12), LOAD(0x110, ld, 15, 0, 14, 0x5000)};
    const struct slice_pcs none = {.count = 0};
    struct slice_retired retired[5];
    struct slice_trace trace;
    struct slice slice = {0};
    retire(retired, LINES(extended));
    assert_true(slice_trace_read(&trace, retired, 5, true));
    assert_int_equal(slice_build(&slice, &trace, 0, 0x110, &none, &slice_rules_optimized),
                     SLICE_BUILT_OK);
    assert_string_equal(slice_text(&slice), "addiw x13,x13,1; add x14,x13,x12; *ld x15,0(x14)");
    slice_trace_free(&trace);
}

static void store_that_only_overlaps_is_not_followed(void **state)
{
    (void)state;
    static const struct line partial[] = {
        LOAD(0x100, ld, 5, 0, 11, 0x9000), STORE(0x104, sd, 10, 16, 2, 0x800),
        STORE(0x106, sw, 13, 16, 2, 0x804), LOAD(0x10c, ld, 14, 16, 2, 0x800),
        LOAD(0x118, ld, 15, 24, 14, 0x5000)};
    const struct slice_pcs none = {.count = 0};
    struct slice_retired retired[5];
    struct slice_trace trace;
    struct slice slice = {0};
    retire(retired, LINES(partial));
    assert_true(slice_trace_read(&trace, retired, 5, true));
    assert_int_equal(slice_build(&slice, &trace, 0, 0x118, &none, &slice_rules_optimized),
                     SLICE_BUILT_OK);
    assert_string_equal(slice_text(&slice), "ld x14,16(x2); *ld x15,24(x14)");
    slice_trace_free(&trace);
}

/* The slice of the last line, which reads what `through_stack` may find in a register. */
static const char *slice_of(const struct line *lines, unsigned count)
{
    const struct slice_pcs none = {.count = 0};
    struct slice_retired retired[8];
    struct slice_trace trace;
    struct slice slice = {0};
    assert_true(count <= 8);
    retire(retired, lines, count);
    assert_true(slice_trace_read(&trace, retired, count, true));
    assert_int_equal(
        slice_build(&slice, &trace, 0, lines[count - 1].pc, &none, &slice_rules_optimized),
        SLICE_BUILT_OK);
    slice_trace_free(&trace);
    return slice_text(&slice);
}

/* Elsewhere another thread may write what the stack holds, and addresses are no more than what one run saw. */
static void value_is_followed_only_from_stack_to_stack(void **state)
{
    (void)state;
    static const struct line stored_elsewhere[] = {
        LOAD(0x100, ld, 5, 0, 11, 0x9000), STORE(0x104, sd, 10, 0, 13, 0x800),
        LOAD(0x108, ld, 14, 16, 2, 0x800), LOAD(0x10c, ld, 15, 24, 14, 0x5000)};
    static const struct line read_elsewhere[] = {
        LOAD(0x100, ld, 5, 0, 11, 0x9000), STORE(0x104, sd, 10, 16, 2, 0x800),
        LOAD(0x108, ld, 14, 0, 13, 0x800), LOAD(0x10c, ld, 15, 24, 14, 0x5000)};
    static const struct line other_address[] = {
        LOAD(0x100, ld, 5, 0, 11, 0x9000), STORE(0x104, sd, 10, 16, 2, 0x800),
        LOAD(0x108, ld, 14, 24, 2, 0x808), LOAD(0x10c, ld, 15, 24, 14, 0x5000)};
    static const struct line other_size[] = {
        LOAD(0x100, ld, 5, 0, 11, 0x9000), STORE(0x104, sd, 10, 16, 2, 0x800),
        LOAD(0x108, lw, 14, 16, 2, 0x800), LOAD(0x10c, ld, 15, 24, 14, 0x5000)};
    assert_string_equal(slice_of(LINES(stored_elsewhere)), "ld x14,16(x2); *ld x15,24(x14)");
    assert_string_equal(slice_of(LINES(read_elsewhere)), "ld x14,0(x13); *ld x15,24(x14)");
    assert_string_equal(slice_of(LINES(other_address)), "ld x14,24(x2); *ld x15,24(x14)");
    assert_string_equal(slice_of(LINES(other_size)), "lw x14,16(x2); *ld x15,24(x14)");
}

/* Stores right before and right behind the value leave it alone. */
static void value_is_followed_past_its_neighbours(void **state)
{
    (void)state;
    static const struct line between[] = {
        LOAD(0x100, ld, 5, 0, 11, 0x9000), STORE(0x104, sd, 10, 16, 2, 0x800),
        STORE(0x108, sd, 12, 8, 2, 0x7f8), STORE(0x10c, sd, 13, 24, 2, 0x808),
        LOAD(0x110, ld, 14, 16, 2, 0x800), LOAD(0x114, ld, 15, 24, 14, 0x5000)};
    assert_string_equal(slice_of(LINES(between)), "*ld x15,24(x10)");
}

static void sums_are_folded_as_far_as_an_immediate_reaches(void **state)
{
    (void)state;
    static const struct line highest[] = {LOAD(0x100, ld, 5, 0, 11, 0x9000),
                                          I(0x104, addi, 14, 10, 2047),
                                          LOAD(0x108, ld, 15, 0, 14, 0x5000)};
    static const struct line too_high[] = {LOAD(0x100, ld, 5, 0, 11, 0x9000),
                                           I(0x104, addi, 14, 10, 2047),
                                           LOAD(0x108, ld, 15, 1, 14, 0x5000)};
    static const struct line lowest[] = {LOAD(0x100, ld, 5, 0, 11, 0x9000),
                                         I(0x104, addi, 14, 10, -2040),
                                         LOAD(0x108, ld, 15, -8, 14, 0x5000)};
    static const struct line too_low[] = {LOAD(0x100, ld, 5, 0, 11, 0x9000),
                                          I(0x104, addi, 14, 10, -2041),
                                          LOAD(0x108, ld, 15, -8, 14, 0x5000)};
    assert_string_equal(slice_of(LINES(highest)), "*ld x15,2047(x10)");
    assert_string_equal(slice_of(LINES(too_high)), "addi x14,x10,2047; *ld x15,1(x14)");
    assert_string_equal(slice_of(LINES(lowest)), "*ld x15,-2048(x10)");
    assert_string_equal(slice_of(LINES(too_low)), "addi x14,x10,-2041; *ld x15,-8(x14)");
}

/* sext.w of what may have other high bits is no copy. */
static void extension_of_what_is_not_extended_stays(void **state)
{
    (void)state;
    static const struct line signed_word[] = {
        LOAD(0x100, ld, 5, 0, 11, 0x9000), LOAD(0x104, lw, 13, 0, 12, 0x9100),
        I(0x108, addiw, 14, 13, 0), LOAD(0x10c, ld, 15, 0, 14, 0x5000)};
    static const struct line unsigned_word[] = {
        LOAD(0x100, ld, 5, 0, 11, 0x9000), LOAD(0x104, lwu, 13, 0, 12, 0x9100),
        I(0x108, addiw, 14, 13, 0), LOAD(0x10c, ld, 15, 0, 14, 0x5000)};
    static const struct line wide_sum[] = {LOAD(0x100, ld, 5, 0, 11, 0x9000),
                                           R(0x104, add, 13, 12, 10), I(0x108, addiw, 14, 13, 0),
                                           LOAD(0x10c, ld, 15, 0, 14, 0x5000)};
    static const struct line live_in[] = {LOAD(0x100, ld, 5, 0, 11, 0x9000),
                                          I(0x108, addiw, 14, 13, 0),
                                          LOAD(0x10c, ld, 15, 0, 14, 0x5000)};
    assert_string_equal(slice_of(LINES(signed_word)), "lw x13,0(x12); *ld x15,0(x13)");
    assert_string_equal(slice_of(LINES(unsigned_word)),
                        "lwu x13,0(x12); addiw x14,x13,0; *ld x15,0(x14)");
    assert_string_equal(slice_of(LINES(wide_sum)),
                        "add x13,x12,x10; addiw x14,x13,0; *ld x15,0(x14)");
    assert_string_equal(slice_of(LINES(live_in)), "addiw x14,x13,0; *ld x15,0(x14)");
}

static void loads_of_one_loop_share_a_slice(void **state)
{
    (void)state;
    static const struct line both[] = {
        I(0x100, addi, 10, 10, 64),          LOAD(0x104, ld, 11, 0, 10, 0x1000),
        LOAD(0x108, lw, 12, 24, 11, 0x2000), LOAD(0x10c, ld, 13, 8, 10, 0x1008),
        LOAD(0x110, lw, 14, 24, 13, 0x3000), LOAD(0x114, lw, 15, 0, 20, 0x4000),
        B(0x118, bne, 10, 16, -0x18),        I(0x100, addi, 10, 10, 64)};
    static const uint64_t others[] = {0x110, 0x114};
    const struct slice_pcs pcs = {.pcs = others, .count = 2};
    struct slice_retired retired[8];
    struct slice_trace trace;
    struct slice slice = {0};
    retire(retired, LINES(both));
    assert_true(slice_trace_read(&trace, retired, 8, true));
    assert_int_equal(slice_build(&slice, &trace, 7, 0x108, &pcs, &slice_rules_optimized),
                     SLICE_BUILT_OK);
    assert_string_equal(slice_text(&slice),
                        "bne x10,x16,118; addi x10,x10,64 | ld x11,0(x10); *lw x12,24(x11); "
                        "ld x13,8(x10); *lw x14,24(x13)");
    slice_trace_free(&trace);
}

static void what_no_slice_may_have_is_refused(void **state)
{
    (void)state;
    static const struct line atomic[] = {
        LOAD(0x100, ld, 15, 0, 10, 0x1000),
        {.pc = 0x104, .insn = {.op = RV64_amoadd_d, .rd = 10, .rs1 = 11, .rs2 = 12}},
        LOAD(0x100, ld, 15, 0, 10, 0x1000)};
    struct slice_retired retired[3];
    struct slice slice = {0};
    retire(retired, LINES(atomic));
    assert_int_equal(slice_build_between(&slice, retired, 3, &slice_rules_simple),
                     SLICE_BUILT_NOT_ALLOWED);
    assert_int_equal(slice_build_between(&slice, retired, 2, &slice_rules_simple),
                     SLICE_BUILT_NO_LOAD);
}

static void too_long_a_slice_is_refused(void **state)
{
    (void)state;
    struct slice_retired retired[203];
    struct slice slice = {0};
    const struct line load = LOAD(0x100, ld, 5, 0, 10, 0x1000);
    retire(retired, &load, 1);
    retire(retired + 202, &load, 1);
    for (unsigned i = 1; i < 202; i++) {
        const struct line product = R(0x104 + 4 * i, mul, 10, 10, 11);
        retire(retired + i, &product, 1);
    }
    assert_int_equal(slice_build_between(&slice, retired, 203, &slice_rules_simple),
                     SLICE_BUILT_TOO_LONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walk_of_the_increments_keeps_what_the_table_says),
        cmocka_unit_test(slice_of_the_increments_is_the_lecture_s),
        cmocka_unit_test(walk_of_mcf_keeps_what_feeds_the_address),
        cmocka_unit_test(slice_of_mcf_is_the_lecture_s),
        cmocka_unit_test(chain_of_mcf_spawns_behind_the_lecture_s_prologue),
        cmocka_unit_test(optimized_chain_of_mcf_folds_the_constant_and_has_a_guard),
        cmocka_unit_test(loop_carried_list_needs_no_body),
        cmocka_unit_test(value_through_the_stack_stays_in_a_register),
        cmocka_unit_test(extension_of_what_is_extended_goes),
        cmocka_unit_test(store_that_only_overlaps_is_not_followed),
        cmocka_unit_test(value_is_followed_only_from_stack_to_stack),
        cmocka_unit_test(value_is_followed_past_its_neighbours),
        cmocka_unit_test(sums_are_folded_as_far_as_an_immediate_reaches),
        cmocka_unit_test(extension_of_what_is_not_extended_stays),
        cmocka_unit_test(loads_of_one_loop_share_a_slice),
        cmocka_unit_test(what_no_slice_may_have_is_refused),
        cmocka_unit_test(too_long_a_slice_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
