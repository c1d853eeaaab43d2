/* Walks through memory in three ways, each a load that misses in its own way. */
#include <stdio.h>

#define WORDS (1 << 15)

static long words[WORDS];
static unsigned next[WORDS];

__attribute__((noinline)) static long in_steps(void)
{
    long sum = 0;
    for (unsigned i = 0; i < WORDS; i += 4) {
        sum += words[i];
    }
    return sum;
}

__attribute__((noinline)) static unsigned by_index(void)
{
    unsigned at = 0;
    for (unsigned i = 0; i < WORDS / 2; i++) {
        at = next[at];
    }
    return at;
}

__attribute__((noinline)) static long in_long_steps(void)
{
    long sum = 0;
    for (unsigned i = 0; i < WORDS / 8; i++) {
        sum += words[i * 4097u % WORDS];
    }
    return sum;
}

int main(void)
{
    for (unsigned i = 0; i < WORDS; i++) {
        words[i] = i;
        next[i] = (i * 5 + 12345) % WORDS;
    }
    printf("%ld %u %ld\n", in_steps(), by_index(), in_long_steps());
    return 0;
}
