/* Finds the place in the program that an address in the cache stands for. */
#include "translator/state.h"

/* Trampolines stand behind the last piece of the last fragment in their chunk. */
static bool covers(const struct mark *mark, uint32_t offset)
{
    return mark->next != MARK_LAST || offset - mark->start < mark->bytes;
}

/* Of several that begin at the same place, because all but the last are empty,
 * the last. */
const struct mark *state_find(const struct translator *translator, const uint8_t *code)
{
    const uint32_t offset = (uint32_t)(code - translator->cache.start);
    size_t low = 0;
    size_t high = translator->mark_count;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (translator->marks[middle].start <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0 || !covers(&translator->marks[low - 1], offset)) {
        return NULL;
    }
    return &translator->marks[low - 1];
}
