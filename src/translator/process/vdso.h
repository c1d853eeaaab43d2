/* Where the kernel's code is that it maps into each process: its vDSO. */
#ifndef STRATA_TRANSLATOR_PROCESS_VDSO_H
#define STRATA_TRANSLATOR_PROCESS_VDSO_H

#include "translator/fragment/code_ranges.h"

/* Of the image that begins at `image`, which is where the auxiliary vector says; empty if that is 0, or no image of
 * 64 bits. */
struct code_range vdso_find(uint64_t image);

#endif
