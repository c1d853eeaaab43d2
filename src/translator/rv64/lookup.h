/* The tables that indirect jumps find their targets in, as emitted code sees them. */
#ifndef STRATA_TRANSLATOR_RV64_LOOKUP_H
#define STRATA_TRANSLATOR_RV64_LOOKUP_H

#include "translator/rv64/emit.h"

/* Logarithms of what an entry takes, in the table behind the context and in the one before it. */
#define LOOKUP_SIZE_BITS 4
#define BELOW_SIZE_BITS 3

/* Where such a lookup's address stands in an entry behind the context. */
#define LOOKUP_COLUMN(kind) ((kind) == LOOKUP_RETURN ? 8u : 0u)

/* Which table a lookup is done in: a short way to an address there is needed most for jumps and returns, so these two
 * share the one that it leads to; but without a sieve inline lookups note there what they find, and need all of it. */
static inline bool lookup_is_below(const struct translator *translator, unsigned kind)
{
    return kind == LOOKUP_MOVED ||
           (kind == LOOKUP_RETURN && translator->options.indirect != INDIRECT_SIEVE);
}

_Static_assert(TARGET_LOOKUP_BYTES_BEFORE(0) == 1 << BELOW_SIZE_BITS &&
                   TARGET_LOOKUP_BYTES_BEHIND(0) == 1 << LOOKUP_SIZE_BITS,
               "facts of the target");

#endif
