/* A lock for threads that wait in the kernel. */
#include "translator/host/lock.h"

#include "translator/host/host.h"

#include <asm/unistd.h>
#include <linux/futex.h>

enum { FREE, HELD, AWAITED };

void lock_acquire(struct lock *lock)
{
    uint32_t expected = FREE;

    if (__atomic_compare_exchange_n(&lock->state, &expected, HELD, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED)) {
        return;
    }
    while (__atomic_exchange_n(&lock->state, AWAITED, __ATOMIC_ACQUIRE) != FREE) {
        host_call(__NR_futex, &lock->state, (long)FUTEX_WAIT_PRIVATE, (long)AWAITED, NULL);
    }
}

void lock_wake(struct lock *lock)
{
    host_call(__NR_futex, &lock->state, (long)FUTEX_WAKE_PRIVATE, 1L);
}

void lock_release(struct lock *lock)
{
    if (__atomic_exchange_n(&lock->state, FREE, __ATOMIC_RELEASE) == AWAITED) {
        lock_wake(lock);
    }
}
