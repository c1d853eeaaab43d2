/* How large the tables of lookups of indirect targets are. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_LOOKUPS_H
#define STRATA_TRANSLATOR_FRAGMENT_LOOKUPS_H

#include <stdint.h>

/* Tables of lookups are made larger when they have this many fragments for each entry; by this many bits. */
#define LOOKUPS_PER_ENTRY UINT64_C(8)
#define LOOKUP_BITS_STEP 3
/* The logarithms of their sizes: the smallest, the largest, and what is used where nobody asks for another. */
#define LOOKUP_BITS_MIN 4
#define LOOKUP_BITS_MAX 18
#define LOOKUP_BITS_DEFAULT 10

#endif
