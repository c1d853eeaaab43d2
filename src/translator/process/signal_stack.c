/* The program's alternate signal stack, which the kernel does not know: it has the translator's. */
#include "translator/process/signal.h"

#include <asm/errno.h>
#include <asm/signal.h>

#define SS_ONSTACK UINT32_C(1)
#define SS_DISABLE UINT32_C(2)
#define SS_AUTODISARM (UINT32_C(1) << 31)

bool signal_stack_holds(const struct signals *signals, uint64_t stack_pointer)
{
    /* Below its base the difference is huge. */
    return (signals->stack.flags & SS_AUTODISARM) == 0 && stack_pointer > signals->stack.base &&
           stack_pointer - signals->stack.base <= signals->stack.bytes;
}

struct signal_stack signal_stack_now(const struct signals *signals, uint64_t stack_pointer)
{
    struct signal_stack stack = signals->stack;

    stack.flags &= SS_AUTODISARM;
    stack.pad = 0;
    if (stack.bytes == 0) {
        stack.flags |= SS_DISABLE;
    } else if (signal_stack_holds(signals, stack_pointer)) {
        stack.flags |= SS_ONSTACK;
    }
    return stack;
}

int64_t signal_stack_set(struct signals *signals, const struct signal_stack *stack,
                         uint64_t stack_pointer)
{
    const uint32_t mode = stack->flags & ~SS_AUTODISARM;

    if (signal_stack_holds(signals, stack_pointer)) {
        return -EPERM;
    }
    if (mode != SS_DISABLE && mode != SS_ONSTACK && mode != 0) {
        return -EINVAL;
    }
    if (mode == SS_DISABLE) {
        signals->stack = (struct signal_stack){.flags = stack->flags};
        return 0;
    }
    if (stack->bytes < MINSIGSTKSZ) {
        return -ENOMEM;
    }
    signals->stack = *stack;
    return 0;
}
