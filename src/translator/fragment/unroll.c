/* Makes one path of several turns of a short loop, so that passes see what one turn leaves for the next.
 *
 * Additions of constants to the registers that count come together behind the last turn, and what was loaded in one turn need
 * not be loaded in the next.  The guards stay, so the loop may end in any turn.
 *
 * Needs a path that leads back to its beginning, and other passes: alone it gains nothing.  Keeps everything.  With eight turns
 * the kernels of bench/ladder execute no fewer instructions than with four, and longer paths gain less than they cost. */
#include "translator/fragment/unroll.h"

#define TURNS 4
#define BLOCKS_OF_TURN 4
_Static_assert(TURNS * BLOCKS_OF_TURN <= PATH_BLOCKS, "they are one path");

void unroll(struct path *path)
{
    const unsigned count = path->count;

    if (path->turns != 1 || path->next != path->blocks[0] || count > BLOCKS_OF_TURN) {
        return;
    }
    path->turns = TURNS;
    for (unsigned turn = 1; turn < TURNS; turn++) {
        for (unsigned i = 0; i < count; i++) {
            path->blocks[path->count] = path->blocks[i];
            path->second[path->count++] = path->second[i];
        }
    }
}
