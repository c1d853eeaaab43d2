/* Detectors that are hardware: the program has no counters, and hears of each hot spot when it is about to be executed.
 * What finds it is the machine's own business (docs/units.md); the translator does the same for all. */
#include "translator/detect/detectors.h"
#include "translator/detect/found.h"

#define FINDS(id)                                                                                  \
    const struct detector id##_detector = {.heads = HEADS_NONE,                                    \
                                           .threshold = 100,                                       \
                                           .finds = true,                                          \
                                           .hot = found_again,                                     \
                                           .wants = found_wants,                                   \
                                           .found = found_take}

FINDS(bbb);
FINDS(frames);
FINDS(frequent);
FINDS(paths);
FINDS(hardware);
