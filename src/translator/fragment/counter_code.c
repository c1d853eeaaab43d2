/* Places the code of software counters in the cache, and finds the loop that such code belongs to. */
#include "translator/fragment/counter_code.h"

#include "translator/fragment/link.h"
#include "translator/fragment/translator.h"

#define ALIGNMENT 8

const struct counter_layout *counter_code_layout(const struct translator *translator)
{
    switch (translator->options.counters) {
    case COUNTERS_SW_PAPER:
        return &target_paper_layout;
    case COUNTERS_SW_PAPER_TAKEN:
        return &target_taken_layout;
    default:
        return &target_sw_layout;
    }
}

static bool reaches(int64_t distance)
{
    return distance > -TARGET_JUMP_REACH && distance < TARGET_JUMP_REACH;
}

/* Among the fragments, so that the loop that was just built is in a branch's reach;
 * for one that was built long ago, in what is left of its part of the cache. */
static uint8_t *find_room(struct cache *cache, const uint8_t *entry, size_t bytes)
{
    uint8_t *code = cache->fragments + (-(uintptr_t)cache->fragments & (ALIGNMENT - 1));
    if (!reaches(code - entry + (int64_t)bytes) || !reaches(code - entry - (int64_t)bytes)) {
        return cache_take_gap(cache, entry, bytes);
    }
    if (cache->trampolines < code || (size_t)(cache->trampolines - code) < bytes) {
        return NULL;
    }
    cache_commit(cache, code + bytes);
    return code;
}

/* The first that begins behind `code`. */
static unsigned find_behind(const struct counts *counts, const uint8_t *code)
{
    unsigned low = 0;
    unsigned high = counts->placed_count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (counts->placed[middle].code <= code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Those that have gone make room; a signal that searches meanwhile finds each of the others. */
static void close_ranks(struct counts *counts)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < counts->placed_count; i++) {
        if (counts->placed[i].loop != NULL) {
            counts->placed[kept++] = counts->placed[i];
        }
    }
    counts->placed_count = kept;
}

static bool has_room_to_note(struct counts *counts)
{
    if (counts->placed_count == LOOPS) {
        close_ranks(counts);
    }
    return counts->placed_count < LOOPS;
}

static void note(struct counts *counts, const uint8_t *code, struct loop *loop)
{
    unsigned place = counts->placed_count; /* nearly always: code grows upwards */
    while (place > 0 && counts->placed[place - 1].code > code) {
        counts->placed[place] = counts->placed[place - 1];
        place--;
    }
    counts->placed[place] = (struct placed){code, loop};
    __atomic_signal_fence(__ATOMIC_RELEASE); /* a signal that comes now searches them */
    counts->placed_count++;
}

bool counter_code_place(struct translator *translator, struct loop *loop)
{
    const struct counter_layout *layout = counter_code_layout(translator);
    uint8_t *code = find_room(&translator->cache, loop->fragment->entry, layout->bytes);
    if (code == NULL || !has_room_to_note(translator->counts)) {
        return false;
    }
    loop->threshold = count_threshold(translator, loop);
    target_counter_write(translator, code, loop);
    target_sync(translator, CODE_COUNTER, code, code + layout->bytes);
    loop->code = code;
    note(translator->counts, code, loop);
    translator->counts->totals.created++;
    return true;
}

void counter_code_pass_through(struct translator *translator, const struct loop *loop)
{
    const struct counter_layout *layout = counter_code_layout(translator);

    loop->fragment->landing = loop->code + layout->landing;
    target_redirect(translator, loop->fragment, loop->code + layout->indirect);
    link_again(translator, loop->fragment);
}

void counter_code_bypass(struct translator *translator, struct loop *loop)
{
    loop->fragment->landing = loop->fragment->entry;
    target_redirect(translator, loop->fragment, NULL);
    link_again(translator, loop->fragment);
}

/* Behind the code that was just built, which is the exit's own fragment or its target. */
static uint8_t *find_room_between(struct cache *cache, const struct exit *exit,
                                  const struct fragment *to)
{
    const size_t bytes = target_taken_layout.bytes;
    uint8_t *code = cache->fragments + (-(uintptr_t)cache->fragments & (ALIGNMENT - 1));

    if (cache->trampolines < code || (size_t)(cache->trampolines - code) < bytes ||
        !target_taken_reaches(exit, code, to)) {
        return NULL;
    }
    cache_commit(cache, code + bytes);
    return code;
}

static uint8_t *place_for_exit(struct translator *translator, struct loop *loop,
                               const struct exit *exit, const struct fragment *to)
{
    uint8_t *code = has_room_to_note(translator->counts)
                        ? find_room_between(&translator->cache, exit, to)
                        : NULL;
    if (code != NULL) {
        target_taken_write(translator, code, loop, to);
        target_sync(translator, CODE_COUNTER, code, code + target_taken_layout.bytes);
        note(translator->counts, code, loop);
    }
    return code;
}

/* An exit that was linked before has its code still, which may have led to another fragment of the same
 * head. */
bool counter_code_lead_through(struct translator *translator, struct loop *loop, struct exit *exit,
                               const struct fragment *to)
{
    uint8_t *code = target_taken_code(exit);

    if (code == NULL) {
        code = place_for_exit(translator, loop, exit, to);
    } else if (target_taken_reaches(exit, code, to)) {
        target_taken_aim(translator, code, to);
    } else {
        code = NULL;
    }
    if (code == NULL) {
        return false;
    }
    target_taken_link(translator, exit, code);
    return true;
}

void counter_code_forget(struct translator *translator, const uint8_t *code,
                         const struct loop *loop)
{
    struct counts *counts = translator->counts;
    const unsigned behind = find_behind(counts, code);

    if (behind > 0 && counts->placed[behind - 1].loop == loop) {
        counts->placed[behind - 1].loop = NULL;
    }
}

struct placed counter_code_find(const struct translator *translator, const uint8_t *code)
{
    const struct counts *counts = translator->counts;
    const unsigned behind = counts != NULL ? find_behind(counts, code) : 0;

    if (behind == 0 ||
        code >= counts->placed[behind - 1].code + counter_code_layout(translator)->bytes) {
        return (struct placed){NULL, NULL};
    }
    return counts->placed[behind - 1];
}
