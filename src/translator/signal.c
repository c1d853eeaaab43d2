/* The program's signal handlers, as far as the translator keeps them. */
#include "translator/system.h"

#include <asm/errno.h>
#include <asm/signal.h>
#include <asm/unistd.h>

#define MASK_BYTES 8L
#define HANDLER_DEFAULT 0
#define HANDLER_IGNORE 1

/* SIGKILL's action cannot be changed, but the kernel looks at the memory first:
 * so it says whether the program's pointer is good. */
static bool can_read(uint64_t action)
{
    return host_call(__NR_rt_sigaction, (long)SIGKILL, action, NULL, MASK_BYTES) != -EFAULT;
}

static bool can_write(uint64_t action)
{
    return host_call(__NR_rt_sigaction, (long)SIGKILL, NULL, action, MASK_BYTES) != -EFAULT;
}

/* The kernel gets to know which signals are ignored, and says which numbers are
 * wrong.  A handler is only written down: it is not called yet. */
int64_t system_sigaction(struct context *context, const struct call *call)
{
    const int number = (int)call->arguments[0]; /* no more of it, as the kernel */
    const uint64_t new_place = call->arguments[1];
    const uint64_t old_place = call->arguments[2];
    struct signal_action wanted, kernel, old;

    if (new_place != 0) {
        if (!can_read(new_place)) {
            return -EFAULT;
        }
        kernel = wanted = *(const struct signal_action *)(uintptr_t)new_place;
        if (wanted.handler != HANDLER_IGNORE) {
            kernel.handler = HANDLER_DEFAULT;
        }
    }
    const int64_t result = host_call(__NR_rt_sigaction, (long)number,
                                     new_place != 0 ? &kernel : NULL, &old, call->arguments[3]);
    if (host_is_error(result)) {
        return result;
    }
    struct signal_action *kept = &context->translator->actions[number];
    if (kept->handler > HANDLER_IGNORE) {
        old = *kept;
    }
    if (new_place != 0) {
        *kept = wanted;
    }
    if (old_place != 0) {
        if (!can_write(old_place)) {
            return -EFAULT;
        }
        *(struct signal_action *)(uintptr_t)old_place = old;
    }
    return 0;
}
