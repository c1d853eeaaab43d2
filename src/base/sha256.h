/* SHA-256 of a file, to say which program was run. */
#ifndef STRATA_BASE_SHA256_H
#define STRATA_BASE_SHA256_H

#include <stdbool.h>

#define SHA256_TEXT_BYTES 65 /* 64 hexadecimal digits and a zero */

bool sha256_file(const char *path, char text[SHA256_TEXT_BYTES]);

#endif
