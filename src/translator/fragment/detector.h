/* How hot spots are found: what a detector is to the rest of the translator.
 *
 * A detector is one file of detect/ and one row of detectors.def.  All of them end in the same way: a path through the
 * program is known, and trial_make makes a trace of it. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_DETECTOR_H
#define STRATA_TRANSLATOR_FRAGMENT_DETECTOR_H

#include "translator/fragment/placement.h"

#include <stdbool.h>
#include <stdint.h>

struct fragment;
struct optimizer;
struct path;

/* Where the program may go on behind the last block of a path that is being recorded. */
struct path_step {
    guest_addr target;
    const struct fragment *fragment; /* for the target; NULL: there is none yet */
    bool back; /* by an exit that --placement counts: a branch or jump that goes backward */
};

struct detector {
    /* Which ways through the program get a counter at their target: --placement, or this one, or none. */
    enum { HEADS_PLACED, HEADS_OWN, HEADS_NONE } heads;
    struct placement_rule rule; /* of HEADS_OWN */
    uint64_t threshold;         /* unless --threshold says another */
    bool finds;                 /* some hardware finds hot spots by itself, */
    bool only_told;             /* but only where it is told to look */
    bool grows;                 /* where traces are left to is counted, too */
    /* Of paths that the recorder (recorder.h) finds: how many iterations are recorded, 0: by effort; and whether a path
     * ends before it goes on so, NULL: where any path has to. */
    unsigned samples;
    bool (*ends_path)(const struct path_step *step);
    /* NULL where there is nothing to do: what the detector needs is made (translator->detector_state); and the program may
     * call what begins at `entry`. */
    void (*start)(struct translator *translator);
    void (*called)(const struct translator *translator, guest_addr entry);
    /* Where `rule` is for all fragments: this one has been built, and may get a counter; NULL: each does. */
    void (*built)(struct translator *translator, struct fragment *fragment);
    /* The counter at the beginning of `fragment` reached its threshold, and its loop has no path yet; the execution has been
     * counted, and has not happened.  Returns where the program goes on: `plain`, or elsewhere. */
    const uint8_t *(*hot)(struct context *context, struct fragment *fragment, const uint8_t *plain);
    /* Of one that `finds`: whether it wants to know what the hardware found at the beginning of `fragment`.  Called where
     * nothing may be changed, in the middle of the program, and no lock is held. */
    bool (*wants)(const struct translator *translator, const struct fragment *fragment);
    /* Of one that `finds`: the hardware found the path, which begins with `fragment` and may be one block alone.  The
     * program is about to execute it.  Returns where it goes on. */
    const uint8_t *(*found)(struct context *context, struct fragment *fragment,
                            const struct path *path);
};

#endif
