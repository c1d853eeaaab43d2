/* Shows whom futex calls wake: who was moved to a word comes behind those that wait there, and FUTEX_WAKE_OP
 * compares and adds numbers with a sign. */
#include "common.h"
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

static uint32_t first_place, second_place, third_place, word, idle;
static int woken;

static long futex(uint32_t *at, int operation, uint32_t value, long value2, uint32_t *at2,
                  uint32_t value3)
{
    return syscall(SYS_futex, at, operation, value, value2, at2, value3);
}

struct sleeper {
    pthread_t thread;
    uint32_t *place;
    char name;
};

static void *sleep_at(void *argument)
{
    struct sleeper *self = argument;

    while (futex(self->place, FUTEX_WAIT_PRIVATE, 0, 0, NULL, 0) != 0) {
        REQUIRE(errno == EINTR);
    }
    __atomic_store_n(&woken, self->name, __ATOMIC_SEQ_CST);
    return NULL;
}

/* Moves the one thread that waits there, as soon as it does. */
static void move(uint32_t *from, uint32_t *to)
{
    while (futex(from, FUTEX_CMP_REQUEUE_PRIVATE, 0, 1, to, *from) != 1) {
        usleep(500);
    }
}

static void start(struct sleeper *sleeper, uint32_t *to)
{
    REQUIRE(pthread_create(&sleeper->thread, NULL, sleep_at, sleeper) == 0);
    move(sleeper->place, to);
}

/* The thread that just one wake at the word wakes. */
static int wake_one(void)
{
    woken = 0;
    REQUIRE(futex(&word, FUTEX_WAKE_PRIVATE, 1, 0, NULL, 0) == 1);
    while (__atomic_load_n(&woken, __ATOMIC_SEQ_CST) == 0) {
        usleep(500);
    }
    return woken;
}

static void queues(void)
{
    struct sleeper early = {.place = &first_place, .name = 'e'};
    struct sleeper late = {.place = &second_place, .name = 'l'};

    start(&early, &third_place); /* it waits first, */
    start(&late, &word);
    move(&third_place, &word); /* and comes to the word behind the other */
    printf("first %c\n", wake_one());
    printf("second %c\n", wake_one());
    REQUIRE(pthread_join(early.thread, NULL) == 0 && pthread_join(late.thread, NULL) == 0);
}

/* What the word holds then, and how many threads that waits there are woken. */
static void change(const char *what, uint32_t before, int operation, int operand, int comparison,
                   int compared)
{
    struct sleeper sleeper = {.place = &first_place, .name = 's'};
    const uint32_t encoded = FUTEX_OP(operation, operand, comparison, compared);

    start(&sleeper, &word);
    word = before;
    const long count = futex(&idle, FUTEX_WAKE_OP_PRIVATE, 1, 1, &word, encoded);
    printf("%s: woken %ld, then %d\n", what, count, (int)word);
    if (count == 0) {
        REQUIRE(futex(&word, FUTEX_WAKE_PRIVATE, 1, 0, NULL, 0) == 1);
    }
    REQUIRE(pthread_join(sleeper.thread, NULL) == 0);
}

int main(void)
{
    queues();
    change("equals -1", UINT32_MAX, FUTEX_OP_SET, 7, FUTEX_OP_CMP_EQ, -1);
    change("is not -1", 5, FUTEX_OP_SET, 7, FUTEX_OP_CMP_EQ, -1);
    change("less than 0", (uint32_t)-5, FUTEX_OP_ADD, -3, FUTEX_OP_CMP_LT, 0);
    change("not less than -5", (uint32_t)-5, FUTEX_OP_ADD, -2048, FUTEX_OP_CMP_LT, -5);
    change("greater than -6", (uint32_t)-5, FUTEX_OP_ADD, 2047, FUTEX_OP_CMP_GT, -6);
    change("at least -2048", 0, FUTEX_OP_ANDN, -1, FUTEX_OP_CMP_GE, -2048);
    change("at most -2048", 0, FUTEX_OP_OR, -1, FUTEX_OP_CMP_LE, -2048);
    change("not equal, bit 4", 1, FUTEX_OP_XOR | FUTEX_OP_OPARG_SHIFT, 4, FUTEX_OP_CMP_NE, 0);
    return 0;
}
