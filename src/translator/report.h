/* What the translator tells of a run: statistics as JSON, and a dump of its fragments. */
#ifndef STRATA_TRANSLATOR_REPORT_H
#define STRATA_TRANSLATOR_REPORT_H

#include "translator/translator.h"

/* Opens what the options ask for; ends the process with a message if it cannot. */
void report_start(struct translator *translator);
/* The program ends: writes everything, once, in the process that began. */
void report_end(struct translator *translator);

/* dump.c: all fragments that there are now; before a flush, too. */
void dump_fragments(struct translator *translator);

#endif
