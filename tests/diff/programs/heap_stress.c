/* Shows the heap under load: random malloc, calloc, realloc, aligned allocation and free. */
#include "common.h"
#include <malloc.h>

#define SLOTS 700

/* Hidden from the compiler, which would refuse the size. */
__attribute__((noinline)) static size_t impossible_size(void)
{
    volatile size_t huge = PTRDIFF_MAX - 100;

    return huge;
}

struct block {
    unsigned char *data;
    size_t size;
    unsigned char mark;
};

static void check(const struct block *block)
{
    for (size_t i = 0; i < block->size; i += 61) {
        REQUIRE(block->data[i] == block->mark);
    }
}

int main(void)
{
    static struct block blocks[SLOTS];
    uint64_t state = 77;
    uint64_t hash = CHECKSUM_START;

    for (int step = 0; step < 60000; step++) {
        struct block *block = &blocks[next_random(&state) % SLOTS];
        uint64_t choice = next_random(&state);
        size_t size = choice % 100 == 0 ? 150000 + choice % 300000 : 1 + choice % 2000;

        if (block->data == NULL) {
            size_t alignment = 16ul << (choice >> 20) % 6;

            block->data = (choice >> 32) % 2 ? malloc(size) : aligned_alloc(alignment, size);
            REQUIRE(block->data != NULL);
            REQUIRE((choice >> 32) % 2 || (uintptr_t)block->data % alignment == 0);
        } else if ((choice >> 40) % 3 == 0) {
            check(block);
            block->data = realloc(block->data, size);
            REQUIRE(block->data != NULL);
            for (size_t i = 0; i < (size < block->size ? size : block->size); i += 61) {
                REQUIRE(block->data[i] == block->mark);
            }
        } else {
            check(block);
            hash = checksum(hash, block->data, block->size < 64 ? block->size : 64);
            free(block->data);
            block->data = NULL;
            continue;
        }
        block->size = size;
        block->mark = (unsigned char)(choice >> 48);
        memset(block->data, block->mark, size);
    }
    for (int i = 0; i < SLOTS; i++) {
        if (blocks[i].data != NULL) {
            check(&blocks[i]);
            hash = checksum_word(hash, blocks[i].size);
            free(blocks[i].data);
        }
    }
    printf("heap %016lx\n", hash);
    printf("zeroed %d\n", *(char *)calloc(1000, 1000));
    printf("too much %s\n", malloc(impossible_size()) == NULL ? error_name(errno) : "no");
    return 0;
}
