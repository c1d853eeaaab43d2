/* Which two processors of this host share a cache: where a helper could help. */
#ifndef BENCH_SPR_TOPOLOGY_H
#define BENCH_SPR_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>

struct topology_pair {
    int first, second; /* processors that this process may run on */
    int level;         /* of the first cache that they share */
    size_t bytes;      /* of that cache; 0: not known */
    bool siblings;     /* threads of one core */
};

/* The pair that shares the nearest level; false if no two share any, or the host does not say. */
bool topology_find(struct topology_pair *pair);

#endif
