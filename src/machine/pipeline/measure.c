/* Keeps the statistics of measured intervals apart from what happens between them. */
#include "machine/pipeline/measure.h"

#include "machine/pipeline/window.h"

/* Everything that pipeline_report writes. */
static void keep(struct pipeline *pipeline)
{
    struct kept_statistics *kept = &pipeline->kept;
    for (unsigned i = 0; i < pipeline->context_count; i++) {
        kept->contexts[i] = pipeline->contexts[i].statistics;
    }
    const struct cache *const caches[KEPT_CACHES] = {&pipeline->l1i,  &pipeline->l1d,
                                                     &pipeline->l2,   &pipeline->l3,
                                                     &pipeline->itlb, &pipeline->dtlb};
    for (unsigned i = 0; i < KEPT_CACHES; i++) {
        kept->caches[i] = caches[i]->statistics;
    }
    kept->pipeline = pipeline->statistics;
    kept->branches = pipeline->predictor.statistics;
    kept->prefetches_issued = pipeline->prefetcher.issued;
    kept->prefetches_dropped = pipeline->prefetcher.dropped;
}

static void put_back(struct pipeline *pipeline)
{
    const struct kept_statistics *kept = &pipeline->kept;
    for (unsigned i = 0; i < pipeline->context_count; i++) {
        pipeline->contexts[i].statistics = kept->contexts[i];
    }
    struct cache *const caches[KEPT_CACHES] = {&pipeline->l1i, &pipeline->l1d,  &pipeline->l2,
                                               &pipeline->l3,  &pipeline->itlb, &pipeline->dtlb};
    for (unsigned i = 0; i < KEPT_CACHES; i++) {
        caches[i]->statistics = kept->caches[i];
    }
    pipeline->statistics = kept->pipeline;
    pipeline->predictor.statistics = kept->branches;
    pipeline->prefetcher.issued = kept->prefetches_issued;
    pipeline->prefetcher.dropped = kept->prefetches_dropped;
}

struct measurement pipeline_measured(const struct pipeline *pipeline)
{
    struct measurement measured = {.cycles = pipeline->measured_cycles};
    if (pipeline->measuring) {
        measured.cycles += pipeline->now - pipeline->measure_start;
    }
    for (unsigned i = 0; i < pipeline->context_count; i++) {
        measured.instructions += pipeline->measuring ? pipeline->contexts[i].statistics.instructions
                                                     : pipeline->kept.contexts[i].instructions;
    }
    return measured;
}

static void observe(struct pipeline *pipeline, bool measuring)
{
    pipeline->measuring = measuring;
}

struct measurement pipeline_measure_begin(struct pipeline *pipeline)
{
    put_back(pipeline);
    pipeline->measure_start = pipeline->now;
    observe(pipeline, true);
    return pipeline_measured(pipeline);
}

struct measurement pipeline_measure_end(struct pipeline *pipeline)
{
    keep(pipeline);
    pipeline->measured_cycles += pipeline->now - pipeline->measure_start;
    observe(pipeline, false);
    return pipeline_measured(pipeline);
}

void pipeline_measure_finish(struct pipeline *pipeline)
{
    put_back(pipeline);
}
