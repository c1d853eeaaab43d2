/* An experiment's values, and its loops, as tables for other tools (CSV, RFC 4180). */
#ifndef STRATA_STUDY_TABLE_H
#define STRATA_STUDY_TABLE_H

#include "study/measured.h"

/* Writes EXPERIMENT.csv and, if it has loops, EXPERIMENT-loops.csv. */
bool table_write(struct store *store, const struct measured *measured);

#endif
