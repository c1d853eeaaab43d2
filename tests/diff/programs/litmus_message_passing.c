/* Shows message passing: who has seen the flag sees the data that were stored before it.
 *
 * Each reader has loaded the data before, too.  WRONG: the second load takes its value from the
 * first one, across the fence or the atomic, or although its address depends on the flag; and of
 * two stores to the data the first one is left out as dead. */
#include "litmus.h"

static HOT void hot_write(void)
{
    uint64_t x = 1;

    for (uint64_t i = 1; load(&stop.value) == 0; i++) {
        store(&data.value, i);
        fence_stores();
        store(&flag.value, i);
        x = much_work(x);
        seldom_sleep(i);
    }
}

static HOT void hot_write_release(void)
{
    uint64_t x = 1;

    for (uint64_t i = 1; load(&stop.value) == 0; i++) {
        store(&data.value, i);
        __atomic_store_n(&flag.value, i, __ATOMIC_RELEASE);
        x = much_work(x);
        seldom_sleep(i);
    }
}

/* Across `fence r,r`. */
static HOT void hot_read_fence(void)
{
    uint64_t x = 1, wrong = 0;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        const uint64_t before = load(&data.value);
        x = much_work(x);
        const uint64_t seen = load(&flag.value);
        fence_loads();
        x = work(x);
        const uint64_t after = load_again(&data.value, before);
        wrong += after < seen || after < before;
    }
    found.value = wrong;
}

/* Across the fence that a load-acquire ends with. */
static HOT void hot_read_acquire(void)
{
    uint64_t x = 1, wrong = 0;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        const uint64_t before = load(&data.value);
        x = much_work(x);
        const uint64_t seen = __atomic_load_n(&flag.value, __ATOMIC_ACQUIRE);
        const uint64_t after = load_again(&data.value, before);
        x = work(x);
        wrong += after < seen || after < before;
    }
    found.value = wrong;
}

/* Across an atomic. */
static HOT void hot_read_amo(void)
{
    uint64_t x = 1, wrong = 0;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t seen;
        const uint64_t before = load(&data.value);
        x = much_work(x);
        __asm__ volatile("amoadd.d.aq %0, zero, (%1)" : "=r"(seen) : "r"(&flag.value) : "memory");
        const uint64_t after = load_again(&data.value, before);
        x = work(x);
        wrong += after < seen || after < before;
    }
    found.value = wrong;
}

/* Across lr and sc. */
static HOT void hot_read_reserved(void)
{
    uint64_t x = 1, wrong = 0;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t seen, failed;
        const uint64_t before = load(&data.value);
        x = much_work(x);
        __asm__ volatile("1: lr.d.aq %0, (%2)\n"
                         "   sc.d %1, %0, (%2)\n"
                         "   bnez %1, 1b"
                         : "=&r"(seen), "=&r"(failed)
                         : "r"(&flag.value)
                         : "memory");
        const uint64_t after = load_again(&data.value, before);
        x = work(x);
        wrong += after < seen || after < before;
    }
    found.value = wrong;
}

/* No fence, but an address that depends on the flag, if not by its value: who makes a constant 0 of
 * `xor`, or who compares addresses as values, takes the order away.  qemu-riscv64 does, too, so
 * there this holds only on hosts that keep all loads in order, as x86-64 does. */
static HOT void hot_read_dependent(void)
{
    uint64_t x = 1, wrong = 0;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t offset;
        const uint64_t before = load(&data.value);
        x = much_work(x);
        const uint64_t seen = load(&flag.value);
        __asm__ volatile("xor %0, %1, %1" : "=r"(offset) : "r"(seen));
        const uint64_t *place = (const uint64_t *)((const char *)&data.value + offset);
        x = work(x);
        const uint64_t after = load_again(place, before);
        wrong += after < seen || after < before;
    }
    found.value = wrong;
}

static HOT void hot_write_slots(void)
{
    uint64_t x = 1;

    for (uint64_t i = 2; load(&stop.value) == 0; i++) {
        store(&words[i % 2], i);
        fence_stores();
        store(&flag.value, i);
        x = much_work(x);
        seldom_sleep(i);
    }
}

/* The flag says where the data are.  WRONG: where a guard finds that it is the place that was
 * loaded before, that value is taken. */
static HOT void hot_read_slots(void)
{
    uint64_t x = 1, wrong = 0;
    uint64_t *place = &words[0];

    for (uint64_t i = 0; i < ROUNDS; i++) {
        const uint64_t before = load(place);
        x = much_work(x);
        const uint64_t seen = load(&flag.value);
        uint64_t *next = &words[seen % 2];
        x = work(x);
        const uint64_t after = next == place ? load_again(next, before) : load(next);
        wrong += after < seen;
        place = next;
    }
    found.value = wrong;
}

/* Stores to the data twice: 2i before the flag, 2i + 1 behind it.  It is this loop that must be
 * interrupted in the middle of a turn, so the other one sleeps. */
static HOT void hot_write_twice(void)
{
    uint64_t x = 1;

    for (uint64_t i = 1; load(&stop.value) == 0; i++) {
#ifndef WRONG
        store(&data.value, 2 * i);
#endif
        fence_stores();
        store(&flag.value, i);
        x = much_work(x);
        fence_stores();
        store(&data.value, 2 * i + 1);
    }
}

static HOT void hot_read_once(void)
{
    uint64_t x = 1, wrong = 0;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        const uint64_t seen = load(&flag.value);
        fence_loads();
        const uint64_t after = load(&data.value);
        x = much_work(x);
        wrong += after < 2 * seen;
        seldom_sleep(i + 1);
    }
    found.value = wrong;
}

static const struct litmus tests[] = {
    {"fence", hot_read_fence, hot_write, NULL},
    {"acquire", hot_read_acquire, hot_write_release, NULL},
    {"amo", hot_read_amo, hot_write, NULL},
    {"reserved", hot_read_reserved, hot_write, NULL},
    {"dependent", hot_read_dependent, hot_write, NULL},
    {"slots", hot_read_slots, hot_write_slots, NULL},
    {"stores", hot_read_once, hot_write_twice, NULL},
};

LITMUS_MAIN(tests)
