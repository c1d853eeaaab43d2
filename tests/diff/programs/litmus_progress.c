/* Shows that what others store is seen within one turn of a loop: behind a fence or an atomic, and
 * where a page is shared with another process.
 *
 * Each loop ends when it has seen that often enough.  WRONG: the load behind the fence takes its
 * value from the load or store before it: then there is no end. */
#include "litmus.h"
#include <sys/mman.h>
#include <sys/wait.h>

#define CHANGES 50
/* Where the other side is another process, turns do not decide who runs, but the host. */
#define CHANGES_SHARED 5

static HOT void hot_count(void)
{
    uint64_t x = 1;

    for (uint64_t i = 1; load(&stop.value) == 0; i++) {
        store(&data.value, i);
        x = much_work(x);
        seldom_sleep(i);
    }
}

static HOT void hot_see_behind_fence(void)
{
    uint64_t x = 1;

    for (int changes = 0; changes < CHANGES;) {
        const uint64_t before = load(&data.value);
        x = much_work(x);
        fence();
        if (load_again(&data.value, before) != before) {
            changes++;
        }
    }
}

static HOT void hot_see_behind_amo(void)
{
    uint64_t x = 1;

    for (int changes = 0; changes < CHANGES;) {
        const uint64_t before = load(&data.value);
        x = much_work(x);
        __asm__ volatile("amoadd.d.aqrl zero, zero, (%0)" ::"r"(&flag.value) : "memory");
        if (load_again(&data.value, before) != before) {
            changes++;
        }
    }
}

/* An atomic stores to what was loaded before: each turn must see its own addition. */
static HOT void hot_see_own_amo(void)
{
    uint64_t x = 1, wrong = 0;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        const uint64_t before = load(&data.value);
        x = much_work(x);
        __asm__ volatile("amoadd.d zero, %1, (%0)" ::"r"(&data.value), "r"(1UL) : "memory");
        wrong += load_again(&data.value, before) <= before;
    }
    found.value = wrong;
}

static HOT void hot_add(void)
{
    uint64_t x = 1;

    for (uint64_t i = 1; load(&stop.value) == 0; i++) {
        __asm__ volatile("amoadd.d zero, %1, (%0)" ::"r"(&data.value), "r"(2UL) : "memory");
        x = much_work(x);
        seldom_sleep(i);
    }
}

/* As with a device: what is loaded is not what was stored.  The other thread answers in the same
 * place. */
static HOT void hot_ask(void)
{
    uint64_t x = 1;

    for (int answers = 0; answers < CHANGES;) {
        store(&data.value, 1);
        fence();
        x = much_work(x);
        if (load_again(&data.value, 1) == 2) {
            answers++;
        }
    }
}

static HOT void hot_answer(void)
{
    uint64_t x = 1;

    for (uint64_t i = 1; load(&stop.value) == 0; i++) {
        if (load(&data.value) == 1) {
            store(&data.value, 2);
        }
        x = much_work(x);
        seldom_sleep(i);
    }
}

/* A process that has one thread, and shares a page with another one. */
static HOT void hot_see_other_process(const struct place *counter)
{
    uint64_t x = 1;
    int changes = 0;

    for (uint64_t i = 0; changes < CHANGES_SHARED || i < ROUNDS; i++) {
        const uint64_t before = load(&counter->value);
        x = much_work(x);
        fence();
        if (load_again(&counter->value, before) != before) {
            changes++;
        }
    }
}

static HOT void count_for_other(struct place *counter, const uint64_t *end)
{
    uint64_t x = 1;

    for (uint64_t i = 1; load(end) == 0; i++) {
        store(&counter->value, i);
        x = much_work(x);
        seldom_sleep(i);
    }
}

static void share_page(void)
{
    struct place *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    REQUIRE(page != MAP_FAILED);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        count_for_other(&page[0], &page[1].value);
        _exit(0);
    }
    hot_see_other_process(&page[0]);
    store(&page[1].value, 1);
    REQUIRE(waitpid(child, NULL, 0) == child);
    REQUIRE(munmap(page, 4096) == 0);
}

static void nothing(void)
{
}

static const struct litmus tests[] = {
    {"fence", hot_see_behind_fence, hot_count, NULL}, {"amo", hot_see_behind_amo, hot_count, NULL},
    {"own", hot_see_own_amo, hot_add, NULL},          {"answer", hot_ask, hot_answer, NULL},
    {"process", share_page, nothing, NULL},
};

LITMUS_MAIN(tests)
