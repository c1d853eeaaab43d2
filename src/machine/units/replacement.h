/* Policies of replacement: which counter a full table gives up for a new one.
 *
 * A policy is one row of replacement.def and one function.  What it brings, and what is proven of `frequent`, is in
 * docs/replacement.md. */
#ifndef STRATA_MACHINE_UNITS_REPLACEMENT_H
#define STRATA_MACHINE_UNITS_REPLACEMENT_H

#include "machine/engine/unit.h"

/* What a policy knows of an entry. */
struct replacement_entry {
    uint64_t count; /* what its counter has counted */
    uint64_t error; /* with TAKES_OVER: what it took over; otherwise 0 */
    uint64_t
        last; /* with KEEPS_LAST: when it counted last, or was made, later is greater; otherwise 0 */
};

/* The number of the entry whose counter goes.  All `size` are in use.  `index` is the one behind that where the last new
 * counter went, and `entries` is NULL, unless the policy LOOKS. */
typedef uint64_t replacement_policy(const struct replacement_entry *entries, uint64_t size,
                                    uint64_t index);

struct replacement {
    const char *name, *meaning;
    bool looks, keeps_last, takes_over;
    replacement_policy *choose;
    struct unit_cost (*cost)(uint64_t entries); /* of all entries, for this policy alone */
};

/* The one of that name, NULL if there is none; for NULL, that of a table for which nobody chose one. */
const struct replacement *replacement_find(const char *name);
/* What is wrong with another name: "expected ...:", with the names of all. */
extern const char replacement_expected[];

#define REPLACEMENT(id, name, flags, bits, comparators, adders, meaning)                           \
    replacement_policy replace_##id;
#include "machine/units/replacement.def"
#undef REPLACEMENT

#endif
