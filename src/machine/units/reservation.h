/* Makes store-conditional fail as early as the architecture allows. */
#ifndef STRATA_MACHINE_UNITS_RESERVATION_H
#define STRATA_MACHINE_UNITS_RESERVATION_H

#include "machine/state/hart.h"
#include "machine/engine/unit.h"

/* NULL if memory is out. */
struct unit *reservation_unit_create(struct unit_host host);

#endif
