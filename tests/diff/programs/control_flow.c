/* Shows control flow: computed goto, function pointers, dense and sparse switches, deep
 * recursion. */
#include "common.h"

static uint64_t interpret(const unsigned char *program, uint64_t value)
{
    static const void *const labels[] = {&&end, &&add, &&shift, &&xor, &&multiply, &&repeat};
    uint64_t left = 1000;

#define NEXT goto *labels[*program++]
    const unsigned char *start = program;
    NEXT;
add:
    value += 12345;
    NEXT;
shift:
    value = value << 5 | value >> 59;
    NEXT;
    xor : value ^= 0xdeadbeefcafef00d;
    NEXT;
multiply:
    value *= 0x9e3779b97f4a7c15;
    NEXT;
repeat:
    if (--left != 0) {
        program = start;
    }
    NEXT;
end:
    return value;
#undef NEXT
}

static int classify(unsigned number)
{
    switch (number % 23) {
    case 0:
        return 7;
    case 1:
        return 3;
    case 2:
        return 19;
    case 3:
        return 2;
    case 4:
        return 11;
    case 5:
        return 5;
    case 6:
        return 13;
    case 7:
        return 17;
    case 11:
        return 1;
    case 12:
        return 23;
    default:
        break;
    }
    switch (number) {
    case 1000:
        return -1;
    case 77777:
        return -2;
    case 123456:
        return -3;
    case 0x7fffffff:
        return -4;
    default:
        return 0;
    }
}

static uint64_t ackermann(uint64_t m, uint64_t n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static uint64_t twice(uint64_t value)
{
    return value * 2;
}

static uint64_t next(uint64_t value)
{
    return value + 1;
}

static uint64_t mix(uint64_t value)
{
    return value ^ value >> 9;
}

static int is_odd(unsigned number);

__attribute__((noinline)) static int is_even(unsigned number)
{
    return number == 0 ? 1 : is_odd(number - 1);
}

__attribute__((noinline)) static int is_odd(unsigned number)
{
    return number == 0 ? 0 : is_even(number - 1);
}

__attribute__((noinline)) static uint64_t sum_down(uint64_t depth)
{
    volatile uint64_t kept = depth;

    return depth == 0 ? 0 : sum_down(depth - 1) + kept;
}

/* A jump to a register leaves out the lowest bit of its target. */
__attribute__((noinline)) static int jump_to_odd_addresses(void)
{
    int passed = 0;

    __asm__ volatile("la t0, 1f\n addi t0, t0, 1\n jr t0\n ebreak\n"
                     "1: addi %0, %0, 1\n la t0, 2f\n jalr t1, 1(t0)\n ebreak\n"
                     "2: addi %0, %0, 1\n"
                     : "+r"(passed)
                     :
                     : "t0", "t1");
    return passed;
}

int main(void)
{
    static const unsigned char program[] = {1, 2, 3, 4, 2, 1, 5, 3, 0};
    static uint64_t (*const functions[])(uint64_t) = {twice, next, mix};
    uint64_t value = 1;
    long classes = 0;

    printf("interpreted %016lx\n", interpret(program, 1));
    for (unsigned i = 0; i < 200000; i++) {
        classes += classify(i);
        value = functions[value % 3](value) + i;
    }
    printf("classes %ld, far %d, functions %016lx\n", classes, classify(0x7fffffff), value);
    printf("ackermann %lu\n", ackermann(2, 300));
    printf("even %d %d\n", is_even(100001), is_even(100000));
    printf("deep %lu\n", sum_down(60000));
    printf("odd %d\n", jump_to_odd_addresses());
    return 0;
}
