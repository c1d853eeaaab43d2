/* Keeps the sliding window full and finds the longest earlier string. */
#include "matcher.h"
#include <string.h>
#include "prefetch.h"

static void restart_hash(struct matcher *matcher)
{
    matcher->hash = 0;
    for (unsigned i = 0; i < MATCH_MIN - 1; i++) {
        matcher->hash =
            (matcher->hash << HASH_SHIFT ^ matcher->window[matcher->start + i]) & (HASH_SIZE - 1);
    }
}

void matcher_init(struct matcher *matcher, const uint8_t *input, size_t size)
{
    memset(matcher, 0, sizeof *matcher);
    matcher->input = input;
    matcher->input_left = size;
    matcher_fill(matcher);
    restart_hash(matcher);
}

static void slide_positions(uint16_t *positions, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned position = positions[i];
        positions[i] = (uint16_t)(position >= WINDOW_BYTES ? position - WINDOW_BYTES : 0);
    }
}

static void slide(struct matcher *matcher)
{
    memcpy(matcher->window, matcher->window + WINDOW_BYTES, WINDOW_BYTES);
    matcher->start -= WINDOW_BYTES;
    matcher->match_start -= WINDOW_BYTES;
    slide_positions(matcher->head, HASH_SIZE);
    slide_positions(matcher->previous, WINDOW_BYTES);
}

void matcher_fill(struct matcher *matcher)
{
    if (matcher->ahead >= LOOKAHEAD_MIN || matcher->input_left == 0) {
        return;
    }
    if (matcher->start >= WINDOW_BYTES + DISTANCE_MAX) {
        slide(matcher);
    }
    size_t room = 2 * WINDOW_BYTES - matcher->start - matcher->ahead;
    size_t count = room < matcher->input_left ? room : matcher->input_left;
    memcpy(matcher->window + matcher->start + matcher->ahead, matcher->input, count);
    matcher->input += count;
    matcher->input_left -= count;
    matcher->ahead += (unsigned)count;
}

void matcher_skip_unhashed(struct matcher *matcher, unsigned count)
{
    matcher->start += count;
    matcher->ahead -= count;
    restart_hash(matcher);
}

static unsigned common_length(const uint8_t *a, const uint8_t *b, unsigned most)
{
    unsigned length = 0;
    while (length < most && a[length] == b[length]) {
        length++;
    }
    return length;
}

unsigned matcher_longest(struct matcher *matcher, unsigned candidate, unsigned best,
                         const struct effort *effort)
{
    const uint8_t *window = matcher->window;
    const uint8_t *scan = window + matcher->start;
    unsigned limit = matcher->start > DISTANCE_MAX ? matcher->start - DISTANCE_MAX : 0;
    unsigned most = matcher->ahead < MATCH_MAX ? matcher->ahead : MATCH_MAX;
    unsigned nice = effort->nice_length < most ? effort->nice_length : most;
    unsigned chain = effort->chain_limit;
    if (best >= effort->good_length) {
        chain /= 4;
    }
    for (; candidate > limit && best < most && chain > 0; chain--) {
        const uint8_t *text = window + candidate;
        PREFETCH(window + matcher->previous[candidate & WINDOW_MASK]);
        matcher->candidates++;
        if (text[best] == scan[best] && text[best - 1] == scan[best - 1] && text[0] == scan[0]) {
            unsigned length = common_length(text, scan, most);
            if (length > best) {
                best = length;
                matcher->match_start = candidate;
                if (length >= nice) {
                    break;
                }
            }
        }
        candidate = matcher->previous[candidate & WINDOW_MASK];
    }
    return best;
}
