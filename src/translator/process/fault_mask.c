/* Keeps faults deliverable that the translator's own doing may cause, and what the program believes of them. */
#include "translator/process/fault_mask.h"

#include "translator/process/system.h"

#include <asm/errno.h>
#include <asm/signal.h>
#include <asm/unistd.h>

#define MASK_BYTES 8L

static const uint8_t numbers[FAULTS_HELD] = {SIGSEGV, SIGBUS};

uint64_t fault_mask_seen(const struct translator *translator)
{
    const struct options *options = &translator->options;
    const bool adds = options->traces && (options->passes >> PASS_PREFETCH & 1) != 0;

    return (adds || options->code_changes == CHANGES_PROTECT ? SIGNAL_BIT(SIGSEGV) : 0) |
           (adds ? SIGNAL_BIT(SIGBUS) : 0);
}

static uint64_t seen(const struct context *context)
{
    return fault_mask_seen(context->translator);
}

uint64_t fault_mask_set(struct context *context, uint64_t mask)
{
    context->signals->blocked_faults = mask & seen(context);
    return mask & ~seen(context);
}

uint64_t fault_mask_get(const struct context *context, uint64_t mask)
{
    return mask | context->signals->blocked_faults;
}

bool fault_mask_blocks(const struct context *context, int number)
{
    return (context->signals->blocked_faults & SIGNAL_BIT(number)) != 0;
}

/* As in the kernel, of several only the first is kept. */
bool fault_mask_hold(struct context *context, const struct signal_info *info)
{
    struct signals *signals = context->signals;
    const uint64_t bit = SIGNAL_BIT(info->number);

    if ((signals->blocked_faults & bit) == 0) {
        return false;
    }
    for (unsigned i = 0; (signals->held_faults & bit) == 0 && i < FAULTS_HELD; i++) {
        if (numbers[i] == info->number) {
            signals->held[i] = *info;
        }
    }
    signals->held_faults |= bit;
    return true;
}

void fault_mask_release(struct context *context)
{
    struct signals *signals = context->signals;

    for (unsigned i = 0; i < FAULTS_HELD; i++) {
        const uint64_t bit = SIGNAL_BIT(numbers[i]);
        if ((signals->held_faults & bit) != 0 && (signals->blocked_faults & bit) == 0) {
            signals->held_faults &= ~bit;
            host_call(__NR_rt_tgsigqueueinfo, host_call(__NR_getpid), host_call(__NR_gettid),
                      (long)numbers[i], &signals->held[i]);
        }
    }
}

static void block(const struct context *context, long how)
{
    const uint64_t set = context->signals->blocked_faults;

    if (set != 0) {
        host_call(__NR_rt_sigprocmask, how, &set, NULL, MASK_BYTES);
    }
}

static void show_ignored(const struct context *context, bool ignored)
{
    for (unsigned i = 0; i < FAULTS_HELD; i++) {
        if ((seen(context) & SIGNAL_BIT(numbers[i])) != 0 &&
            actions_get(context->signals->actions, numbers[i]).handler == HANDLER_IGNORE) {
            signal_show_fault_action(numbers[i], ignored);
        }
    }
}

void fault_mask_hand_over(struct context *context)
{
    block(context, SIG_BLOCK);
    show_ignored(context, true);
}

void fault_mask_take_back(struct context *context)
{
    block(context, SIG_UNBLOCK);
    show_ignored(context, false);
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

/* The kernel changes all but these bits, and says what is wrong. */
int64_t system_sigprocmask(struct context *context, const struct call *call)
{
    const uint64_t how = call->arguments[0];
    const uint64_t new_place = call->arguments[1];
    const uint64_t old_place = call->arguments[2];
    struct call changed = *call;
    uint64_t set = 0, kernel_set = 0, old;

    if (seen(context) == 0 || call->arguments[3] != MASK_BYTES) {
        return system_pass(context, call);
    }
    if (new_place != 0) {
        if (!signal_can_read(new_place, sizeof set)) {
            return -EFAULT;
        }
        set = *(const uint64_t *)(uintptr_t)new_place;
        kernel_set = set & ~seen(context);
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
