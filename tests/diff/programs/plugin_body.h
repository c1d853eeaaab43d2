/* The body of a helper library that comes in two kinds of the same size: what its functions and data say
 * differs by PLUGIN_NUMBER only, so that the one fits where the other was. */
#ifndef DIFF_PLUGIN_BODY_H
#define DIFF_PLUGIN_BODY_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

uint64_t plugin_run(uint64_t value);
uint64_t plugin_step(uint64_t value);
uint64_t *plugin_place(void);

static _Thread_local uint64_t calls = PLUGIN_NUMBER;
_Thread_local uint64_t plugin_large[512] = {[511] = PLUGIN_NUMBER}; /* more than is set aside */

/* Not inlined, and through the linkage table, since another library might define it. */
uint64_t plugin_step(uint64_t value)
{
    return value * 3 + PLUGIN_NUMBER;
}

uint64_t *plugin_place(void)
{
    return &plugin_large[511];
}

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left % PLUGIN_NUMBER;
    const uint64_t b = *(const uint64_t *)right % PLUGIN_NUMBER;

    return (a > b) - (a < b);
}

/* Calls itself, its neighbour, and the C library, which calls back. */
uint64_t plugin_run(uint64_t value)
{
    uint64_t words[8];

    for (unsigned i = 0; i < 8; i++) {
        value = words[i] = plugin_step(value);
    }
    qsort(words, 8, sizeof(words[0]), compare);
    calls++;
    *plugin_place() += 1;
    return words[0] * 31 + words[7] + (calls == *plugin_place());
}

#endif
