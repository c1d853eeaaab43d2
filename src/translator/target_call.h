/* The part of the target's contract that loading and system calls need. */
#ifndef STRATA_TRANSLATOR_TARGET_CALL_H
#define STRATA_TRANSLATOR_TARGET_CALL_H

#include "translator/fragment/context.h"

#define CALL_ARGUMENTS 6

struct call {
    uint64_t number;
    uint64_t arguments[CALL_ARGUMENTS];
};

extern const uint16_t target_elf_machine;

/* Does one system call and returns its result. */
typedef int64_t system_handler(struct context *context, const struct call *call);

struct call target_read_call(const struct context *context);
void target_finish_call(struct context *context, int64_t result);
/* Of the instruction that does a system call. */
#define TARGET_CALL_BYTES 4

uint64_t target_stack(const struct context *context);
void target_set_stack(struct context *context, uint64_t stack);
void target_set_thread_pointer(struct context *context, uint64_t pointer);

/* The argument of clone that is the new thread pointer. */
uint64_t target_clone_thread_pointer(const struct call *call);
void target_set_clone_thread_pointer(struct call *call, uint64_t pointer);
/* Does a call that returns twice in the same memory, first with 0.  When it
 * returns again, the translator's stack is as it was: `kept` has room for it. */
int64_t target_vfork(const struct call *call, uint64_t *kept);
/* For a call that only this target has, and the kernel shall not get; else NULL. */
system_handler *target_system_handler(uint64_t number);

#endif
