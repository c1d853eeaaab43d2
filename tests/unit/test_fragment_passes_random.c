/* Random lists of ops, with random subsets of passes: all is told and left as in the list itself.
 *
 *   test_fragment_passes_random [LISTS [FIRST]] */
#include "ops_check.h"

#include "target_facts.h"
#include "translator/passes/prefetch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LISTS 300000
#define RUNS 3 /* of each list, with other passes and other registers */
#define TURNS 3

static uint64_t lists, first_list;
static struct ops ops, other;
static struct place place;
static struct arranged arranged;
static struct ops_machine machine;
static struct ops_seen seen;
static uint64_t given_up, arranged_lists, taken_out[PASS_COUNT];

/* So often, at the least, must each pass have known something, in as many lists. */
#define TAKEN_OUT_PER_LISTS 100
#define GIVEN_UP_PER_LISTS 1000

static uint64_t random_state;

static unsigned below(unsigned count)
{
    return (unsigned)((ops_mix(random_state++, 7) >> 16) % count);
}

static bool one_in(unsigned count)
{
    return below(count) == 0;
}

/* A list. */

/* Registers that the list names: few, so that there is no room. */
static struct {
    unsigned count;
    uint8_t registers[OPS_REGISTERS];
    bool narrow; /* it does the same again and again */
} names;

static void choose_names(void)
{
    uint32_t left = ~(UINT32_C(1) | TARGET_OWN_REGISTERS);

    names.narrow = one_in(3);
    names.count = 2 + below(one_in(4) ? 20 : 7);
    for (unsigned i = 0; i < names.count;) {
        const unsigned reg = below(OPS_REGISTERS);
        if ((left >> reg & 1) != 0) {
            left &= ~(UINT32_C(1) << reg);
            names.registers[i++] = (uint8_t)reg;
        }
    }
}

static unsigned any_register(void)
{
    return names.registers[below(names.count)];
}

/* Seldom one of the first two, which are bases of addresses more often than others. */
static unsigned result(void)
{
    const unsigned i = below(names.count);

    return names.registers[i < 2 && !one_in(8) ? below(names.count) : i];
}

static unsigned base(void)
{
    return one_in(20) ? 0 : names.registers[below(one_in(3) ? names.count : 2)];
}

/* x0 now and then. */
static unsigned operand(void)
{
    return one_in(12) ? 0 : any_register();
}

static int64_t small(void)
{
    return one_in(3) ? (int64_t)below(128) - 64 : (int64_t)below(6) * 4 - 8;
}

static uint64_t any_value(void)
{
    switch (below(5)) {
    case 0:
        return ops_mix(random_state++, 3);
    case 1:
        return below(300);
    case 2:
        return (uint64_t)(int64_t)(int32_t)ops_mix(random_state++, 3);
    default:
        return OPS_AREA + below(5) * 4;
    }
}

/* Not taken where the registers are what they are now, mostly. */
static void add_guard(void)
{
    const unsigned a = any_register(), b = operand();
    enum ops_word word = WORD_IF_EQUAL + below(4);

    if (!one_in(20) && target_takes(word, machine.registers[a], machine.registers[b])) {
        static const uint8_t opposite[] = {WORD_IF_OTHER, WORD_IF_EQUAL, WORD_IF_NOT_LESS,
                                           WORD_IF_LESS};
        word = opposite[word - WORD_IF_EQUAL];
    }
    ops_guard(&ops, word, a, b);
}

static void add_access(void)
{
    static const uint8_t sizes[] = {1, 2, 4, 8, 8, 8};
    const unsigned size = names.narrow && !one_in(4) ? 8 : sizes[below(sizeof sizes)];
    const int64_t offset = names.narrow && !one_in(4) ? 0
                           : one_in(6)                ? small()
                                                      : (int64_t)below(3) * 8 + (one_in(6) ? 4 : 0);
    struct op *op;

    if (below(5) < (names.narrow ? 4 : 3)) {
        op = ops_load(&ops, one_in(20) ? 0 : result(), base(), offset, size, one_in(2));
    } else {
        op = ops_store(&ops, operand(), base(), offset, size);
    }
    if (one_in(15)) {
        op->flags = OP_FLOATS;
        if (op->kind == OP_STORE) {
            op->kind = OP_LOAD; /* what a store writes would have to be noted here, too */
        }
        op->rd = op->rs[1] = NO_REGISTER;
    }
}

static void add_computed(void)
{
    const bool again = names.narrow || one_in(3); /* what others compute, too */

    ops_computed(&ops, names.narrow ? WORD_XOR : WORD_ADD + below(WORD_COMPUTE_LAST), result(),
                 again ? base() : operand(), again ? base() : operand());
}

static void add_seldom(void)
{
    switch (below(8)) {
    case 0:
    case 1: {
        const unsigned rs = any_register();
        ops_target(&ops, rs, (int64_t)machine.registers[rs]);
        break;
    }
    case 2:
    case 3:
        ops_other(&ops,
                  one_in(4)   ? NO_REGISTER
                  : one_in(9) ? 0
                              : result(),
                  operand(), one_in(2) ? operand() : NO_REGISTER);
        break;
    case 4:
        ops_plain(&ops, OP_NOTHING);
        break;
    case 5:
        ops_plain(&ops, OP_BLOCK);
        break;
    case 6:
        ops_barrier(&ops, one_in(2) ? NO_REGISTER : result(), operand(), operand());
        break;
    default:
        ops_step(&ops, one_in(2) ? 0 : UINT32_C(1) << result());
        break;
    }
}

static void add_random(void)
{
    const unsigned kind = below(40);

    if (kind < 3) {
        ops_constant(&ops, result(), one_in(3) ? small() : (int64_t)any_value());
    } else if (kind < 11) {
        ops_add(&ops, result(), operand(), one_in(3) ? 0 : small());
    } else if (kind < 20) {
        add_computed();
    } else if (kind < 34) {
        add_access();
    } else if (kind < 37) {
        add_guard();
    } else {
        add_seldom();
    }
}

static void do_last(unsigned number)
{
    const struct op *op = &ops.list[number];
    const uint64_t loaded =
        op->kind == OP_LOAD ? ops_extend(op, ops_machine_bytes(&machine, op)) : 0;

    ops_machine_do(&machine, op, number, loaded);
}

static void choose_values(uint64_t registers[OPS_REGISTERS])
{
    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        registers[reg] = any_value();
    }
}

static void make_list(uint64_t seed, const uint64_t registers[OPS_REGISTERS])
{
    const unsigned length = one_in(100) ? 100 + below(380) : 2 + below(one_in(3) ? 60 : 20);

    ops_begin(&ops);
    choose_names();
    ops_machine_begin(&machine, seed, registers);
    while (ops.count < length) {
        add_random();
        do_last(ops.count - 1);
    }
    ops_end(&ops, UINT32_C(1) << any_register());
    ops.loops = !one_in(3);
}

/* What is asked of it. */

struct way {
    unsigned passes;
    bool alone, log;
    unsigned turns_ahead;
    uint32_t spares;
    uint32_t same; /* registers that are known to hold what they do where the trace is entered */
    uint64_t seed, registers[OPS_REGISTERS];
};

static const char *try(struct ops *list, const struct way *way)
{
    list->passes = way->passes;
    list->alone = way->alone;
    for (unsigned i = 0; i < list->count; i++) {
        list->list[i].flags &= (uint8_t)~OP_KNOWN;
    }
    list->assumed = 0;
    bool numbered = number_run(list);
    if (numbered && pass_is_on(list, PASS_SPECIALIZE) &&
        !specialize_run(list, way->same, way->registers)) {
        list->assumed = 0;
        numbered = number_run(list);
    }
    if (numbered) {
        prefetch_find(list, NULL, 0, way->turns_ahead);
    }
    if (!numbered || !place_run(&place, list, way->spares, &arranged)) {
        given_up++;
        return NULL;
    }
    arranged_lists++;
    return ops_check(list, &arranged, way->seed, way->registers, list->loops ? TURNS : 1, way->log,
                     &seen);
}

/* Leaves out ops, one by one, as long as it fails. */
static const char *reduce(const struct way *way)
{
    const char *problem = try(&ops, way);

    for (unsigned i = 0; i + 1 < ops.count;) {
        other = ops;
        memmove(&other.list[i], &other.list[i + 1], (ops.count - i - 1) * sizeof other.list[0]);
        other.count--;
        if (try(&other, way) != NULL) {
            ops = other;
        } else {
            i++;
        }
    }
    problem = try(&ops, way);
    return problem;
}

static _Noreturn void report(uint64_t number, const struct way *way)
{
    const char *problem = reduce(way);

    ops_print(&ops);
    ops_print_items(&arranged);
    for (unsigned i = 0; i < names.count; i++) {
        fprintf(stderr, "x%u %llx%s", names.registers[i],
                (unsigned long long)way->registers[names.registers[i]],
                i % 4 == 3 || i + 1 == names.count ? "\n" : ", ");
    }
    fail_msg("list %llu, passes %x%s: %s", (unsigned long long)number, way->passes,
             way->alone ? "" : ", with others", problem != NULL ? problem : "(now it holds)");
    abort();
}

static void check_list(uint64_t number)
{
    struct way way = {.seed = ops_mix(number, 1)};

    random_state = ops_mix(number, 2);
    choose_values(way.registers);
    make_list(way.seed, way.registers);
    for (unsigned i = 0; i < RUNS; i++) {
        way.passes = one_in(2) ? PASSES_EACH : below(PASSES_EACH + 1);
        way.same = one_in(3) ? UINT32_MAX : (uint32_t)any_value();
        way.turns_ahead = below(40);
        way.alone = !one_in(4);
        way.log = one_in(20);
        way.spares = one_in(3) ? 0 : TARGET_KEPT_REGISTERS;
        if (i != 0 && one_in(2)) {
            choose_values(way.registers);
        }
        if (try(&ops, &way) != NULL) {
            report(number, &way);
        }
        for (unsigned pass = 0; pass < PASS_COUNT; pass++) {
            taken_out[pass] += arranged.taken_out[pass];
        }
    }
}

static void random_lists_do_the_same_when_arranged(void **state)
{
    static const struct {
        enum pass pass;
        const char *name;
    } known[] = {{PASS_VALUES, "values"},        {PASS_LOADS, "loads"},
                 {PASS_STRENGTH, "strength"},    {PASS_COMMON, "common"},
                 {PASS_GUARDS, "guards"},        {PASS_INVARIANT, "invariant"},
                 {PASS_SPECIALIZE, "specialize"}};

    (void)state;
    for (uint64_t i = 0; i < lists; i++) {
        check_list(first_list + i);
    }
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        print_message("%llu ops left out by %s\n", (unsigned long long)taken_out[known[i].pass],
                      known[i].name);
        assert_true(taken_out[known[i].pass] >= lists / TAKEN_OUT_PER_LISTS);
    }
    print_message(
        "%llu lists arranged, %llu given up; %llu turns, %llu instructions interrupted, %llu "
        "ways out with %llu moves, %llu through the scratch register; %llu spares, %llu done "
        "before\n",
        (unsigned long long)arranged_lists, (unsigned long long)given_up,
        (unsigned long long)seen.turns, (unsigned long long)seen.instructions,
        (unsigned long long)seen.ways_out, (unsigned long long)seen.moves,
        (unsigned long long)seen.cycles, (unsigned long long)seen.spares,
        (unsigned long long)seen.before);
    print_message("%llu lines touched ahead, %llu loads added\n", (unsigned long long)seen.touches,
                  (unsigned long long)seen.added);
    assert_true(seen.touches >= lists / TAKEN_OUT_PER_LISTS);
    assert_true(seen.added >= lists / TAKEN_OUT_PER_LISTS / 4);
    assert_true(given_up <= lists / GIVEN_UP_PER_LISTS);
    assert_true(seen.cycles >= lists / TAKEN_OUT_PER_LISTS);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_lists_do_the_same_when_arranged),
    };

    lists = count > 1 ? strtoull(arguments[1], NULL, 0) : LISTS;
    first_list = count > 2 ? strtoull(arguments[2], NULL, 0) : 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
