/* Where in the program translated code came from, so that changes to its mappings are noticed. */
#include "translator/translator.h"

#define PAGE_BYTES UINT64_C(4096)

static void remove_range(struct translator *translator, unsigned index)
{
    translator->code_count--;
    for (unsigned i = index; i < translator->code_count; i++) {
        translator->code[i] = translator->code[i + 1];
    }
}

/* Joins a range with those behind it that it has come to touch. */
static void join_following(struct translator *translator, unsigned index)
{
    struct code_range *range = &translator->code[index];

    while (index + 1 < translator->code_count && translator->code[index + 1].start <= range->end) {
        if (translator->code[index + 1].end > range->end) {
            range->end = translator->code[index + 1].end;
        }
        remove_range(translator, index + 1);
    }
}

/* Makes room by closing the smallest gap. */
static void join_nearest(struct translator *translator)
{
    unsigned nearest = 0;
    uint64_t smallest = UINT64_MAX;

    for (unsigned i = 0; i + 1 < translator->code_count; i++) {
        const uint64_t gap = translator->code[i + 1].start - translator->code[i].end;
        if (gap < smallest) {
            smallest = gap;
            nearest = i;
        }
    }
    translator->code[nearest].end = translator->code[nearest + 1].end;
    remove_range(translator, nearest + 1);
}

static void insert_range(struct translator *translator, unsigned index, struct code_range range)
{
    for (unsigned i = translator->code_count; i > index; i--) {
        translator->code[i] = translator->code[i - 1];
    }
    translator->code[index] = range;
    translator->code_count++;
}

/* The first range that ends at `start` or behind it. */
static unsigned find_range(const struct translator *translator, guest_addr start)
{
    unsigned low = 0;
    unsigned high = translator->code_count;

    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (translator->code[middle].end < start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void code_add(struct translator *translator, guest_addr start, guest_addr end)
{
    struct code_range range = {
        .start = start & ~(PAGE_BYTES - 1),
        .end = (end + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1),
    };
    unsigned index = find_range(translator, range.start);
    struct code_range *found = &translator->code[index];

    if (index < translator->code_count && found->start <= range.end) {
        if (range.start < found->start) {
            found->start = range.start;
        }
        if (range.end > found->end) {
            found->end = range.end;
            join_following(translator, index);
        }
        return;
    }
    if (translator->code_count == CODE_RANGES) {
        join_nearest(translator);
        code_add(translator, start, end);
        return;
    }
    insert_range(translator, index, range);
}

bool code_overlaps(const struct translator *translator, guest_addr start, uint64_t bytes)
{
    const unsigned index = find_range(translator, start + 1);

    /* bytes may be anything that a program passes: the sum must not wrap. */
    return bytes != 0 && index < translator->code_count &&
           (translator->code[index].start <= start ||
            translator->code[index].start - start < bytes);
}

void code_forget(struct translator *translator)
{
    translator->code_count = 0;
    __builtin_memset(translator->known_pages, 0, sizeof translator->known_pages);
}
