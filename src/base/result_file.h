/* Files that a command writes for its user: each is there whole, or stays as it was. */
#ifndef STRATA_BASE_RESULT_FILE_H
#define STRATA_BASE_RESULT_FILE_H

#include "base/result_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Makes `path` hold these bytes.  A regular file is replaced by one that was written beside it: a failure or a kill
 * leaves the old one.  It keeps its permissions, and may be executed if `mode` says so.  Symbolic links stay, and
 * what they lead to is replaced.  Devices, pipes and descriptors (/dev/stdout, /dev/fd/N) are written to.  False with
 * errno if it cannot be done. */
bool result_file_write(const char *path, const void *bytes, size_t count, mode_t mode);

/* Whether that could be done now, without touching anything: before a long run.  False with errno. */
bool result_file_possible(const char *path);

/* Whether result_file_open could open it now, without touching anything.  False with errno. */
bool result_file_openable(const char *path);

/* Opens a file that grows while a program runs and is written in place: a descriptor, or -1 with errno. */
int result_file_open(const char *path);

/* Whether what is written to `path` goes where the descriptor does: a file, a pipe or a terminal, no other device. */
bool result_file_is_open(const char *path, int fd);

/* Whether both names lead to one regular file, or would if it were written. */
bool result_file_same(const char *path, const char *other);

#endif
