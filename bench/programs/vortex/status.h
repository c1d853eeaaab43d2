/* What every operation of the database returns: whether it worked, or why not. */
#ifndef VORTEX_STATUS_H
#define VORTEX_STATUS_H

enum status {
    STATUS_OK,
    STATUS_NOT_FOUND,
    STATUS_DUPLICATE,
    STATUS_IN_USE,
    STATUS_BAD_HANDLE,
    STATUS_WRONG_TYPE,
    STATUS_BAD_SIZE,
    STATUS_BAD_ATTRIBUTE,
    STATUS_BAD_ARGUMENT,
    STATUS_DAMAGED,
    STATUS_FULL
};

/* Leaves the function if the call did not work. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        enum status try_status = (call);                                                           \
        if (try_status != STATUS_OK) {                                                             \
            return try_status;                                                                     \
        }                                                                                          \
    } while (0)

#endif
