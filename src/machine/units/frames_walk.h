/* The frames of one hardware context: that which is being built, and that which runs.
 *
 * After Patel and Lumetta, IEEE Transactions on Computers 2001.  Retired instructions are put together from one branch
 * that is not promoted to the next, which is the frame's last; promoted ones are on the way, as assertions.  A frame
 * that would be too long ends before, and the next one begins where it ended.  Also chosen here: one that is being
 * built ends where a frame of the cache begins, and one that asserts too little or is too short is dropped.
 *
 * Where control comes to the head of a frame in the cache the frame runs.  The first branch that leads elsewhere than in
 * the frame has fired its assertion.  In the paper all that the frame did is undone then, and the program's own
 * instructions are executed from the head on; the program that is watched here executes these in any case, and so what
 * would be undone is only counted.  The paper's frames leave the cache when their assertions fire; after how many times
 * in a row is a number here.
 *
 * Where the program names the places, frames begin at these and for some branches behind them: a hot loop whose first
 * branches are not promoted has its frames further on. */
#ifndef STRATA_MACHINE_UNITS_FRAMES_WALK_H
#define STRATA_MACHINE_UNITS_FRAMES_WALK_H

#include "machine/units/blocks.h"
#include "machine/units/frames_cache.h"

struct frames_sizes {
    uint64_t shortest, longest; /* instructions of a frame */
    unsigned steps;             /* branches and jumps of a frame, at the most */
    unsigned asserted;          /* of these: assertions, at least */
    uint64_t fires;             /* in a row, by which a frame leaves the cache */
    uint64_t completed;         /* times that make a frame a find; 0: it is one when it is built */
    uint64_t near; /* branches behind an address that the program names, where frames begin, too */
};

struct frames_counts {
    uint64_t built, built_instructions, built_assertions;
    uint64_t dropped; /* frames that were put together, and too short or with too few assertions */
    uint64_t broken;  /* frames left other than by a branch: while they were built, or ran */
    uint64_t completed, fired, evicted;
    uint64_t covered; /* instructions of frames that completed */
    uint64_t undone;  /* instructions of frames up to the assertion that fired */
};

/* What all contexts share. */
struct frames_shared {
    struct frames_sizes sizes;
    struct finds *finds;
    struct frames_cache cache;
    struct frames_counts counts;
};

enum frames_state { FRAMES_IDLE, FRAMES_BUILDING, FRAMES_RUNNING };

struct frames_walk {
    const struct hart *hart; /* whose branches it follows: those of another one break it */
    uint64_t at;             /* where the last branch led; FRAME_ANYWHERE: that is not known */
    uint64_t history;        /* which way the last conditional branches went: a bit each */
    uint64_t near;           /* branches to go, as behind a named address; 0: none was near */
    enum frames_state state;
    uint64_t instructions; /* of the frame that is built or runs, so far */
    /* While one is built. */
    struct frame frame;
    unsigned asserted;
    bool path_ended;
    bool at_block; /* a block of the path begins at `at` */
    /* While one runs. */
    struct frame *running;
    uint64_t running_number; /* the frame in that place may have become another one */
    unsigned position;       /* of the next step */
};

/* Control has come there by something else than a branch, or is another hart's. */
void frames_walk_break(struct frames_walk *walk, struct frames_shared *shared);
/* A branch or jump led to `next`, with which so many instructions have been executed since the one before.  `holds`: it
 * is a direct jump, or promoted and went its way. */
void frames_walk_step(struct frames_walk *walk, struct frames_shared *shared,
                      const struct watch_event *event, uint64_t instructions, bool holds);
/* Of one context, where the cache has room for so many frames. */
struct unit_cost frames_walk_cost(const struct frames_sizes *sizes, uint64_t frames);

#endif
