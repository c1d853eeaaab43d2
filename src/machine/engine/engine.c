/* Creates the engine, and runs a hart for a budget: what happens before and after the handlers' loop. */
#include "machine/engine/engine.h"

#include "base/check.h"
#include "machine/engine/callbacks.h"
#include "machine/engine/block.h"
#include "machine/exec/float.h"
#include "machine/exec/leave.h"

#include <stdlib.h>

struct engine *engine_create(struct memory *memory, struct unit_set *units)
{
    struct engine *engine = calloc(1, sizeof *engine);
    if (engine == NULL) {
        return NULL;
    }
    engine->memory = memory;
    engine->units = units;
    engine->handlers = run_handlers();
    if (!blocks_create(engine)) {
        free(engine);
        return NULL;
    }
    leave_install_handlers();
    return engine;
}

void engine_destroy(struct engine *engine)
{
    if (engine != NULL) {
        blocks_destroy(engine);
        free(engine);
    }
}

const struct engine_statistics *engine_statistics(const struct engine *engine)
{
    return &engine->statistics;
}

/* Whether there is a record of the instruction at engine->at already. */
static bool is_recorded(const struct engine *engine, const struct block *block)
{
    const unsigned halfwords = block->notes[engine->at - block->ops].halfwords;
    const struct op *op = engine->at;
    while (op > block->ops && block->notes[op - 1 - block->ops].halfwords == halfwords) {
        op--;
        if (op->handler == engine->handlers[HANDLER_record] ||
            op->handler == engine->handlers[HANDLER_record_access]) {
            return true;
        }
    }
    return false;
}

/* The instruction at engine->at did not complete: neither it nor what follows
 * it in its block has retired. */
static enum engine_stop stop_at_fault(struct engine *engine, struct hart *hart,
                                      enum leave_reason reason)
{
    if (engine->at == NULL) { /* code behind the end of a mapped file */
        hart->pc = engine->reading;
        return ENGINE_BUS_FAULT;
    }
    struct block *block = blocks_containing(engine, engine->at);
    const struct op_note *note = &block->notes[engine->at - block->ops];
    hart->pc = block->pc + 2u * note->halfwords;
    engine->budget += block->instructions - note->retired;
    if (engine->record != NULL && is_recorded(engine, block)) {
        engine->record--;
    }
    blocks_reduce_totals(engine, block, engine->at);

    struct rv64_insn insn;
    blocks_instruction(block, engine->at, &insn);
    switch (reason) {
    case LEAVE_ILLEGAL:
        hart->fault_address = insn.word;
        return ENGINE_ILLEGAL;
    case LEAVE_MISALIGNED:
        return ENGINE_MISALIGNED;
    case LEAVE_BUS:
        return ENGINE_BUS_FAULT;
    case LEAVE_FAULT:
        break;
    }
    const bool stores = rv64_row(insn.op)->flags & INSN_STORE;
    return stores ? ENGINE_STORE_FAULT : ENGINE_LOAD_FAULT;
}

static enum engine_stop run_budget(struct engine *engine, struct hart *hart, uint64_t budget)
{
    ASSERT(budget < COST_LOOK);
    sigjmp_buf fault_exit;
    hart->fault_exit = &fault_exit;
    engine->given = engine->budget = (int64_t)budget;
    engine->held = 0;
    engine->at = NULL;
    if (UNLIKELY(callbacks_due(hart))) {
        callbacks_begin(hart, false);
    }
    leave_watch_faults(hart);
    float_begin();

    const int reason = sigsetjmp(fault_exit, 0);
    const enum engine_stop stop = reason == 0
                                      ? run_hart(engine, hart)
                                      : stop_at_fault(engine, hart, (enum leave_reason)reason);

    leave_watch_faults(NULL);
    float_collect_flags(hart);
    hart->fault_exit = NULL;
    engine->budget += engine->held;
    hart->instructions += budget - (uint64_t)engine->budget;
    return stop;
}

uint64_t engine_executed(const struct engine *engine)
{
    return (uint64_t)(engine->given - engine->budget - engine->held);
}

enum engine_stop engine_run(struct engine *engine, struct hart *hart, uint64_t budget)
{
    engine->whole_below = 0;
    engine->record = NULL;
    return run_budget(engine, hart, budget);
}

enum engine_stop engine_run_recorded(struct engine *engine, struct hart *hart, uint64_t budget,
                                     struct record *records, unsigned room, unsigned *count)
{
    engine->whole_below = budget <= room ? 0 : room;
    engine->record = records;
    const enum engine_stop stop = run_budget(engine, hart, budget <= room ? budget : room);
    *count = (unsigned)(engine->record - records);
    return stop;
}
