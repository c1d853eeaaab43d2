/* The program's system calls: most go straight to the kernel, some are the translator's business. */
#include "translator/fragment/outside.h"
#include "translator/tell/report.h"
#include "translator/process/signal.h"
#include "translator/process/buffers.h"
#include "translator/process/system.h"
#include "translator/process/thread.h"

#include <asm/errno.h>
#include <asm/signal.h>
#include <asm/unistd.h>
#include <linux/sched.h>

/* A signal that comes first makes it fail with SIGNAL_RESTART. */
int64_t system_pass(struct context *context, const struct call *call)
{
    (void)context;
    return target_program_call(call);
}

/* As a kernel that does not have the call. */
int64_t system_refuse(struct context *context, const struct call *call)
{
    (void)context;
    (void)call;
    return -ENOSYS;
}

/* The range that the program names is ignored, as the kernel ignores it. */
int64_t system_sync_code(struct context *context, const struct call *call)
{
    (void)call;
    lock_acquire(&context->translator->lock);
    changes_apply(context);
    lock_release(&context->translator->lock);
    return 0;
}

/* A new process, or a thread: what shares the memory needs a context of its own,
 * and all of the program's registers for it.
 *
 * The child of a fork goes on inside this call, on the translator's own stack:
 * what the program wants as stack and thread pointer is for its registers, never
 * for the translator's. */
int64_t system_clone(struct context *context, const struct call *call)
{
    const uint64_t flags = call->arguments[0];
    const uint64_t stack = call->arguments[1];
    const bool borrows = (flags & CLONE_VM) != 0;
    struct call fork = *call;

    if (borrows && (flags & (CLONE_VFORK | CLONE_THREAD)) != CLONE_VFORK) {
        context->detour = target_clone;
        return SIGNAL_RESTART;
    }
    report_prepare_process(context->translator);
    fork.arguments[0] = flags & ~(uint64_t)CLONE_SETTLS;
    fork.arguments[1] = 0;
    const int64_t result = borrows ? vfork_call(context, &fork) : vfork_copy(context, &fork);
    if (result == 0) {
        if (stack != 0) {
            TARGET_STACK_POINTER(&context->registers) = stack;
        }
        if ((flags & CLONE_SETTLS) != 0) {
            TARGET_THREAD_POINTER(&context->registers) =
                call->arguments[TARGET_CLONE_THREAD_POINTER];
        }
    }
    return result;
}

static system_handler *find_handler(uint64_t number)
{
    switch (number) {
#define INTERCEPT(name, handler)                                                                   \
    case __NR_##name:                                                                              \
        return handler;
#include "translator/process/system.def"
#undef INTERCEPT
    default:
        return target_system_handler(number);
    }
}

struct call system_read_call(const struct context *context)
{
    const struct target_registers *registers = &context->registers;
    struct call call = {.number = TARGET_CALL_NUMBER(registers)};

    for (unsigned i = 0; i < CALL_ARGUMENTS; i++) {
        call.arguments[i] = TARGET_CALL_ARGUMENT(registers, i);
    }
    return call;
}

static int64_t do_call(struct context *context, system_handler *handler, const struct call *call)
{
    return handler != NULL ? handler(context, call) : system_pass(context, call);
}

guest_addr outside_system_call(struct context *context, guest_addr next)
{
    const struct call call = system_read_call(context);
    system_handler *handler = find_handler(call.number);

    int64_t result = SIGNAL_RESTART;
    if (!context->pending) {
        buffers_before_call(context, &call);
        result = do_call(context, handler, &call);
        if (result == -EFAULT && buffers_open_all(context)) {
            result = do_call(context, handler, &call);
        }
        buffers_after_call(context);
    }
    if (result == SIGNAL_RESTART) {
        return next - TARGET_CALL_BYTES;
    }
    TARGET_CALL_RESULT(&context->registers) = (uint64_t)result;
    return next;
}

/* One that lives on reports once more when it ends. */
static int64_t pass_last(struct context *context, const struct call *call)
{
    report_replaced(context->translator);
    const int64_t result = system_pass(context, call);
    report_not_replaced(context->translator);
    return result;
}

/* abort() is how programs kill themselves, and the kernel asks nobody then. */
int64_t system_tgkill(struct context *context, const struct call *call)
{
    const bool aborts = (int)call->arguments[2] == SIGABRT && !signal_is_handled(context, SIGABRT);

    return aborts ? pass_last(context, call) : system_pass(context, call);
}

/* Of all signals that end a program, this is the one that nobody sees come. */
int64_t system_kill(struct context *context, const struct call *call)
{
    const int64_t to = (int)call->arguments[0];
    const bool own =
        to == host_call(__NR_getpid) || to == 0 || to == -1 || to == -host_call(__NR_getpgid, 0L);

    return (int)call->arguments[1] == SIGKILL && own && !context->translator->has_last_words
               ? pass_last(context, call)
               : system_pass(context, call);
}

/* Not through the program's way to the kernel: a signal that comes now is too late. */
int64_t system_exit(struct context *context, const struct call *call)
{
    return thread_exit(context, (int)call->arguments[0]);
}

int64_t system_exit_group(struct context *context, const struct call *call)
{
    host_exit(report_end(context->translator, (int)call->arguments[0]));
}
