/* A library that threads load and unload: its functions must work each time. */
#include <stdint.h>

static _Thread_local uint64_t own = 5;

uint64_t plugin_apply(uint64_t x);

uint64_t plugin_apply(uint64_t x)
{
    own += x;
    return own * 3;
}
