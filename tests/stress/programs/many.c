/* Many small functions: more code than a tiny cache holds, called through pointers in random order. */
#include "stress.h"

#define FACTOR(n) ((uint64_t)(n)*2654435761u + 12345)
#define SHIFT(n) ((n) % 31 + 1)

/* Each has branches that differ from call to call, a loop, and a call through a pointer
 * at the end of a chain that becomes shorter. */
static inline __attribute__((always_inline)) uint64_t step(unsigned n, uint64_t x)
{
    uint64_t value = x * FACTOR(n) + n;

    value ^= value >> SHIFT(n);
    if ((value & (n | 1)) == 1) {
        value += FACTOR(n + 7);
    }
    for (uint64_t i = value & 3; i != 0; i--) {
        value = (value << 3 | value >> 61) ^ (n * 77 + i);
    }
    return value;
}

static inline uint64_t next_of(uint64_t value)
{
    return value >> 20 & (MANY - 1);
}

#define FUNCTION(n)                                                                                \
    static __attribute__((noinline)) uint64_t function_##n(uint64_t x)                             \
    {                                                                                              \
        const uint64_t value = step(0x##n, x);                                                     \
        return (value & 7) < 5 ? value : value ^ many[next_of(value)](value >> 1);                 \
    }
#define FUNCTIONS_4(n) FUNCTION(n##0) FUNCTION(n##1) FUNCTION(n##2) FUNCTION(n##3)
/* clang-format off */
#define FUNCTIONS_16(n)                                                                            \
    FUNCTIONS_4(n)                                                                                 \
    FUNCTION(n##4) FUNCTION(n##5) FUNCTION(n##6) FUNCTION(n##7) FUNCTION(n##8) FUNCTION(n##9)      \
        FUNCTION(n##a) FUNCTION(n##b) FUNCTION(n##c) FUNCTION(n##d) FUNCTION(n##e) FUNCTION(n##f)
#define FUNCTIONS_256(n)                                                                           \
    FUNCTIONS_16(n##0)                                                                             \
    FUNCTIONS_16(n##1) FUNCTIONS_16(n##2) FUNCTIONS_16(n##3) FUNCTIONS_16(n##4) FUNCTIONS_16(n##5) \
        FUNCTIONS_16(n##6) FUNCTIONS_16(n##7) FUNCTIONS_16(n##8) FUNCTIONS_16(n##9)                \
            FUNCTIONS_16(n##a) FUNCTIONS_16(n##b) FUNCTIONS_16(n##c) FUNCTIONS_16(n##d)            \
                FUNCTIONS_16(n##e) FUNCTIONS_16(n##f)
FUNCTIONS_256(0)
FUNCTIONS_256(1)
FUNCTIONS_256(2)
FUNCTIONS_256(3)

#define NAME(n) function_##n,
#define NAMES_16(n)                                                                                \
    NAME(n##0)                                                                                     \
    NAME(n##1) NAME(n##2) NAME(n##3) NAME(n##4) NAME(n##5) NAME(n##6) NAME(n##7) NAME(n##8)        \
        NAME(n##9) NAME(n##a) NAME(n##b) NAME(n##c) NAME(n##d) NAME(n##e) NAME(n##f)
#define NAMES_256(n)                                                                               \
    NAMES_16(n##0)                                                                                 \
    NAMES_16(n##1) NAMES_16(n##2) NAMES_16(n##3) NAMES_16(n##4) NAMES_16(n##5) NAMES_16(n##6)      \
        NAMES_16(n##7) NAMES_16(n##8) NAMES_16(n##9) NAMES_16(n##a) NAMES_16(n##b) NAMES_16(n##c)  \
            NAMES_16(n##d) NAMES_16(n##e) NAMES_16(n##f)
/* clang-format on */
uint64_t (*const many[MANY])(uint64_t) = {NAMES_256(0) NAMES_256(1) NAMES_256(2) NAMES_256(3)};

/* The same with the number as a variable, and without recursion. */
__attribute__((noinline)) uint64_t many_model(unsigned number, uint64_t x)
{
    uint64_t result = 0;

    for (;;) {
        const uint64_t value = step(number, x);
        result ^= value;
        if ((value & 7) < 5) {
            return result;
        }
        number = (unsigned)next_of(value);
        x = value >> 1;
    }
}

void many_check(uint64_t *random, unsigned calls)
{
    for (unsigned i = 0; i < calls; i++) {
        const uint64_t x = next_random(random);
        const unsigned number = (unsigned)(x >> 33) % MANY;
        REQUIRE(many[number](x) == many_model(number, x));
    }
}
