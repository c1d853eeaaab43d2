/* Adds to statistics what they lack: those of the translator elsewhere know addresses and counts. */
#ifndef STRATA_REPORT_COMPLETE_H
#define STRATA_REPORT_COMPLETE_H

#include <jansson.h>

/* Orders the loops of a run and gives each its share, if they have none.  `program`, if not NULL, is
 * the file that ran: it becomes program.path, and loops get function and source from it unless they
 * have them.  Returns NULL, or what is wrong with `program`, in words that follow its name. */
const char *complete_run(json_t *run, const char *program);

#endif
