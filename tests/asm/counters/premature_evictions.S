/* FACTS: premature evictions are judged by a shadow table; reached and premature numbers, worked out by hand.
 *
 * With 2 entries.  "best" is the largest count that the table itself ever held for the address.
 *
 *      executed   best   evicted     reaches 4   10      100     1000
 *   a        12      5   yes                 x   early
 *   b       204      4   yes                 x   early   early
 *   c       150    150   yes                 x   x       x
 *   d         4      4   yes, at 4           x
 *   e       106     95   yes, at 6           x   x       early
 *   f, g      0      0   yes
 *   h      1000   1000   no, dropped         x   x       x       x     and 998 times more, when it is nobody's
 *                        reached             6   5       4       1
 *                        premature           0   2       2       0        */
#include "check.h"

    .macro execute name, times
    li s0, \times
1:  call \name
    addi s0, s0, -1
    bnez s0, 1b
    .endm
    .macro function name
\name:
    nop
    ret
    .endm

    .globl _start
_start:
    counter_only a          /* entry 0 */
    execute a, 5
    counter_only b          /* entry 1 */
    execute b, 3
    counter_only c          /* evicts a */
    execute a, 7
    execute b, 1
    counter_only d          /* evicts b */
    execute b, 200
    execute c, 150
    execute d, 4
    counter_only e          /* evicts c */
    execute e, 6
    counter_only f          /* evicts d */
    counter_only g          /* evicts e */
    execute e, 5
    counter_only e          /* evicts f */
    execute e, 95
    check_count 1, e, 95
    counter_only h          /* evicts g */
    execute h, 1000
    drop h
    execute h, 998
    pass

    function a
    function b
    function c
    function d
    function e
    function f
    function g
    function h
