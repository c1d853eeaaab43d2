/* Builds a slice from a trace that begins with its trigger. */
#include "slice/build.h"

#include "base/check.h"
#include "isa/rv64/encode.h"
#include "slice/fold.h"

#include <stdlib.h>
#include <string.h>

#define JOINED_MAX 6  /* instructions of another load of the same loop that shares nothing */
#define LINE_BYTES 64 /* of most caches; only to leave out what is fetched already */
#define GUARD_COST_MAX                                                                             \
    5 /* instructions that a prologue may grow by for its guard, itself included */

const struct slice_rules slice_rules_simple = {.length_max = SLICE_INSTRUCTIONS_MAX};
const struct slice_rules slice_rules_optimized = {.through_stack = true,
                                                  .fold = true,
                                                  .chain = true,
                                                  .guard = true,
                                                  .length_max = 32,
                                                  .ahead = 128};

static const char *const messages[] = {
#define SLICE_BUILT(code, message) [SLICE_BUILT_##code] = (message),
#include "slice/built.def"
#undef SLICE_BUILT
};

const char *slice_built_message(enum slice_built built)
{
    return messages[built];
}

bool slice_pcs_have(const struct slice_pcs *pcs, uint64_t pc)
{
    size_t i = 0;
    while (i < pcs->count && pcs->pcs[i] != pc) {
        i++;
    }
    return i < pcs->count;
}

static bool loads_at(const struct slice *slice, uint64_t pc)
{
    for (unsigned i = 0; i < slice->length; i++) {
        if (slice->instructions[i].delinquent && slice->instructions[i].pc == pc) {
            return true;
        }
    }
    return false;
}

uint64_t slice_pcs_worth(const struct slice_pcs *pcs, const struct slice *slice)
{
    uint64_t worth = 0;
    for (size_t i = 0; i < pcs->count; i++) {
        if (loads_at(slice, pcs->pcs[i])) {
            worth += pcs->misses != NULL ? pcs->misses[i] : 1;
        }
    }
    return worth;
}

/* A slice under construction. */
struct builder {
    const struct slice_trace *trace;
    const struct slice_rules *rules;
    uint64_t load;
    const struct slice_pcs *others;
    unsigned turn;
    unsigned end;              /* one past the last load of the body */
    uint8_t *body, *prologue;  /* marks */
    slice_registers live_ins;  /* of the body, and of the prologue if there is one */
    slice_registers used;      /* by either: not free for what passes from store to load */
    unsigned guard;            /* the index of the branch; 0: none */
    enum slice_guard goes;     /* the way that it went */
    struct slice_code code[2]; /* prologue and body */
    struct slice_code unrolled;
};

static bool is_delinquent(const struct builder *b, uint64_t pc)
{
    return pc == b->load || slice_pcs_have(b->others, pc);
}

static unsigned count_kept(const uint8_t *marks, unsigned from, unsigned to)
{
    unsigned count = 0;
    for (unsigned i = from; i < to; i++) {
        count += marks[i] == MARK_KEPT || marks[i] == MARK_ROOT;
    }
    return count;
}

/* Whether the slice of a load at `index` alone has to do with the one in b->body, or is so short that a slice
 * of its own, started as often, would be waste. */
static bool belongs(const struct builder *b, unsigned index, uint8_t *marks)
{
    memset(marks, MARK_NONE, b->trace->count);
    marks[index] = MARK_ROOT;
    const slice_registers live = slice_trace_walk(b->trace, 1, index + 1, 0, marks);
    slice_registers changed = 0;
    for (unsigned i = 1; i <= b->turn; i++) {
        changed |= slice_operands(&b->trace->insns[i]).written;
    }
    bool shares = (live & b->live_ins) != 0 ||
                  ((live & changed) != 0 && count_kept(marks, 1, index + 1) <= JOINED_MAX);
    for (unsigned i = 1; !shares && i < b->end; i++) {
        shares = marks[i] != MARK_NONE && b->body[i] != MARK_NONE;
    }
    return shares;
}

/* Whether the body has the same load already, of the same line, or at all where no loop says how often it
 * comes. */
static bool is_repeated(const struct builder *b, unsigned index)
{
    const struct slice_trace *trace = b->trace;
    for (unsigned i = 1; i < trace->count; i++) {
        if (b->body[i] != MARK_NONE && trace->pcs[i] == trace->pcs[index] &&
            (b->turn == 0 ||
             trace->addresses[i] / LINE_BYTES == trace->addresses[index] / LINE_BYTES)) {
            return true;
        }
    }
    return false;
}

/* The first instance of the load, and what other delinquent loads share work with it. */
static enum slice_built walk_body(struct builder *b)
{
    const struct slice_trace *trace = b->trace;
    const unsigned limit = b->turn != 0 ? b->turn + 1 : trace->count;
    unsigned first = 1;
    while (first < limit && trace->pcs[first] != b->load) {
        first++;
    }
    if (first == limit) {
        return SLICE_BUILT_NO_LOAD;
    }
    b->end = first + 1;
    b->body[first] = MARK_ROOT;
    b->live_ins = slice_trace_walk(trace, 1, b->end, 0, b->body);
    uint8_t *alone = calloc(trace->count + 1u, 1);
    uint8_t *joint = calloc(trace->count + 1u, 1);
    if (alone == NULL || joint == NULL) {
        free(alone);
        free(joint);
        return SLICE_BUILT_NO_MEMORY;
    }
    for (unsigned i = 1; i < limit; i++) {
        if (b->body[i] != MARK_NONE || !slice_pcs_have(b->others, trace->pcs[i]) ||
            is_repeated(b, i) || !belongs(b, i, alone)) {
            continue;
        }
        const unsigned end = i + 1 > b->end ? i + 1 : b->end;
        for (unsigned k = 0; k < trace->count; k++) {
            joint[k] = b->body[k] == MARK_ROOT ? MARK_ROOT : MARK_NONE;
        }
        joint[i] = MARK_ROOT;
        const slice_registers live = slice_trace_walk(trace, 1, end, 0, joint);
        if (count_kept(joint, 1, end) <= b->rules->length_max) {
            memcpy(b->body, joint, trace->count);
            b->end = end;
            b->live_ins = live;
        }
    }
    free(alone);
    free(joint);
    return SLICE_BUILT_OK;
}

/* What takes all that is live to the next turn: what it needs for that is live, too. */
static slice_registers close_prologue(struct builder *b, slice_registers live)
{
    for (;;) {
        const slice_registers more =
            live | slice_trace_walk(b->trace, 1, b->turn + 1, live, b->prologue);
        if (more == live) {
            return live;
        }
        live = more;
    }
}

static unsigned count_loads(const struct builder *b)
{
    unsigned count = 0;
    for (unsigned i = 1; i <= b->turn; i++) {
        count += b->prologue[i] == MARK_KEPT && rv64_row(b->trace->insns[i].op)->flags & INSN_LOAD;
    }
    return count;
}

/* The addresses between which the loop's instructions stand. */
struct extent {
    uint64_t low, high;
};

static struct extent extent_of(const struct builder *b)
{
    struct extent extent = {UINT64_MAX, 0};
    for (unsigned i = 1; i <= b->turn; i++) {
        const uint64_t pc = b->trace->pcs[i];
        extent.low = pc < extent.low ? pc : extent.low;
        extent.high = pc > extent.high ? pc : extent.high;
    }
    return extent;
}

/* Whether the loop would have been left here, had the branch gone the other way: one that closes the loop, or
 * one out of it. */
static enum slice_guard guard_at(const struct builder *b, unsigned i, const struct extent *extent)
{
    const struct rv64_insn *insn = &b->trace->insns[i];
    const uint64_t pc = b->trace->pcs[i], target = pc + (uint64_t)insn->imm;
    if (!(rv64_row(insn->op)->flags & INSN_CONDITIONAL) || i + 1 >= b->trace->count) {
        return SLICE_UNGUARDED;
    }
    const bool taken = b->trace->pcs[i + 1] == target;
    const uint64_t trigger = b->trace->pcs[0];
    if (taken && target < pc &&
        ((target <= b->load && b->load <= pc) || (target <= trigger && trigger <= pc))) {
        return SLICE_GUARD_TAKEN;
    }
    return !taken && (target < extent->low || target > extent->high) ? SLICE_GUARD_NOT_TAKEN
                                                                     : SLICE_UNGUARDED;
}

/* Keeps a branch where it stands in the prologue, with what it tests, unless that costs more than it saves. */
static bool keep_guard(struct builder *b, unsigned branch, unsigned kept, unsigned loads)
{
    b->prologue[branch] = MARK_ROOT;
    const slice_registers live = close_prologue(b, b->live_ins);
    if (count_kept(b->prologue, 1, b->turn + 1) <= kept + GUARD_COST_MAX &&
        count_loads(b) == loads) {
        b->live_ins = live;
        return true;
    }
    b->prologue[branch] = MARK_NONE;
    close_prologue(b, b->live_ins);
    return false;
}

static void walk_guard(struct builder *b)
{
    const struct extent extent = extent_of(b);
    const unsigned kept = count_kept(b->prologue, 1, b->turn + 1), loads = count_loads(b);
    for (unsigned i = b->turn + 1; kept > 0 && b->guard == 0 && i-- > 1;) {
        const enum slice_guard guard = guard_at(b, i, &extent);
        if (guard != SLICE_UNGUARDED && keep_guard(b, i, kept, loads)) {
            b->guard = i;
            b->goes = guard;
        }
    }
}

/* Neither the loop nor memory changes the load's address. */
static bool is_invariant(const struct builder *b)
{
    unsigned loads = 0;
    for (unsigned i = 1; i < b->end; i++) {
        loads += b->body[i] == MARK_KEPT && rv64_row(b->trace->insns[i].op)->flags & INSN_LOAD;
    }
    return loads == 0 && count_kept(b->prologue, 1, b->turn + 1) == 0;
}

/* What the marked instructions read and write in their own form. */
static slice_registers used_by(const struct slice_trace *trace, const uint8_t *marks, unsigned to)
{
    slice_registers used = 0;
    for (unsigned i = 1; i < to; i++) {
        if (marks[i] != MARK_NONE) {
            const struct slice_operands operands = slice_operands(&trace->insns[i]);
            used |= operands.read | operands.written;
        }
    }
    return used;
}

static bool allowed(const struct rv64_insn *insn)
{
    const struct rv64_row *row = rv64_row(insn->op);
    return insn->op != RV64_illegal && row->unit != UNIT_FENCE &&
           !(row->flags & (INSN_STORE | INSN_ATOMIC | INSN_SYSTEM | INSN_JUMP | INSN_CONDITIONAL));
}

/* A copy between registers of the kind that `store` stores; `number` of the destination. */
static struct rv64_insn copy_of(const struct rv64_insn *store, uint8_t rd, uint8_t rs)
{
    switch (store->op) {
    case RV64_fsd:
        return (struct rv64_insn){.op = RV64_fsgnj_d, .rd = rd, .rs1 = rs, .rs2 = rs};
    case RV64_sw:
        return (struct rv64_insn){.op = RV64_addiw, .rd = rd, .rs1 = rs};
    default:
        return (struct rv64_insn){.op = RV64_addi, .rd = rd, .rs1 = rs};
    }
}

/* A register of the file that the store reads, that nobody else uses; 0 if there is none. */
static uint8_t take_free(struct builder *b, const struct rv64_insn *store)
{
    const unsigned base = store->op == RV64_fsd ? 32 : 0;
    for (unsigned i = 31; i > 0; i--) {
        const slice_registers bit = UINT64_C(1) << (base + i);
        if (!(b->used & bit)) {
            b->used |= bit;
            return (uint8_t)i;
        }
    }
    return 0;
}

static bool append(struct slice_code *code, struct rv64_insn insn, uint64_t pc, bool delinquent)
{
    if (code->count == SLICE_INSTRUCTIONS_MAX) {
        return false;
    }
    code->lines[code->count++] =
        (struct slice_line){.insn = insn, .pc = pc, .delinquent = delinquent};
    return true;
}

/* The marked instructions as code; a value that passes through the stack goes through a register
 * instead, named when its store comes by. */
static enum slice_built emit(struct builder *b, struct slice_code *code, const uint8_t *marks,
                             unsigned to)
{
    const struct slice_trace *trace = b->trace;
    uint8_t *passed = calloc(trace->count + 1u, 1); /* the register, by the store's index */
    if (passed == NULL) {
        return SLICE_BUILT_NO_MEMORY;
    }
    enum slice_built built = SLICE_BUILT_OK;
    for (unsigned i = 1; built == SLICE_BUILT_OK && i < to; i++) {
        struct rv64_insn insn = trace->insns[i];
        if (marks[i] == MARK_NONE) {
            continue;
        }
        if (marks[i] == MARK_PASSED) {
            passed[i] = take_free(b, &insn);
            built = passed[i] == 0 ? SLICE_BUILT_NO_REGISTERS : SLICE_BUILT_OK;
            insn = copy_of(&insn, passed[i], insn.rs2);
        } else if (marks[i] == MARK_KEPT && slice_trace_passes(trace, 1, i)) {
            const unsigned store = trace->stores[i];
            insn = copy_of(&trace->insns[store], insn.rd, passed[store]);
        } else if (marks[i] == MARK_ROOT && rv64_row(insn.op)->flags & INSN_CONDITIONAL) {
            insn.imm = 0; /* the guard goes nowhere */
        } else if (!allowed(&insn)) {
            built = SLICE_BUILT_NOT_ALLOWED;
        }
        const bool delinquent =
            rv64_row(insn.op)->flags & INSN_LOAD && is_delinquent(b, trace->pcs[i]);
        if (built == SLICE_BUILT_OK && !append(code, insn, trace->pcs[i], delinquent)) {
            built = SLICE_BUILT_TOO_LONG;
        }
    }
    free(passed);
    return built;
}

static enum slice_built emit_all(struct builder *b)
{
    const bool loop = b->turn != 0;
    b->used = b->live_ins | 1u << 2; /* sp: nobody expects anything else there */
    b->used |= used_by(b->trace, b->body, b->end);
    b->used |= loop ? used_by(b->trace, b->prologue, b->turn + 1) : 0;
    enum slice_built built = emit(b, &b->code[1], b->body, b->end);
    if (built != SLICE_BUILT_OK || !loop) {
        return built;
    }
    return emit(b, &b->code[0], b->prologue, b->turn + 1);
}

static void put(struct slice *slice, const struct slice_code *code)
{
    for (unsigned i = 0; i < code->count; i++) {
        struct slice_instruction *out = &slice->instructions[slice->length++];
        *out = (struct slice_instruction){.pc = code->lines[i].pc,
                                          .delinquent = code->lines[i].delinquent};
        const bool encoded = rv64_encode(&code->lines[i].insn, &out->word);
        ASSERT(encoded);
    }
}

/* How many turns it takes to be as far ahead as the rules want. */
static unsigned turns_ahead(const struct builder *b)
{
    ASSERT(b->turn != 0);
    const unsigned turns = (b->rules->ahead + b->turn - 1) / b->turn;
    return turns == 0 ? 1 : turns > SLICE_UNROLL_MAX ? SLICE_UNROLL_MAX : turns;
}

/* The next slice of a chain begins with the prologue, where this one's body begins: a delinquent load that both
 * have is the next one's. */
static void leave_to_next(struct builder *b)
{
    const struct slice_code *prologue = &b->code[0];
    struct slice_code *body = &b->code[1];
    for (unsigned i = 0; i < body->count; i++) {
        for (unsigned k = 0; k < prologue->count; k++) {
            if (body->lines[i].pc == prologue->lines[k].pc) {
                body->lines[i].delinquent = false;
            }
        }
    }
    slice_prune(body, 0);
}

/* A basic slice's prologue, `turns` times, and its body as one piece of code, in which most additions fold into one.
 * False if that is no shorter than to run the prologue as often, or is too long.  Nobody tests a guard there: the few
 * that run too far do no harm. */
static bool unroll(struct builder *b, unsigned turns)
{
    const struct slice_code *parts[] = {&b->code[0], &b->code[1]};
    const unsigned executed = turns * b->code[0].count + b->code[1].count;
    struct slice_code *whole = &b->unrolled;
    for (unsigned turn = 0; turn <= turns; turn++) {
        const struct slice_code *part = parts[turn == turns];
        for (unsigned i = 0; i < part->count; i++) {
            const struct slice_line *line = &part->lines[i];
            if (!(rv64_row(line->insn.op)->flags & INSN_CONDITIONAL) &&
                !append(whole, line->insn, line->pc, line->delinquent)) {
                return false;
            }
        }
        slice_fold(whole, turn == turns ? 0 : b->live_ins);
    }
    return whole->count < executed && whole->count <= b->rules->length_max;
}

static enum slice_built finish(struct builder *b, struct slice *slice)
{
    if (b->rules->chain) {
        leave_to_next(b);
    }
    if (b->rules->fold) {
        slice_fold(&b->code[1], 0);
        slice_fold(&b->code[0], b->live_ins);
    }
    const unsigned guard = b->guard != 0;
    if (b->code[0].count + b->code[1].count > b->rules->length_max) {
        return SLICE_BUILT_TOO_LONG;
    }
    slice->trigger = b->trace->pcs[0];
    slice->length = 0;
    slice->prologue = slice->unroll = slice->throttle = 0;
    slice->kind = SLICE_BASIC;
    slice->guard = SLICE_UNGUARDED;
    slice->origin.traced = b->end - 1;
    if (b->code[0].count > guard) { /* else nothing changes from turn to turn */
        slice->prologue = (uint16_t)b->code[0].count;
        slice->guard = b->goes;
        slice->kind = b->rules->chain ? SLICE_CHAINING : SLICE_BASIC;
        slice->unroll = (uint16_t)(!b->rules->chain       ? turns_ahead(b)
                                   : b->rules->unroll > 0 ? b->rules->unroll
                                                          : 1);
    }
    slice->origin.traced += (uint64_t)slice->unroll * b->turn;
    if (slice->prologue > 0 && !b->rules->chain && b->rules->fold && unroll(b, slice->unroll)) {
        slice->prologue = 0;
        slice->guard = SLICE_UNGUARDED;
        put(slice, &b->unrolled);
    } else {
        if (slice->prologue > 0) {
            put(slice, &b->code[0]);
        }
        put(slice, &b->code[1]);
    }
    slice->live_ins = slice_reads(slice->instructions, slice->length);
    ASSERT(slice_check(slice) == NULL);
    return SLICE_BUILT_OK;
}

static enum slice_built build(struct builder *b, struct slice *slice)
{
    enum slice_built built = walk_body(b);
    if (built != SLICE_BUILT_OK) {
        return built;
    }
    if (b->turn != 0) {
        b->live_ins = close_prologue(b, b->live_ins);
        if (is_invariant(b)) {
            return SLICE_BUILT_INVARIANT;
        }
        if (b->rules->guard) {
            walk_guard(b);
        }
    }
    built = emit_all(b);
    return built == SLICE_BUILT_OK ? finish(b, slice) : built;
}

enum slice_built slice_build(struct slice *slice, const struct slice_trace *trace, unsigned turn,
                             uint64_t load, const struct slice_pcs *others,
                             const struct slice_rules *rules)
{
    struct builder *b = calloc(1, sizeof *b);
    uint8_t *marks = calloc(2, trace->count + 1u);
    enum slice_built built = SLICE_BUILT_NO_MEMORY;
    ASSERT(turn < trace->count && rules->length_max <= SLICE_INSTRUCTIONS_MAX);
    if (b != NULL && marks != NULL) {
        b->trace = trace;
        b->rules = rules;
        b->load = load;
        b->others = others;
        b->turn = rules->chain || rules->ahead != 0 ? turn : 0;
        b->body = marks;
        b->prologue = marks + trace->count + 1;
        built = build(b, slice);
    }
    free(marks);
    free(b);
    return built;
}

enum slice_built slice_build_between(struct slice *slice, const struct slice_retired *retired,
                                     unsigned count, const struct slice_rules *rules)
{
    struct slice_trace trace;
    if (count < 2 || retired[0].pc != retired[count - 1].pc) {
        return SLICE_BUILT_NO_LOAD;
    }
    if (!slice_trace_read(&trace, retired, count, rules->through_stack)) {
        return SLICE_BUILT_NO_MEMORY;
    }
    const struct slice_pcs none = {.count = 0};
    const enum slice_built built =
        slice_build(slice, &trace, count - 1, retired[0].pc, &none, rules);
    slice_trace_free(&trace);
    return built;
}
