/* Shows sorting and searching: qsort, bsearch, heap, merge, radix sort, hash and tree tables
 * agree. */
#include "common.h"
#include <search.h>

#define COUNT 20000

static int ascending(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;

    return a < b ? -1 : a > b;
}

static int strings(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void sift(uint32_t *heap, size_t root, size_t count)
{
    for (size_t child = 2 * root + 1; child < count; root = child, child = 2 * root + 1) {
        uint32_t kept = heap[root];

        child += child + 1 < count && heap[child + 1] > heap[child];
        if (kept >= heap[child]) {
            return;
        }
        heap[root] = heap[child];
        heap[child] = kept;
    }
}

static void heap_sort(uint32_t *data, size_t count)
{
    for (size_t i = count / 2; i-- > 0;) {
        sift(data, i, count);
    }
    for (size_t end = count - 1; end > 0; end--) {
        uint32_t largest = data[0];

        data[0] = data[end];
        data[end] = largest;
        sift(data, 0, end);
    }
}

static void radix_sort(uint32_t *data, uint32_t *scratch, size_t count)
{
    for (unsigned shift = 0; shift < 32; shift += 8) {
        size_t starts[257] = {0};

        for (size_t i = 0; i < count; i++) {
            starts[(data[i] >> shift & 255) + 1]++;
        }
        for (int i = 0; i < 256; i++) {
            starts[i + 1] += starts[i];
        }
        for (size_t i = 0; i < count; i++) {
            scratch[starts[data[i] >> shift & 255]++] = data[i];
        }
        memcpy(data, scratch, count * sizeof(*data));
    }
}

static uint64_t visited;

static void visit(const void *node, VISIT order, int level)
{
    if (order == postorder || order == leaf) {
        visited = visited * 31 + **(uint32_t *const *)node + (uint64_t)(level < 0);
    }
}

int main(void)
{
    static uint32_t source[COUNT];
    static uint32_t sorted[3][COUNT];
    static uint32_t scratch[COUNT];
    static char names[2000][16];
    char *pointers[2000];
    uint64_t state = 5;
    uint64_t hash = CHECKSUM_START;
    void *tree = NULL;
    int found = 0;

    for (size_t i = 0; i < COUNT; i++) {
        source[i] = (uint32_t)next_random(&state) >> (i % 20);
    }
    for (int i = 0; i < 3; i++) {
        memcpy(sorted[i], source, sizeof(source));
    }
    qsort(sorted[0], COUNT, sizeof(uint32_t), ascending);
    heap_sort(sorted[1], COUNT);
    radix_sort(sorted[2], scratch, COUNT);
    printf("sorted %016lx, agree %d %d\n", checksum(hash, sorted[0], sizeof(sorted[0])),
           memcmp(sorted[0], sorted[1], sizeof(source)) == 0,
           memcmp(sorted[0], sorted[2], sizeof(source)) == 0);
    for (uint32_t i = 0; i < 5000; i++) {
        found += bsearch(&i, sorted[0], COUNT, sizeof(uint32_t), ascending) != NULL;
    }
    printf("found %d\n", found);
    for (int i = 0; i < 2000; i++) {
        snprintf(names[i], sizeof(names[i]), "n%lx", next_random(&state) % 100000);
        pointers[i] = names[i];
        REQUIRE(tsearch(&source[i], &tree, ascending) != NULL);
    }
    qsort(pointers, 2000, sizeof(char *), strings);
    for (int i = 0; i < 2000; i++) {
        hash = checksum(hash, pointers[i], strlen(pointers[i]));
    }
    twalk(tree, visit);
    printf("names %016lx, tree %016lx\n", hash, visited);
    return 0;
}
