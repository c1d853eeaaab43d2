/* Tests that each pair of instructions that one handler runs does what the two do one by one. */
#include "engine_rig.h"

#include "isa/rv64/rows.h"

enum join { JOIN_none, JOIN_rs1, JOIN_rs2 };

static const struct pair {
    const char *name;
    unsigned first, second;
    enum join join;
    unsigned handler;
} pairs[] = {
#define PAIR(first, second, join)                                                                  \
    {#first " " #second " " #join, RV64_##first, RV64_##second, JOIN_##join,                       \
     HANDLER_##first##_##second##_##join},
#define PAIR_BRANCH PAIR
#include "machine/engine/pairs.def"
#undef PAIR
#undef PAIR_BRANCH
};
#define PAIRS (sizeof pairs / sizeof pairs[0])

#define TRIES 160u

static struct rig rig;
static uint64_t random_state = 1;

static uint64_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static uint64_t below(uint64_t limit)
{
    return random_number() % limit;
}

/* Values that make accesses work, cross a page's end, or fail; and plain numbers. */
static uint64_t interesting_integer(void)
{
    switch (below(10)) {
    case 0:
    case 1:
    case 2:
        return DATA + 64 + below(DATA_BYTES - 128);
    case 3:
        return READ_ONLY + below(GUEST_PAGE_BYTES);
    case 4:
        return READ_ONLY - 8 + below(16);
    case 5:
        return NOTHING - 8 + below(16);
    case 6:
        return GUEST_SPACE_BYTES - 8 + below(16);
    case 7:
    case 8:
        return below(16);
    default:
        return random_number();
    }
}

static uint64_t interesting_double(void)
{
    static const uint64_t values[] = {
        0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff8000000000000,
        0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001,
        0x0000000000000001, 0x7fefffffffffffff, 0x0010000000000000, 0xffffffff3f800000,
    };
    const uint64_t choice = below(2 * sizeof values / sizeof values[0]);
    return choice < sizeof values / sizeof values[0] ? values[choice] : random_number();
}

static int64_t random_immediate(const struct rv64_row *row)
{
    switch (rv64_format_rows[row->format].immediate) {
    case IMMEDIATE_NONE:
        return 0;
    case IMMEDIATE_I:
    case IMMEDIATE_S:
        return below(2) ? (int64_t)below(16) : (int64_t)below(4096) - 2048;
    case IMMEDIATE_SHAMT6:
        return (int64_t)below(below(2) ? 4 : 64);
    case IMMEDIATE_SHAMT5:
        return (int64_t)below(32);
    case IMMEDIATE_B:
        /* To neither of the two: the program would not end. */
        return below(2) ? 4 + 4 * (int64_t)below(256) : -8 - 4 * (int64_t)below(256);
    case IMMEDIATE_U:
        return (int64_t)(below(2) ? below(24) : below(1 << 19)) << 12;
    default:
        fail_msg("%s has an immediate that this test does not know", row->mnemonic);
        return 0;
    }
}

/* Few registers, so that operands often are the same one, or x0. */
static uint8_t random_register(void)
{
    return (uint8_t)below(6);
}

static struct rv64_insn random_instruction(unsigned op)
{
    const struct rv64_row *row = rv64_row(op);
    const unsigned fields = rv64_format_rows[row->format].fields;
    static const uint8_t modes[] = {RV64_RNE, RV64_RTZ, RV64_RDN, RV64_RUP,
                                    RV64_RMM, RV64_DYN, RV64_DYN, 5};
    struct rv64_insn insn = {.op = (uint16_t)op, .imm = random_immediate(row)};
    insn.rd = fields & FIELD_RD ? random_register() : 0;
    insn.rs1 = fields & FIELD_RS1 ? random_register() : 0;
    insn.rs2 = fields & FIELD_RS2 ? random_register() : 0;
    insn.rs3 = fields & FIELD_RS3 ? random_register() : 0;
    insn.rm = fields & FIELD_RM ? modes[below(sizeof modes)] : 0;
    return insn;
}

/* Whether the second's operand `join` is the register that the first writes. */
static bool joined(const struct rv64_insn *first, const struct rv64_insn *second, enum join join)
{
    const uint32_t writes = rv64_row(first->op)->flags;
    const uint32_t reads = rv64_row(second->op)->flags;
    const bool integer = (writes & INSN_RD_INT) != 0 && first->rd != 0;
    const bool floating = (writes & INSN_RD_FLOAT) != 0;
    if (join == JOIN_rs1) {
        return second->rs1 == first->rd && ((integer && (reads & INSN_RS1_INT) != 0) ||
                                            (floating && (reads & INSN_RS1_FLOAT) != 0));
    }
    return second->rs2 == first->rd && ((integer && (reads & INSN_RS2_INT) != 0) ||
                                        (floating && (reads & INSN_RS2_FLOAT) != 0));
}

static bool has_join(const struct pair *pair, const struct rv64_insn *first,
                     const struct rv64_insn *second)
{
    switch (pair->join) {
    case JOIN_rs1:
        return joined(first, second, JOIN_rs1);
    case JOIN_rs2:
        return !joined(first, second, JOIN_rs1) && joined(first, second, JOIN_rs2);
    default:
        return !joined(first, second, JOIN_rs1) && !joined(first, second, JOIN_rs2);
    }
}

static void put_insn(const struct rv64_insn *insn)
{
    uint32_t word = 0;
    struct rv64_insn plain = *insn;
    while (!rv64_encode(&plain, &word)) {
        assert_int_equal(plain.rm, 5); /* a mode that the decoder refuses is no such instruction */
        plain.rm = RV64_DYN;
    }
    rig_put_word(&rig, word);
}

/* The pair at PLACE, ecall wherever a branch may lead. */
#define PLACE (CODE + 0x800)

static void write_pair(const struct rv64_insn *first, const struct rv64_insn *second)
{
    rig.at = PLACE;
    put_insn(first);
    put_insn(second);
    engine_sync_range(rig.engine, CODE, GUEST_PAGE_BYTES);
}

static void write_ecalls(void)
{
    rig.at = CODE;
    while (rig.at < CODE + GUEST_PAGE_BYTES) {
        put_ecall(&rig);
    }
}

/* What both runs begin with. */
struct beginning {
    struct hart hart;
    uint64_t data[DATA_BYTES / 8];
};

static void make_beginning(struct beginning *beginning)
{
    rig_reset_hart(&rig);
    rig.hart.pc = PLACE;
    for (unsigned i = 1; i < 32; i++) {
        rig.hart.x[i] = interesting_integer();
    }
    for (unsigned i = 0; i < 32; i++) {
        rig.hart.f[i] = interesting_double();
    }
    rig.hart.rounding_mode = (uint32_t)(below(8) == 0 ? 5 + below(3) : below(5));
    rig.hart.float_flags = (uint32_t)below(32);
    beginning->hart = rig.hart;
    for (size_t i = 0; i < DATA_BYTES / 8; i++) {
        beginning->data[i] = below(3) == 0 ? interesting_double() : interesting_integer();
    }
}

static void begin(const struct beginning *beginning)
{
    rig.hart = beginning->hart;
    memcpy(memory_host(&rig.memory, DATA), beginning->data, DATA_BYTES);
}

struct outcome {
    enum engine_stop stop;
    guest_addr fault_address;
    struct state state;
};

static void finish(struct outcome *outcome, enum engine_stop stop)
{
    outcome->stop = stop;
    outcome->fault_address =
        stop == ENGINE_BUDGET || stop == ENGINE_ECALL ? 0 : rig.hart.fault_address;
    assert_int_equal(rig.hart.x[0], 0);
    state_take(&rig, &outcome->state);
}

static void run_at_once(const struct beginning *beginning, uint64_t budget, struct outcome *outcome)
{
    begin(beginning);
    finish(outcome, engine_run(rig.engine, &rig.hart, budget));
}

static void run_one_by_one(const struct beginning *beginning, unsigned steps,
                           struct outcome *outcome)
{
    enum engine_stop stop = ENGINE_BUDGET;
    begin(beginning);
    for (unsigned i = 0; i < steps && stop == ENGINE_BUDGET; i++) {
        stop = engine_run(rig.engine, &rig.hart, 1);
    }
    finish(outcome, stop);
}

static void assert_outcomes_equal(const struct outcome *a, const struct outcome *b)
{
    assert_int_equal(a->stop, b->stop);
    assert_int_equal(a->fault_address, b->fault_address);
    assert_states_equal(&a->state, &b->state);
}

static bool is_fault(enum engine_stop stop)
{
    return stop != ENGINE_BUDGET && stop != ENGINE_ECALL;
}

static const void *handler_at(guest_addr pc)
{
    const struct block *block = blocks_get(rig.engine, pc);
    assert_non_null(block);
    return block->ops[0].handler;
}

/* How often each thing happened that the pair can do. */
struct seen {
    unsigned passed, first_failed, second_failed;
};

static void try_pair(const struct pair *pair, bool any_operands, struct seen *seen)
{
    static struct beginning beginning;
    static struct outcome at_once, one_by_one;
    struct rv64_insn first, second;
    do {
        first = random_instruction(pair->first);
        second = random_instruction(pair->second);
    } while (!any_operands && !has_join(pair, &first, &second));
    write_pair(&first, &second);
    if (!any_operands) {
        assert_ptr_equal(handler_at(PLACE), rig.engine->handlers[pair->handler]);
    }
    make_beginning(&beginning);

    run_one_by_one(&beginning, 2, &one_by_one);
    run_at_once(&beginning, 2, &at_once);
    assert_outcomes_equal(&at_once, &one_by_one);
    if (!is_fault(at_once.stop)) {
        seen->passed++;
        assert_int_equal(at_once.state.instructions, 2);
    } else if (at_once.state.instructions == 0) {
        seen->first_failed++;
        assert_int_equal(at_once.state.pc, PLACE);
    } else {
        seen->second_failed++;
        assert_int_equal(at_once.state.instructions, 1);
        assert_int_equal(at_once.state.pc, PLACE + 4);
    }

    /* The same in a block that is kept, and goes on to an ecall. */
    run_one_by_one(&beginning, 3, &one_by_one);
    run_at_once(&beginning, 1000, &at_once);
    assert_outcomes_equal(&at_once, &one_by_one);
}

static bool accesses(unsigned op)
{
    return (rv64_row(op)->flags & (INSN_LOAD | INSN_STORE)) != 0;
}

static void every_pair_does_what_its_two_instructions_do(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < PAIRS; i++) {
        struct seen seen = {0};
        for (unsigned try = 0; try < TRIES; try++) {
            try_pair(&pairs[i], false, &seen);
        }
        const bool second_may_fail = accesses(pairs[i].second);
        const bool first_may_fail = accesses(pairs[i].first);
        if (seen.passed == 0 || (first_may_fail && seen.first_failed == 0) ||
            (second_may_fail && seen.second_failed == 0)) {
            fail_msg("%s: passed %u, failed in the first %u, in the second %u times", pairs[i].name,
                     seen.passed, seen.first_failed, seen.second_failed);
        }
    }
}

static void pairs_with_any_operands_do_what_their_two_instructions_do(void **unused)
{
    struct seen seen = {0};
    (void)unused;
    for (size_t i = 0; i < PAIRS; i++) {
        for (unsigned try = 0; try < TRIES / 4; try++) {
            try_pair(&pairs[i], true, &seen);
        }
    }
    assert_true(seen.passed > 0 && seen.first_failed > 0 && seen.second_failed > 0);
}

/* first second first second ...: from the second on, the other order's pair may take them. */
static void runs_of_pairs_do_what_their_instructions_do(void **unused)
{
    enum { LENGTH = 12 };
    static struct beginning beginning;
    static struct outcome at_once, one_by_one;
    (void)unused;
    for (unsigned try = 0; try < 1500; try++) {
        rig.at = PLACE;
        while (rig.at < PLACE + 4 * LENGTH) {
            const struct pair *pair = &pairs[below(PAIRS)];
            const struct rv64_insn first = random_instruction(pair->first);
            const struct rv64_insn second = random_instruction(pair->second);
            put_insn(&first);
            put_insn(&second);
        }
        engine_sync_range(rig.engine, CODE, GUEST_PAGE_BYTES);
        make_beginning(&beginning);
        const unsigned budget = 1 + (unsigned)below(LENGTH);
        run_one_by_one(&beginning, budget, &one_by_one);
        run_at_once(&beginning, budget, &at_once);
        assert_outcomes_equal(&at_once, &one_by_one);
        while (rig.at > PLACE) {
            rig.at -= 4;
            memcpy(memory_host(&rig.memory, rig.at), &(uint32_t){0x73}, 4);
        }
    }
}

static void instructions_that_do_not_follow_each_other_are_no_pair(void **unused)
{
    (void)unused;
    rig.at = PLACE;
    put_rd_rs1_imm(&rig, RV64_addi, 5, 5, 1);
    put_rd_rs1_rs2(&rig, RV64_divw, 6, 5, 5);
    put_rd_rs1_imm(&rig, RV64_addi, 7, 5, 1);
    put_ecall(&rig);
    assert_ptr_equal(handler_at(PLACE), rig.engine->handlers[RV64_addi]);
}

static int create(void **unused)
{
    (void)unused;
    rig_create(&rig);
    write_ecalls();
    return 0;
}

static int destroy(void **unused)
{
    (void)unused;
    rig_destroy(&rig);
    return 0;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)
    const struct CMUnitTest tests[] = {
        TEST(every_pair_does_what_its_two_instructions_do),
        TEST(pairs_with_any_operands_do_what_their_two_instructions_do),
        TEST(runs_of_pairs_do_what_their_instructions_do),
        TEST(instructions_that_do_not_follow_each_other_are_no_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
