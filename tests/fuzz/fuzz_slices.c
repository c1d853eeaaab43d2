/* Fuzzes the reader of slices: it stays in bounds, and what it accepts is a set of slices that can be run, and is
 * written as it was read. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "fuzz.h"
#include "slice/section.h"

#define CHECKSUM_AT 56
#define HEADER_BYTES 64
#define LENGTH_AT 48

static const uint8_t hash[SECTION_HASH_BYTES] = {1, 2, 3};

static uint64_t fnv(uint64_t value, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        value = (value ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return value;
}

static void put(uint8_t *at, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

/* As if the writer had written these bytes: else no mutation would come past the checksum. */
static void seal(uint8_t *section, size_t size)
{
    memcpy(section, "STRSLICE\1\0\0\0", 12);
    memcpy(section + 16, hash, sizeof hash);
    put(section + LENGTH_AT, size - HEADER_BYTES);
    put(section + CHECKSUM_AT, fnv(fnv(UINT64_C(0xcbf29ce484222325), section, CHECKSUM_AT),
                                   section + HEADER_BYTES, size - HEADER_BYTES));
}

static void check_read(const uint8_t *data, size_t size)
{
    struct slice_set set;
    const char *wrong;
    const enum section_status status = section_read(&set, data, size, hash, &wrong);
    ASSERT(status < SECTION_STATUS_COUNT);
    if (status != SECTION_OK) {
        ASSERT(status != SECTION_BAD_SLICE || wrong[0] != '\0');
        return;
    }
    for (unsigned i = 0; i < set.count; i++) {
        ASSERT(slice_check(&set.slices[i]) == NULL);
    }
    size_t written;
    uint8_t *again = section_write(&set, hash, &written);
    ASSERT(again != NULL && written <= size && memcmp(again, data, written) == 0);
    free(again);
    slice_set_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = calloc(1, size > 0 ? size : 1);
    ASSERT(copy != NULL);
    if (size > 0) {
        memcpy(copy, data, size);
    }
    check_read(copy, size);
    if (size >= HEADER_BYTES) {
        seal(copy, size);
        check_read(copy, size);
    }
    free(copy);
    return 0;
}
