/* Slices as bytes: the content of a program's section `.strata.slices`, which says itself whether it is whole
 * and whose it is.
 *
 *     offset  bytes
 *          0      8  "STRSLICE"
 *          8      4  version, 1
 *         12      4  number of slices
 *         16     32  SHA-256 of the program's text (file.h)
 *         48      8  bytes that follow the header
 *         56      8  checksum: 64-bit FNV-1a of the bytes before it and of those that follow
 *         64         the slices, one after the other
 *
 * Of each slice: trigger 8, live-ins 8, kind 1, guard 1, length 2, prologue 2, unroll 2, throttle 2, zero 6; misses,
 * triggers, followed, alike, traced 8 each; and of each instruction: pc 8, word 4, 1 if it is delinquent 4.
 * All numbers are little-endian. */
#ifndef STRATA_SLICE_SECTION_H
#define STRATA_SLICE_SECTION_H

#include "slice/slice.h"

#include <stddef.h>

#define SECTION_NAME ".strata.slices"
#define SECTION_HASH_BYTES 32
#define SECTION_SLICES_MAX 256

enum section_status {
#define SECTION_STATUS(code, message) SECTION_##code,
#include "slice/section_status.def"
#undef SECTION_STATUS
    SECTION_STATUS_COUNT
};

/* Words that follow the name of a program: "has slices of another program". */
const char *section_status_message(enum section_status status);

struct slice_set {
    struct slice *slices; /* malloc'ed */
    unsigned count;
};

void slice_set_free(struct slice_set *set);

/* The bytes, malloc'ed, and how many; NULL if memory runs out. */
uint8_t *section_write(const struct slice_set *set, const uint8_t hash[SECTION_HASH_BYTES],
                       size_t *size);
/* `set` is to be freed only if the status is SECTION_OK.  What is wrong with a slice (SECTION_BAD_SLICE) is in
 * *wrong, constant. */
enum section_status section_read(struct slice_set *set, const uint8_t *bytes, size_t size,
                                 const uint8_t hash[SECTION_HASH_BYTES], const char **wrong);

#endif
