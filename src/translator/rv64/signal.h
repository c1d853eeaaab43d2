/* The stack frame of a signal handler, byte for byte as RV64 Linux lays it out, and labels of code. */
#ifndef STRATA_TRANSLATOR_RV64_SIGNAL_H
#define STRATA_TRANSLATOR_RV64_SIGNAL_H

#include "translator/process/signal.h"

#include <stddef.h>

/* ucontext_t */
struct frame_context {
    uint64_t flags;
    uint64_t link;
    struct signal_stack stack;
    uint64_t mask;
    uint8_t unused[120];
    uint64_t pad;   /* the next member is aligned to 16 bytes */
    uint64_t x[32]; /* pc in the place of x0 */
    uint64_t floats[TARGET_FLOAT_WORDS];
};

struct signal_frame {
    struct signal_info info;
    struct frame_context context;
};

_Static_assert(sizeof(struct signal_stack) == 24, "stack_t");
_Static_assert(offsetof(struct frame_context, x) == 176, "ucontext_t.uc_mcontext");
_Static_assert(sizeof(struct frame_context) == 960, "ucontext_t");
_Static_assert(sizeof(struct signal_frame) == 1088, "struct rt_sigframe");

/* signal.S: the processor gets the floating-point registers of a frame. */
void load_floats(const uint64_t *floats);
/* signal.S, enter.S and callback.S */
extern const char target_call_done[], target_call_stopped[];
extern const char target_signal_return[];
extern const char target_checked[], target_checked_end[];
extern const char target_fetch_slot[], target_fetch_slot_end[];

/* state.c */

/* If the program is between two instructions, or at one that faults: takes its
 * registers from the frame and what the code there has put away into the
 * context, its pc into context->target, and returns true. */
bool state_take(struct context *context, const struct frame_context *frame);
/* Executes code of the translator's own in the cache, and behind the last check
 * for signals, until the program is between two instructions, and returns true;
 * or until it leaves for the translator. */
bool state_roll_forward(struct context *context, struct frame_context *frame);

/* single_step.c: executes the instruction at the frame's pc; false if it is of a kind
 * that the translator never writes. */
bool execute_single(struct frame_context *frame);

#endif
