/* Shows thousands of functions and branches that are executed a few times each: nothing becomes hot but the loop
 * around them. */
#include "common.h"

#define TIMES 4

uint64_t visit_all(uint64_t value);

/* 3,000 calls, one behind the other, of functions of which each has a branch that goes both ways; every eighth of them
 * also calls the one before it, through a register. */
__asm__(".altmacro\n"
        ".macro call_one number\n"
        "    call cold_\\number\n"
        ".endm\n"
        ".macro define_one number, before\n"
        "cold_\\number:\n"
        "    li t0, \\number * 3 + 7\n"
        "    xor a0, a0, t0\n"
        "    andi t1, a0, 1 + \\number % 7\n"
        "    beqz t1, 1f\n"
        "    slli t2, a0, 5\n"
        "    add a0, a0, t2\n"
        "    .if \\number % 8 == 7\n"
        "    addi sp, sp, -16\n"
        "    sd ra, 8(sp)\n"
        "    lla t3, cold_\\before\n"
        "    jalr t3\n"
        "    ld ra, 8(sp)\n"
        "    addi sp, sp, 16\n"
        "    .endif\n"
        "    ret\n"
        "1:  srli t2, a0, 3\n"
        "    sub a0, a0, t2\n"
        "    ret\n"
        ".endm\n"
        ".text\n.globl visit_all\n"
        "visit_all:\n"
        "    addi sp, sp, -16\n"
        "    sd ra, 0(sp)\n"
        "    .set i, 0\n"
        "    .rept 3000\n"
        "    call_one %i\n"
        "    .set i, i + 1\n"
        "    .endr\n"
        "    ld ra, 0(sp)\n"
        "    addi sp, sp, 16\n"
        "    ret\n"
        "cold_:\n    ret\n"
        "    .set i, 0\n    .set j, 2999\n"
        "    .rept 3000\n"
        "    define_one %i, %j\n"
        "    .set j, i\n"
        "    .set i, i + 1\n"
        "    .endr\n"
        ".noaltmacro\n");

int main(void)
{
    uint64_t value = 1;

    for (int i = 0; i < TIMES; i++) {
        value = visit_all(value);
        printf("%d: %016lx\n", i, value);
    }
    return 0;
}
