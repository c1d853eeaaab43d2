/* What the parts of signal handling are to each other, and what a target does for them.
 *
 * The kernel calls the translator, never the program's handlers.  Where the
 * program is between two instructions, its handler begins at once: the
 * translator makes the frame that the kernel would have made.  A signal that
 * finds the translator at work waits until that is done; meanwhile all others
 * are blocked, so that there is never more than one, and the kernel keeps the
 * order of the rest.  A system call of the program does not begin while one waits. */
#ifndef STRATA_TRANSLATOR_SIGNAL_H
#define STRATA_TRANSLATOR_SIGNAL_H

#include "translator/host/actions.h"
#include "translator/fragment/context.h"
#include "translator/fragment/fragment.h"

#include <stdbool.h>
#include <stddef.h>

#define SIGNAL_BIT(number) (UINT64_C(1) << ((number)-1))

/* siginfo_t, of which only this much matters here. */
struct signal_info {
    int32_t number;
    int32_t error;
    int32_t code;
    int32_t pad;
    uint64_t address;
    uint8_t rest[104];
};
_Static_assert(sizeof(struct signal_info) == 128, "siginfo_t");

/* stack_t */
struct signal_stack {
    uint64_t base;
    uint32_t flags;
    uint32_t pad;
    uint64_t bytes;
};

/* Signals that are caused by the translator's doing, too: fault_mask.h. */
#define FAULTS_HELD 2

/* Of one thread. */
struct signals {
    uint64_t
        floats[TARGET_FLOAT_WORDS]; /* the program's, as a frame holds them; first, for signal.S */
    struct signal_info waiting;     /* if context->pending */
    struct signal_action
        action;                /* what is to be done about the one that waits, as when it arrived */
    uint64_t mask;             /* what the program had blocked when it arrived */
    struct actions *actions;   /* of the process */
    struct signal_stack stack; /* the program's alternate stack */
    guest_addr native;         /* where the program was sent to fault, or NATIVE_NONE */
    struct exit resume;        /* what it leaves through after a signal */
    uint64_t blocked_faults;   /* fault_mask.h: those that the program blocks, one bit each, */
    uint64_t held_faults;      /* faults that were sent by somebody, and wait */
    struct signal_info held[FAULTS_HELD]; /* what waits */
};
#define NATIVE_NONE 1
/* Of this, with the stack that the kernel calls the translator on. */
#define SIGNAL_BYTES (64u * 1024)

/* A call that did not begin because a signal came first; the kernel's own
 * number for this, which no program ever sees. */
#define SIGNAL_RESTART (-512)

/* signal.c */

/* Takes over the signals of a program that begins, and of one more thread, which calls it. */
void signal_start(struct context *context);
void signal_start_thread(struct context *context);
/* For a signal that has just arrived: the program's registers are in the context,
 * its pc in context->target, its blocked signals are `mask`: makes it go on in its
 * handler for the signal.  Returns the mask for that.  Ends the process if the
 * signal does. */
uint64_t signal_deliver(struct context *context, const struct signal_info *info, uint64_t mask);
/* The signal waits until the translator leaves for the program; the caller must
 * block all others. */
void signal_wait(struct context *context, const struct signal_info *info, uint64_t mask);
/* A signal that the program itself caused waits until the translator leaves for the program; blocks the others. */
void signal_force(struct context *context, int number);
/* signal.S calls it when a signal waits and the registers are in the context. */
void signal_deliver_waiting(struct context *context);
/* The entry of the fragment for context->target. */
const uint8_t *signal_resume(struct context *context);
bool signal_is_handled(const struct context *context, int number);
/* The kernel ignores the signal, as the program asked for; or the translator handles it again. */
void signal_show_fault_action(int number, bool ignored);
/* Whether the program could; at least 24 bytes, and no more than a page. */
bool signal_can_read(uint64_t address, size_t bytes);
bool signal_can_write(const struct context *context, uint64_t address, size_t bytes);

/* signal_stack.c: the program's alternate stack, as it is with this stack pointer. */
struct signal_stack signal_stack_now(const struct signals *signals, uint64_t stack_pointer);
bool signal_stack_holds(const struct signals *signals, uint64_t stack_pointer);
int64_t signal_stack_set(struct signals *signals, const struct signal_stack *stack,
                         uint64_t stack_pointer);

#endif
