/* The target's memory, which the interpreter of trees and the emulator both work on. */
#ifndef GCC_MEMORY_H
#define GCC_MEMORY_H

#include "tree.h"

enum { MEMORY_BYTES = 1 << 18 };

struct memory {
    unsigned char *bytes;
};

static inline void memory_check(int address, int bytes)
{
    if (address < DATA_START || address > MEMORY_BYTES - bytes) {
        fprintf(stderr, "wrong result: the program uses address %d\n", address);
        exit(4);
    }
}

static inline int memory_load(const struct memory *memory, int address)
{
    int32_t value;
    memory_check(address, 4);
    memcpy(&value, memory->bytes + address, sizeof value);
    return value;
}

static inline void memory_store(struct memory *memory, int address, int value)
{
    int32_t word = value;
    memory_check(address, 4);
    memcpy(memory->bytes + address, &word, sizeof word);
}

static inline int memory_load_byte(const struct memory *memory, int address)
{
    memory_check(address, 1);
    return memory->bytes[address];
}

static inline void memory_store_byte(struct memory *memory, int address, int value)
{
    memory_check(address, 1);
    memory->bytes[address] = (unsigned char)value;
}

/* Runs the trees of a function; adds the trees that it evaluated to *steps. */
int interpret_procedure(struct unit *unit, struct memory *memory, struct procedure *procedure,
                        const int *arguments, uint64_t *steps);

#endif
