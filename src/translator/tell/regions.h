/* What became of the regions of --region: an object of the statistics. */
#ifndef STRATA_TRANSLATOR_TELL_REGIONS_H
#define STRATA_TRANSLATOR_TELL_REGIONS_H

#include "translator/fragment/translator.h"
#include "translator/host/output.h"

/* With a comma behind it; nothing where there are no regions. */
void regions_put(struct translator *translator, struct output *output);

#endif
