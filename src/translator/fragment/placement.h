/* Which ways through the program get a counter at their target: the policy, apart from the counters. */
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
    WAY_ON, /* to the next instruction */
    WAY_BRANCH,
    WAY_JUMP,
    WAY_CALL,
};

/* One row of the table; all zero, it places none. */
struct placement_rule {
    uint8_t ways; /* a bit for each enum way */
    bool backward, built, all;
};
extern const struct placement_rule placement_rules[PLACEMENTS];

/* A branch to itself is a loop, too. */
static inline bool placement_closes_loop(guest_addr from, guest_addr target)
{
    return target <= from;
}

/* Whether an exit gets a counter at its target, if that need not be built. */
static inline bool placement_wants(const struct placement_rule *rule, enum way way, guest_addr from,
                                   guest_addr target)
{
    return way != WAY_ON && (rule->ways >> way & 1) != 0 &&
           (!rule->backward || placement_closes_loop(from, target));
}

/* Whether calls through registers count, too.  They look for their target with
 * TARGET_CALL_MARK, so that dispatch hears of each function that is called, also of
 * those that a jump has found before. */
static inline bool placement_marks_calls(const struct placement_rule *rule)
{
    return (rule->ways >> WAY_CALL & 1) != 0;
}

/* Whether a fragment must end with a jump or call, so that there is an exit to
 * count.  With a backward jump it does under every policy, and with none: it
 * would hide the loop, and what counters cost could not be compared. */
static inline bool placement_ends(const struct placement_rule *rule, enum way way, guest_addr from,
                                  guest_addr target)
{
    return way == WAY_JUMP ? placement_closes_loop(from, target) : (rule->ways >> way & 1) != 0;
}

#endif
