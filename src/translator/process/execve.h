/* What execve needs of the others: the first line of a script, and memory that outlives a process. */
#ifndef STRATA_TRANSLATOR_PROCESS_EXECVE_H
#define STRATA_TRANSLATOR_PROCESS_EXECVE_H

#include "translator/process/system.h"

/* As Linux: what is longer is not read. */
#define SCRIPT_BYTES 256

/* "#! interpreter argument" */
struct script {
    char line[SCRIPT_BYTES];
    const char *interpreter;
    const char *argument; /* NULL: none */
};

/* Whether the file that begins with these bytes is a script whose interpreter the
 * kernel would find in its first line. */
bool script_read(struct script *script, const uint8_t *bytes, size_t count);

/* execve.c: frees what a process left behind that borrowed the memory. */
void execve_forget(struct context *context);

/* self.c: whether it is the link to the process's own program; `path` can be read. */
bool self_names_executable(const char *path);

#endif
