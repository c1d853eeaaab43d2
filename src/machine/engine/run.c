/* The engine's loop: one piece of code per instruction, each jumping to the next one's.
 *
 * A handler does what exec/ says, moves `ip` on and jumps to the next handler.
 * Everything that a fault may have to undo is in memory: the hart's registers,
 * engine->budget, and engine->at, the op that is about to access memory.  The
 * compiler cannot move a register's store across such an access, since it goes
 * through a pointer to bytes that may point to the hart for all it knows. */
#include "machine/engine/block.h"

#include "base/check.h"
#include "machine/engine/callbacks.h"
#include "machine/exec/access.h"
#include "machine/exec/float.h"
#include "machine/exec/integer.h"

/* Labels as values: without them each instruction pays for a second jump, and
 * the host predicts one shared jump badly. */
#pragma GCC diagnostic ignored "-Wpedantic"

/* Per operation, as constants, so that the compiler drops what one does not need. */
enum {
#define INSN(id, mnemonic, format, match, mask, unit, flags)                                       \
    FLAGS_##id = (int)(flags), UNIT_OF_##id = UNIT_##unit,
#define XCSR(id, name, number, meaning)
#include "isa/rv64/rv64.def"
#include "isa/rv64/xstrata.def"
#undef INSN
#undef XCSR
};

#define MAY_LEAVE(id)                                                                              \
    ((FLAGS_##id & (int)(INSN_LOAD | INSN_STORE | INSN_ATOMIC | INSN_ROUNDS)) != 0)

/* Where the branch or jump at the site goes, and whether it does. */
static void resolve(struct hart *hart, const struct watch_site *site, struct watch_event *event)
{
    const struct op operands = {
        .rs1 = site->insn.rs1, .rs2 = site->insn.rs2, .imm = (int32_t)site->insn.imm};
    event->taken = true;
    event->address = site->instruction.pc + (uint64_t)site->insn.imm;
    switch (site->insn.op) {
#define CONDITION(id)                                                                              \
    case RV64_##id:                                                                                \
        event->taken = exec_##id(hart, &operands);                                                 \
        break;
        CONDITION(beq)
        CONDITION(bne)
        CONDITION(blt)
        CONDITION(bge)
        CONDITION(bltu)
        CONDITION(bgeu)
#undef CONDITION
    case RV64_jalr:
        event->address = exec_jalr_target(hart, &operands);
        break;
    default:
        break;
    }
}

/* Tells the units that asked for an event here.  To clear a whole event each time took a seventh of the time of programs
 * that call much, with a call graph. */
static void notify(struct engine *engine, struct hart *hart, const struct watch_site *site)
{
    struct watch_event *event = &engine->told;
    event->cycle = UNIT_NO_CYCLE;
    event->context = hart->context;
    event->hart = hart;
    event->address = 0;
    event->taken = false;
    if (site->events & WATCH_MEMORY) {
        const bool offset = (site->instruction.flags & WATCHED_ATOMIC) == 0;
        event->address = hart->x[site->insn.rs1] + (offset ? (uint64_t)site->insn.imm : 0);
        watch_site_tell(site, WATCH_MEMORY, event);
    }
    if (site->events & WATCH_BRANCH) {
        resolve(hart, site, event);
        watch_site_tell(site, WATCH_BRANCH, event);
    }
    if (site->events & WATCH_BEFORE) {
        watch_site_tell(site, WATCH_BEFORE, event);
    }
    if (site->events & WATCH_EXECUTED) {
        watch_site_tell(site, WATCH_EXECUTED, event);
    }
    if (site->events & WATCH_RETIRED) {
        watch_site_tell(site, WATCH_RETIRED, event);
    }
    if (UNLIKELY(callbacks_due(hart))) {
        /* It begins behind the running block. */
        engine->held += engine->budget;
        engine->budget = 0;
    }
}

/* A cell reached its number: true if the unit wants a callback, which begins before the instruction. */
static bool fire(struct hart *hart, struct watch_cell *cell, const struct rv64_insn *insn)
{
    const struct watch_instruction instruction = watch_instruction_of(hart->pc, insn);
    const struct watch_event event = {.instruction = &instruction,
                                      .cycle = UNIT_NO_CYCLE,
                                      .context = hart->context,
                                      .hart = hart};
    cell->unit->kind->counted(cell->unit, &event, cell);
    if (!callbacks_due(hart)) {
        return false;
    }
    callbacks_begin(hart, true);
    return true;
}

/* Where the link `link` of the jump at `ip` leads. */
static guest_addr link_target(struct engine *engine, const struct op *ip, struct block **link)
{
    const struct block *from = blocks_containing(engine, ip);
    const guest_addr pc = blocks_pc_of(from, ip);
    if (ip->handler == engine->handlers[HANDLER_block_end]) {
        return pc;
    }
    struct rv64_insn insn;
    blocks_instruction(from, ip, &insn);
    const struct links *links = (const struct links *)(const void *)(ip + 1);
    return pc + (link == &links->taken ? (uint64_t)insn.imm : insn.length);
}

#define LINKS(op) ((struct links *)(void *)((op) + 1))

static enum engine_stop run(struct engine *engine, struct hart *hart,
                            const void *const **export_handlers)
{
    static const void *const handlers[HANDLER_COUNT] = {
        [RV64_illegal] = &&stop_illegal,
#define INSN(id, mnemonic, format, match, mask, unit, flags) [RV64_##id] = &&op_##id,
#define XCSR(id, name, number, meaning)
#include "isa/rv64/rv64.def"
#include "isa/rv64/xstrata.def"
#undef INSN
#undef XCSR
        [HANDLER_block_end] = &&block_end,     [HANDLER_stop_ecall] = &&stop_ecall,
        [HANDLER_stop_ebreak] = &&stop_ebreak, [HANDLER_stop_illegal] = &&stop_illegal,
        [HANDLER_stop_system] = &&stop_system, [HANDLER_float_csr] = &&float_csr,
        [HANDLER_watch_pc] = &&watch_pc,       [HANDLER_watch_before] = &&watch_site,
        [HANDLER_watch_after] = &&watch_site,  [HANDLER_watch_total] = &&watch_total,
        [HANDLER_record] = &&record,           [HANDLER_record_access] = &&record_access,
        [HANDLER_watch_run] = &&watch_run,     [HANDLER_watch_course] = &&watch_course,
        [HANDLER_falls_beq] = &&falls_beq,     [HANDLER_falls_bne] = &&falls_bne,
        [HANDLER_falls_blt] = &&falls_blt,     [HANDLER_falls_bge] = &&falls_bge,
        [HANDLER_falls_bltu] = &&falls_bltu,   [HANDLER_falls_bgeu] = &&falls_bgeu,
#define PAIR(first, second, join)                                                                  \
    [HANDLER_##first##_##second##_##join] = &&pair_##first##_##second##_##join,
#define PAIR_BRANCH(first, second, join)                                                           \
    PAIR(first, second, join)                                                                      \
    [HANDLER_##first##_##second##_##join##_falls] = &&pair_##first##_##second##_##join##_falls,
#include "machine/engine/pairs.def"
#undef PAIR
#undef PAIR_BRANCH
    };
    if (export_handlers != NULL) {
        *export_handlers = handlers;
        return ENGINE_BUDGET;
    }

    struct op *ip = NULL;
    struct block **link = NULL; /* the link that was followed, NULL after an indirect jump */
    struct block *next;
    guest_addr target = hart->pc; /* of an indirect jump */
    goto look;

#define DISPATCH() goto * ip->handler
#define GUARD(id)                                                                                  \
    if (MAY_LEAVE(id)) {                                                                           \
        engine->at = ip;                                                                           \
    }
#define STEP(id)                                                                                   \
    {                                                                                              \
        GUARD(id)                                                                                  \
        exec_##id(hart, ip);                                                                       \
        ip++;                                                                                      \
    }
#define ENTER()                                                                                    \
    {                                                                                              \
        if (UNLIKELY((engine->budget -= next->cost) < 0)) {                                        \
            goto look_at_next;                                                                     \
        }                                                                                          \
        ip = next->ops;                                                                            \
        DISPATCH();                                                                                \
    }
#define FOLLOW(which)                                                                              \
    {                                                                                              \
        link = &LINKS(ip)->which;                                                                  \
        next = *link;                                                                              \
        ENTER()                                                                                    \
    }
#define BRANCH(id)                                                                                 \
    {                                                                                              \
        if (exec_##id(hart, ip)) {                                                                 \
            FOLLOW(taken)                                                                          \
        }                                                                                          \
        FOLLOW(not_taken)                                                                          \
    }
/* Where it does not branch, it goes on with what stands behind its links. */
#define FALLS(id, op)                                                                              \
    {                                                                                              \
        if (exec_##id(hart, op)) {                                                                 \
            FOLLOW(taken)                                                                          \
        }                                                                                          \
        ip += 2;                                                                                   \
        DISPATCH();                                                                                \
    }

#define RUN_PLAIN(id) op_##id : STEP(id) DISPATCH();
#define RUN_ALU RUN_PLAIN
#define RUN_MUL RUN_PLAIN
#define RUN_DIV RUN_PLAIN
#define RUN_LOAD RUN_PLAIN
#define RUN_STORE RUN_PLAIN
#define RUN_ATOMIC RUN_PLAIN
#define RUN_FADD RUN_PLAIN
#define RUN_FMUL RUN_PLAIN
#define RUN_FMA RUN_PLAIN
#define RUN_FDIV RUN_PLAIN
#define RUN_FSQRT RUN_PLAIN
#define RUN_FCVT RUN_PLAIN
#define RUN_FMISC RUN_PLAIN
#define RUN_BRANCH(id) op_##id : BRANCH(id)
#define RUN_JUMP(id)  /* written out below */
#define RUN_FENCE(id) /* one hart at a time: nothing to order */                                   \
    op_##id : ip++;                                                                                \
    DISPATCH();
#define RUN_SYSTEM(id) /* these stop the engine: stop_* */ op_##id : goto unreachable;

#define INSN(id, mnemonic, format, match, mask, unit, flags) RUN_##unit(id)
#define XCSR(id, name, number, meaning)
#include "isa/rv64/rv64.def"
#include "isa/rv64/xstrata.def"
#undef INSN
#undef XCSR

/* The registers live in memory, and what one instruction stores there the next
 * can load only some cycles later.  Told that both are the same register, the
 * compiler keeps the value in one of the host's. */
#define JOIN_none
#define JOIN_rs1 second_op.rs1 = ip[-1].rd;
#define JOIN_rs2 second_op.rs2 = ip[-1].rd;
#define PAIR(first, second, join)                                                                  \
    pair_##first##_##second##_##join:                                                              \
    {                                                                                              \
        STEP(first)                                                                                \
        struct op second_op = *ip;                                                                 \
        JOIN_##join GUARD(second) exec_##second(hart, &second_op);                                 \
        ip++;                                                                                      \
        DISPATCH();                                                                                \
    }
#define PAIR_BRANCH(first, second, join)                                                           \
    pair_##first##_##second##_##join:                                                              \
    {                                                                                              \
        STEP(first)                                                                                \
        struct op second_op = *ip;                                                                 \
        JOIN_##join if (exec_##second(hart, &second_op)){FOLLOW(taken)} FOLLOW(not_taken)          \
    }                                                                                              \
    pair_##first##_##second##_##join##_falls:                                                      \
    {                                                                                              \
        STEP(first)                                                                                \
        struct op second_op = *ip;                                                                 \
        JOIN_##join FALLS(second, &second_op)                                                      \
    }
#include "machine/engine/pairs.def"
#undef PAIR
#undef PAIR_BRANCH

falls_beq:
    FALLS(beq, ip)
falls_bne:
    FALLS(bne, ip)
falls_blt:
    FALLS(blt, ip)
falls_bge:
    FALLS(bge, ip)
falls_bltu:
    FALLS(bltu, ip)
falls_bgeu:
    FALLS(bgeu, ip)

op_jal:
    hart->x[ip->rd] = op_constant(ip);
    FOLLOW(taken)

op_jalr : {
    target = exec_jalr_target(hart, ip);
    hart->x[ip->rd] = ip[1].value;
    struct jump_cache_entry *entry = &engine->jump_cache[target / 2 % JUMP_CACHE_ENTRIES];
    if (UNLIKELY(entry->pc != target)) {
        goto look;
    }
    link = NULL;
    next = entry->block;
    ENTER()
}

block_end:
    FOLLOW(taken)

float_csr:
    float_access_csr(hart, ip);
    ip++;
    DISPATCH();

watch_pc : {
    struct watch_cell *cell = ip->pointer;
    if (LIKELY(++cell->executions != cell->fires_at)) {
        ip++;
        DISPATCH();
    }
    const struct block *block = blocks_containing(engine, ip);
    const struct op_note note = block->notes[ip - block->ops];
    hart->pc = block->pc + 2u * note.halfwords;
    engine->budget += block->instructions - note.retired;
    struct rv64_insn insn;
    blocks_instruction(block, ip, &insn);
    if (!fire(hart, cell, &insn)) {
        engine->budget -= block->instructions - note.retired;
        ip++;
        DISPATCH();
    }
    blocks_reduce_totals(engine, block, ip);
    target = hart->pc;
    goto look;
}

watch_site:
    notify(engine, hart, ip->pointer);
    ip++;
    DISPATCH();

watch_total : {
    uint64_t *total = ip->pointer;
    *total += ip[1].value;
    ip += 2;
    DISPATCH();
}

watch_run:
    ((struct watch_run *)ip->pointer)->executions++;
    ip++;
    DISPATCH();

watch_course : {
    struct watch_run *run = ip->pointer;
    if (UNLIKELY(run->function != run->course->function)) {
        run->unit->kind->entered(run->unit, run);
    }
    run->course->instructions += run->instructions;
    run->executions++;
    ip++;
    DISPATCH();
}

record:
    *engine->record++ = (struct record){.insn = ip->pointer};
    ip++;
    DISPATCH();

record_access:
    *engine->record++ =
        (struct record){.insn = ip->pointer, .address = access_address(hart, ip + 1)};
    ip += 2;
    DISPATCH();

look_at_next:
    /* Too little budget for `next`, or a block that must be looked at: give
     * back what was taken. */
    engine->budget += next->cost;
    if (link != NULL) {
        target = link_target(engine, ip, link);
    }
    if (next->state == BLOCK_LIVE) {
        goto enter_cut_short;
    }
    if (next->state == BLOCK_SUSPECT) {
        blocks_verify(engine, next);
        if (next->state == BLOCK_LIVE) {
            ENTER()
        }
    }
    if (link != NULL) {
        const uint64_t flushes = engine->statistics.flushes;
        next = blocks_get(engine, target);
        if (next == NULL) {
            goto fetch_fault;
        }
        if (engine->statistics.flushes == flushes) {
            *link = next;
        }
        link = NULL;
        goto enter_target;
    }

look:
    link = NULL;
    next = blocks_get(engine, target);
    if (next == NULL) {
        goto fetch_fault;
    }
    engine->jump_cache[target / 2 % JUMP_CACHE_ENTRIES] =
        (struct jump_cache_entry){.pc = target, .block = next};

enter_target:
    if (engine->budget >= next->cost) {
        engine->budget -= next->cost;
        ip = next->ops;
        if (UNLIKELY(target == hart->skip_count_at)) {
            goto skip_count;
        }
        DISPATCH();
    }

enter_cut_short:
    if (engine->budget == 0 || engine->budget < engine->whole_below) {
        hart->pc = target;
        return ENGINE_BUDGET;
    }
    next = blocks_get_partial(engine, target, (uint64_t)engine->budget);
    if (next == NULL) {
        goto fetch_fault;
    }
    engine->budget -= next->cost;
    ip = next->ops;
    if (UNLIKELY(target == hart->skip_count_at)) {
        goto skip_count;
    }
    DISPATCH();

skip_count:
    /* Back from a callback that stood before this instruction, which the
     * counter that called it has counted already. */
    hart->skip_count_at = HART_NO_ADDRESS;
    while (ip->handler == handlers[HANDLER_watch_pc]) {
        ip++;
    }
    DISPATCH();

fetch_fault:
    hart->pc = target;
    hart->skip_count_at = HART_NO_ADDRESS; /* a repetition is another execution */
    hart->fault_address = engine->fetch_fault;
    return ENGINE_FETCH_FAULT;

stop_ecall:
    hart->pc = ip->value;
    return ENGINE_ECALL;
stop_ebreak:
    hart->pc = ip->value;
    return ENGINE_EBREAK;
stop_system:
    hart->pc = ip->value;
    hart->system_word = (uint32_t)ip[1].value;
    return ENGINE_SYSTEM;
stop_illegal : {
    const struct block *block = blocks_containing(engine, ip);
    struct rv64_insn insn;
    blocks_instruction(block, ip, &insn);
    hart->pc = blocks_pc_of(block, ip);
    hart->fault_address = insn.word;
    return ENGINE_ILLEGAL;
}

unreachable:
    ASSERT(!"a system instruction was run as an op");
    return ENGINE_ILLEGAL;
}

const void *const *run_handlers(void)
{
    const void *const *handlers = NULL;
    run(NULL, NULL, &handlers);
    return handlers;
}

enum engine_stop run_hart(struct engine *engine, struct hart *hart)
{
    return run(engine, hart, NULL);
}
