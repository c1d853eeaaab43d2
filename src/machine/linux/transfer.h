/* Vectors of the program's buffers, made ready for the host's kernel. */
#ifndef STRATA_MACHINE_LINUX_TRANSFER_H
#define STRATA_MACHINE_LINUX_TRANSFER_H

#include "machine/linux/process.h"

#include <sys/uio.h>

struct transfer_vector {
    struct iovec *parts; /* host addresses */
    unsigned count;
    uint64_t bytes; /* of all parts */
};

/* Reads an array of struct iovec.  0 with parts to be freed (also for an empty
 * array), or -errno with nothing to free. */
int64_t transfer_load_vector(struct thread *thread, guest_addr address, uint64_t count,
                             struct transfer_vector *vector);

#endif
