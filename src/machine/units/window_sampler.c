/* Shows all instructions that retire to a sampler of windows (slice/sampler.h). */
#include "machine/units/window_sampler.h"

#include "slice/sampler.h"

#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

struct window_sampler {
    struct unit unit;
    struct sampler *sampler;
    const struct hart *hart; /* whose instructions came last */
    guest_addr address;      /* of the access of the instruction that retires next */
    pid_t owner;             /* a child of the program has no part in the plan */
    bool foreign;
    bool called; /* the last instruction was a system call: it may have forked */
};

static struct window_sampler *of(struct unit *unit)
{
    return (struct window_sampler *)(void *)unit;
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    (void)unit;
    const bool accesses = (instruction->flags & (WATCHED_LOAD | WATCHED_STORE)) != 0;
    return (struct watch_request){.events = WATCH_EXECUTED | (accesses ? WATCH_MEMORY : 0u)};
}

static void on_memory(struct unit *unit, const struct watch_event *event)
{
    of(unit)->address = event->address;
}

static void on_executed(struct unit *unit, const struct watch_event *event)
{
    struct window_sampler *own = of(unit);
    const struct watch_instruction *instruction = event->instruction;
    if (own->called) {
        own->called = false;
        own->foreign = getpid() != own->owner;
    }
    if (own->foreign) {
        return;
    }
    own->called = instruction->insn->op == RV64_ecall;
    if (event->hart != own->hart) {
        sampler_break(own->sampler);
        own->hart = event->hart;
    }
    const struct slice_retired retired = {
        .pc = instruction->pc, .address = own->address, .word = instruction->insn->word};
    sampler_retire(own->sampler, &retired);
}

static bool finish(struct unit *unit)
{
    if (!of(unit)->foreign) {
        sampler_break(of(unit)->sampler);
    }
    return true;
}

static void destroy(struct unit *unit)
{
    sampler_destroy(of(unit)->sampler);
    free(unit);
}

static const struct unit_kind kind = {.name = "window_sampler",
                                      .watches = watches,
                                      .memory = on_memory,
                                      .executed = on_executed,
                                      .finish = finish,
                                      .destroy = destroy};

struct unit *window_sampler_create(struct sampler_plan *plan, struct unit_host host)
{
    struct window_sampler *own = calloc(1, sizeof *own);
    if (own == NULL || (own->sampler = sampler_create(plan)) == NULL) {
        free(own);
        return NULL;
    }
    own->unit = (struct unit){.kind = &kind, .host = host};
    own->owner = getpid();
    return &own->unit;
}
