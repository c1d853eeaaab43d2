/* Moves floating-point exception flags between the host's FPU and a hart, and accesses its CSRs. */
#include "machine/exec/float.h"

#include "isa/rv64/csr.h"
#include "machine/exec/leave.h"

#include <fenv.h>
#ifdef __x86_64__
#include <ucontext.h>
#include <xmmintrin.h>
#endif

#define FLAG_MASK 31u
#define MODE_MASK 7u

/* The host's flags.  fenv.h would do everywhere, but its functions also look
 * after the x87 unit, which costs more than the rest of a comparison. */
#ifdef __x86_64__
static unsigned host_raised(void)
{
    return _mm_getcsr() & _MM_EXCEPT_MASK;
}

static void host_clear(void)
{
    _mm_setcsr(_mm_getcsr() & ~(unsigned)_MM_EXCEPT_MASK);
}

static unsigned host_interrupted(const void *context)
{
    const ucontext_t *interrupted = context;
    return interrupted->uc_mcontext.fpregs->mxcsr & _MM_EXCEPT_MASK;
}
#else
static unsigned host_raised(void)
{
    return (unsigned)fetestexcept(FE_ALL_EXCEPT);
}

static void host_clear(void)
{
    feclearexcept(FE_ALL_EXCEPT);
}

/* Where the kernel does not clear them, the handler still has them. */
static unsigned host_interrupted(const void *context)
{
    (void)context;
    return host_raised();
}
#endif

/* Each row says which RISC-V flag one of the host's is; MXCSR has the bits of fenv.h. */
static const struct {
    unsigned host;
    unsigned flag;
} flag_map[] = {
    {FE_INEXACT, FP_NX},   {FE_UNDERFLOW, FP_UF}, {FE_OVERFLOW, FP_OF},
    {FE_DIVBYZERO, FP_DZ}, {FE_INVALID, FP_NV},
};

void float_begin(void)
{
    if (host_raised() != 0) {
        host_clear();
    }
}

static void add_flags(struct hart *hart, unsigned raised)
{
    for (size_t i = 0; i < sizeof flag_map / sizeof flag_map[0]; i++) {
        if (raised & flag_map[i].host) {
            hart->float_flags |= flag_map[i].flag;
        }
    }
}

void float_collect_flags(struct hart *hart)
{
    const unsigned raised = host_raised();
    if (raised != 0) {
        add_flags(hart, raised);
        host_clear();
    }
}

void float_collect_interrupted(struct hart *hart, const void *context)
{
    add_flags(hart, host_interrupted(context));
}

void float_access_csr(struct hart *hart, const struct op *op)
{
    float_collect_flags(hart);
    const bool number = op->rs2 >= CSR_WRITE_NUMBER;
    const unsigned kind = number ? op->rs2 - (unsigned)CSR_WRITE_NUMBER : op->rs2;
    const uint64_t operand = number ? op->rs1 : hart->x[op->rs1];
    const unsigned shift = op->imm == RV64_CSR_frm ? 5 : 0;
    const uint64_t mask = op->imm == RV64_CSR_fflags ? FLAG_MASK
                          : op->imm == RV64_CSR_frm  ? MODE_MASK
                                                     : MODE_MASK << 5 | FLAG_MASK;
    const uint64_t whole = hart->rounding_mode << 5 | hart->float_flags;
    const uint64_t old = whole >> shift & mask;
    const uint64_t wanted = kind == CSR_WRITE ? operand
                            : kind == CSR_SET ? old | operand
                                              : old & ~operand;
    const uint64_t next = (whole & ~(mask << shift)) | (wanted & mask) << shift;
    hart->float_flags = next & FLAG_MASK;
    hart->rounding_mode = next >> 5 & MODE_MASK;
    hart->x[op->rd] = old;
}

_Noreturn void float_illegal_rounding(struct hart *hart)
{
    leave_instruction(hart, LEAVE_ILLEGAL, 0);
}
