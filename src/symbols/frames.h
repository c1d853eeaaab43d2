/* Where functions begin and end, by what a file keeps to unwind its stack: also those that have no symbol. */
#ifndef STRATA_SYMBOLS_FRAMES_H
#define STRATA_SYMBOLS_FRAMES_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

/* Calls `found` for each entry of .eh_frame, in the order of the file, until it returns false.  Entries that are
 * damaged or of a form that compilers do not write are left out. */
void frames_read(Elf *elf, bool (*found)(void *context, uint64_t start, uint64_t end),
                 void *context);

#endif
