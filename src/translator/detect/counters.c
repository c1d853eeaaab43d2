/* The paper's way: a counter at the head of each loop, and the most common of several iterations once it is hot. */
#include "translator/detect/detectors.h"
#include "translator/fragment/recorder.h"

const struct detector counters_detector = {
    .heads = HEADS_PLACED, .threshold = 100, .grows = true, .hot = recorder_begin};
