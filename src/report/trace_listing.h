/* The code of a trace beside that of the fragments whose place it took. */
#ifndef STRATA_REPORT_TRACE_LISTING_H
#define STRATA_REPORT_TRACE_LISTING_H

#include "machine/state/statistics.h"
#include "report/trace_code.h"

/* `code`: the path of the trace that begins at `head`, as fragments and as the trace have it; or `code_missing`, which
 * says why there is none. */
void trace_listing_report(const struct trace_code *code, guest_addr head, struct statistics *s);

#endif
