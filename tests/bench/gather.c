/* Adds up C[B[j]], as the lecture does.  With SMALL all its data is in the first level, and no load of it is delinquent. */
#include "prefetch.h"

#include <stdio.h>

#ifdef SMALL
enum { ENTRIES = 16, INDICES = 512 };
#else
enum { ENTRIES = 65536, INDICES = 8192 };
#endif
#define AHEAD 32
#ifndef STATUS
#define STATUS 0
#endif

static unsigned c[ENTRIES], b[INDICES + PREFETCH_ROOM(AHEAD)];

__attribute__((noipa)) static unsigned gather(unsigned sum)
{
    for (unsigned j = 0; j < INDICES; j++) {
        PREFETCH(&c[b[j + AHEAD]]);
        sum = sum * 5 + c[b[j]];
    }
    return sum;
}

int main(int argc, char **argv)
{
    unsigned random = 12345, sum = 0;
    for (unsigned i = 0; i < ENTRIES; i++) {
        c[i] = i;
    }
    for (unsigned j = 0; j < INDICES; j++) {
        random = random * 1664525 + 1013904223;
        b[j] = (random >> 8) % ENTRIES;
    }
    for (unsigned round = 0; round < 4; round++) {
        sum = gather(sum);
    }
    printf("%s %u\n", argc > 1 ? argv[1] : "-", sum);
    return STATUS;
}
