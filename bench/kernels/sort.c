/* Bench kernel: integer sorts and sieves.
 *
 * Exercises data-dependent branches (quick, heap, shell sort), block copies (merge sort), strided
 * and scattered stores (radix sort, sieves), one recursion (quick sort) and an indirect call per
 * sort.  The scale is the number of rounds; each round sorts new arrays. */
#include "kernel.h"

#define SCALE_DEFAULT 12u
#define ITEMS 40000u
#define SIEVE_LIMIT 1000000u
#define INSERTION_CUTOFF 12u

static void sort_insertion(uint32_t *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t item = items[i];
        size_t hole = i;
        while (hole > 0 && items[hole - 1] > item) {
            items[hole] = items[hole - 1];
            hole--;
        }
        items[hole] = item;
    }
}

static void swap_items(uint32_t *a, uint32_t *b)
{
    uint32_t saved = *a;
    *a = *b;
    *b = saved;
}

/* Hoare partition around the median of three; recurs into the smaller side only, so that the
 * stack stays logarithmic on any input. */
static void sort_quick(uint32_t *items, size_t count)
{
    while (count > INSERTION_CUTOFF) {
        size_t middle = count / 2;
        size_t last = count - 1;
        if (items[middle] < items[0]) {
            swap_items(&items[middle], &items[0]);
        }
        if (items[last] < items[0]) {
            swap_items(&items[last], &items[0]);
        }
        if (items[last] < items[middle]) {
            swap_items(&items[last], &items[middle]);
        }
        uint32_t pivot = items[middle];
        size_t low = 0;
        size_t high = last;
        for (;;) {
            while (items[low] < pivot) {
                low++;
            }
            while (items[high] > pivot) {
                high--;
            }
            if (low >= high) {
                break;
            }
            swap_items(&items[low++], &items[high--]);
        }
        size_t split = high + 1;
        if (split < count - split) {
            sort_quick(items, split);
            items += split;
            count -= split;
        } else {
            sort_quick(items + split, count - split);
            count = split;
        }
    }
    sort_insertion(items, count);
}

static void sift_down(uint32_t *heap, size_t root, size_t count)
{
    uint32_t item = heap[root];
    for (;;) {
        size_t child = 2 * root + 1;
        if (child >= count) {
            break;
        }
        if (child + 1 < count && heap[child + 1] > heap[child]) {
            child++;
        }
        if (heap[child] <= item) {
            break;
        }
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = item;
}

static void sort_heap(uint32_t *items, size_t count)
{
    for (size_t root = count / 2; root > 0; root--) {
        sift_down(items, root - 1, count);
    }
    for (size_t end = count; end > 1; end--) {
        swap_items(&items[0], &items[end - 1]);
        sift_down(items, 0, end - 1);
    }
}

static void sort_shell(uint32_t *items, size_t count)
{
    size_t gap = 1;
    while (gap < count / 3) {
        gap = 3 * gap + 1;
    }
    for (; gap > 0; gap /= 3) {
        for (size_t i = gap; i < count; i++) {
            uint32_t item = items[i];
            size_t hole = i;
            while (hole >= gap && items[hole - gap] > item) {
                items[hole] = items[hole - gap];
                hole -= gap;
            }
            items[hole] = item;
        }
    }
}

static void sort_merge(uint32_t *items, size_t count)
{
    uint32_t *spare = kernel_alloc(count * sizeof(*spare));
    uint32_t *from = items;
    uint32_t *to = spare;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = start + width < count ? start + width : count;
            size_t end = start + 2 * width < count ? start + 2 * width : count;
            size_t left = start;
            size_t right = middle;
            for (size_t out = start; out < end; out++) {
                if (left < middle && (right == end || from[left] <= from[right])) {
                    to[out] = from[left++];
                } else {
                    to[out] = from[right++];
                }
            }
        }
        uint32_t *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != items) {
        memcpy(items, from, count * sizeof(*items));
    }
    free(spare);
}

static void sort_radix(uint32_t *items, size_t count)
{
    uint32_t *spare = kernel_alloc(count * sizeof(*spare));
    for (unsigned shift = 0; shift < 32; shift += 8) {
        size_t starts[257] = {0};
        for (size_t i = 0; i < count; i++) {
            starts[((items[i] >> shift) & 0xff) + 1]++;
        }
        for (size_t digit = 0; digit < 256; digit++) {
            starts[digit + 1] += starts[digit];
        }
        for (size_t i = 0; i < count; i++) {
            spare[starts[(items[i] >> shift) & 0xff]++] = items[i];
        }
        memcpy(items, spare, count * sizeof(*items));
    }
    free(spare);
}

static const struct sort {
    const char *name;
    void (*run)(uint32_t *items, size_t count);
    size_t divisor; /* insertion sort is quadratic: it gets a shorter array */
} sorts[] = {
    {"insertion", sort_insertion, 32}, {"quick", sort_quick, 1}, {"heap", sort_heap, 1},
    {"shell", sort_shell, 1},          {"merge", sort_merge, 1}, {"radix", sort_radix, 1},
};

/* Three shapes of input: random, nearly sorted, and many equal keys. */
static void fill_items(uint32_t *items, size_t count, uint32_t shape, uint64_t *random)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t value = program_random(random);
        switch (shape) {
        case 0:
            items[i] = value;
            break;
        case 1:
            items[i] = (uint32_t)i * 16 + value % 256;
            break;
        default:
            items[i] = value % 100;
            break;
        }
    }
}

static uint64_t run_sorts(uint32_t round, uint64_t *random)
{
    uint32_t *input = kernel_alloc(ITEMS * sizeof(*input));
    uint32_t *items = kernel_alloc(ITEMS * sizeof(*items));
    uint64_t sum = round;
    fill_items(input, ITEMS, round % 3, random);
    uint64_t total = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        total += input[i];
    }
    for (size_t which = 0; which < sizeof(sorts) / sizeof(sorts[0]); which++) {
        size_t count = ITEMS / sorts[which].divisor;
        memcpy(items, input, ITEMS * sizeof(*items));
        sorts[which].run(items, count);
        uint64_t sorted_total = items[0];
        for (size_t i = 1; i < ITEMS; i++) {
            program_check(i >= count || items[i - 1] <= items[i], sorts[which].name);
            sorted_total += items[i];
        }
        program_check(sorted_total == total, sorts[which].name);
        for (size_t i = 0; i < count; i += 7) {
            sum = program_mix(sum, items[i]);
        }
    }
    free(items);
    free(input);
    return sum;
}

static uint32_t sieve_bytes(uint8_t *composite, uint32_t limit)
{
    memset(composite, 0, limit);
    for (uint32_t p = 2; p * p < limit; p++) {
        if (!composite[p]) {
            for (uint32_t multiple = p * p; multiple < limit; multiple += p) {
                composite[multiple] = 1;
            }
        }
    }
    uint32_t primes = 0;
    for (uint32_t n = 2; n < limit; n++) {
        primes += !composite[n];
    }
    return primes;
}

/* Bit i stands for the odd number 2 * i + 1. */
static uint32_t sieve_bits(uint64_t *composite, uint32_t limit)
{
    uint32_t odds = limit / 2;
    memset(composite, 0, (odds / 64 + 1) * sizeof(*composite));
    for (uint32_t i = 1; (2 * i + 1) * (2 * i + 1) < limit; i++) {
        if ((composite[i / 64] >> (i % 64) & 1) == 0) {
            uint32_t p = 2 * i + 1;
            for (uint32_t multiple = p * p / 2; multiple < odds; multiple += p) {
                composite[multiple / 64] |= UINT64_C(1) << (multiple % 64);
            }
        }
    }
    uint32_t primes = 1;
    for (uint32_t i = 1; i < odds; i++) {
        primes += (composite[i / 64] >> (i % 64) & 1) == 0;
    }
    return primes;
}

static uint64_t run_sieves(uint32_t round)
{
    uint32_t limit = SIEVE_LIMIT - 2 * round % 1000;
    uint8_t *bytes = kernel_alloc(SIEVE_LIMIT);
    uint64_t *bits = kernel_alloc((SIEVE_LIMIT / 128 + 1) * sizeof(*bits));
    uint32_t by_bytes = sieve_bytes(bytes, limit);
    uint32_t by_bits = sieve_bits(bits, limit);
    program_check(by_bytes == by_bits, "the two sieves disagree");
    free(bits);
    free(bytes);
    return by_bits;
}

int main(int argc, char **argv)
{
    uint32_t scale = kernel_scale(argc, argv, SCALE_DEFAULT);
    uint64_t random = 20011;
    uint64_t sum = 0;
    for (uint32_t round = 0; round < scale; round++) {
        sum = program_mix(sum, run_sorts(round, &random));
        sum = program_mix(sum, run_sieves(round));
    }
    kernel_report("sort", scale, sum);
    return 0;
}
