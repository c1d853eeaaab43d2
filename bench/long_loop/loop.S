/* One loop whose turn has BRANCHES conditional branches, however many that are.
 *
 * uint64_t long_loop(const uint64_t *words, uint64_t turns): a turn takes the next of 64 words, and each of its branches
 * asks one bit of it; the result counts the branches that were not taken.  The loop itself ends with a jump, since no
 * conditional branch reaches as far back as thousands of them take: so do compilers.  Between two branches there are up
 * to three more instructions, by a rule that does not repeat: tables of hardware that are found by an address would fill
 * unevenly if all branches were as far apart. */
    .text
    .globl long_loop
    .type long_loop, @function
long_loop:
    mv a2, a0 /* the words */
    li a0, 0  /* the result */
    li a3, 0  /* the number of the turn */
1:  andi t0, a3, 63
    slli t0, t0, 3
    add t0, t0, a2
    ld t1, 0(t0)
    .set bit, 0
    .set apart, 2026
    .rept BRANCHES
    .set apart, (apart * 1103515245 + 12345) & 0x7fffffff
    .rept (apart >> 16) & 3
    xor a4, a4, t1
    .endr
    srli t0, t1, bit
    andi t0, t0, 1
    bnez t0, 2f
    addi a0, a0, 1
2:
    .set bit, (bit + 7) % 64
    .endr
    addi a3, a3, 1
    beq a3, a1, 3f
    j 1b
3:  ret
    .size long_loop, . - long_loop
    .section .note.GNU-stack, "", @progbits
