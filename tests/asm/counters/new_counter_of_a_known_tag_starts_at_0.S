/* [D3] [N1] After ctr.drop and after an eviction, ctr.new of the tag makes a new counter with count 0, at the index. */
#include "check.h"

    .globl _start
_start:
    counter a, callback, 4
    call a
    call a
    call a
    drop a
    call a                  /* the fourth: nobody counts, no callback */
    check 1, s0, 0
    counter a, callback, 4
    check_count 2, a, 0
    call a
    call a
    call a
    check 3, s0, 0
    call a
    check 4, s0, 1
    check_count 5, a, 4

    counter_only b          /* entry 0 */
    counter_only c          /* entry 1: evicts a */
    check_count 6, a, ALL_ONES
    counter a, callback, 2  /* entry 0: evicts b */
    check_count 7, a, 0
    check_count 8, b, ALL_ONES
    check_count 9, c, 0
    call a
    call a
    check 10, s0, 2
    pass

callback:
    addi s0, s0, 1
    ctr_ret
a:  nop
    ret
b:  nop
c:  nop
