/* What a sample of a program's instructions says of the whole: cycles per instruction, and how far off that may be. */
#include "machine/pipeline/sampling.h"

#include <math.h>

void sampling_add(struct sampling *sampling, struct measurement sample)
{
    const double instructions = (double)sample.instructions, cycles = (double)sample.cycles;
    sampling->samples++;
    sampling->instructions += instructions;
    sampling->cycles += cycles;
    sampling->instructions_squared += instructions * instructions;
    sampling->cycles_squared += cycles * cycles;
    sampling->instructions_cycles += instructions * cycles;
}

/* The ratio of two sums, since intervals are not all of one length: a measurement ends in the first cycle
 * in which the pipeline wants more.  Its error is that of cycles - cpi * instructions.  One interval lies
 * in each period, so that this, the error of as many independent ones, is an upper bound. */
struct sampling_result sampling_result(const struct sampling *sampling)
{
    const double samples = (double)sampling->samples;
    struct sampling_result result = {.cpi = sampling->cycles / sampling->instructions,
                                     .error_known = sampling->samples >= SAMPLES_ENOUGH};
    if (result.error_known) {
        const double squares = sampling->cycles_squared -
                               2 * result.cpi * sampling->instructions_cycles +
                               result.cpi * result.cpi * sampling->instructions_squared;
        const double variance = squares > 0 ? squares / (samples - 1) : 0;
        result.standard_error = sqrt(variance / samples) / (sampling->instructions / samples);
        result.half_width = SAMPLING_ERRORS * result.standard_error;
    }
    return result;
}
