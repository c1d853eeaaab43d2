/* What is told of programs whose place another one took: execve leaves their reports to the next Strata.
 *
 * A report of such a program is made by a copy of this process, so that the program can go on as if nothing had
 * been looked at, should the execve fail. */
#ifndef STRATA_REPORT_EARLIER_H
#define STRATA_REPORT_EARLIER_H

#include "report/json_statistics.h"

struct earlier; /* the programs before this one, in the same process */

/* Reads what another Strata has left in the descriptor, and closes that; -1: there was none.  Never NULL. */
struct earlier *earlier_read(int fd);
void earlier_free(struct earlier *earlier);

/* Adds one more program: its statistics, and its profile or NULL, both of which it takes. */
void earlier_add(struct earlier *earlier, json_t *statistics, json_t *profile);
/* Writes all of them to the descriptor, for earlier_read. */
void earlier_write(const struct earlier *earlier, int fd);

/* Adds them to a document of statistics or a profile; nothing if there are none. */
void earlier_report_statistics(const struct earlier *earlier, struct json_statistics *json);
void earlier_report_profile(const struct earlier *earlier, struct json_statistics *json);

#endif
