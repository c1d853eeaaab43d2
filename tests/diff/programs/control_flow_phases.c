/* Shows loops whose most common path changes: branches, indirect calls and jumps take other ways in each phase. */
#include "common.h"

#define PHASES 12
#define ROUNDS_DEFAULT 1500

typedef uint64_t (*operation)(uint64_t value, unsigned phase);

#define OPERATION(name, expression)                                                                \
    static __attribute__((noinline)) uint64_t name(uint64_t value, unsigned phase)                 \
    {                                                                                              \
        return ((value >> (phase + 3)) & 1) != 0 ? (expression) : value + phase;                   \
    }
OPERATION(rotate, value << 7 | value >> 57)
OPERATION(multiply, value * 0x9e3779b97f4a7c15)
OPERATION(flip, ~value)
OPERATION(shift, value ^ value >> 11)
OPERATION(subtract, value - 0x1234567)
OPERATION(spread, value ^ value << 13)

static operation volatile operations[] = {rotate, multiply, flip, shift, subtract, spread};
#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

/* One target in most phases; two that take turns; any. */
static unsigned choose(unsigned phase, unsigned i, uint64_t *random)
{
    switch (phase % 4) {
    case 0:
        return phase / 4;
    case 1:
        return (phase / 4 + i % 2) % OPERATIONS;
    case 2:
        return (phase + (i % 17 == 0)) % OPERATIONS;
    default:
        return next_random(random) % OPERATIONS;
    }
}

/* A different case is the common one in each phase. */
static __attribute__((noinline)) uint64_t dispatch(uint64_t value, unsigned kind)
{
    switch (kind) {
    case 0:
        return value + 1;
    case 1:
        return value * 3;
    case 2:
        return value ^ 0x5555;
    case 3:
        return value >> 3 | value << 61;
    case 4:
        return value - 77;
    case 5:
        return value * value + 5;
    case 6:
        return value & ~UINT64_C(0xff0);
    default:
        return ~value;
    }
}

static uint64_t run_phase(unsigned phase, unsigned rounds, uint64_t value)
{
    uint64_t random = phase + 1;

    for (unsigned i = 0; i < rounds; i++) {
        value = operations[choose(phase, i, &random)](value, phase);
        if (i % 64 < phase * 5) { /* from never to always */
            value = dispatch(value, phase % 8);
        } else {
            value += i;
        }
        if ((i & (1u << (phase % 6))) != 0) {
            value = dispatch(value, (phase + i) % (phase % 3 + 1));
        }
        for (unsigned j = 0; j < phase % 5; j++) {
            value = value * 5 + j;
        }
    }
    return value;
}

int main(int argc, char **argv)
{
    const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : ROUNDS_DEFAULT;
    uint64_t value = 1;

    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned phase = 0; phase < PHASES; phase++) {
            value = run_phase(phase, rounds, value);
            printf("pass %u, phase %u: %016lx\n", pass, phase, value);
        }
    }
    return 0;
}
