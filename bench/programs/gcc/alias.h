/* What is known about the places that loads and stores use. */
#ifndef GCC_ALIAS_H
#define GCC_ALIAS_H

#include "ir.h"

struct place {
    /* The object, if it is known. */
    const struct symbol *symbol;
    int slot;
    /* What the offset is added to, if the place is not a constant part of the object. */
    const struct insn *base;
    int offset;
    int bytes;
};

struct place alias_place(const struct insn *access);
bool alias_same(const struct place *a, const struct place *b);
bool alias_possible(const struct place *a, const struct place *b);

#endif
