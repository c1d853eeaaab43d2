/* Keeps sequences whole that begin with `hold` and end with `keep`.
 *
 * Between the two there are only instructions that do not access memory, and branches.  Each keeps its length in
 * the cache, so that those within the sequence stay as they are; the others go to a jump behind it. */
#include "emit.h"

#include "base/check.h"

static bool is_branch(const struct toy_insn *insn)
{
    return insn->op == TOY_BRANCH8 || insn->op == TOY_BRANCH32;
}

/* Whether it can stand between the two. */
static bool can_be_inside(const struct toy_insn *insn)
{
    return is_branch(insn) ||
           (!toy_uses_memory((enum toy_op)insn->op) && insn->op >= TOY_INC && insn->op < TOY_LEA);
}

/* A displacement of a branch in a sequence of `bytes`, `at` bytes from its beginning.  Back to the beginning is
 * a loop, which leaves. */
static bool leaves(const struct toy_insn *insn, unsigned at, unsigned bytes)
{
    const int64_t to = (int64_t)at + insn->bytes + insn->imm;

    return is_branch(insn) && (to <= (int64_t)at || to >= (int64_t)bytes);
}

/* Returns the bytes of the sequence, 0 if it is none. */
static unsigned read_sequence(guest_addr pc, uint64_t limit, uint8_t *code, struct whole *whole)
{
    const volatile uint8_t *from = (const volatile uint8_t *)(uintptr_t)pc;
    struct toy_insn insn;
    unsigned bytes = 0;

    do {
        if (whole->instructions == TARGET_WHOLE_INSTRUCTIONS || whole->instructions == limit) {
            /* Where there is more room it may be one. */
            whole->instructions = limit < TARGET_WHOLE_INSTRUCTIONS ? (unsigned)limit + 1 : 0;
            return 0;
        }
        code[bytes] = from[bytes];
        for (unsigned i = 1; i < toy_length(code[bytes]); i++) {
            code[bytes + i] = from[bytes + i];
        }
        toy_decode(code + bytes, &insn);
        if (bytes != 0 && insn.op != TOY_KEEP && !can_be_inside(&insn)) {
            whole->instructions = 0;
            return 0;
        }
        bytes += insn.bytes;
        whole->instructions++;
    } while (insn.op != TOY_KEEP);
    return bytes;
}

void whole_read(guest_addr pc, uint64_t limit, uint8_t *code, struct whole *whole)
{
    struct toy_insn insn;

    *whole = (struct whole){.instructions = 0};
    whole->bytes = read_sequence(pc, limit, code, whole);
    for (unsigned at = 0; at < whole->bytes; at += insn.bytes) {
        toy_decode(code + at, &insn);
        if (!leaves(&insn, at, whole->bytes)) {
            continue;
        }
        if (whole->side_count == TARGET_SIDES) {
            *whole = (struct whole){.instructions = 0};
            return;
        }
        const guest_addr from = pc + at;
        whole->sides[whole->side_count].from = from;
        whole->sides[whole->side_count++].target = from + insn.bytes + (uint64_t)insn.imm;
    }
}

/* Sends the branches that leave to their exits, one after the other behind the sequence at `start`. */
static unsigned emit_sides(struct emitter *emitter, uint8_t *start, unsigned bytes,
                           struct exit *exits)
{
    struct toy_insn insn;
    unsigned count = 0;

    for (unsigned at = 0; at < bytes; at += insn.bytes) {
        toy_decode(start + at, &insn);
        if (!leaves(&insn, at, bytes)) {
            continue;
        }
        insn.imm = emitter->at - (start + at + insn.bytes);
        toy_encode(start + at, &insn);
        exit_emit(emitter->translator, &exits[count], emit_own_jump(emitter, emitter->at));
        count++;
    }
    return count;
}

/* A copy for whoever looks for the program's place in it, up to the jump over the sides. */
unsigned whole_emit(struct emitter *emitter, const struct step *step, const uint8_t *code,
                    const uint8_t *run, struct exit *exits)
{
    uint8_t *start = emitter->at;

    __builtin_memcpy(start, code, step->bytes);
    emitter->at += step->bytes;
    if (step[1].kind != STEP_SIDE) {
        return 0;
    }
    state_add_mark(&emitter->translator->marks, run, emitter->at, step_end(step));
    uint8_t *over = emit_own_jump(emitter, emitter->at);
    const unsigned count = emit_sides(emitter, start, step->bytes, exits);
    displacement_set(over, emitter->at);
    return count;
}
