/* Keeps SIGSEGV deliverable where code is write-protected, and what the program believes of it. */
#include "translator/process/fault_mask.h"

#include "translator/process/system.h"

#include <asm/errno.h>
#include <asm/signal.h>
#include <asm/unistd.h>

#define MASK_BYTES 8L
#define FAULT SIGNAL_BIT(SIGSEGV)

static bool is_used(const struct context *context)
{
    return context->translator->options.code_changes == CHANGES_PROTECT;
}

uint64_t fault_mask_set(struct context *context, uint64_t mask)
{
    if (!is_used(context)) {
        return mask;
    }
    context->signals->blocks_faults = (mask & FAULT) != 0;
    return mask & ~FAULT;
}

uint64_t fault_mask_get(const struct context *context, uint64_t mask)
{
    return fault_mask_blocks(context) ? mask | FAULT : mask;
}

bool fault_mask_blocks(const struct context *context)
{
    return context->signals->blocks_faults;
}

/* As in the kernel, of several only the first is kept. */
bool fault_mask_hold(struct context *context, const struct signal_info *info)
{
    struct signals *signals = context->signals;

    if (info->number != SIGSEGV || !signals->blocks_faults) {
        return false;
    }
    if (!signals->has_held) {
        signals->held = *info;
        signals->has_held = true;
    }
    return true;
}

void fault_mask_release(struct context *context)
{
    struct signals *signals = context->signals;

    if (signals->has_held && !signals->blocks_faults) {
        signals->has_held = false;
        host_call(__NR_rt_tgsigqueueinfo, host_call(__NR_getpid), host_call(__NR_gettid),
                  (long)SIGSEGV, &signals->held);
    }
}

static void block(long how)
{
    const uint64_t set = FAULT;

    host_call(__NR_rt_sigprocmask, how, &set, NULL, MASK_BYTES);
}

static bool is_ignored(const struct context *context)
{
    return actions_get(context->signals->actions, SIGSEGV).handler == HANDLER_IGNORE;
}

void fault_mask_hand_over(struct context *context)
{
    if (is_used(context) && fault_mask_blocks(context)) {
        block(SIG_BLOCK);
    }
    if (is_used(context) && is_ignored(context)) {
        signal_show_fault_action(true);
    }
}

void fault_mask_take_back(struct context *context)
{
    if (is_used(context) && fault_mask_blocks(context)) {
        block(SIG_UNBLOCK);
    }
    if (is_used(context) && is_ignored(context)) {
        signal_show_fault_action(false);
    }
}

static uint64_t change(uint64_t how, uint64_t mask, uint64_t set)
{
    switch (how) {
    case SIG_BLOCK:
        return mask | set;
    case SIG_UNBLOCK:
        return mask & ~set;
    default:
        return set;
    }
}

/* The kernel changes all but one bit, and says what is wrong. */
int64_t system_sigprocmask(struct context *context, const struct call *call)
{
    const uint64_t how = call->arguments[0];
    const uint64_t new_place = call->arguments[1];
    const uint64_t old_place = call->arguments[2];
    struct call changed = *call;
    uint64_t set = 0, kernel_set = 0, old;

    if (!is_used(context) || call->arguments[3] != MASK_BYTES) {
        return system_pass(context, call);
    }
    if (new_place != 0) {
        if (!signal_can_read(new_place, sizeof set)) {
            return -EFAULT;
        }
        set = *(const uint64_t *)(uintptr_t)new_place;
        kernel_set = set & ~FAULT;
        changed.arguments[1] = (uintptr_t)&kernel_set;
    }
    changed.arguments[2] = (uintptr_t)&old;
    const int64_t result = system_pass(context, &changed);
    if (host_is_error(result)) {
        return result;
    }
    old = fault_mask_get(context, old);
    if (new_place != 0) {
        fault_mask_set(context, change(how, old, set));
        fault_mask_release(context);
    }
    if (old_place != 0) {
        if (!signal_can_write(context, old_place, sizeof old)) {
            return -EFAULT;
        }
        *(uint64_t *)(uintptr_t)old_place = old;
    }
    return result;
}
