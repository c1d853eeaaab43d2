/* Prints slices as a person reads them: with source lines, and how much of the program's work they leave out. */
#ifndef STRATA_CLI_SLICE_SHOW_H
#define STRATA_CLI_SLICE_SHOW_H

#include "slice/section.h"

/* `path` is the program's, for names and lines. */
void slice_show(const struct slice_set *set, const char *path);

#endif
