/* Where in the program translated code came from, so that changes to its mappings are noticed. */
#include "translator/fragment/code_ranges.h"

static void remove_range(struct code_ranges *code, unsigned index)
{
    code->count--;
    for (unsigned i = index; i < code->count; i++) {
        code->ranges[i] = code->ranges[i + 1];
    }
}

/* Joins a range with those behind it that it has come to touch. */
static void join_following(struct code_ranges *code, unsigned index)
{
    struct code_range *range = &code->ranges[index];

    while (index + 1 < code->count && code->ranges[index + 1].start <= range->end) {
        if (code->ranges[index + 1].end > range->end) {
            range->end = code->ranges[index + 1].end;
        }
        remove_range(code, index + 1);
    }
}

/* Makes room by closing the smallest gap. */
static void join_nearest(struct code_ranges *code)
{
    unsigned nearest = 0;
    uint64_t smallest = UINT64_MAX;

    for (unsigned i = 0; i + 1 < code->count; i++) {
        const uint64_t gap = code->ranges[i + 1].start - code->ranges[i].end;
        if (gap < smallest) {
            smallest = gap;
            nearest = i;
        }
    }
    code->ranges[nearest].end = code->ranges[nearest + 1].end;
    remove_range(code, nearest + 1);
}

static void insert_range(struct code_ranges *code, unsigned index, struct code_range range)
{
    for (unsigned i = code->count; i > index; i--) {
        code->ranges[i] = code->ranges[i - 1];
    }
    code->ranges[index] = range;
    code->count++;
}

/* The first range that ends at `start` or behind it. */
static unsigned find_range(const struct code_ranges *code, guest_addr start)
{
    unsigned low = 0;
    unsigned high = code->count;

    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (code->ranges[middle].end < start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void code_ranges_add(struct code_ranges *code, guest_addr start, guest_addr end)
{
    struct code_range range = {
        .start = start & ~(CODE_PAGE - 1),
        .end = (end + CODE_PAGE - 1) & ~(CODE_PAGE - 1),
    };

    code->known_pages[start / CODE_PAGE % CODE_KNOWN_PAGES] = start | (CODE_PAGE - 1);
    code->known_pages[(end - 1) / CODE_PAGE % CODE_KNOWN_PAGES] = (end - 1) | (CODE_PAGE - 1);
    unsigned index = find_range(code, range.start);
    struct code_range *found = &code->ranges[index];

    if (index < code->count && found->start <= range.end) {
        if (range.start < found->start) {
            found->start = range.start;
        }
        if (range.end > found->end) {
            found->end = range.end;
            join_following(code, index);
        }
        return;
    }
    if (code->count == CODE_RANGES) {
        join_nearest(code);
        code_ranges_add(code, start, end);
        return;
    }
    insert_range(code, index, range);
}

bool code_ranges_overlap(const struct code_ranges *code, guest_addr start, uint64_t bytes)
{
    const unsigned index = find_range(code, start + 1);

    /* bytes may be anything that a program passes: the sum must not wrap. */
    return bytes != 0 && index < code->count &&
           (code->ranges[index].start <= start || code->ranges[index].start - start < bytes);
}

void code_ranges_forget(struct code_ranges *code)
{
    code->count = 0;
    __builtin_memset(code->known_pages, 0, sizeof code->known_pages);
}
