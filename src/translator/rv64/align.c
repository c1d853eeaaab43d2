/* Aligns what is changed while other threads execute it, if possible without an instruction more.
 *
 * A word can be changed at once only where its address is a multiple of four.  A
 * compressed instruction before it does the same in four bytes, and costs nothing. */
#include "translator/rv64/emit.h"

#include "base/check.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/encode.h"

static unsigned length_at(const uint8_t *code)
{
    return (*code & 3) == 3 ? 4 : 2;
}

/* The last compressed instruction of a run, or NULL. */
static uint8_t *find_half(uint8_t *run, const uint8_t *end)
{
    uint8_t *half = NULL;

    for (uint8_t *at = run; at < end; at += length_at(at)) {
        if (length_at(at) == 2) {
            half = at;
        }
    }
    return half;
}

static bool widen(const uint8_t *half, uint32_t *word)
{
    struct rv64_insn insn;

    rv64_decode(*(const uint16_t *)(const void *)half, &insn);
    return insn.op != RV64_illegal && rv64_encode(&insn, word);
}

/* Code was copied up to emitter->at, and nothing has followed it yet. */
static bool widen_copy(struct emitter *emitter)
{
    struct marks *marks = &emitter->translator->marks;
    struct mark *mark = marks->next - 1;
    uint8_t *end = emitter->at;
    uint8_t *run = end - mark->run_bytes;
    uint32_t word;

    if (mark->piece != (uint32_t)(uintptr_t)end) {
        return false;
    }
    uint8_t *half = find_half(run, end);
    if (half == NULL || !widen(half, &word)) {
        return false;
    }
    const size_t rest = (size_t)(end - (half + 2));
    __builtin_memmove(half + 4, half + 2, rest);
    put_word(half, word);
    emitter->at += 2;
    /* What is wider than the program's own is a piece by itself. */
    const guest_addr pc = mark->pc;
    *mark = (struct mark){.piece = (uint32_t)(uintptr_t)half,
                          .run_bytes = (uint16_t)(half - run),
                          .pc = pc - (uint64_t)(end - half)};
    state_add_mark(marks, half + 4, emitter->at, pc);
    return true;
}

SELDOM static void add_half(struct emitter *emitter)
{
    const bool begun =
        emitter->fragment->entry != NULL; /* else the last mark is another fragment's */

    if (!begun || !widen_copy(emitter)) {
        emit_half(emitter, NOTHING_HALF);
    }
}

/* In each branch's way: so short that it can be a part of its callers. */
void emit_alignment(struct emitter *emitter)
{
    if (UNLIKELY(emitter->translator->threaded) && ((uintptr_t)emitter->at & 2) != 0) {
        add_half(emitter);
    }
}
