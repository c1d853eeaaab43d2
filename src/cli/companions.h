/* The programs of --with: started beside the first one, each in a process of its own. */
#ifndef STRATA_CLI_COMPANIONS_H
#define STRATA_CLI_COMPANIONS_H

#include "cli/simulation.h"
#include "machine/schedule/together.h"

/* What is wrong with the commands and the processor together: false after a message. */
bool companions_check(const struct simulation *simulation);
/* Starts all programs but the first, and returns when they are loaded: 0, or after a message the status to end
 * with. */
int companions_start(const struct simulation *simulation, struct together *together);
/* Ends those that have not ended yet. */
void companions_stop(struct together *together);

#endif
