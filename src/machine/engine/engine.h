/* The fast functional engine: runs one hart from predecoded, linked blocks, for an exact number of instructions. */
#ifndef STRATA_MACHINE_ENGINE_H
#define STRATA_MACHINE_ENGINE_H

#include "machine/exec/record.h"
#include "machine/engine/unit_set.h"
#include "machine/state/memory.h"

enum engine_stop {
    ENGINE_BUDGET, /* the budget is used up */
    ENGINE_ECALL,  /* hart->pc is at the ecall, which is counted as retired */
    ENGINE_SYSTEM, /* hart->pc is at an instruction that machine/processor/core_insn.c executes; counted */
    ENGINE_EBREAK,      /* hart->pc is at the ebreak; not retired, as all faults below */
    ENGINE_ILLEGAL,     /* hart->fault_address is the instruction word */
    ENGINE_FETCH_FAULT, /* the bytes at hart->fault_address may not be executed */
    ENGINE_LOAD_FAULT, /* hart->fault_address: the first byte that failed, as the kernel reports it */
    ENGINE_STORE_FAULT,
    ENGINE_BUS_FAULT,  /* a page of a mapped file beyond its end */
    ENGINE_MISALIGNED, /* lr, sc or amo on an address that is not naturally aligned */
};

struct engine;

struct engine_statistics {
    uint64_t blocks_decoded;
    uint64_t instructions_decoded;
    uint64_t blocks_compared; /* after fence.i, ic.sync or an unmapping */
    uint64_t blocks_marked;   /* looked at by ic.sync, fence.i or rewatch */
    uint64_t lookups;         /* indirect jumps that missed the jump cache */
    uint64_t flushes;
};

/* NULL with errno set when memory runs out. */
struct engine *engine_create(struct memory *memory, struct unit_set *units);
void engine_destroy(struct engine *engine);

/* Runs `hart` until `budget` instructions have retired or something stops it.
 * hart->pc and hart->instructions are exact on return. */
enum engine_stop engine_run(struct engine *engine, struct hart *hart, uint64_t budget);

/* Runs `hart` as engine_run does, and puts a record of each instruction that retires and is watched for it into
 * `records`, which has room for `room`; `count` becomes how many there are.
 * Where the budget does not fit, it stops earlier than it must if another block would not fit. */
enum engine_stop engine_run_recorded(struct engine *engine, struct hart *hart, uint64_t budget,
                                     struct record *records, unsigned room, unsigned *count);
/* While one of them runs and a unit is told of a branch: what this run has executed, with the branch. */
uint64_t engine_executed(const struct engine *engine);

/* Stores to code become visible: in a range (ic.sync, unmapping), or anywhere
 * (fence.i).  Blocks are compared with memory at their next entry. */
void engine_sync_range(struct engine *engine, guest_addr start, uint64_t bytes);
void engine_sync_all(struct engine *engine);

/* What units watch in the range has changed: decode it again. */
void engine_rewatch(struct engine *engine, guest_addr start, uint64_t bytes);

const struct engine_statistics *engine_statistics(const struct engine *engine);

#endif
