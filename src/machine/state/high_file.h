/* Opens files that Strata writes while a program runs, where the program does not meet them. */
#ifndef STRATA_MACHINE_STATE_HIGH_FILE_H
#define STRATA_MACHINE_STATE_HIGH_FILE_H

#include <stdio.h>

/* Places of descriptors, counted down from the highest. */
enum high_place {
    HIGH_TRACE = 1,
    HIGH_WORDS = 2, /* of the translator */
    HIGH_PIPEVIEW = 3,
};

/* NULL with errno if it cannot be written. */
FILE *high_file_open(const char *path, enum high_place place, int *descriptor);

#endif
