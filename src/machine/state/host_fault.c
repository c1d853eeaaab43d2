/* Takes the host's faults: in a copy of the machine's own it ends the copy, all others go to a handler. */
#include "machine/state/host_fault.h"

#include <setjmp.h>
#include <string.h>

/* Mutable state outside a struct, since a signal handler gets no argument of ours. */
static _Thread_local sigjmp_buf *volatile copy_exit; /* set while a copy is under way */
static host_fault_handler *other_faults;

static void on_host_fault(int number, siginfo_t *info, void *context)
{
    if (copy_exit != NULL) {
        siglongjmp(*copy_exit, 1);
    }
    other_faults(number, info, context);
    signal(number, SIG_DFL); /* returns to the instruction, which now ends the process */
}

bool host_fault_try_copy(void *to, const void *from, size_t bytes)
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

int host_fault_try_find_zero(const void *from, size_t bytes)
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

void host_fault_install(host_fault_handler *handler)
{
    struct sigaction action = {.sa_sigaction = on_host_fault};
    other_faults = handler;
    /* The handler leaves by siglongjmp without restoring the mask. */
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}
