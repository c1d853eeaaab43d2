/* A whole program: the groups, the frame around each, and the ELF file. */
#ifndef TESTS_RANDOM_PROGRAM_H
#define TESTS_RANDOM_PROGRAM_H

#include "group.h"

#define EVERY (-1)
#define MAX_UNITS 1024

/* What a program is made from; the same plan gives the same program. */
struct plan {
    uint64_t seed;
    unsigned groups;
    unsigned rounds;            /* how often each group runs, each time with other inputs */
    unsigned units;             /* of each group */
    int only_group, only_round; /* EVERY, or the one to execute */
    bool dropped[MAX_UNITS];    /* units to leave out of all groups */
};

struct program {
    struct plan plan;
    struct code code;
    struct counts counts;
    uint8_t *data;
    size_t data_bytes;
    size_t entry;                /* offset of the first instruction in the code */
    size_t body_start, body_end; /* of the last group, as offsets into the code */
};

void program_build(struct program *program);
bool program_write_elf(const struct program *program, const char *path);
void program_free(struct program *program);

/* Inputs of a block, as they stand in the data before the program runs. */
uint64_t program_input(const struct program *program, unsigned group, unsigned round,
                       unsigned offset);

#endif
