/* Tests how windows are sampled, and which trigger and slice are chosen from them. */
#include "slice_examples.h"

#include <stdlib.h>

#include "slice/choose.h"

/* A made-up program: each call retires the next instruction of its stream. */
typedef struct slice_retired stream(uint64_t number);

static struct sampler_plan *plan;

static void sample(stream *next, uint64_t count, unsigned before, unsigned after, uint64_t pc)
{
    plan = calloc(1, sampler_plan_bytes(before, after, 1));
    sampler_plan_begin(plan, before, after, &pc, 1);
    struct sampler *sampler = sampler_create(plan);
    for (uint64_t i = 0; i < count; i++) {
        const struct slice_retired retired = next(i);
        sampler_retire(sampler, &retired);
    }
    sampler_break(sampler);
    sampler_destroy(sampler);
}

static int clean(void **state)
{
    (void)state;
    free(plan);
    plan = NULL;
    return 0;
}

static uint32_t encoded(const struct rv64_insn insn)
{
    uint32_t word = 0;
    assert_true(rv64_encode(&insn, &word));
    return word;
}

static uint32_t nop(void)
{
    return encoded((struct rv64_insn){.op = RV64_addi});
}

/* The address tells the number. */
static struct slice_retired counted(uint64_t number)
{
    return (struct slice_retired){
        .pc = 0x1000 + 4 * (number % 10), .address = number, .word = nop()};
}

static void windows_have_what_was_before_and_after(void **state)
{
    (void)state;
    sample(counted, 1000, 5, 3, 0x1000);
    const struct sampler_target *target = &plan->targets[0];
    assert_int_equal(target->executions, 100);
    assert_true(target->samples >= SAMPLER_SAMPLES / 2);
    for (unsigned i = 0; i < target->samples; i++) {
        const struct slice_window window = sampler_window(plan, 0, i);
        assert_int_equal(window.before, i == 0 ? 0 : 5);
        assert_int_equal(window.count, window.before + 4);
        assert_int_equal(window.retired[window.before].pc, 0x1000);
        for (unsigned k = 1; k < window.count; k++) {
            assert_int_equal(window.retired[k].address, window.retired[k - 1].address + 1);
        }
    }
}

static void samples_are_spread_over_the_whole_run(void **state)
{
    (void)state;
    sample(counted, 1000000, 5, 3, 0x1000);
    const struct sampler_target *target = &plan->targets[0];
    uint64_t gap = 0;
    assert_true(target->samples >= SAMPLER_SAMPLES / 2);
    for (unsigned i = 1; i < target->samples; i++) {
        const struct slice_window before = sampler_window(plan, 0, i - 1);
        const struct slice_window window = sampler_window(plan, 0, i);
        const uint64_t now =
            window.retired[window.before].address - before.retired[before.before].address;
        assert_true(gap == 0 || now == gap);
        gap = now;
    }
    const struct slice_window last = sampler_window(plan, 0, target->samples - 1);
    assert_true(last.retired[last.before].address > 1000000 - 2 * gap);
}

static void windows_do_not_reach_over_a_break(void **state)
{
    (void)state;
    const uint64_t pc = 0x1000 + 4 * 2;
    plan = calloc(1, sampler_plan_bytes(8, 8, 1));
    sampler_plan_begin(plan, 8, 8, &pc, 1);
    struct sampler *sampler = sampler_create(plan);
    for (uint64_t i = 0; i < 5; i++) {
        const struct slice_retired retired = counted(i);
        sampler_retire(sampler, &retired);
    }
    sampler_break(sampler);
    for (uint64_t i = 11; i < 30;
         i++) { /* what another thread retires: its window begins with it */
        const struct slice_retired retired = counted(i);
        sampler_retire(sampler, &retired);
    }
    sampler_destroy(sampler);
    assert_int_equal(plan->targets[0].samples, 2);
    assert_int_equal(sampler_window(plan, 0, 0).before, 2);
    assert_int_equal(sampler_window(plan, 0, 0).count, 5);
    assert_int_equal(sampler_window(plan, 0, 1).before, 1);
    assert_int_equal(sampler_window(plan, 0, 1).count, 1 + 1 + 8);
    assert_int_equal(sampler_window(plan, 0, 1).retired[0].address, 11);
}

/* A loop of ten: x10 += 64, then *(*x10 + 8), and what has nothing to do with it. */
static struct slice_retired loop(uint64_t number)
{
    const unsigned place = (unsigned)(number % 10);
    const uint64_t turn = number / 10;
    const uint64_t pc = 0x1000 + 4 * place;
    switch (place) {
    case 2:
        return (struct slice_retired){
            .pc = pc,
            .word = encoded((struct rv64_insn){.op = RV64_addi, .rd = 10, .rs1 = 10, .imm = 64})};
    case 4:
        return (struct slice_retired){
            .pc = pc,
            .address = 0x100000 + 64 * turn,
            .word = encoded((struct rv64_insn){.op = RV64_ld, .rd = 11, .rs1 = 10})};
    case 7:
        return (struct slice_retired){
            .pc = pc,
            .address = 0x900000 + 4096 * turn,
            .word = encoded((struct rv64_insn){.op = RV64_lw, .rd = 12, .rs1 = 11, .imm = 8})};
    case 9:
        return (struct slice_retired){
            .pc = pc,
            .word = encoded((struct rv64_insn){.op = RV64_bne, .rs1 = 10, .rs2 = 13, .imm = -36})};
    default:
        return (struct slice_retired){
            .pc = pc,
            .word = encoded((struct rv64_insn){.op = RV64_addi, .rd = 20, .rs1 = 20, .imm = 1})};
    }
}

/* The same, a hundred and more instructions behind where its address is known. */
static struct slice_retired rare(uint64_t number)
{
    const unsigned place = (unsigned)(number % 2000);
    const uint64_t pc = 0x1000 + 4 * place;
    if (place == 1999) {
        return (struct slice_retired){
            .pc = pc,
            .address = 0x900000 + number,
            .word = encoded((struct rv64_insn){.op = RV64_lw, .rd = 12, .rs1 = 10, .imm = 8})};
    }
    if (place == 1950) {
        return (struct slice_retired){
            .pc = pc,
            .word = encoded((struct rv64_insn){.op = RV64_add, .rd = 10, .rs1 = 14, .rs2 = 15})};
    }
    return (struct slice_retired){.pc = pc, .word = nop()};
}

static struct choose_windows windows_of(struct slice_window *windows)
{
    for (unsigned i = 0; i < plan->targets[0].samples; i++) {
        windows[i] = sampler_window(plan, 0, i);
    }
    return (struct choose_windows){.windows = windows, .count = plan->targets[0].samples};
}

static struct slice chosen(stream *next, uint64_t load, const struct slice_rules *rules,
                           enum choose_result *result)
{
    struct slice_window windows[SAMPLER_SAMPLES];
    const struct slice_pcs loads = {.pcs = &load, .count = 1};
    struct slice slice = {.origin = {.misses = 77}};
    enum slice_built built;
    sample(next, 200000, CHOOSE_WINDOW, 0, load);
    struct choose_windows taken = windows_of(windows);
    const uint64_t trigger = choose_trigger(&taken, load, &loads, rules, CHOOSE_DISTANCE);
    assert_int_not_equal(trigger, 0);
    free(plan);
    sample(next, 200000, 0, 2 * CHOOSE_WINDOW, trigger);
    taken = windows_of(windows);
    *result = choose_slice(&slice, &taken, load, &loads, rules, CHOOSE_WINDOW, &built);
    return slice;
}

static void loop_gets_a_chain_from_its_best_place(void **state)
{
    (void)state;
    enum choose_result result;
    const struct slice slice = chosen(loop, 0x1000 + 4 * 7, &slice_rules_optimized, &result);
    assert_int_equal(result, CHOOSE_OK);
    assert_string_equal(slice_text(&slice),
                        "bne x10,x13,1024; addi x10,x10,64 | ld x11,64(x10); *lw x12,8(x11)");
    assert_int_equal(slice.trigger, 0x1000 + 4 * 7);
    assert_int_equal(slice.live_ins, X(10) | X(13));
    assert_int_equal(slice.kind, SLICE_CHAINING);
    assert_int_equal(slice.origin.misses, 77);
    assert_int_equal(slice.origin.followed, slice.origin.triggers);
    assert_true(slice.origin.alike + 1 >= slice.origin.followed); /* the run ends in one */
    assert_int_equal(slice.origin.traced, 20 * slice.origin.alike);
}

static void basic_slice_of_a_loop_is_unrolled(void **state)
{
    (void)state;
    enum choose_result result;
    struct slice_rules rules = slice_rules_optimized;
    rules.chain = false;
    const struct slice slice = chosen(loop, 0x1000 + 4 * 7, &rules, &result);
    assert_int_equal(result, CHOOSE_OK);
    assert_int_equal(slice.kind, SLICE_BASIC);
    assert_int_equal(slice.unroll, 13);
    assert_int_equal(slice.origin.traced, (130 + 10) * slice.origin.alike);
}

static void load_without_a_loop_gets_a_trigger_at_a_distance(void **state)
{
    (void)state;
    enum choose_result result;
    const struct slice slice = chosen(rare, 0x1000 + 4 * 1999, &slice_rules_optimized, &result);
    assert_int_equal(result, CHOOSE_OK);
    assert_string_equal(slice_text(&slice), "add x10,x14,x15; *lw x12,8(x10)");
    assert_int_equal(slice.trigger, 0x1000 + 4 * (1999 - CHOOSE_DISTANCE));
    assert_int_equal(slice.kind, SLICE_BASIC);
    assert_int_equal(slice.origin.traced, CHOOSE_DISTANCE * slice.origin.alike);
}

/* The load comes twice, fifty instructions apart, and then not for long: half of the windows have it again. */
static struct slice_retired twice(uint64_t number)
{
    const unsigned place = (unsigned)(number % 2000);
    if (place == 1949 || place == 1999) {
        return (struct slice_retired){
            .pc = 0x1000,
            .address = 0x900000 + number,
            .word = encoded((struct rv64_insn){.op = RV64_lw, .rd = 12, .rs1 = 10, .imm = 8})};
    }
    return (struct slice_retired){
        .pc = 0x1000 + 4 * (place + 1),
        .word = encoded((struct rv64_insn){.op = RV64_addi, .rd = 10, .rs1 = 10, .imm = 1})};
}

static uint64_t trigger_of(const struct slice_window *windows, unsigned count)
{
    const uint64_t load = 0x1000;
    const struct slice_pcs loads = {.pcs = &load, .count = 1};
    const struct choose_windows some = {.windows = windows, .count = count};
    return choose_trigger(&some, load, &loads, &slice_rules_optimized, CHOOSE_DISTANCE);
}

/* The load is alone in the first and third window and again in the second: half are enough for a loop, a third is not. */
static void load_that_comes_again_in_half_of_the_windows_is_in_a_loop(void **state)
{
    (void)state;
    struct slice_window windows[SAMPLER_SAMPLES];
    sample(twice, 20000, CHOOSE_WINDOW, 0, 0x1000);
    assert_true(windows_of(windows).count >= 4);
    assert_int_equal(trigger_of(windows + 1, 2), 0x1000);
    assert_int_equal(trigger_of(windows, 3), 0x1000 + 4 * (1950 - CHOOSE_DISTANCE));
}

static void trigger_that_the_load_seldom_follows_is_refused(void **state)
{
    (void)state;
    const uint64_t load = 0x1000 + 4 * 1999;
    const struct slice_pcs loads = {.pcs = &load, .count = 1};
    struct slice_window windows[SAMPLER_SAMPLES];
    struct slice slice = {0};
    enum slice_built built;
    sample(rare, 200000, 0, 2 * CHOOSE_WINDOW, 0x1000 + 4 * 1500);
    const struct choose_windows after = windows_of(windows);
    assert_int_equal(
        choose_slice(&slice, &after, load, &loads, &slice_rules_optimized, CHOOSE_WINDOW, &built),
        CHOOSE_SELDOM);
}

/* The address is in a register that nothing changes. */
static struct slice_retired invariant(uint64_t number)
{
    const unsigned place = (unsigned)(number % 10);
    return (struct slice_retired){
        .pc = 0x1000 + 4 * place,
        .address = 0x5000,
        .word =
            place == 5 ? encoded((struct rv64_insn){.op = RV64_ld, .rd = 11, .rs1 = 10}) : nop()};
}

static void load_of_one_address_gets_no_slice(void **state)
{
    (void)state;
    enum choose_result result;
    chosen(invariant, 0x1000 + 4 * 5, &slice_rules_optimized, &result);
    assert_int_equal(result, CHOOSE_NONE);
}

/* The lecture's loops, turn by turn; each access goes to another line. */
static struct slice_retired turn_of(const struct line *lines, unsigned count, uint64_t number)
{
    struct slice_retired retired;
    retire(&retired, &lines[number % count], 1);
    retired.address += 4096 * (number / count);
    return retired;
}

static struct slice_retired increments_turn(uint64_t number)
{
    return turn_of(increments, INCREMENTS_LINES, number);
}

static struct slice_retired pricing_turn(uint64_t number)
{
    static const struct line back = B(0x404998, bltu, 3, 30, -0x98);
    const unsigned turn = PRICING_LINES + 1;
    return number % turn == PRICING_LINES
               ? turn_of(&back, 1, 0)
               : turn_of(pricing, PRICING_LINES, number / turn * PRICING_LINES + number % turn);
}

static void offline_slice_of_the_increments_is_the_lecture_s(void **state)
{
    (void)state;
    enum choose_result result;
    struct slice slice = chosen(increments_turn, INCREMENTS_LOAD, &slice_rules_simple, &result);
    assert_int_equal(result, CHOOSE_OK);
    assert_string_equal(slice_text(&slice), "ld x1,0(x2); add x1,x4,x1; *ld x5,0(x1)");
    assert_int_equal(slice.live_ins, X(2) | X(4));
    assert_int_equal(slice.trigger, INCREMENTS_LOAD);
    free(plan);
    slice = chosen(increments_turn, INCREMENTS_LOAD, &slice_rules_optimized, &result);
    assert_string_equal(slice_text(&slice),
                        "blt x6,x0,120; addi x3,x3,1; addi x6,x3,-100; addi x2,x2,8 "
                        "| ld x1,0(x2); add x1,x4,x1; *ld x5,0(x1)");
}

static void offline_slice_of_mcf_is_the_lecture_s(void **state)
{
    (void)state;
    enum choose_result result;
    struct slice_rules rules = slice_rules_simple;
    rules.chain = true;
    const struct slice slice = chosen(pricing_turn, PRICING_LOAD, &rules, &result);
    assert_int_equal(result, CHOOSE_OK);
    assert_string_equal(slice_text(&slice),
                        "add x9,x9,x11 | ld x16,0(x9); addi x15,x16,80; *lw x21,0(x15)");
    assert_int_equal(slice.live_ins, X(9) | X(11));
    assert_int_equal(slice.trigger, 0x404904);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, clean)
    const struct CMUnitTest tests[] = {
        TEST(windows_have_what_was_before_and_after),
        TEST(samples_are_spread_over_the_whole_run),
        TEST(windows_do_not_reach_over_a_break),
        TEST(loop_gets_a_chain_from_its_best_place),
        TEST(basic_slice_of_a_loop_is_unrolled),
        TEST(load_without_a_loop_gets_a_trigger_at_a_distance),
        TEST(load_that_comes_again_in_half_of_the_windows_is_in_a_loop),
        TEST(trigger_that_the_load_seldom_follows_is_refused),
        TEST(load_of_one_address_gets_no_slice),
        TEST(offline_slice_of_the_increments_is_the_lecture_s),
        TEST(offline_slice_of_mcf_is_the_lecture_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
