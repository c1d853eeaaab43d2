/* Next executing tail, as Dynamo has it: once a head is hot, whatever the program executes next is taken for its path.
 *
 * The threshold of 50 is recalled, not looked up.  A tail ends where a branch or jump is taken backward, and where another
 * trace begins. */
#include "translator/detect/detectors.h"
#include "translator/fragment/fragment.h"
#include "translator/fragment/recorder.h"

#define NET_THRESHOLD 50

static bool ends_path(const struct path_step *step)
{
    return step->back || (step->fragment != NULL && step->fragment->trace != NULL);
}

const struct detector net_detector = {.heads = HEADS_PLACED,
                                      .threshold = NET_THRESHOLD,
                                      .grows = true,
                                      .samples = 1,
                                      .ends_path = ends_path,
                                      .hot = recorder_begin};
