/* The stack frame of a signal handler, byte for byte as RV64 Linux lays it out, and the way back from it. */
#define _GNU_SOURCE
#include "machine/linux/signal.h"
#include "machine/linux/syscall.h"

#include <errno.h>
#include <string.h>

enum {
    STACK_ON = 1,      /* SS_ONSTACK */
    STACK_DISABLE = 2, /* SS_DISABLE */
    STACK_MINIMUM_BYTES = 2048,

    FCSR_FLAG_BITS = 5,
    FCSR_FLAGS = 0x1f,
    FCSR_ROUNDING = 0x7,
};
#define PC_BITS (~UINT64_C(1)) /* the kernel returns through sepc, which has no bit 0 */
#define STACK_AUTODISARM UINT32_C(0x80000000) /* SS_AUTODISARM */

/* union __riscv_fp_state: the D state in a space for the Q state. */
struct frame_float {
    uint64_t f[32];
    uint32_t fcsr;
    uint8_t unused[252];
    uint32_t reserved[3]; /* must be zero when it is restored */
    uint32_t pad;
};

struct frame_context {
    uint64_t flags;
    guest_addr link;
    struct guest_stack stack;
    guest_sigset mask;
    uint8_t unused[120];
    uint64_t pad;   /* the next member is aligned to 16 bytes */
    uint64_t x[32]; /* pc in the place of x0 */
    struct frame_float floating;
};

struct signal_frame {
    struct guest_siginfo info;
    struct frame_context context;
};

_Static_assert(sizeof(struct guest_siginfo) == 128, "siginfo_t");
_Static_assert(sizeof(struct guest_stack) == 24, "stack_t");
_Static_assert(sizeof(struct frame_float) == 528, "union __riscv_fp_state");
_Static_assert(offsetof(struct frame_context, x) == 176, "ucontext_t.uc_mcontext");
_Static_assert(sizeof(struct frame_context) == 960, "ucontext_t");
_Static_assert(sizeof(struct signal_frame) == 1088, "struct rt_sigframe");

/* Unwinders know a signal frame by exactly these two instructions at ra. */
static const uint32_t trampoline_code[] = {
    0x08b00893, /* li a7, 139 (rt_sigreturn) */
    0x00000073, /* ecall */
};

int signal_map_trampoline(struct memory *memory)
{
    int error = memory_map(memory, SIGNAL_TRAMPOLINE, GUEST_PAGE_BYTES, PAGE_READ | PAGE_WRITE,
                           false, -1, 0);
    if (error != 0) {
        return error;
    }
    memcpy(memory_host(memory, SIGNAL_TRAMPOLINE), trampoline_code, sizeof trampoline_code);
    return memory_protect(memory, SIGNAL_TRAMPOLINE, GUEST_PAGE_BYTES, PAGE_READ | PAGE_EXECUTE);
}

/* Unsigned wrap-around makes an address below the stack a huge distance. */
static bool inside_alternate_stack(const struct thread *thread, guest_addr stack)
{
    return stack > thread->alternate_stack &&
           stack - thread->alternate_stack <= thread->alternate_bytes;
}

bool signal_on_alternate_stack(const struct thread *thread, guest_addr stack)
{
    return (thread->alternate_flags & STACK_AUTODISARM) == 0 &&
           inside_alternate_stack(thread, stack);
}

struct guest_stack signal_alternate_stack(const struct thread *thread, guest_addr stack_pointer)
{
    uint32_t flags = thread->alternate_flags & STACK_AUTODISARM;

    if (thread->alternate_bytes == 0) {
        flags |= STACK_DISABLE;
    } else if (signal_on_alternate_stack(thread, stack_pointer)) {
        flags |= STACK_ON;
    }
    struct guest_stack stack = {
        .base = thread->alternate_stack,
        .flags = (int32_t)flags,
        .bytes = thread->alternate_bytes,
    };
    return stack;
}

int signal_set_alternate_stack(struct thread *thread, const struct guest_stack *stack,
                               guest_addr stack_pointer)
{
    if (signal_on_alternate_stack(thread, stack_pointer)) {
        return -EPERM;
    }
    uint32_t mode = (uint32_t)stack->flags & ~STACK_AUTODISARM;
    if (mode != STACK_DISABLE && mode != STACK_ON && mode != 0) {
        return -EINVAL;
    }
    if (mode == STACK_DISABLE) {
        thread->alternate_stack = 0;
        thread->alternate_bytes = 0;
    } else {
        if (stack->bytes < STACK_MINIMUM_BYTES) {
            return -ENOMEM;
        }
        thread->alternate_stack = stack->base;
        thread->alternate_bytes = stack->bytes;
    }
    thread->alternate_flags = (uint32_t)stack->flags;
    return 0;
}

/* 0 if there is no room: the handler runs on the alternate stack already and
 * the frame would leave it. */
static guest_addr frame_address(const struct thread *thread, uint64_t action_flags)
{
    guest_addr stack = thread->hart.x[REGISTER_SP];
    uint64_t bytes = sizeof(struct signal_frame);

    if (signal_on_alternate_stack(thread, stack) &&
        !signal_on_alternate_stack(thread, stack - bytes)) {
        return 0;
    }
    if ((action_flags & GUEST_SA_ONSTACK) != 0 && thread->alternate_bytes != 0 &&
        !signal_on_alternate_stack(thread, stack)) {
        stack = thread->alternate_stack + thread->alternate_bytes;
    }
    return (stack - bytes) & ~UINT64_C(15);
}

static void save_registers(struct frame_context *context, const struct hart *hart)
{
    context->x[0] = hart->pc;
    memcpy(&context->x[1], &hart->x[1], 31 * sizeof hart->x[0]);
    memcpy(context->floating.f, hart->f, sizeof hart->f);
    context->floating.fcsr = hart->rounding_mode << FCSR_FLAG_BITS | hart->float_flags;
}

static void restore_registers(struct hart *hart, const struct frame_context *context)
{
    hart->pc = context->x[0] & PC_BITS;
    memcpy(&hart->x[1], &context->x[1], 31 * sizeof hart->x[0]);
    memcpy(hart->f, context->floating.f, sizeof hart->f);
    hart->float_flags = context->floating.fcsr & FCSR_FLAGS;
    hart->rounding_mode = context->floating.fcsr >> FCSR_FLAG_BITS & FCSR_ROUNDING;
}

bool signal_enter(struct thread *thread, const struct guest_siginfo *info,
                  const struct signal_action *action, guest_sigset saved)
{
    struct hart *hart = &thread->hart;
    guest_addr address = frame_address(thread, action->flags);
    struct signal_frame frame;

    if (address == 0) {
        return false;
    }
    memset(&frame, 0, sizeof frame);
    frame.info = *info;
    frame.context.stack.base = thread->alternate_stack;
    frame.context.stack.bytes = thread->alternate_bytes;
    frame.context.stack.flags =
        thread->alternate_bytes == 0 ? STACK_DISABLE : (int32_t)thread->alternate_flags;
    frame.context.mask = saved;
    save_registers(&frame.context, hart);
    if (!thread_write(thread, address, &frame, sizeof frame)) {
        return false;
    }
    if ((thread->alternate_flags & STACK_AUTODISARM) != 0) {
        thread->alternate_stack = 0;
        thread->alternate_bytes = 0;
        thread->alternate_flags = 0;
    }

    hart->x[REGISTER_RA] = SIGNAL_TRAMPOLINE;
    hart->x[REGISTER_SP] = address;
    hart->x[REGISTER_A0] = (uint64_t)info->signo;
    hart->x[REGISTER_A1] = address + offsetof(struct signal_frame, info);
    hart->x[REGISTER_A2] = address + offsetof(struct signal_frame, context);
    hart->pc = action->handler & PC_BITS;
    hart->reserved = false;
    return true;
}

int64_t sys_rt_sigreturn(struct thread *thread, const uint64_t *arguments)
{
    struct hart *hart = &thread->hart;
    struct signal_frame frame;
    const struct frame_float *floating = &frame.context.floating;
    (void)arguments;

    if (!thread_read(thread, &frame, hart->x[REGISTER_SP], sizeof frame) ||
        (floating->reserved[0] | floating->reserved[1] | floating->reserved[2]) != 0) {
        signal_force(thread, SIGSEGV);
        return SYSCALL_JUMPED;
    }
    restore_registers(hart, &frame.context);
    thread->blocked = frame.context.mask & ~SIGNALS_UNBLOCKABLE;
    /* As in the kernel, a stack that cannot be set is not an error here. */
    signal_set_alternate_stack(thread, &frame.context.stack, hart->x[REGISTER_SP]);
    return SYSCALL_JUMPED;
}
