/* Turns host faults in guest memory into exits from the instruction that caused them. */
#include "machine/exec/leave.h"

#include "machine/exec/float.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Mutable state outside a struct, since a signal handler gets no argument of ours. */
static _Thread_local struct hart *volatile faulting_hart;
static _Thread_local sigjmp_buf *volatile copy_exit; /* set while a copy is under way */

_Noreturn void leave_instruction(struct hart *hart, enum leave_reason reason, guest_addr address)
{
    hart->fault_address = address;
    siglongjmp(*hart->fault_exit, (int)reason);
}

void leave_watch_faults(struct hart *hart)
{
    faulting_hart = hart;
}

static void on_host_fault(int number, siginfo_t *info, void *context)
{
    if (copy_exit != NULL) {
        siglongjmp(*copy_exit, 1);
    }
    struct hart *hart = faulting_hart;
    const uint8_t *address = info->si_addr;
    /* A guard follows the guest's space, for accesses that begin inside it. */
    if (hart != NULL && address >= hart->memory_base &&
        address < hart->memory_base + GUEST_SPACE_BYTES + 4096) {
        float_collect_interrupted(hart, context);
        leave_instruction(hart, number == SIGBUS ? LEAVE_BUS : LEAVE_FAULT,
                          (guest_addr)(address - hart->memory_base));
    }
    signal(number, SIG_DFL); /* returns to the instruction, which now ends the process */
}

bool leave_try_copy(void *to, const void *from, size_t bytes)
{
    sigjmp_buf exit;
    const bool faulted = sigsetjmp(exit, 0) != 0;
    if (!faulted) {
        copy_exit = &exit;
        memcpy(to, from, bytes);
    }
    copy_exit = NULL;
    return !faulted;
}

int leave_try_find_zero(const void *from, size_t bytes)
{
    sigjmp_buf exit;
    volatile int found = -1;
    if (sigsetjmp(exit, 0) == 0) {
        copy_exit = &exit;
        found = memchr(from, 0, bytes) != NULL;
    }
    copy_exit = NULL;
    return found;
}

void leave_install_handlers(void)
{
    struct sigaction action = {.sa_sigaction = on_host_fault};
    /* The handler leaves by siglongjmp without restoring the mask. */
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}
