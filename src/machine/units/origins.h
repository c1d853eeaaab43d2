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

/* Of an instruction that is decoded at `pc`. */
struct origin origins_find(const struct origins *origins, guest_addr pc,
                           const struct rv64_insn *insn);

/* Whether `pc` is code in a translator's cache, of a fragment or between fragments. */
bool origins_in_cache(const struct origins *origins, guest_addr pc);

/* Where the program has the code that begins at `pc` in a translator's cache; `pc` itself anywhere else. */
guest_addr origins_begin(const struct origins *origins, guest_addr pc);

/* The instructions of the program that are executed with one instruction, and those that it belongs to.  A
 * translator's jump that it follows needs no instruction, and is executed with the next one; others become
 * several, of which one stands for the program's. */
#define ORIGIN_EXECUTED_MAX 512 /* more than there are in a trace */
struct executed {
    unsigned count;
    unsigned without; /* the first of `pcs`, which take no instruction of their own */
    guest_addr pcs[ORIGIN_EXECUTED_MAX]; /* in the order of the program */
    bool known;                          /* whether it is the program's at all */
    bool own;                            /* it stands for one of the program's */
    guest_addr near;  /* if it is, the last of `pcs`, or the one it is a part of or leads to */
    guest_addr piece; /* if it is, the one that it does, or in whose piece it is */
    guest_addr next;  /* where in the program the code behind that begins; 0 if it is not known */
    guest_addr begin; /* where the code of that one begins: itself, or code before it */
};

/* Where marks were found last: what follows an instruction is mostly of the same one. */
struct origin_place {
    guest_addr next; /* the address behind the last instruction */
    uint64_t mark;   /* the number of its mark */
};

/* Of the instruction that is decoded at `pc`, of `bytes` bytes. */
void origins_executed(const struct origins *origins, struct origin_place *place, guest_addr pc,
                      unsigned bytes, struct executed *executed);

/* What the program has at `pc`; false if nothing can be read there. */
bool origins_read(const struct origins *origins, guest_addr pc, struct rv64_insn *insn);

#endif
