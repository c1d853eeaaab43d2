/* Shows that loops end which wait, without a system call, for what another thread stores.
 *
 * WRONG: the load is moved before the loop, or takes its value from the turn before: then there
 * is no end.  In a loop of one block there is no trace; the others have branches, calls, or more
 * than one load in a turn. */
#include "litmus.h"

#define HANDOVERS 60

/* Waits for `wanted` at the place, in one of the ways below. */
typedef void wait_function(const uint64_t *place, uint64_t wanted);

static HOT void wait_plainly(const uint64_t *place, uint64_t wanted)
{
    uint64_t seen = load(place);

    while (seen != wanted) {
        seen = load_again(place, seen);
    }
}

static HOT void hot_wait_with_branch(const uint64_t *place, uint64_t wanted)
{
    uint64_t x = 1, seen = load(place);

    while (seen != wanted) {
        x = much_work(x);
        seen = load_again(place, seen);
    }
}

static HOT uint64_t load_by_call(const uint64_t *place, uint64_t earlier)
{
    return load_again(place, earlier);
}

static HOT void hot_wait_with_call(const uint64_t *place, uint64_t wanted)
{
    uint64_t seen = load(place);

    while (seen != wanted) {
        seen = load_by_call(place, seen);
        __asm__ volatile("");
    }
}

/* Two loads in a turn.  The second may be the first one again, but not that of the turn before. */
static HOT void hot_wait_for_either(const uint64_t *place, uint64_t wanted)
{
    uint64_t x = 1, seen = load(place);

    while (seen != wanted) {
        x = work(x);
        if (load_again(place, seen) == wanted) {
            break;
        }
        x = much_work(x);
        seen = load_again(place, seen);
    }
}

/* As unoptimized code waits: pointer, number and counter are on the stack, and are loaded and
 * stored in each turn.  They may be kept in registers, what the pointer leads to may not. */
static HOT void hot_wait_on_stack(const uint64_t *place, uint64_t wanted)
{
    const uint64_t *volatile place_there = place;
    volatile uint64_t wanted_there = wanted;
    volatile uint64_t turns = 0;
    const uint64_t first = load(place);

    while (load_again(place_there, first) != wanted_there) {
        turns = turns + 1;
        if (turns % 64 == 0) {
            turns = turns + 2;
        }
    }
}

/* A turn also loads and stores something else. */
static HOT void hot_wait_with_count(const uint64_t *place, uint64_t wanted)
{
    uint64_t x = 1;
    uint64_t *count = &words[wanted % 2]; /* each thread its own */
    const uint64_t first = load(place);

    while (load_again(place, first) != wanted) {
        store(count, load(count) + 1);
        x = much_work(x);
    }
}

/* The threads hand the flag over, again and again. */
static inline void hand_over(uint64_t self, wait_function *wait)
{
    for (uint64_t i = 0; i < HANDOVERS; i++) {
        wait(&flag.value, 2 * i + self);
        store(&flag.value, 2 * i + self + 1);
    }
}

#define HAND_OVER(name)                                                                            \
    static void first_##name(void)                                                                 \
    {                                                                                              \
        hand_over(0, name);                                                                        \
    }                                                                                              \
    static void second_##name(void)                                                                \
    {                                                                                              \
        hand_over(1, name);                                                                        \
    }

HAND_OVER(wait_plainly)
HAND_OVER(hot_wait_with_branch)
HAND_OVER(hot_wait_with_call)
HAND_OVER(hot_wait_for_either)
HAND_OVER(hot_wait_on_stack)
HAND_OVER(hot_wait_with_count)

static const struct litmus tests[] = {
    {"plain", first_wait_plainly, second_wait_plainly, NULL},
    {"branch", first_hot_wait_with_branch, second_hot_wait_with_branch, NULL},
    {"call", first_hot_wait_with_call, second_hot_wait_with_call, NULL},
    {"either", first_hot_wait_for_either, second_hot_wait_for_either, NULL},
    {"stack", first_hot_wait_on_stack, second_hot_wait_on_stack, NULL},
    {"count", first_hot_wait_with_count, second_hot_wait_with_count, NULL},
};

LITMUS_MAIN(tests)
