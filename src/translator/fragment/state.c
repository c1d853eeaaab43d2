/* Finds the place in the program that an address in the cache stands for. */
#include "translator/fragment/translator.h"

/* The last mark whose run begins at `offset` or before it; of several that begin
 * at one place, because all but the last are empty, the last.  NULL if all begin
 * behind it. */
static const struct mark *find_mark(const struct translator *translator, uint32_t offset)
{
    const uint32_t base = (uint32_t)(uintptr_t)translator->cache.start;
    size_t low = 0;
    size_t high = (size_t)(translator->marks.next - translator->marks.start);

    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct mark *mark = &translator->marks.start[middle];
        if (mark->piece - base - mark->run_bytes <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? NULL : &translator->marks.start[low - 1];
}

bool state_find(const struct translator *translator, const uint8_t *code, struct state *state)
{
    const uint32_t base = (uint32_t)(uintptr_t)translator->cache.start;
    const uint32_t offset = (uint32_t)(uintptr_t)code - base;
    const struct mark *mark = find_mark(translator, offset);

    if (mark == NULL) {
        return false;
    }
    const uint32_t piece = mark->piece - base;
    state->piece = code;
    state->held = 0;
    if (offset < piece) {
        state->pc = mark->pc - (piece - offset);
        return true;
    }
    if (offset - piece <= mark->own) {
        state->pc = mark->pc;
        state->piece = translator->cache.start + piece;
        state->held = mark->held;
        return true;
    }
    return false;
}
