/* Where the program is, and where its registers are, when its code in the cache is interrupted. */
#include "translator/rv64/signal.h"
#include "translator/state.h"

#include "base/check.h"
#include "isa/rv64/decode.h"
#include "translator/rv64/rv64.h"

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

static void take_registers(struct context *context, const struct frame_context *frame,
                           const struct saved *saved)
{
    for (unsigned i = 1; i < 32; i++) {
        if (saved->offset[i] != NOT_SAVED) {
            context->x[i] = *(const uint64_t *)(const void *)((const uint8_t *)context +
                                                              saved->offset[i]);
        } else if (i != TP) {
            context->x[i] = frame->x[i];
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
        take_registers(context, frame, &saved);
        return true;
    }
    if (target_count_leave(context, code, saved.offset)) {
        take_registers(context, frame, &saved);
        return true;
    }
    const struct mark *mark = is_in_cache(translator, code) ? state_find(translator, code) : NULL;
    if (mark == NULL) {
        return false;
    }
    const uint8_t *start = translator->cache.start + mark->start;
    const size_t offset = (size_t)(code - start);
    if (offset >= mark->bytes) {
        context->target = mark->next + (offset - mark->bytes);
    } else if (mark->own != MARK_ENTRY && offset <= mark->own) {
        note_saved(&saved, start, code);
        context->target = mark->pc;
    } else {
        return false;
    }
    take_registers(context, frame, &saved);
    return true;
}

static bool is_passing(const struct translator *translator, uint64_t pc)
{
    return is_in_cache(translator, (const uint8_t *)(uintptr_t)pc) ||
           (pc >= (uintptr_t)target_checked && pc < (uintptr_t)target_checked_end) ||
           (pc >= (uintptr_t)target_fetch_slot && pc < (uintptr_t)target_fetch_slot_end);
}

bool state_roll_forward(struct context *context, struct frame_context *frame)
{
    while (!state_take(context, frame)) {
        if (!is_passing(context->translator, frame->x[0])) {
            return false;
        }
        ASSERT(step_instruction(frame));
    }
    return true;
}
