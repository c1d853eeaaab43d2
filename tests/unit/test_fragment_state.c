/* Tests that any address in the cache is mapped back to the program's, or known to be between two instructions. */
#include "fragment_rig.h"

static struct translator translator;
static struct mark marks[16];
static uint8_t code[256];

static int begin(void **state)
{
    (void)state;
    translator.cache.start = code;
    translator.cache.end = code + sizeof code;
    translator.marks = (struct marks){.start = marks, .next = marks, .end = marks + 16};
    return 0;
}

#define TEST_MARKS(name) cmocka_unit_test_setup(name, begin)

static void expect_at(const uint8_t *at, guest_addr pc)
{
    struct state state;

    assert_true(state_find(&translator, at, &state));
    assert_int_equal(state.pc, pc);
}

static void expect_between(const uint8_t *at)
{
    struct state state;

    assert_false(state_find(&translator, at, &state));
}

static void a_run_is_mapped_byte_for_byte(void **state)
{
    (void)state;
    expect_between(code);
    state_add_mark(&translator.marks, code + 10, code + 30, 0x1000);
    expect_between(code + 9);
    for (unsigned i = 10; i <= 30; i++) {
        expect_at(code + i, 0x1000 - 30 + i);
    }
    expect_between(code + 31);
    expect_between(code + 255);
}

static void a_piece_is_one_instruction_up_to_its_own(void **state)
{
    struct state found;

    (void)state;
    state_add_mark(&translator.marks, code, code + 8, 0x1000);
    state_note_own(&translator.marks, code + 20);
    for (unsigned i = 8; i <= 20; i++) {
        assert_true(state_find(&translator, code + i, &found));
        assert_int_equal(found.pc, 0x1000);
        assert_ptr_equal(found.piece, code + 8); /* from where on registers may be borrowed */
    }
    expect_between(code + 21);
    assert_true(state_find(&translator, code + 3, &found));
    assert_ptr_equal(found.piece, code + 3);
}

static void a_register_may_be_held_all_along(void **state)
{
    struct state found;

    (void)state;
    state_add_mark(&translator.marks, code + 8, code + 8, 0x1000);
    state_note_held(&translator.marks, 5);
    state_add_mark(&translator.marks, code + 12, code + 12, 0x1004);
    assert_true(state_find(&translator, code + 8, &found));
    assert_int_equal(found.held, 5);
    assert_true(state_find(&translator, code + 12, &found));
    assert_int_equal(found.held, 0);
}

/* Of jumps that were followed nothing is left: the last mark at a place is the one that counts. */
static void of_empty_pieces_the_last_counts(void **state)
{
    (void)state;
    state_add_mark(&translator.marks, code, code + 8, 0x1000);
    state_add_mark(&translator.marks, code + 8, code + 8, 0x2000);
    state_add_mark(&translator.marks, code + 8, code + 8, 0x3000);
    state_add_mark(&translator.marks, code + 8, code + 20, 0x400c);
    expect_at(code + 7, 0xfff);
    expect_at(code + 8, 0x4000);
    expect_at(code + 20, 0x400c);
}

static void many_marks_are_searched(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        state_add_mark(&translator.marks, code + i * 16, code + i * 16 + 8, i * 0x100);
    }
    for (unsigned i = 0; i < 16; i++) {
        expect_at(code + i * 16, (uint64_t)i * 0x100 - 8);
        expect_at(code + i * 16 + 8, i * 0x100);
        expect_between(code + i * 16 + 9);
    }
}

/* Each step of a plan, with the code of the program that the cache has for it. */
static guest_addr write_all(void)
{
    go(CODE);
    put(TOY_CONST8, R1, 0, 1);
    put_to(TOY_LEA, R2, DATA);
    put(TOY_ADD, R1, R2, 0);
    put_to(TOY_LOAD_NEAR, R3, DATA);
    put_to(TOY_STORE_NEAR, R3, DATA + 8);
    put(TOY_HOLD, R1, R2, 0);
    const guest_addr side = put(TOY_BRANCH8, IF_NEGATIVE, 0, 0);
    put(TOY_INC, R1, 0, 0);
    put(TOY_KEEP, R1, R2, 0);
    put(TOY_NOP, 0, 0, 0);
    const guest_addr jump = put(TOY_JUMP8, 0, 0, 0);
    asm_nops(&rig.code, 3);
    asm_send(jump, here());
    const guest_addr call = put(TOY_CALL32, 0, 0, 0);
    asm_nops(&rig.code, 4);
    asm_send(call, here());
    put(TOY_DEC, R1, 0, 0);
    const guest_addr branch = put(TOY_BRANCH32, IF_ZERO, 0, 0);
    put(TOY_HALT, 0, 0, 0);
    asm_send(side, here());
    asm_send(branch, here());
    put(TOY_HALT, 0, 0, 0);
    return CODE;
}

/* Steps through a fragment's code, and says of each instruction where the program is. */
static unsigned check_instructions(const struct fragment *fragment)
{
    unsigned known = 0;
    struct toy_insn insn;

    for (const uint8_t *at = fragment->entry; at < fragment->end; at += insn.bytes) {
        struct state found;
        toy_decode(at, &insn);
        if (!state_find(rig.translator, at, &found)) {
            continue;
        }
        known++;
        assert_in_range(found.pc, CODE, CODE + PAGE);
        /* What is no own instruction of the translator's is one of the program's, or borrowed for it. */
        struct toy_insn original;
        toy_decode((const uint8_t *)(uintptr_t)found.pc, &original);
        if (found.piece == at && !toy_is_own((enum toy_op)insn.op) && insn.op != TOY_NOP &&
            insn.op != TOY_CONST64) {
            assert_int_equal(insn.op, original.op);
        }
    }
    return known;
}

static void instructions_of_a_fragment_are_those_of_the_program(void **state)
{
    (void)state;
    const struct fragment *fragment = rig_build(&rig, write_all());
    /* All but the followed jump, which has no code; and more inside of pieces. */
    assert_true(check_instructions(fragment) >= 14);
}

static void ways_into_and_out_of_a_fragment_are_between_instructions(void **state)
{
    (void)state;
    const struct fragment *first = rig_build(&rig, write_all());
    const struct fragment *second = rig_build(&rig, CODE + 2);
    struct state found;
    for (const uint8_t *at = first->code; at < first->entry; at++) {
        assert_false(state_find(rig.translator, at, &found));
    }
    for (const uint8_t *at = second->code; at < second->entry; at++) {
        assert_false(state_find(rig.translator, at, &found));
    }
    const struct cache *cache = &rig.translator->cache;
    for (const uint8_t *at = cache->trampolines; at < cache->chunk_end; at++) {
        assert_false(state_find(rig.translator, at, &found));
    }
    for (unsigned i = 0; i < 2; i++) {
        const struct fragment *fragment = i == 0 ? first : second;
        assert_true(state_find(rig.translator, fragment->entry, &found));
        assert_int_equal(found.pc, fragment->start);
        assert_false(state_find(rig.translator, fragment->end - 1, &found));
    }
}

static void counters_are_between_instructions(void **state)
{
    struct options options = rig_options();
    struct state found;

    (void)state;
    options.counters = COUNTERS_SW_EXACT;
    options.placement = PLACEMENT_HEAD;
    rig_create(&rig, &options);
    const struct fragment *fragment = rig_build(&rig, write_all());
    rig_build(&rig, CODE + 2);
    for (unsigned i = 0; i < target_sw_layout.bytes; i++) {
        assert_false(state_find(rig.translator, fragment->loop->code + i, &found));
    }
}

/* At each instruction of the cache that a run executes the rig compares with the program alone. */
static unsigned steps, known_steps;

static void look(struct rig_thread *thread)
{
    struct state found;

    steps++;
    known_steps +=
        state_find(rig.translator, (const uint8_t *)(uintptr_t)thread->machine.pc, &found);
}

static void what_is_executed_is_mostly_known(void **state)
{
    (void)state;
    steps = known_steps = 0;
    rig.before_step = look;
    assert_int_equal(rig_run(&rig, write_all()), TOY_HALTED);
    assert_true(known_steps > 15);
    assert_true(steps > known_steps);
}

static void all_chunks_of_the_cache_are_searched(void **state)
{
    struct fragment *fragments[300];

    (void)state;
    for (unsigned i = 0; i < 300; i++) {
        go(CODE + i * 200);
        asm_nops(&rig.code, 100);
        put(TOY_JUMP_REGISTER, 0, R1, 0);
        fragments[i] = rig_build(&rig, CODE + i * 200);
    }
    assert_int_equal(rig.translator->statistics.flushes, 0);
    assert_ptr_not_equal(rig.translator->cache.chunk_end,
                         rig.translator->cache.start + CACHE_CHUNK_BYTES);
    for (unsigned i = 0; i < 300; i++) {
        for (unsigned at = 0; at <= 100; at++) {
            struct state found;
            assert_true(state_find(rig.translator, fragments[i]->entry + at, &found));
            assert_int_equal(found.pc, CODE + i * 200 + at);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_MARKS(a_run_is_mapped_byte_for_byte),
        TEST_MARKS(a_piece_is_one_instruction_up_to_its_own),
        TEST_MARKS(a_register_may_be_held_all_along),
        TEST_MARKS(of_empty_pieces_the_last_counts),
        TEST_MARKS(many_marks_are_searched),
        TEST(instructions_of_a_fragment_are_those_of_the_program),
        TEST(ways_into_and_out_of_a_fragment_are_between_instructions),
        TEST_ALONE(counters_are_between_instructions),
        TEST(what_is_executed_is_mostly_known),
        TEST(all_chunks_of_the_cache_are_searched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
