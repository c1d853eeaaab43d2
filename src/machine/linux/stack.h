/* A program's first stack: arguments, environment and auxiliary vector, as the kernel has them. */
#ifndef STRATA_MACHINE_LINUX_STACK_H
#define STRATA_MACHINE_LINUX_STACK_H

#include "machine/state/memory.h"

struct auxiliary_entry {
    uint64_t type;
    uint64_t value;
};

struct stack_request {
    const char *file_name; /* AT_EXECFN */
    char *const *arguments;
    char *const *environment;
    const struct auxiliary_entry *auxiliary; /* without AT_RANDOM, AT_EXECFN and AT_NULL */
    unsigned auxiliary_count;
};

/* Where the parts ended up, for the files of /proc/self. */
struct stack_parts {
    guest_addr pointer; /* the first sp */
    guest_addr arguments, arguments_end;
    guest_addr environment, environment_end;
    guest_addr auxiliary, auxiliary_end;
};

/* Writes below `top`, into memory that is mapped and writable for `bytes`.
 * False if all of it would take more than three quarters of that, Linux's
 * limit too. */
bool stack_write(struct memory *memory, guest_addr top, uint64_t bytes,
                 const struct stack_request *request, struct stack_parts *parts);

#endif
