/* What the passes over loops share. */
#ifndef GCC_LOOP_H
#define GCC_LOOP_H

#include "ir.h"

/* Finds the loops and gives each a block in front of it, where code can be moved to. */
void loop_prepare(struct function *f);
bool loop_contains(const struct loop *loop, const struct block *block);

/* A phi of the header that grows by a constant in every turn. */
struct induction {
    struct insn *phi;
    struct insn *start;
    struct insn *next;
    int step;
};

bool loop_induction(const struct loop *loop, struct insn *phi, struct induction *induction);

#endif
