/* What an executed instruction leaves for those who follow a program's path: the pipeline. */
#ifndef STRATA_MACHINE_EXEC_RECORD_H
#define STRATA_MACHINE_EXEC_RECORD_H

#include "machine/state/hart.h"

struct static_insn;

struct record {
    struct static_insn *insn; /* the instruction, as its watcher named it */
    guest_addr address;       /* of its memory access */
};

#endif
