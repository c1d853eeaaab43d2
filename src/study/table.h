/* An experiment's values, and its loops, as tables for other tools (CSV, RFC 4180). */
#ifndef STRATA_STUDY_TABLE_H
#define STRATA_STUDY_TABLE_H

#include "study/measured.h"

/* What follows an experiment's name in those of its tables. */
#define TABLE_ENDING ".csv"
#define TABLE_LOOPS_ENDING "-loops.csv"

/* Writes the experiment's table and, if it has loops, that of these. */
bool table_write(struct store *store, const struct measured *measured);

#endif
