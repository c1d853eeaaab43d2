/* What --summary says of the pipeline: cycles, the instruction mix, branches and misses. */
#include "machine/pipeline/measure.h"
#include "machine/pipeline/window.h"

#include <inttypes.h>

static void print_mix(const struct pipeline *pipeline, uint64_t instructions, FILE *file)
{
    static const char *const names[] = {
#define MIX(name, meaning) #name,
#include "machine/pipeline/mix.def"
#undef MIX
    };
    uint64_t mix[MIX_COUNT];
    pipeline_mix(pipeline, mix);
    fprintf(file, "  mix, %%        ");
    const char *separator = "";
    for (unsigned i = 0; i < MIX_COUNT; i++) {
        const double percent = 100.0 * (double)mix[i] / (double)instructions;
        if (percent >= 0.05) {
            fprintf(file, "%s%s %.1f", separator, names[i], percent);
            separator = ", ";
        }
    }
    fputc('\n', file);
}

void pipeline_print_summary(const struct pipeline *pipeline, FILE *file)
{
    const struct measurement measured = pipeline_measured(pipeline);
    if (measured.instructions == 0 || measured.cycles == 0) {
        return;
    }
    const double thousands = (double)measured.instructions / 1000;
    fprintf(file, "  cycles         %15" PRIu64 "   instructions per cycle %.3f\n", measured.cycles,
            (double)measured.instructions / (double)measured.cycles);
    print_mix(pipeline, measured.instructions, file);
    const struct branch_counts branches = branch_counts(&pipeline->predictor.statistics);
    if (branches.all > 0) {
        fprintf(file, "  branches       %15" PRIu64 "   predicted %.2f %%\n", branches.all,
                100.0 * (double)(branches.all - branches.wrong) / (double)branches.all);
    }
    const struct cache *const caches[] = {&pipeline->l1i, &pipeline->l1d, &pipeline->l2,
                                          &pipeline->l3};
    fprintf(file, "  misses of 1000 instructions:");
    for (unsigned i = 0; i < sizeof caches / sizeof caches[0]; i++) {
        static const char *const names[] = {"l1i", "l1d", "l2", "l3"};
        if (caches[i]->lines != NULL) {
            fprintf(file, " %s %.2f", names[i], (double)caches[i]->statistics.misses / thousands);
        }
    }
    fputc('\n', file);
}
