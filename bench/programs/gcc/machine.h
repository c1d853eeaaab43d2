/* The target: a RISC with 16 registers, its instructions before and after they are encoded. */
#ifndef GCC_MACHINE_H
#define GCC_MACHINE_H

#include "ir.h"
#include "memory.h"

enum machine_op {
#define MACHINE(name, format, latency) M_##name,
#include "machine.def"
#undef MACHINE
    MACHINE_OPS
};

enum machine_format {
    REGISTERS,
    CONDITIONAL,
    IMMEDIATE,
    UPPER,
    LOADS,
    STORES,
    BRANCHES,
    JUMPS,
    CALLS,
    RETURNS
};

struct machine_facts {
    const char *name;
    enum machine_format format;
    int latency;
};

extern const struct machine_facts machine_facts[MACHINE_OPS];

/* r0 is zero; r3 to r8 carry arguments, r3 the result; r11 to r15 survive calls. */
enum {
    R_ZERO,
    R_SP,
    R_RA,
    R_ARGUMENT,
    R_RESULT = R_ARGUMENT,
    R_TEMPORARY = 9,
    R_SAVED = 11,
    REGISTER_COUNT = 16
};

struct machine_insn {
    enum machine_op op;
    int rd;
    int rs1;
    int rs2;
    int imm;
    struct block *target;
    struct symbol *symbol;
};

enum { USE_LIMIT = PARAMETER_LIMIT + 3, DEF_LIMIT = 12 };

struct machine_insn machine_make(enum machine_op op, int rd, int rs1, int rs2, int imm);
void machine_emit(struct function *f, struct block *block, struct machine_insn insn);
bool machine_is_move(const struct machine_insn *insn);
/* The registers that an instruction reads and writes, those of the calling convention included. */
int machine_uses(const struct machine_insn *insn, int *registers);
int machine_defs(const struct machine_insn *insn, int *registers);

void select_function(struct function *f);

struct liveness {
    struct bitset *in;
    struct bitset *out;
    int rounds;
};

/* The sets are indexed by the order of the blocks. */
struct liveness liveness_find(struct function *f, struct arena *scratch);

struct backend_counts {
    int moves_coalesced;
    int moves_deleted;
    int spilled;
    int rounds;
    int peepholes;
    int scheduled_cycles_saved;
};

void allocate_registers(struct function *f, struct arena *scratch, struct backend_counts *counts);
void finish_frame(struct function *f);
void layout_blocks(struct function *f, struct backend_counts *counts);
void peephole_function(struct function *f, struct backend_counts *counts);
void schedule_function(struct function *f, struct arena *scratch, struct backend_counts *counts);
void assemble_function(struct function *f);
void assemble_link(struct unit *unit);

int emulate_procedure(struct unit *unit, struct memory *memory, const struct procedure *procedure,
                      const int *arguments, uint64_t *instructions);

#endif
