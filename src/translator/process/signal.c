/* The program's signals: which handlers it has, and when one begins. */
#include "translator/fragment/dispatch.h"
#include "translator/fragment/protect.h"
#include "translator/process/fault_mask.h"
#include "translator/tell/report.h"
#include "translator/process/signal.h"
#include "translator/process/system.h"
#include "translator/process/thread.h"

#include "base/check.h"

#include <asm/errno.h>
#include <asm/siginfo.h>
#include <asm/signal.h>
#include <asm/unistd.h>

#define MASK_BYTES 8L

/* What the kernel goes by; the other flags are the translator's business. */
#define KERNEL_FLAGS (SA_RESTART | SA_NOCLDSTOP | SA_NOCLDWAIT | SA_RESETHAND)
#define ALL_SIGNALS UINT64_MAX

/* An action with its mask twice: some emulators look for it one word further on,
 * where other kernels have it, and write as much. */
struct kernel_action {
    struct signal_action action;
    uint64_t mask;
};

/* Signals that an instruction can cause: the translator sees them even if the
 * program has no handler. */
static const uint8_t faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE};

static bool is_fault(int number)
{
    for (size_t i = 0; i < sizeof faults; i++) {
        if (faults[i] == number) {
            return true;
        }
    }
    return false;
}

static void set_mask(uint64_t mask)
{
    host_call(__NR_rt_sigprocmask, (long)SIG_SETMASK, &mask, NULL, MASK_BYTES);
}

static int64_t set_action(int number, const struct kernel_action *action)
{
    return host_call(__NR_rt_sigaction, (long)number, action, NULL, MASK_BYTES);
}

/* A fault that is handled once shall be seen twice: the second time the process ends. */
static struct kernel_action own_action(int number, uint64_t program_flags)
{
    if (is_fault(number)) {
        program_flags &= ~(uint64_t)SA_RESETHAND;
    }
    return (struct kernel_action){
        .action.handler = (uintptr_t)target_signal,
        .action.flags = (program_flags & KERNEL_FLAGS) | SA_SIGINFO | SA_ONSTACK,
        .action.mask = ALL_SIGNALS,
        .mask = ALL_SIGNALS,
    };
}

/* A fault may not be of the program's doing, though the program may ignore the signal. */
static bool must_see(const struct translator *translator, int number)
{
    return number >= 1 && number <= SIGNALS &&
           (fault_mask_seen(translator) & SIGNAL_BIT(number)) != 0;
}

static bool is_deadly(int number)
{
    switch (number) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH:
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
        return false;
    default:
        return true;
    }
}

/* Where nobody asks for last words, the program's end by a signal must be seen before it comes, if there is
 * anything to report.  The kernel then ends what the program waits for: it does not live to notice. */
static bool must_see_end(const struct translator *translator, int number)
{
    return translator->reports.first != 0 && !translator->has_last_words && is_deadly(number);
}

/* Takes over the signal if the program has the kernel's own action for it. */
static void take_over(struct context *context, int number, bool always)
{
    struct kernel_action old;

    if (host_is_error(host_call(__NR_rt_sigaction, (long)number, NULL, &old, MASK_BYTES))) {
        return;
    }
    if (old.action.handler == HANDLER_DEFAULT || always) {
        const struct kernel_action own = own_action(number, 0);
        actions_set(context->signals->actions, number, &old.action);
        set_action(number, &own);
    }
}

static void take_over_ends(struct context *context)
{
    for (int number = 1; number <= SIGNALS; number++) {
        if (number != SIGKILL && is_deadly(number) && !is_fault(number)) {
            take_over(context, number, false);
        }
    }
}

static void take_over_faults(struct context *context)
{
    for (size_t i = 0; i < sizeof faults; i++) {
        take_over(context, faults[i], must_see(context->translator, faults[i]));
    }
}

/* The mask that the process began with. */
static void take_over_mask(struct context *context)
{
    uint64_t mask;

    host_call(__NR_rt_sigprocmask, (long)SIG_BLOCK, NULL, &mask, MASK_BYTES);
    set_mask(fault_mask_set(context, mask));
}

void signal_start_thread(struct context *context)
{
    struct signals *signals = context->signals;
    const struct signal_stack stack = {
        .base = (uintptr_t)signals + sizeof *signals,
        .bytes = SIGNAL_BYTES - sizeof *signals,
    };

    signals->actions = &context->translator->actions;
    signals->native = NATIVE_NONE;
    signals->resume.kind = EXIT_RESUME;
    host_call(__NR_sigaltstack, &stack, NULL);
}

void signal_start(struct context *context)
{
    signal_start_thread(context);
    take_over_faults(context);
    if (must_see_end(context->translator, SIGTERM)) {
        take_over_ends(context);
    }
    take_over_mask(context);
}

bool signal_is_handled(const struct context *context, int number)
{
    const struct signal_action action = actions_get(context->signals->actions, number);

    return action_has_handler(&action);
}

void signal_show_fault_action(int number, bool ignored)
{
    const struct kernel_action ignore = {.action.handler = HANDLER_IGNORE};
    const struct kernel_action own = own_action(number, 0);

    set_action(number, ignored ? &ignore : &own);
}

/* The program dies of it as it would alone. */
static _Noreturn void die(struct context *context, int number)
{
    const struct kernel_action standard = {.action.handler = HANDLER_DEFAULT};

    outside_leave_cache(context); /* for good: nobody shall wait for it */
    report_end(context->translator, 128 + number);
    set_action(number, &standard);
    host_call(__NR_tgkill, host_call(__NR_getpid), host_call(__NR_gettid), (long)number);
    set_mask(~SIGNAL_BIT(number));
    host_exit(128 + number);
}

static bool is_blocked(uint64_t mask, int number)
{
    return (mask & SIGNAL_BIT(number)) != 0;
}

/* All are blocked; it comes when it no longer is.  The kernel may have forgotten the
 * handler since. */
static void send_again(const struct signal_info *info, const struct signal_action *action)
{
    if (action_has_handler(action) && (action->flags & SA_RESETHAND) != 0) {
        const struct kernel_action own = own_action(info->number, action->flags);
        set_action(info->number, &own);
    }
    host_call(__NR_rt_tgsigqueueinfo, host_call(__NR_getpid), host_call(__NR_gettid),
              (long)info->number, info);
}

/* What the kernel does when a handler's stack is of no use. */
static uint64_t deliver_stack_fault(struct context *context, int number, uint64_t mask)
{
    const struct signal_info info = {.number = SIGSEGV, .code = SI_KERNEL};

    if (number == SIGSEGV || is_blocked(mask, SIGSEGV) || !signal_is_handled(context, SIGSEGV)) {
        die(context, SIGSEGV);
    }
    return signal_deliver(context, &info, mask);
}

/* Without a handler the program has changed its mind twice since the kernel decided:
 * now it decides again. */
static uint64_t act(struct context *context, const struct signal_info *info,
                    const struct signal_action *action, uint64_t mask)
{
    const int number = info->number;

    if (!action_has_handler(action)) {
        if (action->handler == HANDLER_DEFAULT && is_deadly(number)) {
            die(context, number);
        }
        /* SIGSEGV and SIGBUS the kernel may not ignore for the program: fault_mask.h */
        if (number != SIGSEGV && !must_see(context->translator, number)) {
            send_again(info, action);
        }
        return mask;
    }
    if (!target_push_frame(context, info, mask, action->handler,
                           (action->flags & SA_ONSTACK) != 0)) {
        return deliver_stack_fault(context, number, mask);
    }
    mask |= action->mask;
    if ((action->flags & SA_NODEFER) == 0) {
        mask |= SIGNAL_BIT(number);
    }
    return mask;
}

/* Where the kernel calls the translator whether there is a handler or not, what the program wants now counts. */
static struct signal_action take_action(struct context *context, int number)
{
    const bool stays = is_fault(number) || must_see_end(context->translator, number);

    return actions_take(context->signals->actions, number, stays);
}

uint64_t signal_deliver(struct context *context, const struct signal_info *info, uint64_t mask)
{
    const struct signal_action action = take_action(context, info->number);

    return fault_mask_set(context, act(context, info, &action, fault_mask_get(context, mask)));
}

void signal_wait(struct context *context, const struct signal_info *info, uint64_t mask)
{
    struct signals *signals = context->signals;

    ASSERT(!context->pending);
    signals->waiting = *info;
    signals->action = take_action(context, info->number);
    signals->mask = mask;
    context->pending = 1;
}

void signal_force(struct context *context, int number)
{
    const struct signal_info info = {.number = number, .code = SI_KERNEL};
    const uint64_t all = ALL_SIGNALS;
    uint64_t mask;

    host_call(__NR_rt_sigprocmask, (long)SIG_SETMASK, &all, &mask, MASK_BYTES);
    if (context->pending) { /* one came just before: it is sent again */
        send_again(&context->signals->waiting, &context->signals->action);
        mask = context->signals->mask;
        context->pending = 0;
    }
    if (is_blocked(fault_mask_get(context, mask), number) || !signal_is_handled(context, number)) {
        die(context, number);
    }
    signal_wait(context, &info, mask);
}

void signal_deliver_waiting(struct context *context)
{
    const struct signals *signals = context->signals;
    const uint64_t mask =
        act(context, &signals->waiting, &signals->action, fault_mask_get(context, signals->mask));

    context->pending = 0;
    set_mask(fault_mask_set(context, mask)); /* the next may arrive right here */
}

const uint8_t *signal_resume(struct context *context)
{
    struct exit *resume = &context->signals->resume;
    struct exit once = *resume; /* perhaps a store; the next time it is for another reason */

    resume->kind = EXIT_RESUME;
    return dispatch(context, &once);
}

/* The kernel finds out what is wrong with it, and says so in the signal. */
const uint8_t *outside_fault(struct context *context, guest_addr pc)
{
    context->signals->native = pc;
    return (const uint8_t *)(uintptr_t)pc;
}

/* There is no such way to change the mask, but the kernel reads the memory first,
 * and no more of it than this. */
bool signal_can_read(uint64_t address, size_t bytes)
{
    const uint64_t last = address + bytes - MASK_BYTES;
    const long no_such_way = -1;

    return host_call(__NR_rt_sigprocmask, no_such_way, address, NULL, MASK_BYTES) != -EFAULT &&
           host_call(__NR_rt_sigprocmask, no_such_way, last, NULL, MASK_BYTES) != -EFAULT;
}

/* The kernel writes the blocked signals there; what they are does not matter. */
static bool can_write_word(const struct context *context, uint64_t address)
{
    struct translator *translator = context->translator;
    const bool could = host_call(__NR_rt_sigprocmask, 0L, NULL, address, MASK_BYTES) != -EFAULT;

    if (!could && protect_owns(translator, address)) {
        protect_tear(translator, address);
        return host_call(__NR_rt_sigprocmask, 0L, NULL, address, MASK_BYTES) != -EFAULT;
    }
    return could;
}

bool signal_can_write(const struct context *context, uint64_t address, size_t bytes)
{
    return can_write_word(context, address) &&
           can_write_word(context, address + bytes - MASK_BYTES);
}

/* A handler is known here before the kernel may call it in another thread, and as
 * long as it may.  `old` becomes what the program had asked for. */
static int64_t change_action(struct actions *actions, int number,
                             const struct signal_action *wanted, const struct kernel_action *kernel,
                             struct kernel_action *old, uint64_t mask_bytes)
{
    const bool valid = number >= 1 && number <= SIGNALS;
    const int kept = valid ? number : 0;
    const struct signal_action before = actions_get(actions, kept);
    const bool handles = wanted != NULL && action_has_handler(wanted);

    if (handles) {
        actions_set(actions, kept, wanted);
    }
    const int64_t result = host_call(__NR_rt_sigaction, (long)number, kernel, old, mask_bytes);
    if (host_is_error(result)) {
        if (handles) {
            actions_set(actions, kept, &before);
        }
        return result;
    }
    if (wanted != NULL && !handles) {
        actions_set(actions, kept, wanted);
    }
    const uint64_t kernels = old->action.handler;
    if (kernels == (uintptr_t)target_signal || (before.flags & SA_RESETHAND) != 0) {
        old->action = before;
        old->action.handler = kernels == (uintptr_t)target_signal ? before.handler : kernels;
    }
    return result;
}

/* The kernel gets the translator's handler in place of the program's, and says
 * which numbers are wrong. */
int64_t system_sigaction(struct context *context, const struct call *call)
{
    const int number = (int)call->arguments[0]; /* no more of it, as the kernel */
    const uint64_t new_place = call->arguments[1];
    const uint64_t old_place = call->arguments[2];
    struct signal_action wanted;
    struct kernel_action kernel = {.mask = 0}, old;

    if (new_place != 0) {
        if (!signal_can_read(new_place, sizeof(struct signal_action))) {
            return -EFAULT;
        }
        wanted = *(const struct signal_action *)(uintptr_t)new_place;
        wanted.mask &= ~(SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP));
        kernel.action = wanted;
        if (action_has_handler(&wanted) || must_see(context->translator, number) ||
            (wanted.handler == HANDLER_DEFAULT &&
             (is_fault(number) || must_see_end(context->translator, number)))) {
            kernel = own_action(number, wanted.flags);
        }
    }
    lock_acquire(&context->translator->lock);
    const int64_t result =
        change_action(context->signals->actions, number, new_place != 0 ? &wanted : NULL,
                      new_place != 0 ? &kernel : NULL, &old, call->arguments[3]);
    lock_release(&context->translator->lock);
    if (host_is_error(result)) {
        return result;
    }
    if (old_place != 0) {
        if (!signal_can_write(context, old_place, sizeof(struct signal_action))) {
            return -EFAULT;
        }
        *(struct signal_action *)(uintptr_t)old_place = old.action;
    }
    return 0;
}

/* The mask first, as the kernel does it, and as a call of the program: a signal that
 * arrives before it belongs to the handler, one that arrives behind it finds the
 * registers of the frame, since it has to wait until they are there. */
int64_t system_sigreturn(struct context *context, const struct call *call)
{
    uint64_t mask;
    const struct call set = {
        .number = __NR_rt_sigprocmask,
        .arguments = {SIG_SETMASK, (uintptr_t)&mask, 0, MASK_BYTES},
    };

    (void)call;
    if (target_frame_mask(context, &mask)) {
        const uint64_t program_mask = mask;
        const uint64_t blocked = context->signals->blocked_faults;
        mask = fault_mask_set(context, program_mask);
        if (target_program_call(&set) == SIGNAL_RESTART) {
            context->signals->blocked_faults = blocked;
            return SIGNAL_RESTART;
        }
        fault_mask_release(context);
        if (target_pop_frame(context)) {
            target_resume(context);
        }
    }
    signal_force(context, SIGSEGV);
    return SIGNAL_RESTART;
}

int64_t system_sigaltstack(struct context *context, const struct call *call)
{
    struct signals *signals = context->signals;
    const uint64_t stack_pointer = TARGET_STACK_POINTER(&context->registers);
    const struct signal_stack old = signal_stack_now(signals, stack_pointer);
    const uint64_t new_place = call->arguments[0];
    const uint64_t old_place = call->arguments[1];

    if (new_place != 0) {
        if (!signal_can_read(new_place, sizeof(struct signal_stack))) {
            return -EFAULT;
        }
        const int64_t result = signal_stack_set(
            signals, (const struct signal_stack *)(uintptr_t)new_place, stack_pointer);
        if (result != 0) {
            return result;
        }
    }
    if (old_place != 0) {
        if (!signal_can_write(context, old_place, sizeof(struct signal_stack))) {
            return -EFAULT;
        }
        *(struct signal_stack *)(uintptr_t)old_place = old;
    }
    return 0;
}
