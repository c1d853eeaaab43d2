/* Shows store buffering and load buffering: each of two threads stores to the place that the other
 * one loads.
 *
 * Turn i of a thread stores the number i, and notes what it loads, so turns need not keep step:
 * which pairs of them are forbidden is found afterwards.  WRONG: with a fence between store and
 * load, the load takes its value from one before the store; a load that is needed only later is
 * moved behind a store. */
#include "litmus.h"
#include <stdbool.h>

static uint64_t seen[2][ROUNDS + 1]; /* by turn, from 1 */
static uint64_t turns;               /* of the second thread */

/* The second thread goes on until the first one has ended. */
static inline uint64_t store_fence_load(uint64_t *own, uint64_t *other, uint64_t *note, bool second)
{
    uint64_t x = 1, i;

    for (i = 1; i <= ROUNDS && (!second || load(&stop.value) == 0); i++) {
        const uint64_t before = load(other);
        x = much_work(x);
        store(own, i);
        fence();
        x = work(x);
        note[i] = load_again(other, before);
        if (second) {
            seldom_sleep(i);
        }
    }
    return i - 1;
}

static HOT void hot_store_first(void)
{
    store_fence_load(&data.value, &flag.value, seen[0], false);
}

static HOT void hot_store_second(void)
{
    turns = store_fence_load(&flag.value, &data.value, seen[1], true);
}

/* Of turn i and turn j, one loads what the other one has stored, or something later. */
static uint64_t judge_stores(void)
{
    uint64_t wrong = 0;

    for (uint64_t i = 1; i <= ROUNDS; i++) {
        const uint64_t j = seen[0][i] + 1; /* the first one that turn i has not seen */
        wrong += j <= turns && seen[1][j] < i;
    }
    return wrong;
}

static inline uint64_t load_store(uint64_t *own, uint64_t *other, uint64_t *note, bool second)
{
    uint64_t x = 1, i;

    for (i = 1; i <= ROUNDS && (!second || load(&stop.value) == 0); i++) {
        uint64_t loaded, nothing;
#ifdef WRONG
        store(own, i);
        x = work(x);
        loaded = load(other);
        (void)nothing;
#else
        loaded = load(other);
        x = work(x);
        __asm__ volatile("xor %0, %1, %1" : "=r"(nothing) : "r"(loaded));
        store(own, i + nothing);
#endif
        x = much_work(x);
        note[i] = loaded;
        if (second) {
            seldom_sleep(i);
        }
    }
    return i - 1;
}

static HOT void hot_load_first(void)
{
    load_store(&data.value, &flag.value, seen[0], false);
}

static HOT void hot_load_second(void)
{
    turns = load_store(&flag.value, &data.value, seen[1], true);
}

/* No two turns both load what the other one has stored. */
static uint64_t judge_loads(void)
{
    uint64_t wrong = 0;

    for (uint64_t i = 1; i <= ROUNDS; i++) {
        const uint64_t j = seen[0][i]; /* the last one that turn i has seen */
        wrong += j > 0 && seen[1][j] >= i;
    }
    return wrong;
}

static const struct litmus tests[] = {
    {"stores", hot_store_first, hot_store_second, judge_stores},
    {"loads", hot_load_first, hot_load_second, judge_loads},
};

LITMUS_MAIN(tests)
