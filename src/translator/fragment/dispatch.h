/* Decides what the program goes on with, each time that it leaves the fragment cache. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_DISPATCH_H
#define STRATA_TRANSLATOR_FRAGMENT_DISPATCH_H

#include "translator/fragment/fragment.h"

/* The program has left through `exit`: finds or builds the fragment that it goes on with, and returns where
 * to enter it. */
const uint8_t *dispatch(struct context *context, struct exit *exit);

/* Tables of lookups are made larger when they have this many fragments for each entry; by this many bits. */
#define LOOKUPS_PER_ENTRY UINT64_C(8)
#define LOOKUP_BITS_STEP 3
/* The logarithms of their sizes: the smallest, the largest, and what is used where nobody asks for another. */
#define LOOKUP_BITS_MIN 4
#define LOOKUP_BITS_MAX 18
#define LOOKUP_BITS_DEFAULT 10

#endif
