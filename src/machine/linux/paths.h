/* From the program's path names to the host's: the sysroot, and the program's own /proc. */
#ifndef STRATA_MACHINE_LINUX_PATHS_H
#define STRATA_MACHINE_LINUX_PATHS_H

#include "machine/linux/process.h"

#include <limits.h>

/* The path at which the program sees a file of the host: `host` itself, unless it is one of the process's aliases. */
const char *paths_seen(const struct process *process, const char *host);

/* The host's name of a file: an absolute path that exists below the sysroot is
 * taken from there, /proc/self/exe is the program.  Returns `path` itself or
 * `buffer`. */
const char *paths_translate(const struct process *process, const char *path, char buffer[PATH_MAX]);

/* What follows "/proc/self/" in a path, under any of that folder's names; NULL
 * for all other paths. */
const char *paths_own_proc(const struct process *process, const char *path);

/* linux/proc.c: opens a file of /proc/self that must not show Strata, or one that
 * tells how many processors there are.  A host descriptor or -errno; false if
 * the host's own file will do. */
bool proc_open(struct process *process, const char *path, int flags, int64_t *result);

#endif
