/* Sorts rotations by doubling: slower than the buckets, but no repetition makes it slow. */
#include "program.h"
#include "sort.h"

enum { SMALL_GROUP = 10 };

static bool is_head(const struct sort *sort, uint32_t at)
{
    return (sort->heads[at / 32] >> at % 32 & 1) != 0;
}

static void set_head(struct sort *sort, uint32_t at)
{
    sort->heads[at / 32] |= UINT32_C(1) << at % 32;
}

static void place_by_one_byte(struct sort *sort)
{
    uint32_t next[257] = {0};
    memset(sort->heads, 0, (sort->size / 32 + 2) * sizeof *sort->heads);
    for (uint32_t i = 0; i < sort->size; i++) {
        next[sort->bytes[i] + 1]++;
    }
    for (unsigned byte = 0; byte < 256; byte++) {
        next[byte + 1] += next[byte];
        set_head(sort, next[byte]);
    }
    for (uint32_t i = 0; i < sort->size; i++) {
        sort->order[next[sort->bytes[i]]++] = i;
    }
    set_head(sort, sort->size);
}

static uint32_t find_head(const struct sort *sort, uint32_t at)
{
    while (at % 32 != 0) {
        if (is_head(sort, at)) {
            return at;
        }
        at++;
    }
    while (sort->heads[at / 32] == 0) {
        at += 32;
    }
    while (!is_head(sort, at)) {
        at++;
    }
    return at;
}

static uint32_t find_follower(const struct sort *sort, uint32_t at)
{
    while (at % 32 != 0) {
        if (!is_head(sort, at)) {
            return at;
        }
        at++;
    }
    while (at < sort->size && sort->heads[at / 32] == UINT32_MAX) {
        at += 32;
    }
    while (at < sort->size && is_head(sort, at)) {
        at++;
    }
    return at;
}

/* The rank of a rotation is that of the one `distance` bytes later: what the next pass sorts by. */
static void rank_by_later(struct sort *sort, uint32_t distance)
{
    uint32_t head = 0;
    for (uint32_t i = 0; i < sort->size; i++) {
        if (is_head(sort, i)) {
            head = i;
        }
        uint32_t at = sort->order[i];
        sort->rank[at >= distance ? at - distance : at + sort->size - distance] = head;
    }
}

static void insertion_sort(uint32_t *order, const uint32_t *rank, uint32_t low, uint32_t high)
{
    for (uint32_t i = low + 1; i < high; i++) {
        uint32_t moved = order[i], at = i;
        for (; at > low && rank[order[at - 1]] > rank[moved]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = moved;
    }
}

static void quick_sort(uint32_t *order, const uint32_t *rank, uint32_t low, uint32_t high)
{
    while (high - low >= SMALL_GROUP) {
        uint64_t seed = (uint64_t)low * 7919 + high;
        uint32_t pivot = rank[order[low + (uint32_t)(seed % (high - low))]];
        uint32_t less = low, at = low, greater = high;
        while (at < greater) {
            uint32_t start = order[at], value = rank[start];
            if (value < pivot) {
                order[at++] = order[less];
                order[less++] = start;
            } else if (value > pivot) {
                order[at] = order[--greater];
                order[greater] = start;
            } else {
                at++;
            }
        }
        if (less - low < high - greater) {
            quick_sort(order, rank, low, less);
            low = greater;
        } else {
            quick_sort(order, rank, greater, high);
            high = less;
        }
    }
    insertion_sort(order, rank, low, high);
}

static void split_group(struct sort *sort, uint32_t low, uint32_t high)
{
    for (uint32_t i = low + 1; i < high; i++) {
        if (sort->rank[sort->order[i]] != sort->rank[sort->order[i - 1]]) {
            set_head(sort, i);
        }
    }
}

/* Returns how many rotations were not alone in their group. */
static uint32_t sort_groups(struct sort *sort)
{
    uint32_t together = 0, low = 0;
    for (;;) {
        low = find_follower(sort, low);
        if (low >= sort->size) {
            return together;
        }
        low--;
        uint32_t high = find_head(sort, low + 1);
        quick_sort(sort->order, sort->rank, low, high);
        split_group(sort, low, high);
        together += high - low;
        low = high;
    }
}

void sort_fallback(struct sort *sort)
{
    place_by_one_byte(sort);
    /* Rotations that agree in as many bytes as there are are equal: any order will do. */
    for (uint32_t distance = 1; distance < sort->size; distance *= 2) {
        rank_by_later(sort, distance);
        if (sort_groups(sort) == 0) {
            return;
        }
    }
}
