/* Adds up C[B[j]]: the lecture's example for loads that depend on another. */
#include <stdio.h>
#include <stdlib.h>

#define ENTRIES 400000
#define INDICES 60000

__attribute__((noipa)) static unsigned gather(const unsigned *c, const unsigned *b, unsigned count)
{
    unsigned sum = 0;
    for (unsigned j = 0; j < count; j++) {
        sum = sum * 5 + c[b[j]];
    }
    return sum;
}

int main(void)
{
    unsigned *c = malloc(ENTRIES * sizeof *c), *b = malloc(INDICES * sizeof *b);
    unsigned random = 12345, sum = 0;
    for (unsigned i = 0; i < ENTRIES; i++) {
        c[i] = i;
    }
    for (unsigned j = 0; j < INDICES; j++) {
        random = random * 1664525 + 1013904223;
        b[j] = (random >> 8) % ENTRIES;
    }
    for (unsigned round = 0; round < 4; round++) {
        sum += gather(c, b, INDICES);
    }
    printf("%u\n", sum);
    free(b);
    free(c);
    return 0;
}
