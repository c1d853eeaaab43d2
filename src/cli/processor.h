/* The processor that a name of configs/ or a file describes: read, and said what is known of it. */
#ifndef STRATA_CLI_PROCESSOR_H
#define STRATA_CLI_PROCESSOR_H

#include "machine/pipeline/parameters.h"

/* Reads what `name` means and then the assignments of --set; *given are the parameters that either gives.  Returns
 * the file's path, malloc'ed; NULL after a message. */
char *processor_read(const char *name, const char *const *sets, size_t set_count,
                     struct parameters *parameters, struct parameters_given *given);

/* The names of configs/ in their order: malloc'ed, each too; *count of them. */
char **processor_names(size_t *count);
void processor_names_free(char **names, size_t count);

/* The first sentence of the comment that its file begins with; empty if there is none. */
#define DESCRIPTION_BYTES 500
void processor_describe(const char *name, char description[DESCRIPTION_BYTES]);

/* Prints every parameter as a file that can be read back; those that nobody gave are marked. */
void processor_print(FILE *file, const struct parameters *parameters,
                     const struct parameters_given *given);

#endif
