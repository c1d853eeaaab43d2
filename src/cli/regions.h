/* Regions of a program by the names that a person knows: what `strata run --region` hands to the translator. */
#ifndef STRATA_CLI_REGIONS_H
#define STRATA_CLI_REGIONS_H

#include "cli/simulation.h"

#include <stdbool.h>

/* As many as the translator takes. */
#define REGIONS_MAX 24

struct regions_asked {
    const char *values[REGIONS_MAX]; /* as given */
    unsigned count;
    char *found
        [REGIONS_MAX]; /* the same for the translator, one for each part of a value; malloc'ed */
    unsigned found_count;
};

/* Takes a value of --region: NULL, or what is wrong. */
const char *regions_take(struct regions_asked *asked, const char *value);
/* Finds functions and source files in the program and its libraries, and sees whether a library is there.  False, with a
 * message, if there is nothing of that name.  A program that cannot be read is left to those who run it. */
bool regions_resolve(struct regions_asked *asked, const struct simulation *simulation,
                     const char *program);
void regions_free(struct regions_asked *asked);

#endif
