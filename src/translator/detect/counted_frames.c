/* Frames, built only where a counter said that they are worth it.  The paper: rePLay "could clearly be implemented using
 * counter instructions, which would only execute a speculative profiler after a hot spot is detected". */
#include "translator/detect/detectors.h"
#include "translator/detect/found.h"
#include "translator/fragment/fragment.h"
#include "translator/fragment/translator.h"

static const uint8_t *hot(struct context *context, struct fragment *fragment, const uint8_t *plain)
{
    struct translator *translator = context->translator;

    if (fragment->loop->made_traces == 0 && !found_waits(translator->optimizer, fragment->loop)) {
        optimizer_leave_plain(translator, fragment->loop, true);
        target_found_watch(fragment_tag(fragment));
        return plain;
    }
    return found_again(context, fragment, plain);
}

const struct detector counted_frames_detector = {.heads = HEADS_PLACED,
                                                 .threshold = 100,
                                                 .finds = true,
                                                 .only_told = true,
                                                 .grows = true,
                                                 .hot = hot,
                                                 .wants = found_wants,
                                                 .found = found_take};
