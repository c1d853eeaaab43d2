/* The files that a program's code comes from: its own, and those of the libraries that it needs. */
#ifndef STRATA_CLI_LIBRARIES_H
#define STRATA_CLI_LIBRARIES_H

#include "cli/simulation.h"
#include "symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>

/* Of one program; what else it needs is not looked for. */
#define LIBRARIES_MAX 128

struct library {
    char *needed; /* what it is needed as; NULL: it is the program */
    char *path;   /* of the host, from the root on and without links; NULL: it was not found */
    struct symbols *symbols;
};

struct libraries {
    const struct simulation *simulation;
    struct library items[LIBRARIES_MAX]; /* the program first */
    size_t count;
    size_t reading; /* the one whose own folders and libraries are taken */
    char *folders;  /* that the files name, each behind a colon; malloc'ed */
};

/* False if the program cannot be read, or is none. */
bool libraries_open(struct libraries *libraries, const struct simulation *simulation,
                    const char *program);
/* Where a file of that name is, or of a version of it, which the program does not need but may load: malloc'ed, or NULL. */
char *libraries_find(const struct libraries *libraries, const char *name);
void libraries_close(struct libraries *libraries);

#endif
