/* Executes a list of ops twice, as it is written and as place.c has arranged it, and compares at each instruction.
 *
 * The one is done op by op.  Before each of its ops, the items that belong to it are executed.  At each item that takes
 * code, a signal could come: then the program's registers are told as log.c tells them, and must be those of the other.
 * At each guard the moves of its way out are tried, whether it leaves or not.
 *
 * Where others write to the memory (ops->alone is false), each load that is executed gives something new, and the list as
 * it is written loads the same.  A load that is not executed must then give what the last access to its bytes gave. */
#include "ops_check.h"

#include "target_facts.h"
#include "translator/passes/log.h"
#include "translator/passes/prefetch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The list as it is arranged. */

/* What an access to the memory gave, where others write to it. */
struct access {
    uint64_t address, bytes;
    unsigned size;
};

struct run {
    const struct ops *ops;
    const struct arranged *to;
    struct ops_machine *plain;
    struct ops_seen *seen;
    uint64_t registers[OPS_REGISTERS];
    struct value held[OPS_REGISTERS], guest[OPS_REGISTERS];
    uint32_t writable;
    bool executed;   /* the op, by one of its items */
    uint64_t loaded; /* by that */
    bool with_log;
    unsigned access_count;
    struct access accesses[OPS_MAX];
    struct log *log;
    uint32_t at; /* where the next instruction would be */
    bool failed;
    char problem[200];
};

__attribute__((format(printf, 2, 3))) static void fail(struct run *run, const char *format, ...)
{
    va_list arguments;

    if (!run->failed) {
        va_start(arguments, format);
        vsnprintf(run->problem, sizeof run->problem, format, arguments);
        va_end(arguments);
    }
    run->failed = true;
}

static bool in_context(const struct run *run, unsigned reg)
{
    return ((TARGET_OWN_REGISTERS | run->to->spares) >> reg & 1) != 0;
}

/* What the program's register is, from what registers hold. */
static bool tell(const struct run *run, unsigned guest, uint64_t *value)
{
    const struct value wanted = run->guest[guest];

    *value = (uint64_t)wanted.offset;
    if (wanted.root == 0) {
        return true;
    }
    for (unsigned i = 0; i < OPS_REGISTERS; i++) {
        const unsigned reg = (guest + i) % OPS_REGISTERS;
        if (run->held[reg].root == wanted.root) {
            *value =
                run->registers[reg] + (uint64_t)wanted.offset - (uint64_t)run->held[reg].offset;
            return true;
        }
    }
    return false;
}

static void compare_with_log(struct run *run, unsigned number)
{
    static const uint8_t code[64 * ITEMS_MAX];
    struct log_place places[OPS_REGISTERS];

    run->log->start = code;
    log_find(run->log, code + run->at, places);
    for (unsigned reg = 1; reg < OPS_REGISTERS; reg++) {
        if (places[reg].in_context != in_context(run, reg)) {
            fail(run, "before op %u the log is wrong about where x%u is", number, reg);
        } else if (!places[reg].in_context &&
                   (places[reg].reg != NO_REGISTER ? run->registers[places[reg].reg] : 0) +
                           (uint64_t)places[reg].constant !=
                       run->plain->registers[reg]) {
            fail(run, "before op %u the log tells a wrong x%u", number, reg);
        }
    }
}

/* A signal here would find the program's registers. */
static void interrupt(struct run *run, unsigned number)
{
    run->seen->instructions++;
    for (uint32_t mask = run->ops->named & ~UINT32_C(1) & ~TARGET_OWN_REGISTERS; mask != 0;
         mask &= mask - 1) {
        const unsigned reg = lowest_bit(mask);
        uint64_t value;
        if (!tell(run, reg, &value)) {
            fail(run, "before op %u x%u cannot be told", number, reg);
            return;
        }
        if (value != run->plain->registers[reg]) {
            fail(run, "before op %u x%u is told to be %llx, not %llx", number, reg,
                 (unsigned long long)value, (unsigned long long)run->plain->registers[reg]);
            return;
        }
        run->seen->absent[reg] += run->registers[reg] != value;
    }
    if (run->with_log) {
        compare_with_log(run, number);
    }
}

static void write_register(struct run *run, unsigned dst, uint64_t value, unsigned number)
{
    if (dst >= OPS_REGISTERS || (run->writable >> dst & 1) == 0) {
        fail(run, "op %u writes to x%u", number, dst);
        return;
    }
    run->registers[dst] = value;
}

static uint64_t read_register(struct run *run, unsigned src, unsigned number)
{
    const uint32_t own = TARGET_OWN_REGISTERS & ~(UINT32_C(1) << PLACE_SCRATCH);

    if (src >= OPS_REGISTERS || (own >> src & 1) != 0) {
        fail(run, "op %u reads x%u", number, src);
        return 0;
    }
    return run->registers[src];
}

static void expect_small(struct run *run, int64_t constant, unsigned number)
{
    if (!target_adds(constant)) {
        fail(run, "op %u: the constant %lld does not fit", number, (long long)constant);
    }
}

static bool overlaps(const struct access *access, uint64_t address, unsigned size)
{
    return address - access->address < access->size || access->address - address < size;
}

/* Where others write, what is known of these bytes from now on. */
static void note_access(struct run *run, uint64_t address, unsigned size, uint64_t bytes)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < run->access_count; i++) {
        if (!overlaps(&run->accesses[i], address, size)) {
            run->accesses[kept++] = run->accesses[i];
        }
    }
    run->accesses[kept] = (struct access){.address = address, .size = size, .bytes = bytes};
    run->access_count = kept + 1;
}

/* A load that is not executed, where others write: it may give what is known, which is the last that was seen. */
static void check_absent_load(struct run *run, const struct op *op, unsigned number, uint64_t value)
{
    const uint64_t address = ops_machine_address(run->plain, op);

    for (unsigned i = 0; i < run->access_count; i++) {
        const struct access *access = &run->accesses[i];
        if (access->address == address && access->size == op->bytes) {
            if (ops_extend(op, access->bytes) != value) {
                fail(run, "op %u: not what was there last", number);
            }
            return;
        }
    }
    fail(run, "op %u is a load that must be executed", number);
}

static uint64_t load(struct run *run, const struct op *op, unsigned number)
{
    uint64_t bytes = ops_machine_bytes(run->plain, op);

    if (!run->ops->alone) {
        bytes = ops_machine_unforeseen(run->plain, number, 1);
        bytes = op->bytes == 8 ? bytes : bytes & ((UINT64_C(1) << 8 * op->bytes) - 1);
        note_access(run, ops_machine_address(run->plain, op), op->bytes, bytes);
    }
    return ops_extend(op, bytes);
}

static void execute_access(struct run *run, const struct op *op, const struct item *item,
                           unsigned number)
{
    const uint64_t address = read_register(run, item->src[0], number) + (uint64_t)item->constant;

    expect_small(run, item->constant, number);
    if (address != ops_machine_address(run->plain, op)) {
        fail(run, "op %u: a wrong address", number);
        return;
    }
    if (op->kind == OP_STORE) {
        const uint64_t value = read_register(run, item->src[1], number);
        if (value != run->plain->registers[op->rs[1]]) {
            fail(run, "op %u stores something else", number);
        }
        note_access(run, address, op->bytes, value);
        return;
    }
    run->loaded = load(run, op, number);
    if (op->rd != NO_REGISTER && op->rd != 0) {
        write_register(run, item->dst, run->loaded, number);
    }
}

/* Operands must be what they are in the list as it is written; a guarded target is in one, and its constant perhaps in
 * another. */
static void check_operands(struct run *run, const struct op *op, const struct item *item,
                           unsigned number)
{
    for (unsigned i = 0; i < 2; i++) {
        if (op->form.rs[i] == NO_REGISTER) {
            if (op->kind == OP_TARGET && item->src[1] != NO_REGISTER &&
                read_register(run, item->src[1], number) != (uint64_t)op->constant) {
                fail(run, "op %u compares with something else", number);
            }
            continue;
        }
        if (read_register(run, item->src[i], number) != run->plain->registers[op->form.rs[i]]) {
            fail(run, "op %u: operand %u is wrong", number, i);
        }
    }
}

static void execute_moves(struct run *run, uint64_t registers[OPS_REGISTERS],
                          const struct item *item)
{
    for (unsigned i = 0; i < item->move_count; i++) {
        const struct move *move = &run->to->moves[item->first_move + i];
        if (move->dst == 0 || (run->writable >> move->dst & 1) == 0) {
            fail(run, "a way out writes to x%u", move->dst);
            return;
        }
        if (move->src != NO_REGISTER) {
            expect_small(run, move->constant, item->op);
        }
        registers[move->dst] =
            (move->src != NO_REGISTER ? registers[move->src] : 0) + (uint64_t)move->constant;
        run->seen->cycles += move->dst == PLACE_SCRATCH;
    }
}

/* Behind the moves all registers are the program's, but for those that are in the context. */
static void try_way_out(struct run *run, const struct item *item)
{
    uint64_t registers[OPS_REGISTERS];

    run->seen->ways_out++;
    run->seen->moves += item->move_count;
    memcpy(registers, run->registers, sizeof registers);
    execute_moves(run, registers, item);
    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        if (!in_context(run, reg) && registers[reg] != run->plain->registers[reg]) {
            fail(run, "x%u is wrong where guard %u leaves", reg, item->op);
        }
    }
}

static void expect_home(struct run *run, unsigned number)
{
    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        if (!in_context(run, reg) && run->registers[reg] != run->plain->registers[reg]) {
            fail(run, "x%u is not home before op %u", reg, number);
        }
    }
}

static uint64_t junk(struct run *run, unsigned number, unsigned reg)
{
    return ops_machine_unforeseen(run->plain, number, reg) ^ UINT64_C(0xdead0000beef);
}

/* In the form that the passes have given it. */
static uint64_t compute(struct run *run, const struct op *op, const struct item *item)
{
    uint64_t operands[2] = {0, 0};

    for (unsigned i = 0; i < 2; i++) {
        if (op->form.rs[i] != NO_REGISTER) {
            operands[i] = read_register(run, item->src[i], item->op);
        }
    }
    return ops_compute(op->form.word, operands[0], operands[1]);
}

static void execute_op(struct run *run, const struct item *item)
{
    const unsigned number = item->op;
    const struct op *op = &run->ops->list[number];

    run->executed = true;
    switch (op->kind) {
    case OP_LOAD:
    case OP_STORE:
        execute_access(run, op, item, number);
        return;
    case OP_STEP:
        expect_home(run, number);
        for (unsigned reg = 1; reg < OPS_REGISTERS; reg++) {
            if ((op->constant >> reg & 1) != 0) {
                run->registers[reg] = ops_machine_unforeseen(run->plain, number, reg);
            }
        }
        run->registers[PLACE_SCRATCH] = junk(run, number, 0);
        run->access_count = 0;
        return;
    case OP_END:
        expect_home(run, number);
        return;
    case OP_GUARD:
    case OP_TARGET:
        check_operands(run, op, item, number);
        if (op->kind == OP_TARGET && item->src[1] == NO_REGISTER) {
            run->registers[PLACE_SCRATCH] = (uint64_t)op->constant;
        }
        try_way_out(run, item);
        return;
    case OP_CONSTANT:
        write_register(run, item->dst, (uint64_t)op->constant, number);
        return;
    default:
        break;
    }
    if (op->kind == OP_BARRIER) {
        run->access_count = 0;
    }
    if (op->kind == OP_ADD) { /* from another register, with another constant perhaps */
        expect_small(run, item->constant, number);
        write_register(run, item->dst,
                       read_register(run, item->src[0], number) + (uint64_t)item->constant, number);
        return;
    }
    check_operands(run, op, item, number);
    if (op->kind == OP_COMPUTE && op->rd != 0) {
        write_register(run, item->dst, compute(run, op, item), number);
    } else if (op->rd != NO_REGISTER && op->rd != 0) {
        struct op result = *op;
        uint64_t kept[OPS_REGISTERS];
        memcpy(kept, run->plain->registers, sizeof kept);
        const uint32_t era = run->plain->memory.era;
        ops_machine_do(run->plain, &result, number, 0);
        const uint64_t value = run->plain->registers[op->rd];
        memcpy(run->plain->registers, kept, sizeof kept);
        run->plain->memory.era = era;
        write_register(run, item->dst, value, number);
    }
}

/* A part of what touches a line ahead: the scratch register alone changes.  A load that is added may fault, and give 0. */
static void execute_ahead(struct run *run, const struct item *item)
{
    const struct op *of = &run->ops->list[item->of];
    uint64_t value = (uint64_t)item->constant;

    if (item->step != AHEAD_TOUCH && item->dst != PLACE_SCRATCH) {
        fail(run, "what touches ahead of op %u writes to x%u", item->op, item->dst);
        return;
    }
    switch (item->step) {
    case AHEAD_CONSTANT:
        break;
    case AHEAD_SUM:
        value =
            read_register(run, item->src[0], item->op) + read_register(run, item->src[1], item->op);
        break;
    case AHEAD_SHIFT:
        value = read_register(run, item->src[0], item->op) << item->constant;
        break;
    case AHEAD_COMPUTE:
        value = compute(run, of, item);
        break;
    default:
        expect_small(run, item->constant, item->op);
        value += read_register(run, item->src[0], item->op);
        break;
    }
    if (item->step == AHEAD_TOUCH) {
        if (item->constant != target_touch_part(item->constant)) {
            fail(run, "ahead of op %u: a touch cannot add %lld", item->op,
                 (long long)item->constant);
        }
        run->seen->touches++;
        run->seen->touched = value;
        return;
    }
    if (item->step == AHEAD_LOAD) {
        struct op load = *of;
        struct ops_machine *machine = run->plain;
        const uint64_t kept = machine->registers[1];
        load.rs[0] = 1;
        load.constant = 0;
        machine->registers[1] = value;
        value = ops_extend(&load, ops_machine_bytes(machine, &load));
        machine->registers[1] = kept;
        run->seen->added++;
    }
    run->registers[PLACE_SCRATCH] = value;
}

/* As items.c notes it. */
static void note_event(struct run *run, const struct item *item)
{
    if (item->kind == ITEM_AHEAD) {
        return;
    }
    if (item->guest == NO_REGISTER && (item->dst == NO_REGISTER || item->dst == 0)) {
        return;
    }
    if (item->dst != NO_REGISTER) {
        run->held[item->dst] = item->value;
    }
    if (item->guest != NO_REGISTER) {
        run->guest[item->guest] = item->value;
    }
    if (run->plain->turn == 0) {
        run->log->events[run->log->count++] = (struct log_event){.at = run->at,
                                                                 .root = item->value.root,
                                                                 .dst = item->dst,
                                                                 .guest = item->guest,
                                                                 .offset = item->value.offset};
    }
}

static void execute_item(struct run *run, const struct item *item)
{
    const struct op *op = &run->ops->list[item->op];
    const bool has_code = item->kind == ITEM_ADD || item->kind == ITEM_CONSTANT ||
                          item->kind == ITEM_AHEAD ||
                          (item->kind == ITEM_OP && op->kind != OP_BLOCK);

    if (has_code) {
        interrupt(run, item->op);
        run->at += 4;
    }
    switch (item->kind) {
    case ITEM_ADD:
        expect_small(run, item->constant, item->op);
        write_register(run, item->dst,
                       read_register(run, item->src[0], item->op) + (uint64_t)item->constant,
                       item->op);
        break;
    case ITEM_CONSTANT: /* may take two instructions, of which the first overwrites the register */
        write_register(run, item->dst, ~(uint64_t)item->constant, item->op);
        note_event(run, item);
        interrupt(run, item->op);
        run->registers[item->dst % OPS_REGISTERS] = (uint64_t)item->constant;
        return;
    case ITEM_OP:
        execute_op(run, item);
        break;
    case ITEM_AHEAD:
        execute_ahead(run, item);
        break;
    default:
        break;
    }
    note_event(run, item);
}

/* Where the trace is entered: spare registers are put away, and what does not change is computed. */
static void enter(struct run *run)
{
    const uint32_t spares = run->to->spares;

    if ((spares & run->ops->named) != 0) {
        fail(run, "a register that is named is put away");
    }
    run->registers[PLACE_SCRATCH] = junk(run, 0, PLACE_SCRATCH);
    for (uint32_t mask = spares; mask != 0; mask &= mask - 1) {
        run->registers[lowest_bit(mask)] = junk(run, 0, lowest_bit(mask));
        run->seen->spares++;
    }
    for (unsigned i = 0; i < run->to->before_count; i++) {
        const struct item *item = &run->to->before[i];
        const struct op *op = &run->ops->list[item->op];
        uint64_t value = (uint64_t)item->constant;
        if (item->kind == ITEM_OP) {
            value = compute(run, op, item);
        }
        if ((spares >> item->dst & 1) == 0) {
            fail(run, "x%u is written before the loop", item->dst);
            return;
        }
        write_register(run, item->dst, value, item->op);
        run->seen->before++;
    }
}

/* What can only be done by doing it. */
static bool must_be_executed(const struct run *run, const struct op *op)
{
    switch (op->kind) {
    case OP_STORE:
    case OP_OTHER:
    case OP_BARRIER:
    case OP_STEP:
    case OP_BLOCK:
    case OP_END:
        return true;
    case OP_LOAD:
        return op->rd == NO_REGISTER || op->rd == 0 || !pass_is_on(run->ops, PASS_LOADS);
    case OP_GUARD:
    case OP_TARGET:
        return !pass_is_on(run->ops, PASS_GUARDS);
    default:
        return false;
    }
}

/* The op in the list as it is written.  False if the trace is left. */
static bool do_plain(struct run *run, unsigned number)
{
    const struct op *op = &run->ops->list[number];
    uint64_t loaded = run->loaded;

    if (!run->executed && must_be_executed(run, op)) {
        fail(run, "op %u is not executed", number);
    }
    if (op->kind == OP_LOAD && !run->executed) {
        loaded = ops_extend(op, ops_machine_bytes(run->plain, op));
        if (!run->ops->alone && tell(run, op->rd, &loaded)) {
            check_absent_load(run, op, number, loaded);
        }
    }
    const bool goes_on = ops_machine_do(run->plain, op, number, loaded);
    if (!goes_on && !run->executed) {
        fail(run, "guard %u would leave, and is not there", number);
    }
    return goes_on;
}

static bool do_turn(struct run *run)
{
    const struct item *item = run->to->items, *const end = item + run->to->item_count;

    run->access_count = 0;
    run->at = 0;
    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        const bool here = (TARGET_OWN_REGISTERS >> reg & 1) == 0;
        run->guest[reg] = (struct value){.root = (uint16_t)reg};
        run->held[reg] = (struct value){.root = here ? (uint16_t)reg : ROOT_NONE};
    }
    for (unsigned number = 0; number < run->ops->count; number++) {
        run->executed = false;
        for (; item != end && item->op == number && !run->failed; item++) {
            execute_item(run, item);
        }
        if (run->failed || !do_plain(run, number)) {
            return false;
        }
    }
    if (item != end) {
        fail(run, "items are not in the order of ops");
    }
    return !run->failed;
}

const char *ops_check(const struct ops *ops, const struct arranged *to, uint64_t seed,
                      const uint64_t registers[OPS_REGISTERS], unsigned turns, bool log,
                      struct ops_seen *seen)
{
    static struct ops_machine plain;
    static struct run run;
    static union {
        struct log log;
        uint8_t bytes[sizeof(struct log) + ITEMS_MAX * sizeof(struct log_event)];
    } space;

    ops_machine_begin(&plain, seed, registers);
    run.ops = ops;
    run.to = to;
    run.plain = &plain;
    run.seen = seen;
    run.with_log = log;
    run.failed = false;
    run.log = &space.log;
    run.log->count = 0;
    run.log->spares = to->spares;
    run.writable = (ops->named | to->spares) & ~UINT32_C(1) & ~TARGET_OWN_REGISTERS;
    run.writable |= UINT32_C(1) << PLACE_SCRATCH;
    memcpy(run.registers, plain.registers, sizeof run.registers);
    enter(&run);
    for (plain.turn = 0; plain.turn < turns && !run.failed && do_turn(&run); plain.turn++) {
        seen->turns++;
        plain.memory.era++;
    }
    return run.failed ? run.problem : NULL;
}

void ops_print_items(const struct arranged *to)
{
    static const char *const kinds[] = {"op", "add", "constant", "note", "empty", "ahead"};

    fprintf(stderr, "spares %x, before %u\n", to->spares, to->before_count);
    for (unsigned i = 0; i < to->before_count + to->item_count; i++) {
        const struct item *item =
            i < to->before_count ? &to->before[i] : &to->items[i - to->before_count];
        fprintf(stderr, "%4u %-8s x%u = x%u x%u %lld; guest %u, value %u%+lld\n", item->op,
                kinds[item->kind], item->dst, item->src[0], item->src[1], (long long)item->constant,
                item->guest, item->value.root, (long long)item->value.offset);
        for (unsigned j = 0; j < item->move_count; j++) {
            const struct move *move = &to->moves[item->first_move + j];
            fprintf(stderr, "         x%u = x%u%+lld\n", move->dst, move->src,
                    (long long)move->constant);
        }
    }
}
