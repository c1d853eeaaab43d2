/* What a sample of a program's instructions says of the whole: cycles per instruction, and how far off that may be. */
#ifndef STRATA_MACHINE_PIPELINE_SAMPLING_H
#define STRATA_MACHINE_PIPELINE_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

/* With fewer, their scatter is not known well enough to state an error. */
#define SAMPLES_ENOUGH 30
/* Standard errors on each side of the mean within which 99.7 % of such means lie. */
#define SAMPLING_ERRORS 3.0
#define SAMPLING_CONFIDENCE 0.997

struct measurement {
    uint64_t instructions, cycles;
};

struct sampling {
    uint64_t samples;
    /* Sums over them, for the variance: of instructions, of cycles, and of their products. */
    double instructions, cycles;
    double instructions_squared, cycles_squared, instructions_cycles;
};

struct sampling_result {
    double cpi;            /* all cycles / all instructions */
    bool error_known;      /* SAMPLES_ENOUGH */
    double standard_error; /* of cpi */
    double half_width;     /* SAMPLING_ERRORS of them */
};

void sampling_add(struct sampling *sampling, struct measurement sample);
/* `samples` is above 0. */
struct sampling_result sampling_result(const struct sampling *sampling);

#endif
