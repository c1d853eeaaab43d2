/* The two loops that the lecture makes slices of, for both who use the walk. */
#ifndef STRATA_TESTS_SLICE_EXAMPLES_H
#define STRATA_TESTS_SLICE_EXAMPLES_H

#include "slice_rig.h"

/* mcf's pricing loop.  Registers have the lecture's numbers, but r40 and r50, which are x31 and x29 here.
 * What checks speculation or does nothing is left out. */
static const struct line pricing[] = {
    R(0x404900, add, 14, 14, 11),
    R(0x404904, add, 9, 9, 11),
    R(0x404908, add, 8, 8, 11),
    R(0x404910, add, 31, 31, 11),
    LOAD(0x404914, lw, 17, 0, 14, 0x1000),
    R(0x404918, add, 3, 3, 11),
    LOAD(0x404920, ld, 2, 0, 31, 0x2000),
    I(0x404924, addi, 26, 2, 8),
    R(0x404928, sltu, 5, 3, 30),
    LOAD(0x404930, ld, 16, 0, 9, 0x3000),
    LOAD(0x404934, lw, 25, 0, 8, 0x4000),
    I(0x404938, addi, 28, 29, 1),
    I(0x404940, addi, 24, 2, 80),
    I(0x404944, slti, 6, 17, 1),
    LOAD(0x404950, ld, 19, 0, 26, 0x5000),
    B(0x404954, bne, 6, 0, 0x100),
    I(0x404960, addi, 15, 16, 80),
    LOAD(0x404990, lw, 23, 0, 24, 0x6000),
    LOAD(0x404994, lw, 21, 0, 15, 0x7000), /* the delinquent load */
};
#define PRICING_LOAD UINT64_C(0x404994)
#define PRICING_LINES 19

/* data[i]->val[j]++. */
static const struct line increments[] = {
    LOAD(0x100, ld, 1, 0, 2, 0x1000),  /* I1 */
    I(0x104, addi, 3, 3, 1),           /* I2 */
    I(0x108, addi, 6, 3, -100),        /* I3 */
    I(0x10c, addi, 2, 2, 8),           /* I4 */
    R(0x110, add, 1, 4, 1),            /* I5 */
    LOAD(0x114, ld, 5, 0, 1, 0x2000),  /* I6, the delinquent load */
    I(0x118, addi, 5, 5, 1),           /* I7 */
    STORE(0x11c, sd, 5, 0, 1, 0x2000), /* I8 */
    B(0x120, blt, 6, 0, -0x20),        /* I9 */
};
#define INCREMENTS_LOAD UINT64_C(0x114)
#define INCREMENTS_LINES 9

#endif
