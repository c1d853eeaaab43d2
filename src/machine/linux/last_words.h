/* What a translator may still say when its program was ended from outside. */
#ifndef STRATA_MACHINE_LINUX_LAST_WORDS_H
#define STRATA_MACHINE_LINUX_LAST_WORDS_H

struct process;

/* The program has ended.  If a signal or a limit ended it, and a translator has announced last words
 * (struct xstrata_last_words), they run to their end: nothing that is counted or measured changes. */
void last_words_run(struct process *process);

#endif
