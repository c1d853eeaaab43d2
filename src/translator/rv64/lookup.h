/* The tables that indirect jumps find their targets in, as emitted code sees them. */
#ifndef STRATA_TRANSLATOR_RV64_LOOKUP_H
#define STRATA_TRANSLATOR_RV64_LOOKUP_H

#include "translator/rv64/emit.h"

/* Logarithms of what an entry takes. */
#define LOOKUP_SIZE_BITS 4
#define RETURN_SIZE_BITS 3

_Static_assert(TARGET_LOOKUP_BYTES_BEFORE(0) == 1 << RETURN_SIZE_BITS &&
                   TARGET_LOOKUP_BYTES_BEHIND(0) == 1 << LOOKUP_SIZE_BITS,
               "facts of the target");

#endif
