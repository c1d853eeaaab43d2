/* Reads files that name instructions: one hexadecimal address in each line. */
#ifndef STRATA_CLI_ADDRESSES_H
#define STRATA_CLI_ADDRESSES_H

#include "machine/state/hart.h"

#include <stdbool.h>

/* `take` gets each address.  False, with a message that says what was to be read, if the file cannot
 * be read or has anything else in it. */
bool addresses_read(const char *path, const char *what,
                    void (*take)(void *context, guest_addr address), void *context);

#endif
