/* Sorts all rotations of a block by two bytes, then bucket by bucket, and copies what follows. */
#include "sort.h"
#include "program.h"

enum {
    BUCKETS = 65536,
    SMALL_BLOCK = 5000,  /* not worth the buckets */
    BUDGET_PER_BYTE = 9, /* long comparisons before a block is called repetitive */
    SMALL_RANGE = 18,
    DEPTH_MAX = 14,
    STACK = 100,
    PLAIN_BYTES = 12,
    QUADRANT_BYTES = 8
};

struct sort *sort_create(uint32_t capacity)
{
    struct sort *sort = program_allocate(1, sizeof *sort);
    sort->bytes = program_allocate(capacity + SORT_OVERSHOOT, 1);
    sort->order = program_allocate(capacity, sizeof *sort->order);
    sort->quadrant = program_allocate(capacity + SORT_OVERSHOOT, sizeof *sort->quadrant);
    sort->rank = program_allocate(capacity, sizeof *sort->rank);
    sort->heads = program_allocate(capacity / 32 + 2, sizeof *sort->heads);
    sort->bucket = program_allocate(BUCKETS + 1, sizeof *sort->bucket);
    return sort;
}

void sort_destroy(struct sort *sort)
{
    free(sort->bytes);
    free(sort->order);
    free(sort->quadrant);
    free(sort->rank);
    free(sort->heads);
    free(sort->bucket);
    free(sort);
}

static void place_by_two_bytes(struct sort *sort)
{
    uint32_t *bucket = sort->bucket;
    memset(bucket, 0, (BUCKETS + 1) * sizeof *bucket);
    for (uint32_t i = 0; i < sort->size; i++) {
        bucket[sort->bytes[i] << 8 | sort->bytes[i + 1]]++;
    }
    for (unsigned pair = 1; pair <= BUCKETS; pair++) {
        bucket[pair] += bucket[pair - 1];
    }
    for (uint32_t i = sort->size; i-- > 0;) {
        sort->order[--bucket[sort->bytes[i] << 8 | sort->bytes[i + 1]]] = i;
    }
}

/* Whether the rotation at a is behind the one at b, both known to agree in `depth` bytes.  Equal
 * bytes have comparable quadrants: either both are from sorted buckets or both are 0. */
static bool rotation_behind(struct sort *sort, uint32_t a, uint32_t b, unsigned depth)
{
    const uint8_t *bytes = sort->bytes;
    const uint16_t *quadrant = sort->quadrant;
    a += depth;
    b += depth;
    for (unsigned i = 0; i < PLAIN_BYTES; i++, a++, b++) {
        if (bytes[a] != bytes[b]) {
            return bytes[a] > bytes[b];
        }
    }
    for (uint32_t compared = 0; compared < sort->size; compared += QUADRANT_BYTES) {
        for (unsigned i = 0; i < QUADRANT_BYTES; i++, a++, b++) {
            if (bytes[a] != bytes[b]) {
                return bytes[a] > bytes[b];
            }
            if (quadrant[a] != quadrant[b]) {
                return quadrant[a] > quadrant[b];
            }
        }
        a -= a >= sort->size ? sort->size : 0;
        b -= b >= sort->size ? sort->size : 0;
        sort->budget--;
    }
    return false;
}

static void shell_sort(struct sort *sort, uint32_t low, uint32_t high, unsigned depth)
{
    static const uint32_t gaps[] = {3280, 1093, 364, 121, 40, 13, 4, 1};
    uint32_t *order = sort->order;
    for (unsigned g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        uint32_t gap = gaps[g];
        for (uint32_t i = low + gap; i < high; i++) {
            uint32_t moved = order[i], at = i;
            while (at >= low + gap && rotation_behind(sort, order[at - gap], moved, depth)) {
                order[at] = order[at - gap];
                at -= gap;
            }
            order[at] = moved;
            if (sort->budget < 0) {
                return;
            }
        }
    }
}

static uint8_t median(uint8_t a, uint8_t b, uint8_t c)
{
    if (a > b) {
        uint8_t swap = a;
        a = b;
        b = swap;
    }
    if (c <= a) {
        return a;
    }
    return c < b ? c : b;
}

struct range {
    uint32_t low;
    uint32_t high;
    unsigned depth;
};

/* Three parts by the byte at `depth`: less than the pivot, equal, greater. */
static void partition(struct sort *sort, struct range range, uint32_t *equal_low,
                      uint32_t *equal_high)
{
    uint32_t *order = sort->order;
    const uint8_t *bytes = sort->bytes + range.depth;
    uint8_t pivot = median(bytes[order[range.low]], bytes[order[range.high - 1]],
                           bytes[order[range.low + (range.high - range.low) / 2]]);
    uint32_t less = range.low, at = range.low, greater = range.high;
    while (at < greater) {
        uint32_t start = order[at];
        uint8_t byte = bytes[start];
        if (byte < pivot) {
            order[at++] = order[less];
            order[less++] = start;
        } else if (byte > pivot) {
            order[at] = order[--greater];
            order[greater] = start;
        } else {
            at++;
        }
    }
    *equal_low = less;
    *equal_high = greater;
}

static void push_range(struct range *stack, unsigned *used, uint32_t low, uint32_t high,
                       unsigned depth)
{
    if (high - low > 1) {
        program_check(*used < STACK, "the stack of ranges suffices");
        stack[(*used)++] = (struct range){low, high, depth};
    }
}

static void sort_range(struct sort *sort, uint32_t first, uint32_t end)
{
    struct range stack[STACK];
    unsigned used = 0;
    push_range(stack, &used, first, end, 2);
    while (used > 0 && sort->budget >= 0) {
        struct range range = stack[--used];
        uint32_t low, high;
        if (range.high - range.low < SMALL_RANGE || range.depth > DEPTH_MAX) {
            shell_sort(sort, range.low, range.high, range.depth);
            continue;
        }
        partition(sort, range, &low, &high);
        push_range(stack, &used, range.low, low, range.depth);
        push_range(stack, &used, high, range.high, range.depth);
        push_range(stack, &used, low, high, range.depth + 1);
    }
}

struct progress {
    bool pair_sorted[BUCKETS];
    bool byte_sorted[256];
    uint8_t running[256]; /* the first bytes, rarest first */
};

static uint32_t bytes_starting_with(const struct sort *sort, unsigned byte)
{
    return sort->bucket[(byte + 1) << 8] - sort->bucket[byte << 8];
}

static void order_by_frequency(const struct sort *sort, struct progress *progress)
{
    for (unsigned i = 0; i < 256; i++) {
        unsigned at = i;
        uint32_t count = bytes_starting_with(sort, i);
        while (at > 0 && bytes_starting_with(sort, progress->running[at - 1]) > count) {
            progress->running[at] = progress->running[at - 1];
            at--;
        }
        progress->running[at] = (uint8_t)i;
    }
}

static void sort_pairs_from(struct sort *sort, struct progress *progress, unsigned byte)
{
    for (unsigned second = 0; second < 256; second++) {
        unsigned pair = byte << 8 | second;
        if (second != byte && !progress->pair_sorted[pair]) {
            sort_range(sort, sort->bucket[pair], sort->bucket[pair + 1]);
            progress->pair_sorted[pair] = true;
        }
    }
}

/* The rotations that start with `byte` are in order, so those that start one place earlier are,
 * too, among those with the same first byte. */
static void copy_pairs_to(struct sort *sort, struct progress *progress, unsigned byte)
{
    uint32_t start[256], end[256];
    uint32_t *order = sort->order, first = sort->bucket[byte << 8];
    uint32_t last = sort->bucket[(byte + 1) << 8];
    for (unsigned other = 0; other < 256; other++) {
        start[other] = sort->bucket[other << 8 | byte];
        end[other] = sort->bucket[(other << 8 | byte) + 1];
        progress->pair_sorted[other << 8 | byte] = true;
    }
    for (uint32_t i = first; i < start[byte]; i++) {
        uint32_t before = order[i] == 0 ? sort->size - 1 : order[i] - 1;
        uint8_t other = sort->bytes[before];
        if (!progress->byte_sorted[other]) {
            order[start[other]++] = before;
        }
    }
    for (uint32_t i = last; i > end[byte]; i--) {
        uint32_t before = order[i - 1] == 0 ? sort->size - 1 : order[i - 1] - 1;
        uint8_t other = sort->bytes[before];
        if (!progress->byte_sorted[other]) {
            order[--end[other]] = before;
        }
    }
}

static void note_quadrants(struct sort *sort, unsigned byte)
{
    uint32_t first = sort->bucket[byte << 8], count = bytes_starting_with(sort, byte);
    unsigned shift = 0;
    while (count >> shift > UINT16_MAX - 1) {
        shift++;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = sort->order[first + i];
        sort->quadrant[at] = (uint16_t)(i >> shift);
        if (at < SORT_OVERSHOOT) {
            sort->quadrant[at + sort->size] = (uint16_t)(i >> shift);
        }
    }
}

bool sort_quick(struct sort *sort)
{
    struct progress *progress = program_allocate(1, sizeof *progress);
    sort->budget = (int64_t)sort->size * BUDGET_PER_BYTE;
    memset(sort->quadrant, 0, (sort->size + SORT_OVERSHOOT) * sizeof *sort->quadrant);
    place_by_two_bytes(sort);
    order_by_frequency(sort, progress);
    for (unsigned i = 0; i < 256 && sort->budget >= 0; i++) {
        unsigned byte = progress->running[i];
        if (bytes_starting_with(sort, byte) == 0) {
            continue;
        }
        sort_pairs_from(sort, progress, byte);
        if (sort->budget >= 0) {
            copy_pairs_to(sort, progress, byte);
            progress->byte_sorted[byte] = true;
            note_quadrants(sort, byte);
        }
    }
    free(progress);
    return sort->budget >= 0;
}

void sort_block(struct sort *sort, struct sort_counts *counts)
{
    for (unsigned i = 0; i < SORT_OVERSHOOT; i++) {
        sort->bytes[sort->size + i] = sort->bytes[i % sort->size];
    }
    if (sort->size >= SMALL_BLOCK) {
        if (sort_quick(sort)) {
            counts->quick++;
            return;
        }
        counts->given_up++;
    }
    counts->fallback++;
    sort_fallback(sort);
}
