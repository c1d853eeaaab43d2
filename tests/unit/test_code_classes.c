/* Tests that each retired instruction is counted once, in the class that ic.sync gave its bytes. */
#include "engine_rig.h"

#include "machine/units/code_classes.h"

#include <stdlib.h>

static struct rig rig;
static struct code_classes *classes;

static void rewatch(void *unused, guest_addr start, uint64_t bytes)
{
    (void)unused;
    engine_rewatch(rig.engine, start, bytes);
}

static int create(void **unused)
{
    (void)unused;
    rig_create(&rig);
    classes = code_classes_create((struct unit_host){.rewatch = rewatch, .machine = NULL});
    assert_non_null(classes);
    rig.units.units[rig.units.count++] = code_classes_unit(classes);
    return 0;
}

static int destroy(void **unused)
{
    (void)unused;
    struct unit *unit = code_classes_unit(classes);
    unit->kind->destroy(unit);
    rig_destroy(&rig);
    return 0;
}

static uint64_t sum(void)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < CODE_CLASSES; i++) {
        all += code_classes_total(classes, i);
    }
    return all;
}

/* While nothing is counted: finds the total that changes. */
static unsigned class_at(guest_addr pc)
{
    const struct watch_instruction instruction = {.pc = pc, .bytes = 4};
    struct unit *unit = code_classes_unit(classes);
    const uint64_t *total = unit->kind->watches(unit, &instruction).total;
    const uint64_t before = *total;
    unsigned class = 0;
    code_classes_take_back(classes, pc);
    while (code_classes_total(classes, class) != before - 1) {
        class ++;
    }
    (*unit->kind->watches(unit, &instruction).total)++;
    return class;
}

static void ranges_are_what_a_list_of_bytes_would_be(void **unused)
{
    (void)unused;
    enum { BYTES = 200, ROUNDS = 3000 };
    unsigned model[BYTES] = {0};
    srand(1);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned start = (unsigned)rand() % BYTES;
        const unsigned bytes = (unsigned)rand() % (round % 3 == 0 ? 8 : BYTES - start + 1);
        const unsigned class = (unsigned)rand() % 4;
        code_classes_name(classes, start, bytes, class);
        for (unsigned i = start; i < start + bytes && i < BYTES; i++) {
            model[i] = class;
        }
        for (unsigned i = 0; i < BYTES; i++) {
            assert_int_equal(class_at(i), model[i]);
        }
        code_classes_name(classes, BYTES, GUEST_SPACE_BYTES, 0); /* what went beyond the list */
    }
}

static void ranges_may_reach_beyond_the_address_space(void **unused)
{
    (void)unused;
    code_classes_name(classes, CODE, UINT64_MAX, 5);
    assert_int_equal(class_at(GUEST_SPACE_BYTES - 2), 5);
    assert_int_equal(class_at(CODE - 2), 0);
    code_classes_name(classes, GUEST_SPACE_BYTES, 100, 6);
    code_classes_name(classes, CODE, 0, 7);
    assert_int_equal(class_at(CODE), 5);
}

/* Pieces of two classes in turn, in any order: after so many, a piece of code still costs little. */
static void ranges_may_be_many(void **unused)
{
    enum { PIECES = 200000, BYTES = 16, ODD = 77777 };
    static const struct {
        uint64_t first, step;
    } orders[] = {{0, 1}, {PIECES - 1, PIECES - 1}, {1, ODD}};
    (void)unused;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        uint64_t piece = orders[i].first;
        for (unsigned n = 0; n < PIECES; n++) {
            code_classes_name(classes, CODE + piece * BYTES, BYTES, 1 + piece % 2);
            piece = (piece + orders[i].step) % PIECES;
        }
        assert_in_range(code_classes_depth(classes), 18, 64);
        for (piece = 0; piece < PIECES; piece += 1000) {
            assert_int_equal(code_classes_of(classes, CODE + piece * BYTES), 1);
            assert_int_equal(code_classes_of(classes, CODE + (piece + 2) * BYTES - 1), 2);
        }
        assert_int_equal(code_classes_of(classes, CODE - 1), 0);
        assert_int_equal(code_classes_of(classes, CODE + PIECES * BYTES), 0);
        code_classes_name(classes, CODE, PIECES * BYTES, 0);
        assert_int_equal(code_classes_depth(classes), 0);
    }
}

/* Ten rounds of four instructions, then an ecall. */
static void write_loop(void)
{
    rig.at = CODE;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 0, 10);
    put_store(&rig, RV64_sd, 5, 7, 8);
    put_rd_rs1_imm(&rig, RV64_ld, 6, 7, 8);
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, -1);
    put_branch(&rig, RV64_bne, 5, 0, CODE + 4);
    put_ecall(&rig);
}

static void run_in_turns(uint64_t turn)
{
    enum engine_stop stop;
    rig_reset_hart(&rig);
    rig.hart.x[7] = DATA;
    do {
        stop = engine_run(rig.engine, &rig.hart, turn);
        assert_int_equal(stop == ENGINE_BUDGET || stop == ENGINE_ECALL, true);
    } while (stop == ENGINE_BUDGET);
}

static void a_class_may_begin_within_a_block(void **unused)
{
    (void)unused;
    write_loop();
    code_classes_name(classes, CODE + 8, 4, 3);  /* the load */
    code_classes_name(classes, CODE + 16, 4, 2); /* the branch */
    const uint64_t turns[] = {1000, 7, 3, 2, 1};
    for (unsigned i = 0; i < sizeof turns / sizeof turns[0]; i++) {
        run_in_turns(turns[i]);
        assert_int_equal(code_classes_total(classes, 3), 10 * (i + 1));
        assert_int_equal(code_classes_total(classes, 2), 10 * (i + 1));
        assert_int_equal(sum(), rig.hart.instructions * (i + 1));
    }
}

static void a_class_may_change_after_its_code_has_run(void **unused)
{
    (void)unused;
    write_loop();
    run_in_turns(1000);
    assert_int_equal(code_classes_total(classes, 0), 42);
    code_classes_name(classes, CODE, 24, 1);
    run_in_turns(1000);
    assert_int_equal(code_classes_total(classes, 0), 42);
    assert_int_equal(code_classes_total(classes, 1), 42);
}

static void what_faults_is_in_no_class(void **unused)
{
    (void)unused;
    write_loop();
    code_classes_name(classes, CODE + 4, 4, 1); /* the store, which faults */
    code_classes_name(classes, CODE + 12, 4, 2);
    rig_reset_hart(&rig);
    rig.hart.x[7] = NOTHING;
    assert_int_equal(engine_run(rig.engine, &rig.hart, 1000), ENGINE_STORE_FAULT);
    assert_int_equal(rig.hart.instructions, 1);
    assert_int_equal(sum(), 1);
    assert_int_equal(code_classes_total(classes, 0), 1);
    rig.hart.pc = CODE + 8; /* the load */
    assert_int_equal(engine_run(rig.engine, &rig.hart, 1000), ENGINE_LOAD_FAULT);
    assert_int_equal(sum(), 1);
}

static void what_is_illegal_is_in_no_class(void **unused)
{
    (void)unused;
    rig.at = CODE;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 0, 10);
    rig_put_word(&rig, 0);
    assert_int_equal(engine_run(rig.engine, &rig.hart, 1000), ENGINE_ILLEGAL);
    assert_int_equal(sum(), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)
    const struct CMUnitTest tests[] = {
        TEST(ranges_are_what_a_list_of_bytes_would_be),
        TEST(ranges_may_reach_beyond_the_address_space),
        TEST(ranges_may_be_many),
        TEST(a_class_may_begin_within_a_block),
        TEST(a_class_may_change_after_its_code_has_run),
        TEST(what_faults_is_in_no_class),
        TEST(what_is_illegal_is_in_no_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
