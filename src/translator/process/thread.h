/* The threads of the program, each with a context of its own.
 *
 * All share the cache.  Whoever changes what others may be executing holds the
 * translator's lock, and changes single words.  To empty the cache, a thread makes
 * every way between fragments lead out, and waits until the others have come out:
 * they do at the next exit, and cannot go in again without the lock. */
#ifndef STRATA_TRANSLATOR_THREAD_H
#define STRATA_TRANSLATOR_THREAD_H

#include "translator/fragment/outside.h"
#include "translator/process/system.h"
#include "translator/fragment/translator.h"

/* A context for one more thread, not yet one of translator->threads; NULL if
 * there is no memory. */
struct context *thread_create(struct translator *translator);
/* It runs from now on.  The lock is held, as for the next two. */
void thread_add(struct context *context);
/* In a process that was forked there is no other. */
void thread_forget_others(struct context *context);

/* The program is at a call that starts a thread: the target (target_clone) calls this with all
 * of its registers in the context, and goes on behind the call. */
void thread_clone(struct context *context);
/* Where the new thread begins. */
_Noreturn void thread_begin(struct context *context);
/* The end of one thread, with the process if it is the last; returns only if a signal
 * comes first, SIGNAL_RESTART. */
int64_t thread_exit(struct context *context, int status);

#endif
