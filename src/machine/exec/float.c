/* Moves floating-point exception flags between the host's FPU and a hart. */
#include "machine/exec/float.h"

#include "machine/exec/leave.h"

#include <fenv.h>

/* fenv.h's flags are the host's own bits; each row says which RISC-V flag one is. */
static const struct {
    int host;
    unsigned flag;
} flag_map[] = {
    {FE_INEXACT, FP_NX},   {FE_UNDERFLOW, FP_UF}, {FE_OVERFLOW, FP_OF},
    {FE_DIVBYZERO, FP_DZ}, {FE_INVALID, FP_NV},
};

void float_begin(void)
{
    feclearexcept(FE_ALL_EXCEPT);
}

void float_collect_flags(struct hart *hart)
{
    const int raised = fetestexcept(FE_ALL_EXCEPT);
    if (raised == 0) {
        return;
    }
    for (size_t i = 0; i < sizeof flag_map / sizeof flag_map[0]; i++) {
        if (raised & flag_map[i].host) {
            hart->float_flags |= flag_map[i].flag;
        }
    }
    feclearexcept(FE_ALL_EXCEPT);
}

_Noreturn void float_illegal_rounding(struct hart *hart)
{
    leave_instruction(hart, LEAVE_ILLEGAL, 0);
}
