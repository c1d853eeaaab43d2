/* What the code in a translator's cache did since the cache was emptied last: executions and cycles, by its address.
 *
 * The profile counts runs of instructions and the cycles of each; this knows which of these counts are of which code.
 * When all fragments go, other code comes to their addresses, so what was counted is settled: it stays the program's, and
 * is no code's any more. */
#ifndef STRATA_MACHINE_UNITS_CACHE_CODE_H
#define STRATA_MACHINE_UNITS_CACHE_CODE_H

#include "machine/units/pc_table.h"

struct cache_code;

/* NULL if memory runs out. */
struct cache_code *cache_code_create(void);
void cache_code_destroy(struct cache_code *code);

/* Two words that the pipeline adds to when the instruction at `pc` retires: its cycles, and 1 (WATCH_CYCLES).
 * `settled` gets the cycles when the cache is emptied; the same address may have several. */
uint64_t *cache_code_cycles(struct cache_code *code, guest_addr pc, uint64_t *settled);
/* The instructions in `bytes` from `pc` on are counted in *executions, which never moves. */
void cache_code_add_run(struct cache_code *code, guest_addr pc, unsigned bytes,
                        const uint64_t *executions);
/* Instructions in `bytes` from `pc` on were counted once, but not executed. */
void cache_code_take_back(struct cache_code *code, guest_addr pc, uint64_t bytes);
/* The cache is empty. */
void cache_code_empty(struct cache_code *code);
/* Calls `what` with each `settled`, and the cycles that it does not have yet. */
void cache_code_each(const struct cache_code *code,
                     void (*what)(const uint64_t *settled, uint64_t cycles, void *context),
                     void *context);

/* What was counted, to be looked up; to be freed. */
struct code_counts;
struct code_counts *cache_code_read(const struct cache_code *code);
void code_counts_free(struct code_counts *counts);
/* How often the instruction at `pc` was executed. */
uint64_t code_counts_executions(const struct code_counts *counts, guest_addr pc);
/* In cycles that were measured: how often it retired; and the cycles of all instructions in a range. */
uint64_t code_counts_retired(const struct code_counts *counts, guest_addr pc);
uint64_t code_counts_cycles(const struct code_counts *counts, guest_addr start, guest_addr end);

#endif
