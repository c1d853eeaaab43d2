/* Tells where the program's registers are on a trace that passes have changed. */
#include "translator/passes/log.h"

#include "target_facts.h"

#include "base/check.h"

/* The register that holds the value's root. */
static struct log_place find(const struct value held[OPS_REGISTERS], struct value wanted,
                             unsigned first)
{
    if (wanted.root == 0) {
        return (struct log_place){.reg = NO_REGISTER, .constant = wanted.offset};
    }
    for (unsigned i = 0; i < OPS_REGISTERS; i++) {
        const unsigned reg = (first + i) % OPS_REGISTERS;
        if (held[reg].root == wanted.root) {
            return (struct log_place){
                .reg = (uint8_t)reg,
                .constant = (int64_t)((uint64_t)wanted.offset - (uint64_t)held[reg].offset)};
        }
    }
    ASSERT(!"some register holds what it should"); /* place.c makes sure */
    return (struct log_place){.reg = NO_REGISTER};
}

void log_find(const struct log *log, const uint8_t *at, struct log_place places[OPS_REGISTERS])
{
    struct value held[OPS_REGISTERS], guest[OPS_REGISTERS];
    const uint32_t offset = (uint32_t)(at - log->start);

    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        const bool here = (TARGET_OWN_REGISTERS >> reg & 1) == 0;
        guest[reg] = (struct value){.root = (uint16_t)reg};
        held[reg] = (struct value){.root = here ? (uint16_t)reg : ROOT_NONE};
    }
    for (const struct log_event *event = log->events;
         event != log->events + log->count && event->at <= offset; event++) {
        const struct value value = {.root = event->root, .offset = event->offset};
        if (event->dst != NO_REGISTER) {
            held[event->dst] = value;
        }
        if (event->guest != NO_REGISTER) {
            guest[event->guest] = value;
        }
    }
    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        const bool in_context = ((TARGET_OWN_REGISTERS | log->spares) >> reg & 1) != 0;
        places[reg] =
            in_context ? (struct log_place){.in_context = true} : find(held, guest[reg], reg);
    }
}

const struct log_load *log_find_load(const struct log *log, const uint8_t *at)
{
    for (unsigned i = 0; i < log->load_count; i++) {
        if (log->start + log->loads[i].at == at) {
            return &log->loads[i];
        }
    }
    return NULL;
}
