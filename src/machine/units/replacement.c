/* The policies of replacement, by name, and those that need no file of their own. */
#include "machine/units/replacement.h"

#include <string.h>

enum { LOOKS = 1, KEEPS_LAST = 2, TAKES_OVER = 4 };

/* A number for each entry, which says how many of the others have counted since it did. */
static uint64_t rank_bits(uint64_t entries)
{
    return entries > 1 ? 64 - (uint64_t)__builtin_clzll(entries - 1) : 0;
}

#define RANK_BITS(entries) rank_bits(entries)

#define REPLACEMENT(id, text, flags, bits, compared, added, means)                                 \
    static struct unit_cost id##_cost(uint64_t entries)                                            \
    {                                                                                              \
        return (struct unit_cost){.storage_bits = entries * (bits),                                \
                                  .comparators = entries * (compared),                             \
                                  .adders = entries * (added)};                                    \
    }                                                                                              \
    static const struct replacement id = {.name = (text),                                          \
                                          .meaning = (means),                                      \
                                          .looks = ((flags)&LOOKS) != 0,                           \
                                          .keeps_last = ((flags)&KEEPS_LAST) != 0,                 \
                                          .takes_over = ((flags)&TAKES_OVER) != 0,                 \
                                          .choose = replace_##id,                                  \
                                          .cost = id##_cost};
#include "machine/units/replacement.def"
#undef REPLACEMENT

static const struct replacement *const replacements[] = {
#define REPLACEMENT(id, name, flags, bits, comparators, adders, meaning) &id,
#include "machine/units/replacement.def"
#undef REPLACEMENT
    NULL};

const char replacement_expected[] = "expected one of these policies"
#define REPLACEMENT(id, name, flags, bits, comparators, adders, meaning) ", " name
#include "machine/units/replacement.def"
#undef REPLACEMENT
                                    ":";

const struct replacement *replacement_find(const char *name)
{
    const struct replacement *const *at = replacements;

    while (name != NULL && *at != NULL && strcmp((*at)->name, name) != 0) {
        at++;
    }
    return *at;
}

uint64_t replace_circular(const struct replacement_entry *entries, uint64_t size, uint64_t index)
{
    (void)entries;
    (void)size;
    return index;
}

/* Where several are the same, the first from the index on: so that it is the one that was made first, if no other has been
 * given up since. */
uint64_t replace_least_count(const struct replacement_entry *entries, uint64_t size, uint64_t index)
{
    uint64_t least = index;

    for (uint64_t i = 1; i < size; i++) {
        const uint64_t at = (index + i) % size;
        least = entries[at].count < entries[least].count ? at : least;
    }
    return least;
}

uint64_t replace_least_recent(const struct replacement_entry *entries, uint64_t size,
                              uint64_t index)
{
    uint64_t least = index;

    for (uint64_t i = 0; i < size; i++) {
        least = entries[i].last < entries[least].last ? i : least;
    }
    return least;
}

uint64_t replace_frequent(const struct replacement_entry *entries, uint64_t size, uint64_t index)
{
    uint64_t least = index;

    for (uint64_t i = 1; i < size; i++) {
        const uint64_t at = (index + i) % size;
        const uint64_t rank = entries[at].count + entries[at].error;
        least = rank < entries[least].count + entries[least].error ? at : least;
    }
    return least;
}
