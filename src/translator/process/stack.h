/* The program's first stack, made from the translator's. */
#ifndef STRATA_TRANSLATOR_STACK_H
#define STRATA_TRANSLATOR_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* What the auxiliary vector says of a program. */
struct stack_facts {
    uint64_t headers; /* address of the program headers */
    uint64_t header_bytes;
    uint64_t header_count;
    uint64_t interpreter; /* its load address, 0 without one */
    uint64_t entry;
    const char *path;
};

/* Whether the machine announced the extension, on the stack as the kernel made it. */
bool stack_has_hardware(const uint64_t *stack);
/* Where it says that the vDSO's image is, or 0. */
uint64_t stack_find_vdso(const uint64_t *stack);
/* Turns the stack that the kernel made for the translator into the program's:
 * without the first `skip` arguments and with the facts.  Returns the stack
 * pointer; *has_hardware says whether the machine announced the extension, which
 * the program does not see; auxiliary, from where to where its auxiliary vector is. */
uint64_t stack_rewrite(uint64_t *stack, unsigned skip, const struct stack_facts *facts,
                       bool *has_hardware, uint64_t auxiliary[2]);

#endif
