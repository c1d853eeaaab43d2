/* Decides how much work goes into a hot loop. */
#include "translator/fragment/effort.h"

#include "translator/fragment/translator.h"

/* Larger numbers lose their last bits, so that nothing below overflows. */
#define PART_BITS 40

unsigned effort_of_share(uint64_t part, uint64_t whole)
{
    while (whole >> PART_BITS != 0) {
        whole >>= 1;
        part >>= 1;
    }
    if (part >= whole) {
        return EFFORT_MOST;
    }
    return (unsigned)(EFFORT_MOST * part * (EFFORT_STEEPNESS + 1) /
                      (EFFORT_STEEPNESS * part + whole));
}

unsigned effort_of_level(unsigned level)
{
    return level >= EFFORT_LEVELS ? EFFORT_MOST : level * EFFORT_MOST / EFFORT_LEVELS;
}

unsigned effort_get_level(unsigned effort)
{
    return effort * EFFORT_LEVELS / EFFORT_MOST;
}

/* From the least to the most. */
static unsigned scale(unsigned effort, unsigned least, unsigned most)
{
    return least + (most - least) * effort / EFFORT_MOST;
}

struct effort_limits effort_get_limits(unsigned effort)
{
    return (struct effort_limits){
        .blocks = scale(effort, PATH_BLOCKS_LEAST, PATH_BLOCKS),
        .code_bytes = scale(effort, PATH_CODE_BYTES_LEAST, PATH_CODE_BYTES),
        .samples = scale(effort, PATH_SAMPLES_LEAST, PATH_SAMPLES),
        .agreeing = scale(effort, PATH_SAMPLES_AGREEING_LEAST, PATH_SAMPLES_AGREEING)};
}

unsigned effort_for(const struct translator *translator, const struct loop *loop,
                    uint64_t instructions)
{
    const struct options *options = &translator->options;

    if (options->effort_given) {
        return effort_of_level(options->effort_level);
    }
    if (!translator->has_hardware) {
        return EFFORT_MOST;
    }
    const uint64_t executions = translator->counts->kind->read(translator, loop).executions;
    return effort_of_share(executions * instructions,
                           target_clock(translator) - translator->optimizer->began);
}

unsigned effort_level(const struct loop *loop)
{
    return effort_get_level(loop->effort);
}

/* Unrolling makes all others dearer. */
unsigned effort_get_passes(unsigned level)
{
    return level == 0 ? PASSES_EACH & ~(1u << PASS_UNROLL) : PASSES_EACH;
}
