/* [D1] [D2] [N3] ctr.drop frees an entry, which is used again when the index reaches it; nothing is evicted then. */
#include "check.h"

    .globl _start
_start:
    counter_only a          /* entries 0, 1, 2 */
    counter_only b
    counter_only c
    call field
    drop b
    check_count 1, b, ALL_ONES
    check_count 2, a, 1
    check_count 3, c, 1
    counter_only d          /* entry 3, not the free entry 1 */
    counter_only e          /* entry 0: evicts a */
    check_count 4, a, ALL_ONES
    check_count 5, c, 1
    check_count 6, d, 0
    counter_only f          /* entry 1: evicts nothing */
    check_count 7, c, 1
    check_count 8, d, 0
    check_count 9, e, 0
    counter_only g          /* entry 2 */
    check_count 10, c, ALL_ONES
    check_count 11, d, 0
    pass

field:
a:  nop
b:  nop
c:  nop
d:  nop
e:  nop
f:  nop
g:  ret
