/* The source lines and the instructions of a run's hottest loops and loads, for the page. */
#ifndef STRATA_REPORT_LISTING_H
#define STRATA_REPORT_LISTING_H

#include "report/sources.h"

#include <jansson.h>

/* Of the first `loops_max` loops of a run, which are the hottest:
 * {"why": null, "loops": {HEAD: {"source": {"path", "line", "first", "lines"}, "hidden", "code":
 * [{"address", "word", "text", "loop"}]}}}; `why` says why there are none at all.  Either half of a
 * loop may be null.  `path` is what the compiler was told; `hidden` is the same if there is no
 * `source` to show, since `rules` do not allow it or it is not there, else null.  If `loads_max` is
 * not 0, there is also "loads", the same of the first loads of a run, which miss most, by their
 * pc. */
json_t *listing_make(const json_t *run, const struct source_rules *rules, size_t loops_max,
                     size_t loads_max);

#endif
