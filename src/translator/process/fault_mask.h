/* The program may block or ignore SIGSEGV and SIGBUS; but where its code is write-protected (protect.h), its own stores
 * cause the one, and loads that a pass has added (passes/prefetch.h) cause both, and a kernel that may not deliver such a
 * signal kills the process.
 *
 * So the kernel never blocks it then.  What the program believes is kept here: masks that it sees have the
 * signal in them, and one that somebody sends waits until the program unblocks it. */
#ifndef STRATA_TRANSLATOR_PROCESS_FAULT_MASK_H
#define STRATA_TRANSLATOR_PROCESS_FAULT_MASK_H

#include "translator/process/signal.h"

/* The signals that the kernel must always deliver, one bit each. */
uint64_t fault_mask_seen(const struct translator *translator);
/* What the kernel blocks where the program blocks `mask`, which is what it does from now on. */
uint64_t fault_mask_set(struct context *context, uint64_t mask);
/* What the program blocks where the kernel blocks `mask`. */
uint64_t fault_mask_get(const struct context *context, uint64_t mask);
/* Whether the program blocks the signal, which is one of these. */
bool fault_mask_blocks(const struct context *context, int number);
/* A signal that was sent has arrived; true if it waits here. */
bool fault_mask_hold(struct context *context, const struct signal_info *info);
/* What waits is sent again, if it is no longer blocked. */
void fault_mask_release(struct context *context);
/* Another program is about to take the place of this one: the kernel has what the program believes. */
void fault_mask_hand_over(struct context *context);
/* That did not happen. */
void fault_mask_take_back(struct context *context);

#endif
