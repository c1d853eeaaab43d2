/* Changes of code that nobody tells of: pages that code was translated from are write-protected. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_PROTECT_H
#define STRATA_TRANSLATOR_FRAGMENT_PROTECT_H

#include "translator/fragment/changes.h"

/* As changes_limit. */
uint64_t protect_limit(struct translator *translator, guest_addr pc, uint64_t readable);
/* Whether a fragment made of `plan` must compare its code each time that it is entered. */
bool protect_guards(const struct translator *translator, const struct plan *plan);

#endif
