/* How an instruction that cannot complete leaves the code that executes it. */
#ifndef STRATA_MACHINE_EXEC_LEAVE_H
#define STRATA_MACHINE_EXEC_LEAVE_H

#include "machine/state/hart.h"

/* The values that sigsetjmp on hart->fault_exit returns. */
enum leave_reason {
    LEAVE_FAULT = 1, /* the host's or the address check's: hart->fault_address */
    LEAVE_BUS,       /* behind the end of a mapped file */
    LEAVE_MISALIGNED,
    LEAVE_ILLEGAL,
};

/* The instruction has changed nothing; nobody between here and the sigsetjmp
 * holds anything that must be released. */
_Noreturn void leave_instruction(struct hart *hart, enum leave_reason reason, guest_addr address);

/* Host faults inside guest memory that happen while `hart` executes, in this
 * host thread, leave its instruction too.  NULL: they are Strata's own bugs. */
void leave_watch_faults(struct hart *hart);
/* Installs the host's handlers once. */
void leave_install_handlers(void);

#endif
