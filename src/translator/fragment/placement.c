/* The table of the policies that place counters. */
#include "translator/fragment/placement.h"

enum { BRANCHES = 1 << WAY_BRANCH, JUMPS = 1 << WAY_JUMP, CALLS = 1 << WAY_CALL };

const struct placement_rule placement_rules[PLACEMENTS] = {
#define PLACEMENT(id, name, ways, backward, built, all) {ways, backward, BUILT_##built, all, false},
#include "translator/fragment/placement.def"
#undef PLACEMENT
};
