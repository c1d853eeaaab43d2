/* Loads the program that is run. */
#ifndef STRATA_TRANSLATOR_PROCESS_LOAD_H
#define STRATA_TRANSLATOR_PROCESS_LOAD_H

#include "translator/fragment/translator.h"

struct program {
    guest_addr entry; /* of the interpreter, if there is one */
    uint64_t stack;   /* the stack pointer to start with */
};

/* Maps the program whose path is the first argument behind `skip`
 * arguments of the translator's own, and its interpreter; makes the stack that
 * it starts with.  Ends the process with a message if it cannot. */
struct program load_program(struct translator *translator, uint64_t *stack, unsigned skip);

#endif
