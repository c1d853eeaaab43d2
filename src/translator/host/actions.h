/* What the program asked the kernel to do about each signal, for threads that change it while others read.
 *
 * Whoever reads may have interrupted whoever writes, so nobody waits: each action
 * has three versions, of which two are read while another is written. */
#ifndef STRATA_TRANSLATOR_HOST_ACTIONS_H
#define STRATA_TRANSLATOR_HOST_ACTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* As for rt_sigaction, in the kernel's layout. */
struct signal_action {
    uint64_t handler; /* its address, or one of the two values below */
    uint64_t flags;
    uint64_t mask;
};
#define HANDLER_DEFAULT 0
#define HANDLER_IGNORE 1
#define SIGNALS 64
#define ACTION_VERSIONS 3

struct actions {
    struct versions {
        uint32_t changes; /* how often the program set it */
        uint32_t reset;   /* the `changes` whose version was reset as SA_RESETHAND wants, and 1 */
        struct signal_action of[ACTION_VERSIONS]; /* by `changes` */
    } by_number[SIGNALS + 1];
};

static inline bool action_has_handler(const struct signal_action *action)
{
    return action->handler > HANDLER_IGNORE;
}

struct signal_action actions_get(const struct actions *actions, int number);
/* One at a time may set them. */
void actions_set(struct actions *actions, int number, const struct signal_action *action);

/* For a signal that the kernel delivers to a handler: that one, though the program may have
 * taken it away since.  `stays` if the kernel's action does not depend on the program's. */
struct signal_action actions_take(struct actions *actions, int number, bool stays);

#endif
