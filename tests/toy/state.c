/* Where the program is, and where its registers are, when its code in the cache is interrupted. */
#include "emit.h"

/* A borrowed register is saved in the context before it is used. */
static void take_saved(const struct context *context, const uint8_t *from, const uint8_t *to,
                       struct target_registers *registers)
{
    const uint64_t *words = (const uint64_t *)(const void *)context;

    while (from < to) {
        struct toy_insn insn;
        toy_decode(from, &insn);
        if (insn.op == TOY_OWN_SAVE) {
            registers->r[insn.rd] = words[(uint8_t)insn.imm];
        } else if (insn.op == TOY_OWN_SAVE_FLAGS) {
            registers->flags = words[(uint8_t)insn.imm];
        }
        from += insn.bytes;
    }
}

bool state_take(const struct context *context, const uint8_t *code,
                const struct target_registers *found, struct target_registers *registers,
                guest_addr *pc)
{
    const struct translator *translator = context->translator;
    struct state state;

    if (code < translator->cache.start || code >= translator->cache.end ||
        !state_find(translator, code, &state)) {
        return false;
    }
    *registers = *found;
    take_saved(context, state.piece, code, registers);
    *pc = state.pc;
    return true;
}
