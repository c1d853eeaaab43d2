/* A program alone: a second pipeline that gets what the program executes beside others, and nothing else. */
#ifndef STRATA_MACHINE_PIPELINE_ALONE_H
#define STRATA_MACHINE_PIPELINE_ALONE_H

#include "machine/pipeline/pipeline.h"

struct alone;

/* What a program's first instructions take when it has the processor for itself. */
struct alone_result {
    bool known;
    uint64_t instructions, cycles;
};

/* The measure has no end yet. */
#define ALONE_NO_END UINT64_MAX

/* On context 0 of `pipeline`, which stays the caller's.  NULL if memory runs out. */
struct alone *alone_create(struct pipeline *pipeline);
void alone_destroy(struct alone *alone);

/* Comes as far as the other pipeline has, on which the program has retired `retired` instructions, or to the
 * `end` of the measure, but waits for instructions that are still to come. */
void alone_follow(struct alone *alone, uint64_t retired, uint64_t end);
/* What the program executed after that, and whether it will execute more before it waits or ends. */
void alone_give(struct alone *alone, const struct record *records, unsigned count, bool active);
/* Of all up to the end of the measure, once that is reached. */
struct alone_result alone_result(const struct alone *alone);

#endif
