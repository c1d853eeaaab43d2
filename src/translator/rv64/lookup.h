/* The tables that indirect jumps find their targets in, as emitted code sees them. */
#ifndef STRATA_TRANSLATOR_RV64_LOOKUP_H
#define STRATA_TRANSLATOR_RV64_LOOKUP_H

#include "translator/rv64/rv64.h"
#include "translator/target_lookup.h"

/* Logarithms of what an entry takes. */
#define LOOKUP_SIZE_BITS 4
#define RETURN_SIZE_BITS 3

/* Before the indirect entry of a fragment that a lookup failed to find: what
 * compares the target, for all kinds but LOOKUP_INLINE. */
void emit_check(struct builder *builder);

#endif
