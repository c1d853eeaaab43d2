/* Shows a sequence lock: a reader that finds the same even number before and behind the data has
 * seen data of one writing.
 *
 * WRONG: the second load of the number takes its value from the first one, or a load of the data
 * from the turn before; both are across fences. */
#include "litmus.h"

static HOT void hot_write(void)
{
    uint64_t x = 1;

    for (uint64_t i = 1; load(&stop.value) == 0; i++) {
        store(&flag.value, 2 * i - 1);
        fence_stores();
        for (int word = 0; word < 4; word++) {
            store(&words[word], i);
        }
        fence_stores();
        store(&flag.value, 2 * i);
        /* Long enough that readers come in between. */
        for (int pause = 0; pause < 40; pause++) {
            x = much_work(x);
        }
        seldom_sleep(16 * i);
    }
}

static HOT void hot_read_number(void)
{
    uint64_t x = 1, wrong = 0;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        const uint64_t before = load(&flag.value);
        fence_loads();
        const uint64_t a = load(&words[0]);
        const uint64_t b = load(&words[1]);
        x = much_work(x);
        const uint64_t c = load(&words[2]);
        const uint64_t d = load(&words[3]);
        fence_loads();
        const uint64_t after = load_again(&flag.value, before);
        if (before == after && before % 2 == 0) {
            wrong += a != b || b != c || c != d || a != before / 2;
        }
    }
    found.value = wrong;
}

static HOT void hot_read_data(void)
{
    uint64_t x = 1, wrong = 0, last = 0;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        const uint64_t before = load(&flag.value);
        fence_loads();
        const uint64_t a = load_again(&words[0], last);
        const uint64_t b = load(&words[1]);
        fence_loads();
        const uint64_t after = load(&flag.value);
        if (before == after && before % 2 == 0) {
            wrong += a != b || a != before / 2;
        }
        last = load(&words[0]);
        x = much_work(x);
    }
    found.value = wrong;
}

static const struct litmus tests[] = {
    {"number", hot_read_number, hot_write, NULL},
    {"data", hot_read_data, hot_write, NULL},
};

LITMUS_MAIN(tests)
