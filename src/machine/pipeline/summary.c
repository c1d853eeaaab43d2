/* What --summary says of the pipeline: where the cycles went, the instruction mix, branches and misses. */
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

/* Causes that took less than so much of the cycles are left out, which are most. */
#define SHARE_SHOWN 0.0005

static void print_cause(const char *name, const char *meaning, double cycles, double share,
                        FILE *file)
{
    if (share >= SHARE_SHOWN) {
        fprintf(file, "    %-13s%15.4f %5.1f%%  %s\n", name, cycles, 100 * share, meaning);
    }
}

/* The CPI stack of one context: what its cycles per instruction consist of. */
static void print_stack(const struct pipeline *pipeline, unsigned number, bool single,
                        uint64_t cycles, FILE *file)
{
    static const struct {
        const char *name, *meaning;
    } causes[] = {
#define CAUSE(name, meaning) {#name, meaning},
#include "machine/pipeline/stack.def"
#undef CAUSE
    };
    const struct context_statistics *statistics = &pipeline->contexts[number].statistics;
    const double slots = (double)cycles * (double)pipeline->parameters.core_commit_width;
    const double cpi = (double)cycles / (double)statistics->instructions;
    double idle = 1;
    fprintf(file, "  CPI stack      %15.4f   cycles per instruction", cpi);
    if (!single) {
        fprintf(file, " of context %u", number);
    }
    fputc('\n', file);
    for (unsigned i = 0; i < CAUSE_COUNT; i++) {
        const double share = (double)statistics->slots[i] / slots;
        idle -= share;
        if (i != CAUSE_idle) {
            print_cause(causes[i].name, causes[i].meaning, cpi * share, share, file);
        }
    }
    idle += (double)statistics->slots[CAUSE_idle] / slots;
    print_cause(causes[CAUSE_idle].name, causes[CAUSE_idle].meaning, cpi * idle, idle, file);
}

void pipeline_print_summary(const struct pipeline *pipeline, FILE *file)
{
    const struct measurement measured = pipeline_measured(pipeline);
    if (measured.instructions == 0 || measured.cycles == 0) {
        return;
    }
    const double thousands = (double)measured.instructions / 1000;
    /* Those that only slices ran on have no instructions of the program. */
    for (unsigned i = 0; i < pipeline->context_count; i++) {
        const uint64_t instructions = pipeline->contexts[i].statistics.instructions;
        if (instructions > 0) {
            print_stack(pipeline, i, instructions == measured.instructions, measured.cycles, file);
        }
    }
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
