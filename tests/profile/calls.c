/* Calls of every kind, none of which a signal or a long jump leaves: recursion, tail calls, pointers, callbacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone))

APART static unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static unsigned is_odd(unsigned n);

APART static unsigned is_even(unsigned n)
{
    return n == 0 ? 1 : 1 + is_odd(n - 1);
}

APART static unsigned is_odd(unsigned n)
{
    return n == 0 ? 0 : 1 + is_even(n - 1);
}

APART static unsigned spread(unsigned n)
{
    for (unsigned i = 0; i < 5; i++) {
        n = n * 1103515245 + 12345;
    }
    return n;
}

APART static unsigned passes_on(unsigned n)
{
    return spread(n + 1); /* a jump */
}

APART static unsigned adds(unsigned n)
{
    return n + 3;
}

static int compare(const void *a, const void *b)
{
    const unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;
    return left < right ? -1 : left > right;
}

int main(void)
{
    unsigned (*const functions[])(unsigned) = {passes_on, adds, spread};
    unsigned numbers[200], sum = 0;
    for (unsigned i = 0; i < 200; i++) {
        numbers[i] = functions[i % 3](i);
    }
    qsort(numbers, 200, sizeof numbers[0], compare);
    for (unsigned i = 0; i < 200; i += 20) {
        sum ^= numbers[i];
    }
    printf("%u %u %u\n", fibonacci(12), is_even(20), sum);
    return 0;
}
