/* A program alone: a second pipeline that gets what the program executes beside others, and nothing else. */
#include "machine/pipeline/alone.h"

#include "base/check.h"

#include <stdlib.h>

/* More than a context of the other pipeline can have taken and not retired: its stream, its queue, the
 * reorder buffer, and what is given at a time. */
#define KEPT 4096

struct alone {
    struct pipeline *pipeline;
    bool active; /* as alone_give said last */
    struct alone_result result;
    unsigned head, count;        /* of what the pipeline has no room for yet */
    struct record records[KEPT]; /* a ring */
};

struct alone *alone_create(struct pipeline *pipeline)
{
    struct alone *alone = calloc(1, sizeof *alone);
    if (alone != NULL) {
        alone->pipeline = pipeline;
    }
    return alone;
}

void alone_destroy(struct alone *alone)
{
    free(alone);
}

void alone_give(struct alone *alone, const struct record *records, unsigned count, bool active)
{
    alone->active = active;
    for (unsigned i = 0; i < count && !alone->result.known; i++) {
        ASSERT(alone->count < KEPT);
        alone->records[(alone->head + alone->count++) % KEPT] = records[i];
    }
}

static void fill(struct alone *alone)
{
    while (alone->count > 0 && pipeline_room(alone->pipeline, 0) > 0) {
        pipeline_give(alone->pipeline, 0, &alone->records[alone->head], 1);
        alone->head = (alone->head + 1) % KEPT;
        alone->count--;
    }
}

void alone_follow(struct alone *alone, uint64_t retired, uint64_t end)
{
    const uint64_t limit = end == ALONE_NO_END ? retired : end;
    bool more = !alone->result.known;
    while (more && pipeline_progress(alone->pipeline, 0).instructions < limit) {
        fill(alone);
        more = alone->count > 0;
        /* That the program waits matters only behind its last instruction. */
        pipeline_set_active(alone->pipeline, 0, alone->active || more);
        pipeline_run_to(alone->pipeline, 0, limit);
    }
    const uint64_t instructions = pipeline_progress(alone->pipeline, 0).instructions;
    if (end != ALONE_NO_END && !alone->result.known && instructions >= end) {
        alone->result = (struct alone_result){.known = true,
                                              .instructions = instructions,
                                              .cycles = pipeline_cycles(alone->pipeline)};
    }
}

struct alone_result alone_result(const struct alone *alone)
{
    return alone->result;
}
