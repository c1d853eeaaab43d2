/* The translator's own options. */
#ifndef STRATA_TRANSLATOR_OPTIONS_H
#define STRATA_TRANSLATOR_OPTIONS_H

#include "translator/fragment/translator.h"

/* Reads them; returns the index of the program's name.  Ends the process after --help or a mistake. */
unsigned options_read(struct options *options, struct option_words *words, unsigned count,
                      char *const *arguments);

#endif
