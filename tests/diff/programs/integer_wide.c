/* Shows what the compiler builds from smaller parts: 128-bit integers, quad floats, bit fields,
 * varargs. */
#include "common.h"
#include <math.h>
#include <stdarg.h>

struct fields {
    unsigned a : 3;
    int b : 5;
    uint64_t c : 37;
    int64_t d : 19;
    unsigned char e : 1;
};

struct big {
    char text[40];
    double number;
};

static uint64_t sum_of(const char *kinds, ...)
{
    va_list list;
    uint64_t sum = 0;

    va_start(list, kinds);
    for (; *kinds != '\0'; kinds++) {
        switch (*kinds) {
        case 'i':
            sum = sum * 7 + (uint64_t)va_arg(list, int);
            break;
        case 'l':
            sum = sum * 7 + va_arg(list, uint64_t);
            break;
        case 'd':
            sum = sum * 7 + (uint64_t)va_arg(list, double);
            break;
        case 'q':
            sum = sum * 7 + (uint64_t)va_arg(list, long double);
            break;
        default: {
            struct big big = va_arg(list, struct big);

            sum = sum * 7 + (uint64_t)big.number + (uint64_t)big.text[3];
            break;
        }
        }
    }
    va_end(list);
    return sum;
}

__attribute__((noinline)) static uint64_t use_stack(size_t size)
{
    unsigned char *area = __builtin_alloca(size);

    memset(area, (int)size, size);
    return checksum(CHECKSUM_START, area, size) + (size > 8 ? use_stack(size / 2) : 0);
}

int main(void)
{
    unsigned __int128 factorial = 1;
    __int128 negative = -1;
    long double root = 2;
    struct fields fields = {0};
    struct big big = {"hello structure", 99.5};
    volatile long double third = 1.0L / 3;
    volatile int thirteen = 13;

    for (unsigned i = 1; i <= 34; i++) {
        factorial *= i;
    }
    printf("factorial %016lx%016lx\n", (uint64_t)(factorial >> 64), (uint64_t)factorial);
    factorial /= 1000000007u;
    printf("quotient %016lx%016lx, rest %lu\n", (uint64_t)(factorial >> 64), (uint64_t)factorial,
           (uint64_t)(factorial % 998244353u));
    negative = (negative << 100) / 12345;
    printf("negative %016lx%016lx\n", (uint64_t)(negative >> 64), (uint64_t)negative);
    for (int i = 0; i < 8; i++) {
        root = (root + 2 / root) / 2;
    }
    printf("quad root %.33Lg, third %.34Lg, %La\n", root, third, sinl(third));
    printf("quad to others %.17g %ld %d\n", (double)root, (long)(root * 1e15L), root > third);
    fields.a = (unsigned)thirteen;
    fields.b = -7;
    fields.c = 0x1234567890;
    fields.d = -200000;
    fields.e = (unsigned char)thirteen;
    fields.c += 0x1f00000000;
    printf("fields %u %d %lx %ld %u, size %zu\n", fields.a, fields.b, (uint64_t)fields.c,
           (int64_t)fields.d, fields.e, sizeof(fields));
    printf("varargs %016lx\n", sum_of("ildqbildqbii", 1, (uint64_t)2, 3.5, 4.5L, big, -5,
                                      (uint64_t)6, 7.5, 8.5L, big, 9, 10));
    printf("stack %016lx\n", use_stack(100000));
    return 0;
}
