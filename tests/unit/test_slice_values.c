/* Tests that slices compute what the program computes: random loops are run, sliced, and the slices run from the
 * live-ins alone, with all other registers wrong; the addresses that they load from must be the program's. */
#include "slice_rig.h"

#define PROGRAMS 3000
#define BODY_MIN 4
#define BODY_MAX 40
#define TURNS 12
#define SLOTS 4 /* on the stack */
#define STACK UINT64_C(0x7ff000)
#define FIRST 5 /* registers x5 to x15 are used, x2 is the stack pointer */
#define LAST 15
#define BASE UINT64_C(0x10000)

static uint64_t state;

static unsigned pick(unsigned count)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state >> 33) % count;
}

static uint8_t pick_register(void)
{
    return (uint8_t)(FIRST + pick(LAST - FIRST + 1));
}

struct program {
    unsigned length;
    struct rv64_insn insns[BODY_MAX];
};

struct machine {
    uint64_t x[32];
    uint64_t stack[SLOTS];
};

/* Memory beside the stack never changes, so that it does not matter when it is read. */
static uint64_t memory_at(uint64_t address)
{
    return (address ^ address >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

static uint64_t address_of(const struct machine *machine, const struct rv64_insn *insn)
{
    return machine->x[insn->rs1] + (uint64_t)insn->imm;
}

static bool is_taken(const struct machine *machine, const struct rv64_insn *insn)
{
    return machine->x[insn->rs1] != machine->x[insn->rs2];
}

/* Only what the programs have, and what becomes of it. */
static void step(struct machine *machine, const struct rv64_insn *insn)
{
    const uint64_t a = machine->x[insn->rs1], b = machine->x[insn->rs2];
    const uint64_t imm = (uint64_t)insn->imm;
    const uint64_t address = a + imm;
    uint64_t result = 0;
    switch (insn->op) {
    case RV64_add:
        result = a + b;
        break;
    case RV64_sub:
        result = a - b;
        break;
    case RV64_xor:
        result = a ^ b;
        break;
    case RV64_mul:
        result = a * b;
        break;
    case RV64_addi:
        result = a + imm;
        break;
    case RV64_addiw:
        result = (uint64_t)(int32_t)(a + imm);
        break;
    case RV64_slli:
        result = a << imm;
        break;
    case RV64_lui:
        result = imm;
        break;
    case RV64_ld:
    case RV64_lw:
        result = address >= STACK && address < STACK + 8 * SLOTS
                     ? machine->stack[(address - STACK) / 8]
                     : memory_at(address);
        result = insn->op == RV64_lw ? (uint64_t)(int32_t)result : result;
        break;
    case RV64_sd:
    case RV64_sw:
        machine->stack[(address - STACK) / 8] = b;
        return;
    case RV64_bne:
        return;
    default:
        fail_msg("operation %u", insn->op);
    }
    if (insn->rd != 0) {
        machine->x[insn->rd] = result;
    }
}

static struct rv64_insn random_insn(uint16_t *stored)
{
    static const uint16_t ops[] = {RV64_add, RV64_sub, RV64_xor, RV64_mul};
    struct rv64_insn insn = {.rd = pick_register(), .rs1 = pick_register()};
    const unsigned slot = pick(SLOTS);
    switch (pick(10)) {
    case 0:
    case 1:
        insn.op = ops[pick(4)];
        insn.rs2 = pick_register();
        break;
    case 2:
        insn.op = RV64_add; /* a copy, as compilers write it */
        insn.rs2 = insn.rs1;
        insn.rs1 = 0;
        break;
    case 3:
    case 4:
        insn.op = RV64_addi;
        insn.imm = (int64_t)pick(4096) - 2048;
        insn.rs1 = pick(8) == 0 ? 0 : insn.rs1;
        break;
    case 5:
        insn.op = pick(2) ? RV64_addiw : RV64_slli;
        insn.imm = pick(2) ? 0 : pick(20);
        break;
    case 6:
        insn.op = RV64_ld;
        insn.imm = (int64_t)pick(4096) - 2048;
        break;
    case 7:
    case 8:
        stored[slot] = pick(2) ? RV64_sd : RV64_sw;
        insn = (struct rv64_insn){
            .op = stored[slot], .rs1 = 2, .rs2 = pick_register(), .imm = 8 * (int64_t)slot};
        break;
    default:
        if (stored[slot] != 0) {
            insn.op = stored[slot] == RV64_sd ? RV64_ld : RV64_lw;
            insn.rs1 = 2;
            insn.imm = 8 * (int64_t)slot;
        } else {
            insn.op = RV64_lui;
            insn.rs1 = 0;
            insn.imm = (int64_t)pick(1000) << 12;
        }
        break;
    }
    return insn;
}

/* The trigger is the first instruction and the branch the last; one load at least is not of the stack. */
static unsigned make_program(struct program *program)
{
    uint16_t stored[SLOTS] = {0};
    program->length = BODY_MIN + pick(BODY_MAX - BODY_MIN);
    const unsigned load = 1 + pick(program->length - 2);
    for (unsigned i = 0; i < program->length; i++) {
        program->insns[i] = random_insn(i == 0 ? (uint16_t[SLOTS]){0} : stored);
    }
    program->insns[0] = (struct rv64_insn){.op = RV64_addi, .rd = 5, .rs1 = 5, .imm = 1};
    program->insns[load] =
        (struct rv64_insn){.op = RV64_ld, .rd = pick_register(), .rs1 = pick_register(), .imm = 16};
    program->insns[program->length - 1] =
        (struct rv64_insn){.op = RV64_bne, .rs1 = pick_register(), .rs2 = pick_register()};
    /* What the delinquent load took the place of may have been a store. */
    for (unsigned i = 0; i < program->length; i++) {
        struct rv64_insn *insn = &program->insns[i];
        const bool reads_stack = (insn->op == RV64_ld || insn->op == RV64_lw) && insn->rs1 == 2;
        bool written = false;
        for (unsigned k = 1; reads_stack && k < i; k++) {
            const struct rv64_insn *before = &program->insns[k];
            if ((before->op == RV64_sd || before->op == RV64_sw) && before->imm == insn->imm) {
                written = (before->op == RV64_sd) == (insn->op == RV64_ld);
            }
        }
        if (reads_stack && !written) {
            *insn = (struct rv64_insn){.op = RV64_xor, .rd = insn->rd, .rs1 = 6, .rs2 = 7};
        }
    }
    return load;
}

/* What the program did: the addresses and outcomes of each turn, and its registers right after each trigger. */
struct history {
    uint64_t addresses[TURNS][BODY_MAX];
    bool taken[TURNS];
    struct machine at_trigger[TURNS];
    struct slice_retired retired[TURNS * BODY_MAX];
};

static void run_program(const struct program *program, struct history *history)
{
    struct machine machine = {.x = {0}};
    for (unsigned i = FIRST; i <= LAST; i++) {
        machine.x[i] = memory_at(state + i);
    }
    machine.x[2] = STACK;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        for (unsigned i = 0; i < program->length; i++) {
            const struct rv64_insn *insn = &program->insns[i];
            struct slice_retired *retired = &history->retired[turn * program->length + i];
            struct rv64_insn encoded = *insn;
            encoded.imm = insn->op == RV64_bne ? -4 * (int64_t)i : insn->imm;
            assert_true(rv64_encode(&encoded, &retired->word));
            retired->pc = BASE + 4 * i;
            retired->address = history->addresses[turn][i] = address_of(&machine, insn);
            if (insn->op == RV64_bne) {
                history->taken[turn] = is_taken(&machine, insn);
            }
            step(&machine, insn);
            if (i == 0) {
                history->at_trigger[turn] = machine;
            }
        }
    }
}

/* Runs instructions of the slice that belong to the turn which `turn` is the trigger of. */
static void run_part(const struct slice *slice, unsigned from, unsigned to, struct machine *machine,
                     const struct history *history, unsigned turn)
{
    for (unsigned i = from; i < to; i++) {
        struct rv64_insn insn;
        rv64_decode(slice->instructions[i].word, &insn);
        const unsigned place = (unsigned)(slice->instructions[i].pc - BASE) / 4;
        if (insn.op == RV64_bne) {
            assert_int_equal(is_taken(machine, &insn), history->taken[turn]);
        }
        if (slice->instructions[i].delinquent) {
            assert_int_equal(address_of(machine, &insn), history->addresses[turn][place]);
        }
        step(machine, &insn);
    }
}

/* A delinquent load that the prologue had comes once for each turn. */
static void run_unrolled(const struct slice *slice, struct machine *machine,
                         const struct history *history)
{
    unsigned left[BODY_MAX] = {0};
    for (unsigned i = 0; i < slice->length; i++) {
        left[(slice->instructions[i].pc - BASE) / 4] += slice->instructions[i].delinquent;
    }
    for (unsigned i = 0; i < slice->length; i++) {
        unsigned *more = &left[(slice->instructions[i].pc - BASE) / 4];
        *more -= slice->instructions[i].delinquent;
        run_part(slice, i, i + 1, machine, history, 1 + slice->unroll - *more);
    }
}

/* A context that has the live-ins, and nothing else that is right. */
static struct machine start(const struct slice *slice, const struct machine *from)
{
    struct machine machine = {.x = {0}};
    for (unsigned i = 1; i < 32; i++) {
        machine.x[i] = slice->live_ins >> i & 1 ? from->x[i] : memory_at(i);
    }
    return machine;
}

static void run_slice(const struct slice *slice, const struct history *history)
{
    struct machine machine = start(slice, &history->at_trigger[1]);
    unsigned turn = 1;
    if (slice->prologue == 0 && slice->unroll > 0) {
        run_unrolled(slice, &machine, history);
        return;
    }
    for (unsigned i = 0; i < slice->unroll; i++) {
        run_part(slice, 0, slice->prologue, &machine, history, turn++);
    }
    for (unsigned links = 0; links < 3; links++) {
        struct machine next = start(slice, &machine);
        run_part(slice, slice->prologue, slice->length, &machine, history, turn);
        if (slice->kind == SLICE_BASIC) {
            return;
        }
        run_part(slice, 0, slice->prologue, &next, history, turn++);
        machine = next;
    }
}

static unsigned built_count, prologues, guards, unrolled;

static void check_rules(const struct program *program, const struct history *history, unsigned load,
                        const struct slice_rules *rules)
{
    uint64_t pcs[BODY_MAX];
    unsigned count = 0;
    for (unsigned i = 1; i < program->length; i++) {
        if (program->insns[i].op == RV64_ld && program->insns[i].rs1 != 2 && pick(3) == 0) {
            pcs[count++] = BASE + 4 * i;
        }
    }
    const struct slice_pcs others = {.pcs = pcs, .count = count};
    struct slice_trace trace;
    struct slice slice = {0};
    assert_true(slice_trace_read(&trace, history->retired + program->length, program->length + 2,
                                 rules->through_stack));
    const enum slice_built built =
        slice_build(&slice, &trace, program->length, BASE + 4 * load, &others, rules);
    slice_trace_free(&trace);
    if (built == SLICE_BUILT_OK) {
        assert_null(slice_check(&slice));
        run_slice(&slice, history);
        built_count++;
        prologues += slice.prologue > 0;
        guards += slice.guard != SLICE_UNGUARDED;
        unrolled += slice.prologue == 0 && slice.unroll > 0;
    }
}

static void slices_of_random_loops_compute_the_program_s_addresses(void **context)
{
    (void)context;
    static struct history history;
    for (unsigned i = 0; i < PROGRAMS; i++) {
        struct program program;
        state = i;
        const unsigned load = make_program(&program);
        run_program(&program, &history);
        struct slice_rules rules = slice_rules_optimized;
        rules.length_max = SLICE_INSTRUCTIONS_MAX;
        check_rules(&program, &history, load, &rules);
        rules.unroll = 4;
        check_rules(&program, &history, load, &rules);
        rules.chain = false;
        rules.ahead = 2 * program.length;
        check_rules(&program, &history, load, &rules);
        rules.fold = false;
        check_rules(&program, &history, load, &rules);
    }
    /* The test is worth something only if there were enough of each. */
    assert_true(built_count > PROGRAMS && prologues > PROGRAMS && guards > PROGRAMS / 4 &&
                unrolled > PROGRAMS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_of_random_loops_compute_the_program_s_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
