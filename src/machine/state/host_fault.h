/* The host's faults in guest memory: copies that survive them, and who else is told. */
#ifndef STRATA_MACHINE_STATE_HOST_FAULT_H
#define STRATA_MACHINE_STATE_HOST_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Gets a fault that did not happen in a copy, as a signal handler does.  It does not return if the fault
 * is an instruction's; if it returns, the fault is one of Strata's own bugs and ends the process. */
typedef void host_fault_handler(int number, const siginfo_t *info, void *context);

/* Installs the host's handlers; the last `handler` that was given is the one for all host threads. */
void host_fault_install(host_fault_handler *handler);

/* Copies for the machine itself, not for an instruction: false if the host
 * faults on the way, as it does behind the end of a mapped file. */
bool host_fault_try_copy(void *to, const void *from, size_t bytes);
/* Whether a zero byte is among `bytes` at `from`: 1, 0, or -1 if the host faults. */
int host_fault_try_find_zero(const void *from, size_t bytes);

#endif
