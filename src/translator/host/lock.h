/* A lock; one guards nearly all that threads share: building, linking, counters, what is known of the program's memory.
 *
 * Code in the cache never takes it, so it is held for short, and rarely fought for. */
#ifndef STRATA_TRANSLATOR_HOST_LOCK_H
#define STRATA_TRANSLATOR_HOST_LOCK_H

#include <stdint.h>

struct lock {
    uint32_t state;
};

void lock_acquire(struct lock *lock);
void lock_release(struct lock *lock);
/* For those that wait, after another process has released it. */
void lock_wake(struct lock *lock);

#endif
