/* Decides which phase a program is in: the plan of an interval, of regions, or of a sample. */
#include "machine/processor/phases.h"

#include "machine/pipeline/measure.h"
#include "machine/pipeline/pipeline.h"

#include <string.h>

/* Instructions in detail before a measurement, until what is in flight is as it would be: at least
 * these, and several times what the reorder buffer holds. */
#define DETAIL_LEAST 2000
#define DETAIL_REORDER_BUFFERS 8

#define RANDOM_SEED UINT64_C(0x9e3779b97f4a7c15)

/* xorshift64*: the same positions in every run. */
static uint64_t next_random(struct phases *phases)
{
    phases->random ^= phases->random >> 12;
    phases->random ^= phases->random << 25;
    phases->random ^= phases->random >> 27;
    return phases->random * UINT64_C(2685821657736338717);
}

static uint64_t after(uint64_t instructions, uint64_t more)
{
    return more > PHASE_FOREVER - instructions ? PHASE_FOREVER : instructions + more;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What follows is entered at `at`, with `length` instructions; those of no length are passed over. */
static void plan(struct phases *phases, enum phase phase, uint64_t at, uint64_t length)
{
    phases->now = phase;
    phases->ends = after(at, length);
}

/* Skip, warm, detail, measure, then fast to the end. */
static void step_interval(struct phases *phases, uint64_t at)
{
    const struct phase_options *options = &phases->options;
    const uint64_t detail = smaller(options->warm, phases->detail);
    switch (phases->step++) {
    case 0:
        plan(phases, PHASE_FAST, at, options->skip);
        break;
    case 1:
        plan(phases, PHASE_WARM, at, options->warm - detail);
        break;
    case 2:
        plan(phases, PHASE_DETAIL, at, detail);
        break;
    case 3:
        plan(phases, PHASE_MEASURE, at, options->measure);
        break;
    default:
        plan(phases, PHASE_FAST, at, PHASE_FOREVER);
        break;
    }
}

/* Each period has one measurement, at a random place: periods of the program's own cannot be in step with
 * it.  What is between two of them is fast, but for what warms the second. */
static void step_sample(struct phases *phases, uint64_t at)
{
    const struct phase_options *options = &phases->options;
    const uint64_t whole = phases->detail + options->sample_measure;
    switch (phases->step++) {
    case 0:
        phases->sample_start = phases->period_start + phases->detail +
                               next_random(phases) % (options->period - whole + 1);
        phases->period_start += options->period;
        const uint64_t begins = phases->sample_start - phases->detail;
        const uint64_t gap = begins - at;
        plan(phases, PHASE_FAST, at, gap - smaller(gap, options->sample_warm));
        break;
    case 1:
        plan(phases, PHASE_WARM, at, phases->sample_start - phases->detail - at);
        break;
    case 2:
        plan(phases, PHASE_DETAIL, at, phases->sample_start - at);
        break;
    default:
        plan(phases, PHASE_MEASURE, at, options->sample_measure);
        phases->step = 0;
        break;
    }
}

/* Outside of regions everything is warmed: nobody knows when the next one begins. */
static void step_regions(struct phases *phases, uint64_t at)
{
    if (at < phases->options.skip) {
        plan(phases, PHASE_FAST, at, phases->options.skip - at);
    } else {
        plan(phases, phases->region.depth > 0 ? PHASE_MEASURE : PHASE_WARM, at, PHASE_FOREVER);
    }
}

static void step(struct phases *phases, uint64_t at)
{
    if (phases->options.period != 0) {
        step_sample(phases, at);
    } else if (phases->options.regions) {
        step_regions(phases, at);
    } else {
        step_interval(phases, at);
    }
}

/* From a phase that ended to the one under way. */
static void switch_pipeline(struct phases *phases, struct pipeline *pipeline, enum phase from)
{
    const bool measured = from == PHASE_MEASURE, measures = phases->now == PHASE_MEASURE;
    /* A region is whole: its last instruction retires before it ends. */
    const bool drains = from >= PHASE_DETAIL && !phases_in_detail(phases);
    if (drains && phases->options.regions) {
        pipeline_drain(pipeline);
    }
    if (measured) {
        const struct measurement now = pipeline_measure_end(pipeline);
        if (phases->options.period != 0 && now.instructions > phases->before.instructions) {
            sampling_add(&phases->sampling,
                         (struct measurement){now.instructions - phases->before.instructions,
                                              now.cycles - phases->before.cycles});
        }
    }
    if (drains && !phases->options.regions) {
        pipeline_drain(pipeline);
    }
    if (measures) {
        phases->before = pipeline_measure_begin(pipeline);
        phases->intervals++;
    }
}

static void leave(struct phases *phases, uint64_t instructions)
{
    phases->instructions[phases->now] += instructions - phases->began;
    phases->began = instructions;
}

static uint64_t detail_before(uint64_t reorder_buffer)
{
    const uint64_t several = DETAIL_REORDER_BUFFERS * reorder_buffer;
    return several > DETAIL_LEAST ? several : DETAIL_LEAST;
}

uint64_t phases_shortest_period(const struct phase_options *options, uint64_t reorder_buffer)
{
    return after(detail_before(reorder_buffer), options->sample_measure);
}

void phases_begin(struct phases *phases, const struct phase_options *options,
                  struct pipeline *pipeline, uint64_t reorder_buffer)
{
    memset(phases, 0, sizeof *phases);
    phases->options = *options;
    phases->random = RANDOM_SEED;
    phases->now = PHASE_MEASURE;
    phases->ends = PHASE_FOREVER;
    phases->planned =
        pipeline != NULL && (options->interval || options->regions || options->period != 0);
    if (!phases->planned) {
        phases->intervals = 1;
        return;
    }
    phases->detail = detail_before(reorder_buffer);
    if (options->sample_warm == SAMPLE_WARM_DEFAULT) {
        phases->options.sample_warm = options->period / 2;
    }
    pipeline_measure_end(pipeline);
    phases->now = PHASE_FAST;
    phases->ends = 0;
    phases_advance(phases, pipeline, 0);
}

void phases_advance(struct phases *phases, struct pipeline *pipeline, uint64_t instructions)
{
    if (instructions < phases->ends || !phases->planned) {
        return;
    }
    const enum phase from = phases->now;
    leave(phases, instructions);
    do {
        step(phases, instructions);
    } while (instructions >= phases->ends);
    switch_pipeline(phases, pipeline, from);
}

/* A measurement counts as far as it came. */
void phases_end(struct phases *phases, struct pipeline *pipeline, uint64_t instructions)
{
    const enum phase from = phases->now;
    leave(phases, instructions);
    if (phases->planned) {
        plan(phases, PHASE_FAST, instructions, PHASE_FOREVER);
        if (from == PHASE_MEASURE && phases->options.period == 0) {
            pipeline_drain(pipeline);
        }
        switch_pipeline(phases, pipeline, from);
        pipeline_measure_finish(pipeline);
    }
}

void phases_mark(struct phases *phases, bool begins, uint64_t instructions)
{
    struct marked_region *region = &phases->region;
    const bool was_open = region->depth > 0;
    region->depth = begins ? region->depth + 1 : region->depth - was_open;
    const bool is_open = region->depth > 0;
    if (was_open == is_open) {
        return;
    }
    region->begun += is_open;
    region->instructions += is_open ? 0 : instructions - region->opened_at;
    region->opened_at = instructions;
    if (phases->options.regions && phases->planned) {
        phases->ends = instructions;
    }
}

uint64_t phases_region_instructions(const struct phases *phases, uint64_t instructions)
{
    const struct marked_region *region = &phases->region;
    return region->instructions + (region->depth > 0 ? instructions - region->opened_at : 0);
}
