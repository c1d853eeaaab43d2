/* What is told of a run that was not simulated in the same way from its beginning to its end. */
#include "report/phases_report.h"

#include "machine/pipeline/measure.h"
#include "machine/pipeline/pipeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void report_count(struct statistics *s, const char *key, uint64_t count)
{
    if (count == PHASE_FOREVER) {
        s->nothing(s, key);
    } else {
        s->number(s, key, count);
    }
}

void phases_report_config(struct statistics *s, const struct machine *machine)
{
    const struct phase_options *options = &machine->phases.options;
    s->number(s, "skip", options->skip);
    s->number(s, "warm", options->warm);
    report_count(s, "measure", options->measure);
    if (options->period == 0) {
        s->nothing(s, "sample");
    } else {
        s->begin(s, "sample");
        s->number(s, "period", options->period);
        s->number(s, "measure", options->sample_measure);
        s->number(s, "warm", options->sample_warm);
        s->number(s, "detail", machine->phases.detail);
        s->end(s);
    }
    s->truth(s, "roi", options->regions);
}

static uint64_t estimated_cycles(const struct machine *machine)
{
    const struct sampling_result result = sampling_result(&machine->phases.sampling);
    return (uint64_t)llround(result.cpi * (double)machine->instructions);
}

/* Of the whole run: none if only a part of it was measured. */
void phases_report_cycles(struct statistics *s, const struct machine *machine)
{
    const struct phases *phases = &machine->phases;
    if (machine->pipeline != NULL && !phases->planned) {
        s->number(s, "cycles", pipeline_cycles(machine->pipeline));
    } else if (phases->sampling.samples > 0) {
        s->number(s, "cycles", estimated_cycles(machine));
    } else {
        s->nothing(s, "cycles");
    }
}

void phases_report_machine(struct statistics *s, const struct machine *machine)
{
    const struct phases *phases = &machine->phases;
    s->begin(s, "roi");
    s->number(s, "regions", phases->region.begun);
    s->number(s, "instructions", phases_region_instructions(phases, machine->instructions));
    s->end(s);
    if (!phases->planned) {
        s->nothing(s, "phases");
        return;
    }
    s->begin(s, "phases");
    s->number(s, "fast", phases->instructions[PHASE_FAST]);
    s->number(s, "warmed", phases->instructions[PHASE_WARM]);
    s->number(s, "detailed", phases->instructions[PHASE_DETAIL]);
    s->number(s, "measured", phases->instructions[PHASE_MEASURE]);
    s->number(s, "intervals", phases->intervals);
    s->end(s);
}

void phases_report_sampling(struct statistics *s, const struct machine *machine)
{
    const struct sampling *sampling = &machine->phases.sampling;
    if (sampling->samples == 0) {
        return;
    }
    const struct sampling_result result = sampling_result(sampling);
    s->begin(s, "sampling");
    s->number(s, "samples", sampling->samples);
    s->ratio(s, "cpi", result.cpi);
    if (result.error_known) {
        s->ratio(s, "standard_error", result.standard_error);
        s->ratio(s, "half_width", result.half_width);
    } else {
        s->nothing(s, "standard_error");
        s->nothing(s, "half_width");
    }
    s->ratio(s, "confidence", SAMPLING_CONFIDENCE);
    s->number(s, "estimated_cycles", estimated_cycles(machine));
    s->end(s);
}

double phases_report_scale(const struct machine *machine)
{
    const struct sampling *sampling = &machine->phases.sampling;
    if (machine->pipeline == NULL || sampling->samples == 0) {
        return 1;
    }
    const struct measurement measured = pipeline_measured(machine->pipeline);
    return measured.cycles == 0 ? 1 : (double)estimated_cycles(machine) / (double)measured.cycles;
}

static void print_measured(const struct measurement *measured, bool whole, bool several)
{
    const double cycles = (double)measured->cycles, instructions = (double)measured->instructions;
    if (!whole) {
        fprintf(stderr, "  CPI            %15.4f   of %" PRIu64 " instructions measured\n",
                cycles / instructions, measured->instructions);
    }
    fprintf(stderr, "  cycles         %15" PRIu64 "   instructions per cycle %.3f%s\n",
            measured->cycles, instructions / cycles, several ? ", of all programs" : "");
}

/* Of the whole run: the cycles of the samples themselves would say nothing of it. */
static void print_estimate(const struct machine *machine)
{
    const struct sampling *sampling = &machine->phases.sampling;
    const struct sampling_result result = sampling_result(sampling);
    fprintf(stderr, "  cycles         %15" PRIu64 "   ", estimated_cycles(machine));
    if (result.error_known) {
        fprintf(stderr, "+- %.0f (%.1f %%), ", result.half_width * (double)machine->instructions,
                100 * result.half_width / result.cpi);
    }
    fprintf(stderr, "estimated from %" PRIu64 " samples", sampling->samples);
    if (result.error_known) {
        fprintf(stderr, ", with a confidence of %.1f %%\n", 100 * SAMPLING_CONFIDENCE);
    } else {
        fputs(", too few to know the error\n", stderr);
    }
    fprintf(stderr, "  CPI            %15.4f   ", result.cpi);
    if (result.error_known) {
        fprintf(stderr, "+- %.4f, ", result.half_width);
    }
    fprintf(stderr, "instructions per cycle %.3f\n", 1 / result.cpi);
}

void phases_report_print(const struct machine *machine, bool several)
{
    const struct phases *phases = &machine->phases;
    if (machine->pipeline == NULL) {
        return;
    }
    const struct measurement measured = pipeline_measured(machine->pipeline);
    if (!phases_measured(phases) || measured.instructions == 0 || measured.cycles == 0) {
        fprintf(stderr, "  cycles         %15s\n", "not measured");
    } else if (phases->sampling.samples > 0) {
        print_estimate(machine);
    } else {
        print_measured(&measured, !phases->planned, several);
    }
}

void phases_report_nothing(const struct machine *machine)
{
    const struct phases *phases = &machine->phases;
    if (machine->pipeline == NULL || phases_measured(phases)) {
        return;
    }
    const char *const why = phases->options.regions       ? "it marked no region"
                            : phases->options.period != 0 ? "it is shorter than the first sample"
                                                          : "it ended before the interval began";
    fprintf(stderr,
            "strata: nothing was measured: the program ran %" PRIu64 " instructions, and %s\n",
            machine->instructions, why);
}
