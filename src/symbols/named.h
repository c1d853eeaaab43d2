/* From the name of a function or of a source file to the code that it has. */
#ifndef STRATA_SYMBOLS_NAMED_H
#define STRATA_SYMBOLS_NAMED_H

#include "symbols/functions.h"
#include "symbols/lines.h"

#include <libelf.h>

/* Calls `range` for what it finds, in no order, and more than once for the same code. */
struct named_search {
    const char *name;
    void (*range)(void *context, uint64_t start, uint64_t end);
    void *context;
};

/* All functions of that name, by the symbol table: with the copies that compilers make of one (NAME.constprop.0), and the
 * parts that they take out (NAME.cold).  A C++ name may be without its parameters: then it is all that differ in these. */
void named_functions(Elf *elf, struct functions *functions, const struct named_search *search);
/* Where they are inlined, by the debug information. */
void named_inlined(struct lines *lines, const struct named_search *search);
/* Code that lines of that file were compiled to, in whatever function it is.  The name may be without folders. */
void named_file(struct lines *lines, const struct named_search *search);

/* Calls `known` for each name that could be asked for, as often as it is there. */
void named_each_function(Elf *elf, void (*known)(void *context, const char *name), void *context);
void named_each_file(struct lines *lines, void (*known)(void *context, const char *name),
                     void *context);

#endif
