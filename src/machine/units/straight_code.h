/* How many instructions stand between two addresses, for units that hear of branches alone.
 *
 * It notes each instruction when it is decoded.  Hardware has a counter at retirement instead; what the machine has
 * executed does not serve, since callbacks and other threads are among it. */
#ifndef STRATA_MACHINE_UNITS_STRAIGHT_CODE_H
#define STRATA_MACHINE_UNITS_STRAIGHT_CODE_H

#include "machine/engine/unit.h"
#include "machine/units/pc_table.h"

struct straight_code {
    struct pc_table pages;
    struct code_page *last; /* that was looked at */
};

/* False if memory runs out. */
bool straight_code_create(struct straight_code *code);
void straight_code_destroy(struct straight_code *code);
/* An instruction is decoded. */
void straight_code_note(struct straight_code *code, const struct watch_instruction *instruction);
/* The instructions from `first` to `last`, both included; 0 if those that begin at `first` do not lead there, so that
 * control came to `last` in another way. */
uint64_t straight_code_count(struct straight_code *code, uint64_t first, uint64_t last);

#endif
