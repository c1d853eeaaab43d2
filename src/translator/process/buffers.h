/* Memory that system calls write to for the program, where its code is write-protected (protect.h). */
#ifndef STRATA_TRANSLATOR_PROCESS_BUFFERS_H
#define STRATA_TRANSLATOR_PROCESS_BUFFERS_H

#include "translator/fragment/target.h"

/* A call is about to be made: what it may write to is open. */
void buffers_before_call(struct context *context, const struct call *call);
/* It has been made. */
void buffers_after_call(struct context *context);
/* The calling thread is about to end: what the kernel writes to then is open. */
void buffers_before_end(struct translator *translator);
/* A call has failed with EFAULT.  False if protection cannot be the reason; else all is open now, and the call
 * can be repeated. */
bool buffers_open_all(struct context *context);

#endif
