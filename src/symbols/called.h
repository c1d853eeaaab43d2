/* Where the calls in a file's code lead to: functions of a file that has no symbols for them begin there. */
#ifndef STRATA_SYMBOLS_CALLED_H
#define STRATA_SYMBOLS_CALLED_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

/* Calls `found` for each address of code that a call in the RISC-V file leads to or that its code computes, as it does
 * for a pointer to a function, and for the file's entry, in no order and as often as there are calls, until it returns
 * false.  `end` is that of the section that has the code.  The stubs of the dynamic linker are no functions. */
void called_read(Elf *elf, bool (*found)(void *context, uint64_t start, uint64_t end),
                 void *context);

#endif
