/* The source lines and the instructions of a run's hottest loops, for the page. */
#ifndef STRATA_REPORT_LISTING_H
#define STRATA_REPORT_LISTING_H

#include <jansson.h>

/* {"why": null, "loops": {HEAD: {"source": {"path", "line", "first", "lines"}, "code": [{"address",
 * "word", "text", "loop"}]}}}; `why` says why there are none at all.  Either half of a loop may be
 * null. */
json_t *listing_make(const json_t *run);

#endif
