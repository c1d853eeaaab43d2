/* Shows a B-tree kept in the pages of a file: random insertions, lookups, a scan after
 * reopening. */
#include "common.h"
#include <fcntl.h>

#define PAGE 512
#define KEYS 30

struct page {
    uint32_t leaf;
    uint32_t count;
    uint32_t keys[KEYS + 1];
    uint32_t links[KEYS + 2];
};

static int file;
static uint32_t pages;

static void read_page(uint32_t number, struct page *page)
{
    REQUIRE(pread(file, page, sizeof(*page), (off_t)number * PAGE) == sizeof(*page));
}

static void write_page(uint32_t number, const struct page *page)
{
    REQUIRE(pwrite(file, page, sizeof(*page), (off_t)number * PAGE) == sizeof(*page));
}

static uint32_t position(const struct page *page, uint32_t key)
{
    uint32_t low = 0;
    uint32_t high = page->count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (page->keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void insert_at(struct page *page, uint32_t at, uint32_t key, uint32_t link, uint32_t side)
{
    memmove(page->keys + at + 1, page->keys + at, (page->count - at) * sizeof(uint32_t));
    memmove(page->links + at + side + 1, page->links + at + side,
            (page->count - at) * sizeof(uint32_t));
    page->keys[at] = key;
    page->links[at + side] = link;
    page->count++;
}

/* Returns the number of a new right sibling, with its first key in *up, or 0. */
static uint32_t insert(uint32_t number, uint32_t key, uint32_t value, uint32_t *up)
{
    struct page page;
    struct page right = {0};
    uint32_t at = 0;
    uint32_t half = 0;

    read_page(number, &page);
    at = position(&page, key);
    if (page.leaf) {
        if (at < page.count && page.keys[at] == key) {
            page.links[at] = value;
            write_page(number, &page);
            return 0;
        }
        insert_at(&page, at, key, value, 0);
    } else {
        uint32_t raised = 0;
        uint32_t child = 0;

        at += at < page.count && page.keys[at] == key;
        child = insert(page.links[at], key, value, &raised);
        if (child == 0) {
            return 0;
        }
        insert_at(&page, at, raised, child, 1);
    }
    if (page.count <= KEYS) {
        write_page(number, &page);
        return 0;
    }
    half = page.count / 2;
    right.leaf = page.leaf;
    *up = page.keys[half];
    if (page.leaf) {
        right.count = page.count - half;
        memcpy(right.keys, page.keys + half, right.count * sizeof(uint32_t));
        memcpy(right.links, page.links + half, right.count * sizeof(uint32_t));
    } else {
        right.count = page.count - half - 1;
        memcpy(right.keys, page.keys + half + 1, right.count * sizeof(uint32_t));
        memcpy(right.links, page.links + half + 1, (right.count + 1) * sizeof(uint32_t));
    }
    page.count = half;
    write_page(number, &page);
    write_page(pages, &right);
    return pages++;
}

static uint64_t scan(uint32_t number, uint64_t hash, uint32_t *last, int *disorder)
{
    struct page page;

    read_page(number, &page);
    for (uint32_t i = 0; i < page.count; i++) {
        if (page.leaf) {
            *disorder += page.keys[i] <= *last && *last != 0;
            *last = page.keys[i];
            hash = checksum_word(hash, (uint64_t)page.keys[i] << 32 | page.links[i]);
        } else {
            hash = scan(page.links[i], hash, last, disorder);
        }
    }
    return page.leaf ? hash : scan(page.links[page.count], hash, last, disorder);
}

int main(void)
{
    struct page empty = {.leaf = 1};
    uint32_t root = 0;
    uint32_t last = 0;
    int disorder = 0;
    uint64_t state = 2718;

    file = open("tree", O_CREAT | O_RDWR, 0600);
    REQUIRE(file >= 0);
    write_page(pages++, &empty);
    for (uint32_t i = 0; i < 12000; i++) {
        uint32_t up = 0;
        uint32_t sibling = insert(root, 1 + (uint32_t)(next_random(&state) % 50000), i, &up);

        if (sibling != 0) {
            struct page top = {.count = 1, .keys = {up}, .links = {root, sibling}};

            write_page(pages, &top);
            root = pages++;
        }
    }
    REQUIRE(close(file) == 0);
    file = open("tree", O_RDONLY);
    REQUIRE(file >= 0);
    printf("tree %016lx", scan(root, CHECKSUM_START, &last, &disorder));
    printf(", pages %u, disorder %d\n", pages, disorder);
    return 0;
}
