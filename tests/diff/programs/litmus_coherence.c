/* Shows coherence: loads of one place never go back to an older value, with no fence between them.
 *
 * WRONG: a load takes its value from the turn before; or, where a place is known by two names,
 * from an earlier load or store by the same name, although a load by the other name, between the
 * two, may have seen something newer. */
#include "litmus.h"

static HOT void hot_count(void)
{
    uint64_t x = 1;

    for (uint64_t i = 1; load(&stop.value) == 0; i++) {
        store(&data.value, i);
        x = much_work(x);
        seldom_sleep(i);
    }
}

/* Three loads in a turn, in order also with those of the turn before. */
static HOT void hot_load_thrice(void)
{
    uint64_t x = 1, wrong = 0, last = 0;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        const uint64_t first = load(&data.value);
        x = much_work(x);
        const uint64_t second = load_again(&data.value, last);
        x = work(x);
        const uint64_t third = load(&data.value);
        wrong += first < last || second < first || third < second;
        last = third;
    }
    found.value = wrong;
}

static HOT void hot_load_by_two_names(void)
{
    uint64_t *one = unknown(&data.value), *other = unknown(&data.value);
    uint64_t x = 1, wrong = 0;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        const uint64_t first = load(one);
        x = much_work(x);
        const uint64_t second = load(other);
        x = work(x);
        const uint64_t third = load_again(one, first);
        wrong += second < first || third < second;
    }
    found.value = wrong;
}

/* Both threads store: this one odd numbers, the other one even ones.  Who has seen that the other
 * one was later does not see the own number any more. */
static HOT void hot_store_and_load(void)
{
    uint64_t *one = unknown(&data.value), *other = unknown(&data.value);
    uint64_t x = 1, wrong = 0;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        const uint64_t own = 2 * i + 1;
        store(one, own);
        x = much_work(x);
        const uint64_t second = load(other);
        x = work(x);
        const uint64_t third = load_again(one, own);
        wrong += second != own && third == own;
    }
    found.value = wrong;
}

static HOT void hot_count_even(void)
{
    uint64_t x = 1;

    for (uint64_t i = 2; load(&stop.value) == 0; i += 2) {
        store(&data.value, i);
        x = much_work(x);
        seldom_sleep(i);
    }
}

/* The halves of a place, each by its own load: the upper half that is loaded later is not older. */
static HOT void hot_load_half(void)
{
    uint64_t x = 1, wrong = 0;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        const uint64_t first = load(&data.value);
        x = much_work(x);
        const uint64_t second = *((volatile uint32_t *)unknown(&data.value) + 1);
        x = work(x);
        const uint64_t third = load_again(&data.value, first);
        wrong += second < first >> 32 || third >> 32 < second;
    }
    found.value = wrong;
}

static HOT void hot_count_halves(void)
{
    uint64_t x = 1;

    for (uint64_t i = 1; load(&stop.value) == 0; i++) {
        store(&data.value, i << 32 | i);
        x = much_work(x);
        seldom_sleep(i);
    }
}

static const struct litmus tests[] = {
    {"turns", hot_load_thrice, hot_count, NULL},
    {"names", hot_load_by_two_names, hot_count, NULL},
    {"own", hot_store_and_load, hot_count_even, NULL},
    {"halves", hot_load_half, hot_count_halves, NULL},
};

LITMUS_MAIN(tests)
