/* System calls that only RISC-V has, and what a new context needs. */
#include "translator/process/system.h"
#include "translator/rv64/emit.h"

#include "translator/host/host.h"

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

/* As in Linux' asm/hwprobe.h, which older headers do not have. */
#define HWPROBE_KEY_EXTENSIONS 4
#define HWPROBE_EXTENSION_ZBA UINT64_C(8)

void target_look_at_processor(struct translator *translator)
{
    struct {
        int64_t key;
        uint64_t value;
    } pair = {.key = HWPROBE_KEY_EXTENSIONS};

    /* A system that does not have the call changes nothing; one that does not know the key changes that. */
    host_call(NUMBER_HWPROBE, (uintptr_t)&pair, 1L, 0L, 0L, 0L);
    translator->process.adds_shifted =
        pair.key == HWPROBE_KEY_EXTENSIONS && (pair.value & HWPROBE_EXTENSION_ZBA) != 0;
}

void target_take_scratch(struct translator *translator)
{
    translator->process.owns_gp = 1;
    translator->plan.scratch = true;
}

uint64_t target_clock(const struct translator *translator)
{
    uint64_t now;

    if (translator->has_hardware) {
        __asm__ volatile("rdinstret %0" : "=r"(now));
    } else { /* not all systems let programs count instructions */
        __asm__ volatile("rdtime %0" : "=r"(now));
    }
    return now;
}

uint64_t target_cycles(const struct translator *translator)
{
    uint64_t now = 0;

    if (translator->has_hardware) {
        __asm__ volatile("rdcycle %0" : "=r"(now));
    }
    return now;
}

void target_prepare(struct context *context)
{
    context->scratch = context->translator->process.owns_gp;
    context->builder_cost = context->translator->options.builder_cost;
    context->leave = context->builder_cost == 0 ? target_leave : target_leave_dear;
}
