/* What the kernel calls when a signal arrives, and the frames that the program gets of it. */
#include "translator/tell/report.h"
#include "translator/fragment/protect.h"
#include "translator/rv64/signal.h"
#include "translator/process/fault_mask.h"
#include "translator/process/system.h"
#include "translator/process/thread.h"

#include "isa/rv64/decode.h"
#include "translator/rv64/emit.h"

#include <asm/errno.h>
#include <asm/siginfo.h>
#include <asm/signal.h>
#include <asm/unistd.h>

#define MASK_BYTES 8L
#define ALL_SIGNALS UINT64_MAX
#define SS_DISABLE UINT32_C(2)
#define SS_AUTODISARM (UINT32_C(1) << 31)
/* The kernel returns through a register that has no bit 0. */
#define PC_BITS (~UINT64_C(1))
/* Words behind fcsr that must be zero: the last 16 bytes of the floating state. */
#define FLOAT_RESERVED 64
/* f0 to f31 and fcsr: some kernels' frames end there. */
#define FLOAT_BYTES 260

/* 0 if there is no room: the handler runs on the alternate stack already and the
 * frame would leave it. */
static uint64_t frame_address(const struct context *context, bool alternate)
{
    const struct signals *signals = context->signals;
    uint64_t stack = context->registers.x[SP];

    if (signal_stack_holds(signals, stack)) {
        if (!signal_stack_holds(signals, stack - sizeof(struct signal_frame))) {
            return 0;
        }
    } else if (alternate && signals->stack.bytes != 0) {
        stack = signals->stack.base + signals->stack.bytes;
    }
    return (stack - sizeof(struct signal_frame)) & ~UINT64_C(15);
}

/* Where handlers return to; made once, if it must be in the cache. */
static uint64_t return_address(struct translator *translator)
{
    if (translator->options.returns != RETURNS_FAST) {
        return (uintptr_t)target_signal_return;
    }
    if (translator->process.signal_return == 0) {
        translator->process.signal_return =
            fast_return_address(translator, (uintptr_t)target_signal_return);
    }
    return translator->process.signal_return;
}

bool target_push_frame(struct context *context, const struct signal_info *info, uint64_t mask,
                       guest_addr handler, bool alternate)
{
    struct signals *signals = context->signals;
    const uint64_t address = frame_address(context, alternate);

    if (address == 0 || !signal_can_write(context, address, sizeof(struct signal_frame))) {
        return false;
    }
    struct signal_frame *frame = (struct signal_frame *)(uintptr_t)address;
    __builtin_memset(frame, 0, offsetof(struct signal_frame, context.x));
    frame->info = *info;
    frame->context.stack = signals->stack;
    if (signals->stack.bytes == 0) {
        frame->context.stack.flags = SS_DISABLE;
    }
    frame->context.mask = mask;
    __builtin_memcpy(frame->context.x, context->registers.x, sizeof context->registers.x);
    frame->context.x[0] = context->target;
    __builtin_memcpy(frame->context.floats, signals->floats, sizeof signals->floats);
    if ((signals->stack.flags & SS_AUTODISARM) != 0) {
        signals->stack = (struct signal_stack){.bytes = 0};
    }

    context->registers.x[RA] = return_address(context->translator);
    context->registers.x[SP] = address;
    context->registers.x[A0] = (uint64_t)info->number;
    context->registers.x[A1] = address + offsetof(struct signal_frame, info);
    context->registers.x[A2] = address + offsetof(struct signal_frame, context);
    context->target = handler & PC_BITS;
    return true;
}

static const struct frame_context *find_frame(const struct context *context)
{
    return &((const struct signal_frame *)(uintptr_t)context->registers.x[SP])->context;
}

bool target_frame_mask(const struct context *context, uint64_t *mask)
{
    if (!signal_can_read(context->registers.x[SP], sizeof(struct signal_frame))) {
        return false;
    }
    *mask = find_frame(context)->mask;
    return true;
}

bool target_pop_frame(struct context *context)
{
    struct signals *signals = context->signals;
    const struct frame_context *frame = find_frame(context);

    if (frame->floats[FLOAT_RESERVED] != 0 || (uint32_t)frame->floats[FLOAT_RESERVED + 1] != 0) {
        return false;
    }
    __builtin_memcpy(&context->registers.x[1], &frame->x[1], sizeof frame->x - sizeof frame->x[0]);
    __builtin_memcpy(signals->floats, frame->floats, FLOAT_BYTES);
    context->target = frame->x[0] & PC_BITS;
    /* As in the kernel, a stack that cannot be set is not an error here. */
    signal_stack_set(signals, &frame->stack, context->registers.x[SP]);
    load_floats(signals->floats);
    return true;
}

/* Caused by an instruction, not sent by anyone. */
static bool is_own_fault(const struct signal_info *info)
{
    switch (info->number) {
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGTRAP:
    case SIGFPE:
        return info->code > 0;
    default:
        return false;
    }
}

/* The handler begins when the kernel returns from this signal. */
static void deliver(struct context *context, const struct signal_info *info,
                    struct frame_context *frame)
{
    __builtin_memcpy(context->signals->floats, frame->floats, FLOAT_BYTES);
    context->signals->native = NATIVE_NONE;
    frame->mask = signal_deliver(context, info, frame->mask);
    frame->x[TP] = frame->x[A0] = (uintptr_t)context;
    frame->x[0] = (uintptr_t)target_resume;
}

/* The program does it again itself, with its own registers at its own address,
 * and dies of it: the kernel sees what it would have seen without a translator. */
static void fault_natively(struct context *context, const struct signal_info *info,
                           struct frame_context *frame)
{
    /* A word more than the kernel reads: see signal.c. */
    const uint64_t standard[4] = {0};

    outside_leave_cache(context); /* for good */
    report_end(context->translator, 128 + info->number);
    host_call(__NR_rt_sigaction, (long)info->number, standard, NULL, MASK_BYTES);
    __builtin_memcpy(&frame->x[1], &context->registers.x[1], sizeof frame->x - sizeof frame->x[0]);
    frame->x[0] = context->target;
}

/* The program's store to a page that is protected, since code was translated from it: dispatch opens the page,
 * and has the store done. */
static void leave_for_store(struct context *context, const struct signal_info *info,
                            struct frame_context *frame)
{
    struct exit *resume = &context->signals->resume;

    resume->kind = EXIT_STORE;
    resume->target = info->address;
    frame->x[TP] = frame->x[A0] = (uintptr_t)context;
    frame->x[0] = (uintptr_t)target_resume;
}

/* Whoever reads the program's code where there is none gets zeros, and looks at context->spoiled in the end. */
static void skip_load(struct context *context, const struct signal_info *info,
                      struct frame_context *frame)
{
    uint16_t halves[2];
    struct rv64_insn insn;

    __builtin_memcpy(halves, (const void *)(uintptr_t)frame->x[0], sizeof halves);
    rv64_decode((uint32_t)halves[1] << 16 | halves[0], &insn);
    if (context->reading == 0 || (rv64_row(insn.op)->flags & INSN_LOAD) == 0) {
        host_fail(STATUS_FAILED, "internal error: the translator has caused a fault", NULL, NULL,
                  NULL);
    }
    context->unreadable = info->address;
    context->spoiled = 1;
    frame->x[insn.rd] = 0;
    frame->x[0] += insn.length;
}

/* A load that a pass has added gives 0 where it cannot be done. */
static bool skip_added(const struct context *context, struct frame_context *frame)
{
    const uint8_t *code = (const uint8_t *)(uintptr_t)frame->x[0];
    const struct log *log = optimizer_find_log(context->translator->optimizer, code);
    const struct log_load *load = log != NULL ? log_find_load(log, code) : NULL;

    if (load == NULL) {
        return false;
    }
    frame->x[load->dst] = 0;
    frame->x[0] += load->bytes;
    return true;
}

static void handle_fault(struct context *context, struct signal_info *info,
                         struct frame_context *frame)
{
    const uint64_t pc = frame->x[0];
    const bool protected =
        info->number == SIGSEGV && protect_owns(context->translator, info->address);

    if (skip_added(context, frame)) {
        return;
    }
    if (!state_take(context, frame)) {
        if (protected) {
            protect_tear(context->translator, info->address); /* and the store is done again */
        } else {
            skip_load(context, info, frame);
        }
        return;
    }
    if (protected) {
        leave_for_store(context, info, frame);
        return;
    }
    if (info->address == pc) {
        info->address = context->target;
    }
    if (signal_is_handled(context, info->number) && !fault_mask_blocks(context, info->number)) {
        deliver(context, info, frame);
    } else {
        fault_natively(context, info, frame);
    }
}

void target_signal(int number, struct signal_info *info, void *kernel_frame)
{
    struct frame_context *frame = kernel_frame;
    struct context *context = (struct context *)(uintptr_t)frame->x[TP];

    (void)number;
    if (is_own_fault(info)) {
        handle_fault(context, info, frame);
        return;
    }
    if (fault_mask_hold(context, info)) {
        return;
    }
    if (frame->x[0] >= (uintptr_t)target_program_call &&
        frame->x[0] < (uintptr_t)target_call_done) {
        frame->x[0] = (uintptr_t)target_call_stopped;
    } else if (state_roll_forward(context, frame)) {
        deliver(context, info, frame);
        return;
    }
    signal_wait(context, info, frame->mask);
    frame->mask = ALL_SIGNALS;
}
