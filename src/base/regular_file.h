/* Opens what somebody else has named: only regular files, without waiting for anybody. */
#ifndef STRATA_BASE_REGULAR_FILE_H
#define STRATA_BASE_REGULAR_FILE_H

#include <stdint.h>

/* A descriptor to read from, and the file's size; -1 if there is no such file or it is a pipe, a device or a folder. */
int regular_file_open(const char *path, uint64_t *bytes);

#endif
