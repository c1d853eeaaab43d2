/* Slices as bytes: the content of a program's section `.strata.slices`. */
#include "slice/section.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

#define VERSION 1
#define HEADER_BYTES 64
#define SLICE_BYTES 72
#define INSTRUCTION_BYTES 16
#define CHECKSUM_AT 56

static const char magic[] = "STRSLICE";

static const char *const messages[] = {
#define SECTION_STATUS(code, message) [SECTION_##code] = (message),
#include "slice/section_status.def"
#undef SECTION_STATUS
};

const char *section_status_message(enum section_status status)
{
    return messages[status];
}

void slice_set_free(struct slice_set *set)
{
    free(set->slices);
    *set = (struct slice_set){.count = 0};
}

/* Reads or writes a number of `bytes` bytes, and moves on. */
static void put(uint8_t **at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        *(*at)++ = (uint8_t)(value >> 8 * i);
    }
}

static uint64_t get(const uint8_t **at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) {
        value |= (uint64_t) * (*at)++ << 8 * i;
    }
    return value;
}

static uint64_t fnv(uint64_t hash, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t checksum(const uint8_t *section, size_t size)
{
    const uint64_t header = fnv(UINT64_C(0xcbf29ce484222325), section, CHECKSUM_AT);
    return fnv(header, section + HEADER_BYTES, size - HEADER_BYTES);
}

static void put_slice(uint8_t **at, const struct slice *slice)
{
    put(at, slice->trigger, 8);
    put(at, slice->live_ins, 8);
    put(at, slice->kind, 1);
    put(at, slice->guard, 1);
    put(at, slice->length, 2);
    put(at, slice->prologue, 2);
    put(at, slice->unroll, 2);
    put(at, slice->throttle, 2);
    put(at, 0, 6);
    put(at, slice->origin.misses, 8);
    put(at, slice->origin.triggers, 8);
    put(at, slice->origin.followed, 8);
    put(at, slice->origin.alike, 8);
    put(at, slice->origin.traced, 8);
    for (unsigned i = 0; i < slice->length; i++) {
        put(at, slice->instructions[i].pc, 8);
        put(at, slice->instructions[i].word, 4);
        put(at, slice->instructions[i].delinquent, 4);
    }
}

uint8_t *section_write(const struct slice_set *set, const uint8_t hash[SECTION_HASH_BYTES],
                       size_t *size)
{
    *size = HEADER_BYTES;
    for (unsigned i = 0; i < set->count; i++) {
        *size += SLICE_BYTES + (size_t)set->slices[i].length * INSTRUCTION_BYTES;
    }
    uint8_t *section = calloc(1, *size);
    if (section == NULL) {
        return NULL;
    }
    uint8_t *at = section;
    memcpy(at, magic, 8);
    at += 8;
    put(&at, VERSION, 4);
    put(&at, set->count, 4);
    memcpy(at, hash, SECTION_HASH_BYTES);
    at += SECTION_HASH_BYTES;
    put(&at, *size - HEADER_BYTES, 8);
    at += 8;
    for (unsigned i = 0; i < set->count; i++) {
        put_slice(&at, &set->slices[i]);
    }
    ASSERT(at == section + *size);
    at = section + CHECKSUM_AT;
    put(&at, checksum(section, *size), 8);
    return section;
}

/* False if the bytes end before the slice does, or have what no writer writes. */
static bool get_slice(const uint8_t **at, const uint8_t *end, struct slice *slice)
{
    if (end - *at < SLICE_BYTES) {
        return false;
    }
    slice->trigger = get(at, 8);
    slice->live_ins = get(at, 8);
    slice->kind = (uint8_t)get(at, 1);
    slice->guard = (uint8_t)get(at, 1);
    slice->length = (uint16_t)get(at, 2);
    slice->prologue = (uint16_t)get(at, 2);
    slice->unroll = (uint16_t)get(at, 2);
    slice->throttle = (uint16_t)get(at, 2);
    const uint64_t zero = get(at, 6);
    slice->origin.misses = get(at, 8);
    slice->origin.triggers = get(at, 8);
    slice->origin.followed = get(at, 8);
    slice->origin.alike = get(at, 8);
    slice->origin.traced = get(at, 8);
    if (zero != 0 || slice->length > SLICE_INSTRUCTIONS_MAX ||
        end - *at < (ptrdiff_t)slice->length * INSTRUCTION_BYTES) {
        return false;
    }
    uint64_t flags = 0;
    for (unsigned i = 0; i < slice->length; i++) {
        slice->instructions[i].pc = get(at, 8);
        slice->instructions[i].word = (uint32_t)get(at, 4);
        const uint64_t delinquent = get(at, 4);
        slice->instructions[i].delinquent = delinquent != 0;
        flags |= delinquent;
    }
    return flags <= 1;
}

static enum section_status get_slices(struct slice_set *set, const uint8_t *at, const uint8_t *end,
                                      const char **wrong)
{
    for (unsigned i = 0; i < set->count; i++) {
        if (!get_slice(&at, end, &set->slices[i])) {
            *wrong = "it is not as it is written";
            return SECTION_BAD_SLICE;
        }
        *wrong = slice_check(&set->slices[i]);
        if (*wrong != NULL) {
            return SECTION_BAD_SLICE;
        }
    }
    *wrong = "there is something behind it";
    return at == end ? SECTION_OK : SECTION_BAD_SLICE;
}

enum section_status section_read(struct slice_set *set, const uint8_t *bytes, size_t size,
                                 const uint8_t hash[SECTION_HASH_BYTES], const char **wrong)
{
    *wrong = NULL;
    if (size >= 8 && memcmp(bytes, magic, 8) != 0) {
        return SECTION_MAGIC;
    }
    if (size < HEADER_BYTES) {
        return SECTION_TRUNCATED;
    }
    const uint8_t *at = bytes + 8;
    const uint64_t version = get(&at, 4);
    const uint64_t count = get(&at, 4);
    const uint8_t *made_for = at;
    at += SECTION_HASH_BYTES;
    const uint64_t following = get(&at, 8);
    if (version != VERSION) {
        return SECTION_VERSION;
    }
    if (following > size - HEADER_BYTES) {
        return SECTION_TRUNCATED;
    }
    size = HEADER_BYTES + (size_t)following;
    if (get(&at, 8) != checksum(bytes, size)) {
        return SECTION_CHECKSUM;
    }
    if (memcmp(made_for, hash, SECTION_HASH_BYTES) != 0) {
        return SECTION_FOREIGN;
    }
    if (count > SECTION_SLICES_MAX) {
        *wrong = "there are too many";
        return SECTION_BAD_SLICE;
    }
    set->count = (unsigned)count;
    set->slices = calloc(count + 1, sizeof *set->slices);
    if (set->slices == NULL) {
        return SECTION_NO_MEMORY;
    }
    const enum section_status status = get_slices(set, at, bytes + size, wrong);
    if (status != SECTION_OK) {
        slice_set_free(set);
    }
    return status;
}
