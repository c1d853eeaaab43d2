/* Units that a user chooses: those of units.def by their names, and any from a file. */
#ifndef STRATA_MACHINE_UNITS_CHOSEN_H
#define STRATA_MACHINE_UNITS_CHOSEN_H

#include "machine/engine/unit.h"

/* The unit that `text` describes, NAME[,PARAMETER=VALUE...] or FILE.so[,PARAMETER=VALUE...].  Prints its own message and
 * returns NULL if there is none.  `timed` says whether there is a pipeline. */
struct unit *chosen_create(const char *text, bool timed);

/* Whether `text` names a file. */
bool chosen_is_file(const char *text);

/* The kinds of units.def, in their order; the last one is NULL. */
extern const struct unit_kind *const chosen_kinds[];

#endif
