/* Whose code an instruction is: the program's own, a translator's copy of it, or the translator's.
 *
 * A translator says with ic.sync where it keeps its table (struct xstrata_origins); it is read when code is
 * decoded, at which time it is right for it, and never when a report is written. */
#ifndef STRATA_MACHINE_UNITS_ORIGINS_H
#define STRATA_MACHINE_UNITS_ORIGINS_H

#include "isa/rv64/insn.h"
#include "machine/state/memory.h"

struct code_classes;

enum owner { OWNER_PROGRAM, OWNER_TRANSLATOR, OWNER_UNKNOWN };

struct origins {
    const struct memory *memory;
    const struct code_classes *classes; /* NULL: there is no translator */
    guest_addr table;                   /* 0 until it is announced */
};

struct origin {
    enum owner owner;
    guest_addr pc; /* in the program, if it is the program's; the instruction's own otherwise */
    uint32_t word; /* of the instruction there */
};

/* Of a load that is decoded at `pc`. */
struct origin origins_find(const struct origins *origins, guest_addr pc,
                           const struct rv64_insn *insn);

/* Where the program has the code that begins at `pc` in a translator's cache; `pc` itself anywhere else. */
guest_addr origins_begin(const struct origins *origins, guest_addr pc);

#endif
