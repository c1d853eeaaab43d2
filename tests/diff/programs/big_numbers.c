/* Shows arithmetic of big numbers: factorial, powers, digits of pi, modular
 * exponentiation. */
#include "common.h"

#define LIMBS 400

struct number {
    uint32_t limbs[LIMBS];
    size_t used;
};

static void multiply_small(struct number *number, uint32_t factor)
{
    uint64_t carry = 0;

    for (size_t i = 0; i < number->used; i++) {
        carry += (uint64_t)number->limbs[i] * factor;
        number->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        REQUIRE(number->used < LIMBS);
        number->limbs[number->used++] = (uint32_t)carry;
    }
}

static uint32_t divide_small(struct number *number, uint32_t divisor)
{
    uint64_t rest = 0;

    for (size_t i = number->used; i-- > 0;) {
        rest = rest << 32 | number->limbs[i];
        number->limbs[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (number->used > 0 && number->limbs[number->used - 1] == 0) {
        number->used--;
    }
    return (uint32_t)rest;
}

static void print(struct number number)
{
    char text[LIMBS * 10];
    size_t length = 0;

    while (number.used > 0) {
        text[length++] = (char)('0' + divide_small(&number, 10));
    }
    while (length > 0) {
        putchar(text[--length]);
    }
    putchar('\n');
}

static uint64_t power(uint64_t base, uint64_t exponent, uint64_t modulus)
{
    unsigned __int128 result = 1;
    unsigned __int128 square = base % modulus;

    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) {
            result = result * square % modulus;
        }
        square = square * square % modulus;
    }
    return (uint64_t)result;
}

static void print_pi(int digits)
{
    static int remainders[1000];
    int size = digits * 10 / 3 + 1;
    int nines = 0;
    int held = 0;

    for (int i = 0; i < size; i++) {
        remainders[i] = 2;
    }
    for (int n = 0; n < digits; n++) {
        int carry = 0;

        for (int i = size - 1; i >= 0; i--) {
            int value = 10 * remainders[i] + carry * (i + 1);

            remainders[i] = value % (2 * i + 1);
            carry = value / (2 * i + 1);
        }
        remainders[0] = carry % 10;
        carry /= 10;
        if (carry == 9) {
            nines++;
            continue;
        }
        if (n > 0) {
            printf("%d", held + carry / 10);
        }
        for (; nines > 0; nines--) {
            printf("%d", carry == 10 ? 0 : 9);
        }
        held = carry % 10;
    }
    printf("\n");
}

int main(void)
{
    struct number factorial = {.limbs = {1}, .used = 1};
    struct number three = {.limbs = {1}, .used = 1};

    for (uint32_t i = 2; i <= 450; i++) {
        multiply_small(&factorial, i);
    }
    print(factorial);
    for (int i = 0; i < 1000; i++) {
        multiply_small(&three, 3);
    }
    print(three);
    print_pi(250);
    printf("%lu %lu\n", power(3, 1000000006, 1000000007),
           power(123456789, 987654321, 18446744073709551557u));
    return 0;
}
