/* How a program of this target passes system calls, and which it has of its own. */
#include "translator/rv64/rv64.h"
#include "translator/process/system.h"

#include "elf/image.h"

enum { REGISTER_SP = 2, REGISTER_TP = 4, REGISTER_A0 = 10, REGISTER_A7 = 17 };

const uint16_t target_elf_machine = ELF_MACHINE_RISCV;

struct call target_read_call(const struct context *context)
{
    struct call call = {.number = context->x[REGISTER_A7]};

    for (unsigned i = 0; i < CALL_ARGUMENTS; i++) {
        call.arguments[i] = context->x[REGISTER_A0 + i];
    }
    return call;
}

void target_finish_call(struct context *context, int64_t result)
{
    context->x[REGISTER_A0] = (uint64_t)result;
}

uint64_t target_stack(const struct context *context)
{
    return context->x[REGISTER_SP];
}

void target_set_stack(struct context *context, uint64_t stack)
{
    context->x[REGISTER_SP] = stack;
}

void target_set_thread_pointer(struct context *context, uint64_t pointer)
{
    context->x[REGISTER_TP] = pointer;
}

uint64_t target_clone_thread_pointer(const struct call *call)
{
    return call->arguments[3];
}

void target_set_clone_thread_pointer(struct call *call, uint64_t pointer)
{
    call->arguments[3] = pointer;
}

system_handler *target_system_handler(uint64_t number)
{
    switch (number) {
    case NUMBER_HWPROBE:
        return system_refuse;
    case NUMBER_FLUSH_ICACHE:
        return system_sync_code;
    default:
        return NULL;
    }
}
