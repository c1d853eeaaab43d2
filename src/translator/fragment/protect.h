/* Changes of code that nobody tells of: pages that code was translated from are write-protected.
 *
 * A store to such a page faults, and opens it: what was made from it goes, and the store is done alone, so that
 * the program goes on behind it in new code.  What the kernel writes for the program does not fault, but fails:
 * so pages are opened before a system call that may write there, and a call that failed all the same is
 * repeated.  A page that is written again and again is guarded instead: it stays open, and the fragments
 * made from it are compared with their code each time that they are entered.  So are those from shared memory,
 * and from private memory that shows a file and may be written to: others may write there. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_PROTECT_H
#define STRATA_TRANSLATOR_FRAGMENT_PROTECT_H

#include "translator/fragment/changes.h"

/* As changes_limit. */
uint64_t protect_limit(struct translator *translator, struct plan *plan, uint64_t readable);
/* Whether a fragment made of `plan` must compare its code each time that it is entered. */
bool protect_guards(const struct translator *translator, const struct plan *plan);

/* Whether a fault of writing at `address` is one that protection made, or would have made just before.  At any
 * time, without the lock. */
bool protect_owns(const struct translator *translator, guest_addr address);
/* The program has written to `address`, or is about to, at context->target: the page is open, and what was made
 * from it is gone.  Returns where the store is done alone. */
const uint8_t *protect_store(struct context *context, guest_addr address);
/* The translator itself writes for the program: opens the page at once, without the lock; protect_mend follows
 * before the program goes on. */
void protect_tear(struct translator *translator, guest_addr address);
void protect_mend(struct translator *translator);

/* Opens all pages between `start` and `end`; what was made from them goes. */
void protect_open(struct translator *translator, guest_addr start, guest_addr end);
/* Opens all pages between `start` and `end` for a system call that writes there, which counts as a store. */
void protect_open_for_call(struct translator *translator, guest_addr start, guest_addr end);
/* A guarded fragment was found as it was, once more.  True if its page has been left alone for so long that it is
 * no longer guarded: then the fragment is gone, and the next one is watched. */
bool protect_calm(struct translator *translator, const struct fragment *fragment);
/* Whether any page is watched. */
bool protect_watches(const struct translator *translator);
/* The kernel may write to `address` at any time, and would not say if it could not: its page is never
 * watched. */
void protect_never(struct translator *translator, guest_addr address);
/* All pages are as the program wants them, and nothing is known of them any more. */
void protect_forget(struct translator *translator);

#endif
