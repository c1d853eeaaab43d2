/* What the parts of a rig are to each other. */
#ifndef TESTS_TOY_INSIDE_H
#define TESTS_TOY_INSIDE_H

#include "outside.h"
#include "rig.h"

/* Of the program's memory, for each thread. */
#define RIG_STACK_BYTES (2 * PAGE)

/* rig.c */
struct context *rig_create_context(struct translator *translator);
struct rig_thread *rig_create_thread(struct rig *rig);

/* run.c */

/* From thread->start until it ends. */
void run_thread(struct rig_thread *thread);
/* Does a system call of the program, which `alone` says. */
void run_system_call(struct rig_thread *thread, struct target_registers *registers, bool alone);
/* The program alone begins with the memory of the other; and must end with the same. */
void run_copy_memory(void);
void run_compare_memory(const struct rig *rig);

#endif
