/* Instructions as the pipeline sees them: what each needs of it, decoded once.
 *
 * A static instruction stays as long as the pipeline, since instructions in flight point to it: code
 * that changes gets new ones. */
#ifndef STRATA_MACHINE_PIPELINE_STATIC_INSN_H
#define STRATA_MACHINE_PIPELINE_STATIC_INSN_H

#include "isa/rv64/insn.h"
#include "machine/pipeline/branch.h"

/* Registers of both files; x0 is none. */
#define REGISTERS 64
#define REGISTER_NONE 255

enum static_insn_flag {
    STATIC_LOAD = 1,
    STATIC_STORE = 2,
    STATIC_ALONE = 4, /* runs in an empty pipeline: system calls, CSRs, fences of code */
    STATIC_PREFETCH = 8,
    STATIC_PERFECT = 16, /* a load that always hits the first level: named by --perfect-loads */
    STATIC_TRIGGER = 32, /* starts a slice when it is dispatched */
    STATIC_TARGET = 64,  /* a load that slices are made for */
    STATIC_HELPER = 128, /* an instruction of a slice */
};

/* Kinds of functional units; instructions of one kind compete for them. */
enum unit_class {
    CLASS_ALU,
    CLASS_MULTIPLY,
    CLASS_MEMORY,
    CLASS_FLOAT_ADD,
    CLASS_FLOAT_MULTIPLY,
    CLASS_COUNT
};

struct static_insn {
    struct branch_site site;
    uint32_t word;
    uint8_t sources[3]; /* the first one is a memory access's address */
    uint8_t destination;
    uint8_t flags;            /* enum static_insn_flag */
    uint8_t unit;             /* enum unit_class */
    uint8_t mix;              /* enum mix */
    uint8_t bytes;            /* of a memory access */
    uint32_t latency;         /* of a load: when it hits is the cache's to say */
    uint16_t busy;            /* cycles in which its unit takes nothing else */
    uint8_t owner;            /* enum owner of units/origins.h */
    guest_addr origin;        /* in the program, of what a translator has copied; or site.pc */
    struct watch_site *watch; /* what units that choose want to hear of it; NULL: nothing */
    uint64_t *cycles;         /* what the cycles before its retirement are added to, or NULL */
    struct static_insn *hash_next;
};

struct static_insns;
struct parameters;

/* Of an instruction that is in no table. */
void static_insn_set_up(struct static_insn *static_insn, guest_addr pc,
                        const struct rv64_insn *insn, const struct parameters *parameters);

struct static_insns *static_insns_create(const struct parameters *parameters);
void static_insns_destroy(struct static_insns *insns);
/* What is at the address has the flag from now on; false if memory runs out.  A perfect load is one at
 * that address of the program, which a translator may have copied: see watch.c. */
bool static_insns_mark(struct static_insns *insns, guest_addr pc, enum static_insn_flag flag);
/* The flags that an address was marked with. */
uint8_t static_insns_marked(const struct static_insns *insns, guest_addr pc);
/* The instruction at the address that is there now; NULL if it was never decoded. */
const struct static_insn *static_insns_find(const struct static_insns *insns, guest_addr pc);
/* New ones are made in `arena`, or on the heap if that is NULL; those that exist stay where they are. */
void static_insns_set_arena(struct static_insns *insns, void *arena, size_t bytes);
/* Whether new instructions are made in an arena. */
bool static_insns_shared(const struct static_insns *insns);
/* Whether the arena was too small for an instruction. */
bool static_insns_full(const struct static_insns *insns);
/* Instructions in this range are made anew when they are asked for; those that there are stay. */
void static_insns_forget(struct static_insns *insns, guest_addr start, uint64_t bytes);
/* NULL if memory runs out. */
struct static_insn *static_insns_get(struct static_insns *insns, guest_addr pc,
                                     const struct rv64_insn *insn);

#endif
