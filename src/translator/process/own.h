/* Which memory is Strata's own: for the program a hole among its mappings that nothing can fill. */
#ifndef STRATA_TRANSLATOR_OWN_H
#define STRATA_TRANSLATOR_OWN_H

#include "translator/fragment/translator.h"

/* The lowest piece that has something between `start` and `end`: whole pages, not
 * cut off there.  Takes the lock. */
bool own_find(struct translator *translator, guest_addr start, guest_addr end,
              struct code_range *found);

#endif
