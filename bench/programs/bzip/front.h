/* Move-to-front and the coding of runs of zero: what becomes of a sorted block. */
#ifndef BZIP_FRONT_H
#define BZIP_FRONT_H

#include <stdbool.h>
#include "sort.h"

struct front {
    bool in_use[256];
    unsigned used_bytes; /* the alphabet is two more: runs take two symbols, positions start at 1 */
    uint16_t *symbols;
    uint32_t count;
    uint32_t frequencies[258];
};

void front_encode(struct front *front, const struct sort *sort);

#endif
