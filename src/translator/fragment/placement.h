/* Which ways through the program get a counter at their target: the policies, by which build.c decides. */
#ifndef STRATA_TRANSLATOR_PLACEMENT_H
#define STRATA_TRANSLATOR_PLACEMENT_H

#include "translator/fragment/context.h"

#include <stdbool.h>

enum placement {
#define PLACEMENT(id, name, ways, backward, built, all) PLACEMENT_##id,
#include "translator/fragment/placement.def"
#undef PLACEMENT
    PLACEMENTS
};

/* How the program leaves a fragment by an exit. */
enum way {
    WAY_BRANCH,
    WAY_JUMP,
    WAY_CALL,
};

/* Whether the target of an exit must be in the cache when the exit is built. */
enum built {
    BUILT_OR_NOT,
    BUILT_OR_OWN, /* or be the fragment that the exit is of */
    BUILT_BEFORE,
};

/* One row of the table; all zero, it places none. */
struct placement_rule {
    uint8_t ways; /* a bit for each enum way */
    bool backward;
    enum built built;
    bool all;
    bool ends_at_calls; /* fragments end at calls, though these are not counted */
};
extern const struct placement_rule placement_rules[PLACEMENTS];

/* Whether calls through registers count, too.  They look for their target with
 * TARGET_CALL_MARK, so that dispatch hears of each function that is called, also of
 * those that a jump has found before. */
static inline bool placement_counts_calls(const struct placement_rule *rule)
{
    return (rule->ways >> WAY_CALL & 1) != 0;
}

/* Whether all that gets a counter is the target of a branch or a jump, not of a call nor any fragment. */
static inline bool placement_has_exits(const struct placement_rule *rule)
{
    return !rule->all && !placement_counts_calls(rule);
}

#endif
