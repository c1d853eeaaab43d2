/* Makes one path of several turns of a short loop, so that passes see what one turn leaves for the next.
 *
 * Additions of constants to the registers that count come together behind the last turn, and what was loaded in one turn need
 * not be loaded in the next.  The guards stay, so the loop may end in any turn.
 *
 * Needs a path that leads back to its beginning, and other passes: alone it gains nothing.  Keeps everything.  With eight turns
 * the kernels of bench/ladder execute no fewer instructions than with four, and longer paths gain less than they cost. */
#include "translator/fragment/unroll.h"

#define BLOCKS_OF_TURN 4
_Static_assert(UNROLL_TURNS *BLOCKS_OF_TURN <= PATH_BLOCKS, "they are one path");

bool unroll_can(const struct path *path)
{
    return path->turns == 1 && path->next == path->blocks[0] && path->count <= BLOCKS_OF_TURN;
}

void unroll(struct path *path)
{
    const unsigned count = path->count;

    path->turns = UNROLL_TURNS;
    for (unsigned turn = 1; turn < UNROLL_TURNS; turn++) {
        for (unsigned i = 0; i < count; i++) {
            path->blocks[path->count] = path->blocks[i];
            path->second[path->count++] = path->second[i];
        }
    }
}
