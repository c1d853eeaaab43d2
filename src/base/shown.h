/* Names as a person reads them: whatever they hold, they neither move a terminal's cursor nor end a line. */
#ifndef STRATA_BASE_SHOWN_H
#define STRATA_BASE_SHOWN_H

#include <stddef.h>

#define SHOWN_BYTES 8

/* Puts into `shown`, with a zero behind it, what stands for the first character of the `count` bytes at `text`;
 * returns how many of them that is.  Control characters and bytes that are not UTF-8 become \xNN, characters that
 * reorder or break lines \uNNNN; all others stay as they are.  Without libc. */
size_t shown_take(const char *text, size_t count, char shown[SHOWN_BYTES]);

#endif
