/* SHA-256 of a file, to say which program was run, and of bytes in memory. */
#ifndef STRATA_BASE_SHA256_H
#define STRATA_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>

#define SHA256_TEXT_BYTES 65 /* 64 hexadecimal digits and a zero */

/* False if it is no regular file, or cannot be read. */
bool sha256_file(const char *path, char text[SHA256_TEXT_BYTES]);
void sha256_bytes(const void *data, size_t bytes, char text[SHA256_TEXT_BYTES]);

#endif
