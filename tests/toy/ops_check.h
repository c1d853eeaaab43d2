/* Executes a list of ops twice, as it is written and as place.c has arranged it, and compares at each instruction. */
#ifndef TESTS_TOY_OPS_CHECK_H
#define TESTS_TOY_OPS_CHECK_H

#include "ops.h"

#include "translator/passes/place.h"

/* Addresses are often near each other. */
#define OPS_AREA UINT64_C(0x7fffe000)

/* Bytes that were written; the others are a function of the address, the seed and the era. */
struct ops_memory {
    uint64_t seed;
    uint32_t era; /* in the next one, all bytes are others */
    struct {
        uint64_t address;
        uint32_t era;
        uint8_t byte;
    } slots[1 << 14];
};

/* The list as it is written. */
struct ops_machine {
    uint64_t registers[OPS_REGISTERS];
    uint64_t seed;
    unsigned turn;
    struct ops_memory memory;
};

uint64_t ops_mix(uint64_t a, uint64_t b);
void ops_machine_begin(struct ops_machine *machine, uint64_t seed,
                       const uint64_t registers[OPS_REGISTERS]);
/* The memory's bytes where the op loads or stores. */
uint64_t ops_machine_bytes(struct ops_machine *machine, const struct op *op);
/* Where the op accesses memory, and what nobody can foresee, but is the same in both executions. */
uint64_t ops_machine_address(const struct ops_machine *machine, const struct op *op);
uint64_t ops_machine_unforeseen(const struct ops_machine *machine, unsigned number, unsigned more);
/* Does the op; `loaded` is what a load gives.  False if the trace is left there. */
bool ops_machine_do(struct ops_machine *machine, const struct op *op, unsigned number,
                    uint64_t loaded);

/* What the runs of a test had in them. */
struct ops_seen {
    uint64_t touches, touched; /* lines touched ahead, and the last one */
    uint64_t added;            /* loads that the list does not have */
    uint64_t instructions, turns, ways_out, moves, cycles, spares, before, absent[OPS_REGISTERS];
};

/* Runs `turns` turns, or fewer if a guard leaves.  With `log`, log_find is asked at each instruction, too.  NULL if all is
 * the same, or what is not. */
const char *ops_check(const struct ops *ops, const struct arranged *to, uint64_t seed,
                      const uint64_t registers[OPS_REGISTERS], unsigned turns, bool log,
                      struct ops_seen *seen);
void ops_print_items(const struct arranged *to);

#endif
