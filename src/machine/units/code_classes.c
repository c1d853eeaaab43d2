/* Counts retired instructions by what ic.sync said their bytes are. */
#include "machine/units/code_classes.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

struct class_range {
    guest_addr start, end;
    unsigned class;
};

/* A translator writes code of one class side by side, so the ranges, which are
 * joined where they touch, stay few. */
struct code_classes {
    struct unit unit;
    struct class_range *ranges; /* sorted; they do not overlap */
    size_t count, capacity;
    uint64_t totals[CODE_CLASSES];
};

/* The first range that ends behind `address`. */
static size_t find(const struct code_classes *classes, guest_addr address)
{
    size_t low = 0, high = classes->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (classes->ranges[middle].end <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

unsigned code_classes_of(const struct code_classes *classes, guest_addr pc)
{
    const size_t i = find(classes, pc);
    return i < classes->count && classes->ranges[i].start <= pc ? classes->ranges[i].class : 0;
}

/* Replaces `removed` ranges from `at` on by `added` others. */
static void replace(struct code_classes *classes, size_t at, size_t removed,
                    const struct class_range *ranges, size_t added)
{
    const size_t count = classes->count - removed + added;
    if (count > classes->capacity) {
        classes->capacity = count * 2;
        classes->ranges = realloc(classes->ranges, classes->capacity * sizeof *classes->ranges);
        ASSERT(classes->ranges != NULL);
    }
    memmove(classes->ranges + at + added, classes->ranges + at + removed,
            (classes->count - at - removed) * sizeof *ranges);
    memcpy(classes->ranges + at, ranges, added * sizeof *ranges);
    classes->count = count;
}

/* Appends a range that is not empty; one that continues the last makes it longer. */
static void append(struct class_range *list, size_t *count, struct class_range range)
{
    if (range.start >= range.end) {
        return;
    }
    if (*count > 0 && list[*count - 1].end == range.start &&
        list[*count - 1].class == range.class) {
        list[*count - 1].end = range.end;
    } else {
        list[(*count)++] = range;
    }
}

void code_classes_name(struct code_classes *classes, guest_addr start, uint64_t bytes,
                       unsigned class)
{
    ASSERT(class < CODE_CLASSES);
    if (bytes == 0 || start >= GUEST_SPACE_BYTES) {
        return;
    }
    const guest_addr end = bytes < GUEST_SPACE_BYTES - start ? start + bytes : GUEST_SPACE_BYTES;
    size_t first = find(classes, start);
    if (first < classes->count && classes->ranges[first].class == class &&
        classes->ranges[first].start <= start && end <= classes->ranges[first].end) {
        return; /* a patch of code that is there */
    }
    if (first > 0 && classes->ranges[first - 1].end == start) {
        first--; /* may be joined */
    }
    size_t last = first; /* the first range that stays as it is */
    while (last < classes->count && classes->ranges[last].start <= end) {
        last++;
    }
    struct class_range made[4];
    size_t count = 0;
    const struct class_range named = {.start = start, .end = end, .class = class};
    if (first < last) {
        struct class_range before = classes->ranges[first];
        before.end = before.end < start ? before.end : start;
        append(made, &count, before);
    }
    append(made, &count, named);
    if (first < last) {
        struct class_range after = classes->ranges[last - 1];
        after.start = after.start > end ? after.start : end;
        append(made, &count, after);
    }
    replace(classes, first, last - first, made, count);
    classes->unit.host.rewatch(classes->unit.host.machine, start, end - start);
}

void code_classes_take_back(struct code_classes *classes, guest_addr pc)
{
    classes->totals[code_classes_of(classes, pc)]--;
}

void code_classes_keep(const struct code_classes *classes, uint64_t totals[CODE_CLASSES])
{
    memcpy(totals, classes->totals, sizeof classes->totals);
}

void code_classes_put_back(struct code_classes *classes, const uint64_t totals[CODE_CLASSES])
{
    memcpy(classes->totals, totals, sizeof classes->totals);
}

uint64_t code_classes_total(const struct code_classes *classes, unsigned class)
{
    ASSERT(class < CODE_CLASSES);
    return classes->totals[class];
}

static struct watch_request watches(struct unit *unit, guest_addr pc, const struct rv64_insn *insn)
{
    (void)insn;
    struct code_classes *classes = (struct code_classes *)(void *)unit;
    return (struct watch_request){.events = WATCH_TOTAL,
                                  .total = &classes->totals[code_classes_of(classes, pc)]};
}

static void destroy(struct unit *unit)
{
    struct code_classes *classes = (struct code_classes *)(void *)unit;
    free(classes->ranges);
    free(classes);
}

static const struct unit_kind kind = {
    .name = "code_classes", .watches = watches, .destroy = destroy};

struct code_classes *code_classes_create(struct unit_host host)
{
    struct code_classes *classes = calloc(1, sizeof *classes);
    if (classes == NULL) {
        return NULL;
    }
    classes->unit.kind = &kind;
    classes->unit.host = host;
    return classes;
}

struct unit *code_classes_unit(struct code_classes *classes)
{
    return &classes->unit;
}
