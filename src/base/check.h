/* Assertions for broken invariants: always on, in tests and in releases. */
#ifndef STRATA_BASE_CHECK_H
#define STRATA_BASE_CHECK_H

/* Provided by each program: the hosted one prints and aborts, the translator
 * writes to standard error and exits with 125. */
_Noreturn void check_failed(const char *condition, const char *file, int line);

#define ASSERT(condition) ((condition) ? (void)0 : check_failed(#condition, __FILE__, __LINE__))

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* A function that is a part of those that call it: saving registers for a call would cost more than the call is
 * worth to a reader of the machine's code. */
#define INLINE __attribute__((always_inline)) inline

/* A function that is seldom called: kept out of those that often run. */
#define SELDOM __attribute__((noinline, cold))

#endif
