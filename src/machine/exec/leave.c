/* Turns host faults in guest memory into exits from the instruction that caused them. */
#include "machine/exec/leave.h"

#include "machine/exec/float.h"
#include "machine/state/host_fault.h"

/* Mutable state outside a struct, since a signal handler gets no argument of ours. */
static _Thread_local struct hart *volatile faulting_hart;

_Noreturn void leave_instruction(struct hart *hart, enum leave_reason reason, guest_addr address)
{
    hart->fault_address = address;
    siglongjmp(*hart->fault_exit, (int)reason);
}

void leave_watch_faults(struct hart *hart)
{
    faulting_hart = hart;
}

static void leave_faulting(int number, const siginfo_t *info, void *context)
{
    struct hart *hart = faulting_hart;
    const uint8_t *address = info->si_addr;
    /* A guard follows the guest's space, for accesses that begin inside it. */
    if (hart != NULL && address >= hart->memory_base &&
        address < hart->memory_base + GUEST_SPACE_BYTES + 4096) {
        float_collect_interrupted(hart, context);
        leave_instruction(hart, number == SIGBUS ? LEAVE_BUS : LEAVE_FAULT,
                          (guest_addr)(address - hart->memory_base));
    }
}

void leave_install_handlers(void)
{
    host_fault_install(leave_faulting);
}
