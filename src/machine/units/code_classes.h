/* Counts retired instructions by what ic.sync said their bytes are. */
#ifndef STRATA_MACHINE_UNITS_CODE_CLASSES_H
#define STRATA_MACHINE_UNITS_CODE_CLASSES_H

#include "machine/state/hart.h"
#include "machine/engine/unit.h"

struct code_classes;

/* As many as the field of ic.sync can name. */
#define CODE_CLASSES 32

struct code_classes *code_classes_create(struct unit_host host);
struct unit *code_classes_unit(struct code_classes *classes);

/* ic.sync: all bytes that it never named are of class 0. */
void code_classes_name(struct code_classes *classes, guest_addr start, uint64_t bytes,
                       unsigned class);
/* The instruction at `pc` was counted, but did not retire after all. */
void code_classes_take_back(struct code_classes *classes, guest_addr pc);

/* All totals, and back again to what they were: a vfork child's are not its parent's. */
void code_classes_keep(const struct code_classes *classes, uint64_t totals[CODE_CLASSES]);
void code_classes_put_back(struct code_classes *classes, const uint64_t totals[CODE_CLASSES]);

/* What is at `pc` now. */
unsigned code_classes_of(const struct code_classes *classes, guest_addr pc);
uint64_t code_classes_total(const struct code_classes *classes, unsigned class);
/* How many borders of classes a lookup looks at, at the most. */
unsigned code_classes_depth(const struct code_classes *classes);

#endif
