/* Writes each retired instruction, disassembled, to a file. */
#ifndef STRATA_MACHINE_UNITS_TRACE_H
#define STRATA_MACHINE_UNITS_TRACE_H

#include "machine/state/hart.h"
#include "machine/engine/unit.h"

/* Instructions with low <= pc < high; NULL with errno set if the file cannot be
 * written.  *descriptor is what it keeps open. */
struct unit *trace_create(const char *path, guest_addr low, guest_addr high, struct unit_host host,
                          int *descriptor);

#endif
