/* Writes a trace as passes want it (passes/place.h): which ops are executed, and in which registers.
 *
 *     landing:  registers that are taken for constants are compared; spare registers are put away; what does not change in
 *               the loop is computed
 *     entry:    the path, from block to block, and back to the entry
 *               where the loop ends: spare registers come back, and the way on
 *               ways out of the middle: what is left to do there, spare registers, and the way on
 *               what is done where guarded targets turn out to be others
 *               where a callback leaves the cache: spare registers, and target_hot
 *               where a register holds something else at the landing: dispatch
 *
 * Who goes around does not pass the landing.  So that the trace can be left there when all links are undone, the word
 * that leads around (site.around) can be sent to the way out behind it. */
#include "translator/rv64/emit.h"

#include "base/check.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/encode.h"

#define FIELD_IMMEDIATE_I (UINT32_C(0xfff) << 20)
#define FIELD_IMMEDIATE_S (UINT32_C(0x7f) << 25 | UINT32_C(31) << 7)

static void emit_spares(struct emitter *emitter, uint32_t spares, bool back)
{
    for (; spares != 0; spares &= spares - 1) {
        const unsigned reg = lowest_bit(spares);
        if (back) {
            emit_restore(emitter, reg, CONTEXT_X((int32_t)reg));
        } else {
            emit_save(emitter, reg, CONTEXT_X((int32_t)reg));
        }
    }
}

static void emit_move(struct emitter *emitter, unsigned dst, unsigned src, int64_t constant)
{
    if (src == NO_REGISTER) {
        emit_constant(emitter, dst, (uint64_t)constant);
    } else {
        emit_word(emitter, word_i((uint32_t)MATCH_addi, dst, src, (int32_t)constant));
    }
    if (dst == GP) {
        emitter->special->knows_gp = false;
    }
}

void items_emit_way_out(struct emitter *emitter, const struct item *item)
{
    const struct arranged *placed = emitter->special->placed;

    for (unsigned i = 0; i < item->move_count; i++) {
        const struct move *move = &placed->moves[item->first_move + i];
        emit_move(emitter, move->dst, move->src, move->constant);
    }
    emit_spares(emitter, placed->spares, true);
}

bool items_has_way_out(const struct emitter *emitter, const struct item *item)
{
    return item->move_count != 0 || emitter->special->placed->spares != 0;
}

/* The same registers and the same constant as in the program. */
static bool is_unchanged(const struct op *op, const struct item *item)
{
    return item->src[0] == op->rs[0] && item->src[1] == op->rs[1] && item->dst == op->rd &&
           item->constant == op->constant && op->form.word == op->word;
}

static uint32_t registers_bits(const struct item *item)
{
    return (item->dst != NO_REGISTER ? (uint32_t)item->dst << 7 : 0) |
           (item->src[0] != NO_REGISTER ? (uint32_t)item->src[0] << 15 : 0) |
           (item->src[1] != NO_REGISTER ? (uint32_t)item->src[1] << 20 : 0);
}

static uint32_t word_of(const struct op *op, const struct item *item)
{
    const uint32_t word = op->form.word | registers_bits(item), bits = (uint32_t)item->constant;

    switch (op->kind) {
    case OP_LOAD:
    case OP_ADD:
        return (word & ~FIELD_IMMEDIATE_I) | bits << 20;
    case OP_STORE:
        return (word & ~FIELD_IMMEDIATE_S) | (bits & 31) << 7 | (bits >> 5 & 127) << 25;
    default:
        return word;
    }
}

/* prefetch.r of Zicbop, which is a hint: other processors do nothing. */
static uint32_t touch_word(unsigned src, int64_t constant)
{
    return word_i((uint32_t)MATCH_ori, X0, src, (int32_t)constant | 1);
}

/* A part of what touches a line ahead. */
static void emit_ahead(struct emitter *emitter, struct log *log, const struct item *item)
{
    const struct op *const of = &emitter->special->ops->list[item->of];

    switch (item->step) {
    case AHEAD_CONSTANT:
    case AHEAD_ADD:
        emit_move(emitter, item->dst, item->src[0], item->constant);
        break;
    case AHEAD_SUM:
        emit_word(emitter, (uint32_t)MATCH_add | registers_bits(item));
        break;
    case AHEAD_SHIFT:
        emit_word(emitter,
                  word_i((uint32_t)MATCH_slli, item->dst, item->src[0], (int32_t)item->constant));
        break;
    case AHEAD_COMPUTE:
        emit_word(emitter, of->form.word | registers_bits(item));
        break;
    case AHEAD_LOAD:
        log->loads[log->load_count++] = (struct log_load){
            .at = (uint32_t)(emitter->at - log->start), .dst = item->dst, .bytes = 4};
        emit_word(emitter, word_of(of, item));
        break;
    default:
        emit_word(emitter, touch_word(item->src[0], item->constant));
        break;
    }
    if (item->dst == GP) {
        emitter->special->knows_gp = false;
    }
}

/* One instruction of the program, in half the bytes where it has them and they fit. */
static void emit_op(struct emitter *emitter, const struct op *op, const struct item *item)
{
    if (op->kind == OP_CONSTANT) {
        emit_constant(emitter, item->dst, (uint64_t)op->constant);
    } else if (op->code_bytes == 2 && !emitter->translator->threaded && is_unchanged(op, item)) {
        emit_half(emitter, *(const uint16_t *)(const void *)op->code);
    } else {
        emit_word(emitter, word_of(op, item));
    }
}

/* The branch back, which is one exit, and the way on, which is the other. */
static void emit_around(struct emitter *emitter, const struct step *last)
{
    struct fragment *fragment = emitter->fragment;
    const uint32_t spares = emitter->special->placed->spares;
    struct exit *around = &fragment->exits[0];

    emit_alignment(emitter);
    uint8_t *const site = emitter->at;
    if (last->kind == STEP_BRANCH) {
        emit_word(emitter, last->detail);
        around = &fragment->exits[1];
        uint8_t *const stub = emitter->at;
        emit_spares(emitter, spares, true);
        emit_alignment(emitter);
        emit_exit(emitter, &fragment->exits[0], NULL);
        fragment->exits[0].site.stub = stub;
    } else {
        emit_word(emitter, (uint32_t)MATCH_jal);
    }
    uint8_t *const stub = emitter->at;
    emit_spares(emitter, spares, true);
    emit_alignment(emitter);
    emit_exit(emitter, around, NULL);
    around->site.stub = stub;
    around->site.around = site;
    site_aim_around(&around->site, stub);
}

/* The last step.  All registers are home but the spare ones. */
static void emit_end(struct emitter *emitter, const struct step *last)
{
    const struct arranged *placed = emitter->special->placed;

    if ((placed->spares | placed->compared) != 0 && emitter->special->ops->loops) {
        emit_around(emitter, last);
        return;
    }
    emit_spares(emitter, placed->spares, true);
    emit_last_step(emitter, last);
}

/* What is written of an op that has code. */
static void emit_placed(struct emitter *emitter, const struct plan *plan, const struct op *op,
                        const struct item *item)
{
    const struct step *step = &plan->steps[op->step];
    struct marks *marks = &emitter->translator->marks;

    switch (op->kind) {
    case OP_GUARD:
        emit_alignment(emitter);
        state_note_own(marks, emitter->at);
        emit_side_branch(emitter, op->word | registers_bits(item), item);
        break;
    case OP_TARGET:
        guard_emit_comparison(emitter, step, item->src, (uint64_t)op->constant, item);
        if (step[1].kind == STEP_SECOND_TARGET) {
            emit_second_target(emitter);
        }
        break;
    case OP_STEP:
        emit_alignment(emitter);
        if (step->kind == STEP_WHOLE) {
            state_note_own(marks, emitter->at);
            emit_whole(emitter, plan, step, op->code);
        } else {
            emit_step(emitter, step);
        }
        emitter->special->knows_gp = false;
        break;
    case OP_END:
        emit_alignment(emitter);
        if (step->kind == STEP_ON) {
            state_note_on(marks, emitter->at);
        } else {
            state_note_own(marks, emitter->at);
        }
        emit_end(emitter, step);
        break;
    default:
        state_note_own(marks, emitter->at);
        emit_op(emitter, op, item);
        break;
    }
}

/* A guard that certainly holds: its exit is nobody's. */
static void emit_known_guard(struct emitter *emitter, const struct plan *plan, const struct op *op)
{
    if (op->kind == OP_GUARD ||
        (op->kind == OP_TARGET && plan->steps[op->step + 1].kind == STEP_SECOND_TARGET)) {
        emit_no_side(emitter);
    }
}

static struct log *begin_log(struct emitter *emitter)
{
    const struct arranged *placed = emitter->special->placed;
    struct log *log = pool_take(&emitter->translator->pool,
                                sizeof *log + placed->item_count * sizeof log->events[0]);

    log->start = emitter->at;
    log->spares = placed->spares;
    log->count = log->load_count = 0;
    return log;
}

/* The item's code begins at `from`.  A constant may take two instructions, and already the first overwrites the register. */
static void log_item(const struct emitter *emitter, struct log *log, const struct item *item,
                     const uint8_t *from)
{
    const uint8_t *const at = item->kind == ITEM_CONSTANT ? from + 1 : emitter->at;

    if (item->kind == ITEM_AHEAD ||
        (item->guest == NO_REGISTER && (item->dst == NO_REGISTER || item->dst == X0))) {
        return;
    }
    log->events[log->count++] = (struct log_event){.at = (uint32_t)(at - log->start),
                                                   .root = item->value.root,
                                                   .dst = item->dst,
                                                   .guest = item->guest,
                                                   .offset = item->value.offset};
}

/* Registers that the trace takes for constants.  A signal here is rolled forward. */
static void emit_comparisons(struct emitter *emitter)
{
    struct special_emitter *trace = emitter->special;
    const uint8_t *const from = emitter->at;
    unsigned count = 0;

    for (uint32_t mask = trace->placed->compared; mask != 0; mask &= mask - 1) {
        const unsigned reg = lowest_bit(mask);
        const uint64_t value = (uint64_t)trace->ops->assumption[reg];
        if (value != 0) {
            guard_emit_known(emitter, value);
        }
        trace->entrance_branches[count++] = emitter->at;
        emit_word(emitter, word_r((uint32_t)MATCH_bne, 0, reg, value != 0 ? GP : X0));
    }
    trace->knows_gp = false; /* who goes around has something else in it */
    trace->entrance->length = target_length(from, emitter->at);
}

/* Where one of them failed, the program leaves the cache. */
static void emit_differs(struct emitter *emitter)
{
    struct special_emitter *trace = emitter->special;
    const unsigned count = count_bits(trace->placed->compared);

    emit_alignment(emitter);
    for (unsigned i = 0; i < count; i++) {
        uint8_t *const branch = trace->entrance_branches[i];
        put_word(branch, get_word(branch) | branch_offset_bits(emitter->at - branch));
    }
    emit_exit(emitter, &trace->entrance->exit, NULL);
}

/* What is computed before the loop is any instruction of the program: a signal there finds the program at the loop's head,
 * and is not rolled forward. */
static void emit_before(struct emitter *emitter, const struct plan *plan)
{
    const struct arranged *placed = emitter->special->placed;
    struct marks *marks = &emitter->translator->marks;

    if (placed->compared != 0) {
        emit_comparisons(emitter);
    }
    emit_spares(emitter, placed->spares, false);
    emitter->special->log = begin_log(emitter);
    if (placed->before_count == 0) {
        return;
    }
    state_add_mark(marks, emitter->at, emitter->at, plan->start);
    for (unsigned i = 0; i < placed->before_count; i++) {
        const struct item *item = &placed->before[i];
        if (item->kind == ITEM_OP) {
            const struct op *op = &emitter->special->ops->list[item->op];
            emit_word(emitter, op->form.word | registers_bits(item));
        } else {
            emit_move(emitter, item->dst, NO_REGISTER, item->constant);
        }
    }
    state_note_on(marks, emitter->at);
}

/* A block that takes no code, at the very beginning, could not be counted apart from the whole trace.  The program is where
 * the block begins: what was before it takes no code, and is done. */
static void begin_block(struct emitter *emitter, const struct op *op)
{
    if (emitter->at == emitter->fragment->entry) {
        state_add_mark(&emitter->translator->marks, emitter->at, emitter->at, op->pc);
        state_note_on(&emitter->translator->marks, emitter->at);
        emit_half(emitter, NOTHING_HALF);
        emit_alignment(emitter);
    }
    *emitter->special->blocks++ = emitter->at;
}

/* Where a callback leaves the cache, at the entry. */
static const uint8_t *emit_hot(struct emitter *emitter)
{
    const uint8_t *at = emitter->at;

    emit_spares(emitter, emitter->special->placed->spares, true);
    emit_constant(emitter, GP, (uintptr_t)target_hot);
    emit_word(emitter, word_i((uint32_t)MATCH_jalr, X0, GP, 0));
    return at;
}

/* A mark's own code is no longer than 255 bytes (state_note_own); the registers of a trace may take more to go home. */
#define MARK_REACH 200

/* The path, from its beginning on. */
void items_emit(struct emitter *emitter, const struct plan *plan)
{
    struct special_emitter *trace = emitter->special;
    const struct arranged *placed = trace->placed;
    struct marks *marks = &emitter->translator->marks;
    bool marked = false; /* the mark of the next op is there: what is written belongs to it */
    const uint8_t *mark = emitter->at;

    emit_before(emitter, plan);
    emit_alignment(emitter);
    emitter->fragment->entry = emitter->at;
    shares_begin(emitter, trace->shares);
    for (unsigned i = 0; i < placed->item_count; i++) {
        const struct item *item = &placed->items[i];
        const struct op *op = &trace->ops->list[item->op];
        const uint8_t *const from = emitter->at;
        const bool counts =
            op->code_bytes != 0 || op->kind == OP_END; /* else it is a part of the op before it */
        if (item->kind == ITEM_OP && op->kind == OP_BLOCK) {
            begin_block(emitter, op);
            marked = false;
            shares_count(emitter, item, from);
            shares_next_block(emitter);
            continue;
        }
        if (item->kind != ITEM_NOTE && counts && (!marked || from - mark > MARK_REACH)) {
            if (marked) {
                state_note_on(marks, from); /* the op itself is of the next mark */
            }
            state_add_mark(marks, from, from, op->pc);
            marked = true;
            mark = from;
        }
        switch (item->kind) {
        case ITEM_OP:
            if (counts) {
                emit_placed(emitter, plan, op, item);
            } else {
                emit_op(emitter, op, item);
            }
            marked = false;
            break;
        case ITEM_ADD:
        case ITEM_CONSTANT:
            emit_move(emitter, item->dst, item->src[0], item->constant);
            break;
        case ITEM_AHEAD:
            emit_ahead(emitter, trace->log, item);
            break;
        case ITEM_EMPTY:
            emit_known_guard(emitter, plan, op);
            marked = false;
            break;
        default:
            break;
        }
        shares_count(emitter, item, from);
        log_item(emitter, trace->log, item, from);
    }
    trace->log->end = emitter->at;
}

/* Behind all that else belongs to the trace. */
void items_emit_rest(struct emitter *emitter)
{
    if (emitter->special->placed->spares != 0) {
        emitter->fragment->hot = emit_hot(emitter);
    }
    if (emitter->special->placed->compared != 0) {
        emit_differs(emitter);
    }
}

/* The most bytes that the trace takes. */
unsigned target_placed_bytes(const struct plan *plan, const struct ops *ops,
                             const struct arranged *placed)
{
    const unsigned spare_bytes = 4 * count_bits(placed->spares);
    unsigned bytes =
        8 * placed->before_count + 4 * spare_bytes + 12 * count_bits(placed->compared) + 80;

    for (unsigned i = 0; i < placed->item_count; i++) {
        const struct item *item = &placed->items[i];
        const struct op *op = &ops->list[item->op];
        if (item->kind == ITEM_CONSTANT) {
            bytes += 8;
        } else if (item->kind == ITEM_ADD || item->kind == ITEM_AHEAD) {
            bytes += item->step == AHEAD_CONSTANT ? 8 : 4;
        } else if (item->kind == ITEM_OP) {
            const bool guards = op->kind == OP_GUARD || op->kind == OP_TARGET;
            bytes += guards || op->kind == OP_STEP ? target_trace_bytes(&plan->steps[op->step])
                     : op->kind == OP_CONSTANT     ? 8
                                                   : 4;
            bytes += guards ? spare_bytes + 8u * item->move_count : 0;
        }
    }
    for (const struct step *step = plan->steps; step != plan->end; step++) {
        bytes += step->kind == STEP_SECOND_TARGET ? target_trace_bytes(step) : 0;
    }
    return bytes;
}
