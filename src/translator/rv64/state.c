/* Where the program is, and where its registers are, when its code in the cache is interrupted. */
#include "translator/rv64/signal.h"

#include "base/check.h"
#include "isa/rv64/decode.h"
#include "translator/rv64/emit.h"

#define NOT_SAVED 0 /* the offset of x[0], which nobody saves */

/* Registers of the program that are in the context for the moment, by offset. */
struct saved {
    uint16_t offset[32];
};

static struct rv64_insn read_instruction(const uint8_t *code)
{
    uint16_t halves[2];
    struct rv64_insn insn;

    __builtin_memcpy(halves, code, sizeof halves);
    rv64_decode((uint32_t)halves[1] << 16 | halves[0], &insn);
    return insn;
}

/* A borrowed register is saved in the context before it is used. */
static void note_saved(struct saved *saved, const uint8_t *from, const uint8_t *to)
{
    while (from < to) {
        const struct rv64_insn insn = read_instruction(from);
        if (insn.op == RV64_sd && insn.rs1 == TP && insn.imm >= CONTEXT_SPARE &&
            insn.imm < CONTEXT_SPARE_END) {
            saved->offset[insn.rs2] = (uint16_t)insn.imm;
        }
        from += insn.length;
    }
}

/* Those that are the translator's own are in the context already, and so are those that a trace has put away. */
static void take_registers(struct context *context, const struct frame_context *frame,
                           const struct saved *saved, const struct log_place *places)
{
    const bool owns_gp = context->translator->process.owns_gp != 0;

    for (unsigned i = 1; i < 32; i++) {
        const struct log_place place =
            places != NULL ? places[i] : (struct log_place){.reg = (uint8_t)i};
        if (saved->offset[i] != NOT_SAVED) {
            context->registers.x[i] =
                *(const uint64_t *)(const void *)((const uint8_t *)context + saved->offset[i]);
        } else if (i != TP && !(i == GP && owns_gp) && !place.in_context) {
            context->registers.x[i] =
                (place.reg != NO_REGISTER ? frame->x[place.reg] : 0) + (uint64_t)place.constant;
        }
    }
}

static bool is_in_cache(const struct translator *translator, const uint8_t *code)
{
    return code >= translator->cache.start && code < translator->cache.end;
}

bool state_take(struct context *context, const struct frame_context *frame)
{
    const struct translator *translator = context->translator;
    const uint8_t *code = (const uint8_t *)(uintptr_t)frame->x[0];
    struct saved saved = {{NOT_SAVED}};

    if (frame->x[0] == context->signals->native) {
        saved.offset[A0] = CONTEXT_X(A0);
        context->target = frame->x[0];
        take_registers(context, frame, &saved, NULL);
        return true;
    }
    if (counter_leave(context, code, saved.offset)) {
        take_registers(context, frame, &saved, NULL);
        return true;
    }
    struct state state;
    if (!is_in_cache(translator, code) || !state_find(translator, code, &state)) {
        return false;
    }
    context->target = state.pc;
    note_saved(&saved, state.piece, code);
    if ((state.held & HELD_GP) != 0) { /* it is the program's for the moment: whole.c */
        context->registers.x[GP] = frame->x[GP];
    }
    const unsigned held = state.held & HELD_REGISTER;
    if (held != 0) { /* it stands for tp */
        context->registers.x[TP] = frame->x[held];
        saved.offset[held] = CONTEXT_SPARE;
    }
    const struct log *log = optimizer_find_log(translator->optimizer, code);
    struct log_place places[OPS_REGISTERS];
    if (log != NULL) {
        log_find(log, code, places);
    }
    take_registers(context, frame, &saved, log != NULL ? places : NULL);
    return true;
}

uint64_t target_register(const struct context *context, unsigned reg)
{
    return context->registers.x[reg];
}

static bool is_between(uint64_t pc, const char *start, const char *end)
{
    return pc >= (uintptr_t)start && pc < (uintptr_t)end;
}

/* On the way from one instruction of the program to the next, without dispatch. */
static bool is_passing(const struct translator *translator, uint64_t pc)
{
    return is_in_cache(translator, (const uint8_t *)(uintptr_t)pc) ||
           is_between(pc, target_checked, target_checked_end) ||
           is_between(pc, target_fetch_slot, target_fetch_slot_end);
}

bool state_roll_forward(struct context *context, struct frame_context *frame)
{
    while (!state_take(context, frame)) {
        if (!is_passing(context->translator, frame->x[0])) {
            return false;
        }
        ASSERT(execute_single(frame));
    }
    counter_interrupt(context, (const uint8_t *)(uintptr_t)frame->x[0]);
    return true;
}
