/* How far a long run has come, on the last line of the user's terminal. */
#ifndef STRATA_CLI_PROGRESS_LINE_H
#define STRATA_CLI_PROGRESS_LINE_H

#include "machine/linux/process.h"

#include <sys/types.h>

struct progress_line {
    struct onlooker onlooker; /* first: it is what the scheduler knows */
    const struct process *process;
    dev_t terminal;         /* which standard error was when the run began */
    double began, shown_at; /* seconds of the host's clock */
    double seen_at;         /* seconds of that clock when the program was last looked at */
    uint64_t seen;          /* instructions that it had executed then */
    bool shown;             /* a line stands on the terminal */
};

/* Shows progress from now on, if standard error is a terminal: after two seconds, twice a second.  The line
 * goes before the program reads or writes a terminal, and there is none while the program has left a line
 * of its own unfinished, where the terminal is not in line mode, or in the background. */
void progress_line_begin(struct progress_line *progress, struct process *process);

#endif
