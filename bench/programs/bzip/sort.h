/* Sorts all rotations of a block. */
#ifndef BZIP_SORT_H
#define BZIP_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SORT_OVERSHOOT = 40 };

struct sort {
    uint8_t *bytes; /* room for SORT_OVERSHOOT more, which repeat the first ones */
    uint32_t size;
    uint32_t *order;    /* where the rotations start, least first */
    uint16_t *quadrant; /* what sorting found about later bytes; as many as bytes */
    uint32_t *rank;     /* of the fallback */
    uint32_t *heads;    /* of the fallback: a bit for each place of order */
    uint32_t *bucket;   /* 65537 of them, by the first two bytes */
    int64_t budget;     /* comparisons that the quick way may still spend */
};

struct sort_counts {
    uint32_t quick;
    uint32_t fallback;
    uint32_t given_up; /* of the fallbacks: those that the quick way had begun */
};

struct sort *sort_create(uint32_t capacity);
void sort_destroy(struct sort *sort);

void sort_block(struct sort *sort, struct sort_counts *counts);

/* False if the block is too repetitive: then the order is of no use. */
bool sort_quick(struct sort *sort);
void sort_fallback(struct sort *sort);

#endif
