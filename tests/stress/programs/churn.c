/* Threads that begin and end all the time: joined, detached, cancelled; libraries that come and go. */
#include "stress.h"

#include <dlfcn.h>
#include <semaphore.h>

#define STARTERS 4
#define LEAST_ROUNDS 2
#define SHORT_LIVED 8 /* at once, of each starter */

static struct stress stress;
static pthread_key_t key;
static uint64_t begun, ended;       /* threads with data in `key` */
static uint64_t cancelled, cleaned; /* threads that were, and their handlers */
static uint64_t queued, taken;      /* signals to the process, while threads come and go */
static sem_t detached;              /* posted by each at its end */
static volatile bool over;
static _Thread_local uint64_t own = 3; /* each thread begins with this */

static void take_queued(int number)
{
    (void)number;
    __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
}

static void destroy_data(void *data)
{
    REQUIRE(*(uint64_t *)data == 4711);
    free(data);
    __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
}

static void set_data(void)
{
    uint64_t *data = malloc(sizeof *data);

    REQUIRE(data != NULL && pthread_getspecific(key) == NULL);
    *data = 4711;
    REQUIRE(pthread_setspecific(key, data) == 0);
    __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
}

static void *live_shortly(void *argument)
{
    uint64_t random = (uintptr_t)argument;

    REQUIRE(own == 3);
    own += random;
    set_data();
    many_check(&random, 5);
    REQUIRE(own == 3 + (uintptr_t)argument);
    return (void *)((uintptr_t)argument + 1);
}

static void *live_detached(void *argument)
{
    live_shortly(argument);
    REQUIRE(sem_post(&detached) == 0);
    return NULL;
}

static void clean_up(void *argument)
{
    (void)argument;
    __atomic_fetch_add(&cleaned, 1, __ATOMIC_RELAXED);
}

/* Half of them can be cancelled anywhere, the others only where they say so. */
static void *live_until_cancelled(void *argument)
{
    volatile uint64_t work = 0;

    pthread_cleanup_push(clean_up, NULL);
    if (((uintptr_t)argument & 1) != 0) {
        REQUIRE(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
        for (;;) {
            work += 1;
        }
    }
    for (;;) {
        work += 1;
        pthread_testcancel();
        usleep(100);
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static void start_and_join(uint64_t *random)
{
    pthread_t threads[SHORT_LIVED];
    uintptr_t arguments[SHORT_LIVED];

    for (unsigned i = 0; i < SHORT_LIVED; i++) {
        arguments[i] = next_random(random) | 1;
        REQUIRE(pthread_create(&threads[i], NULL, live_shortly, (void *)arguments[i]) == 0);
    }
    for (unsigned i = 0; i < SHORT_LIVED; i++) {
        void *result;
        REQUIRE(pthread_join(threads[i], &result) == 0);
        REQUIRE((uintptr_t)result == arguments[i] + 1);
    }
}

static void start_detached(uint64_t *random)
{
    pthread_attr_t attributes;
    pthread_t thread;

    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
    for (unsigned i = 0; i < SHORT_LIVED; i++) {
        REQUIRE(pthread_create(&thread, &attributes, live_detached,
                               (void *)(uintptr_t)(next_random(random) | 1)) == 0);
    }
    for (unsigned i = 0; i < SHORT_LIVED; i++) { /* as many as began, perhaps of another starter */
        REQUIRE(sem_wait(&detached) == 0 || errno == EINTR);
    }
    pthread_attr_destroy(&attributes);
}

static void start_and_cancel(uint64_t *random)
{
    pthread_t threads[2];

    for (uintptr_t i = 0; i < 2; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, live_until_cancelled, (void *)i) == 0);
    }
    many_check(random, 20);
    usleep(1000); /* so that most have begun: one that has not has no handler to clean up */
    for (unsigned i = 0; i < 2; i++) {
        void *result;
        REQUIRE(pthread_cancel(threads[i]) == 0);
        REQUIRE(pthread_join(threads[i], &result) == 0);
        REQUIRE(result == PTHREAD_CANCELED);
        __atomic_fetch_add(&cancelled, 1, __ATOMIC_RELAXED);
    }
}

static void *start_often(void *argument)
{
    uint64_t random = start_random(stress.seed, (uintptr_t)argument);

    for (unsigned round = 0; stress_goes_on(&stress, round, LEAST_ROUNDS); round++) {
        start_and_join(&random);
        start_detached(&random);
        if (round % 4 == 1) {
            start_and_cancel(&random);
        }
    }
    return NULL;
}

static void *load_often(void *name)
{
    uint64_t random = start_random(stress.seed, 99);

    for (unsigned round = 0; !over; round++) {
        void *library = dlopen(name, RTLD_NOW);
        REQUIRE(library != NULL);
        uint64_t (*apply)(uint64_t) = (uint64_t(*)(uint64_t))dlsym(library, "plugin_apply");
        REQUIRE(apply != NULL);
        REQUIRE(apply(round) == (5 + round) * 3 && apply(1) == (6 + round) * 3);
        many_check(&random, 50);
        REQUIRE(dlclose(library) == 0);
    }
    return NULL;
}

/* To the process: whichever thread takes it, even one that is about to end. */
static void *signal_often(void *unused)
{
    const struct timespec moment = {.tv_nsec = 500000};

    while (!over) {
        if (sigqueue(getpid(), SIGRTMIN + 3, (union sigval){.sival_int = 0}) == 0) {
            queued++;
        }
        nanosleep(&moment, NULL);
    }
    return unused;
}

int main(int count, char **arguments)
{
    const struct sigaction action = {.sa_handler = take_queued, .sa_flags = SA_RESTART};
    const struct timespec moment = {.tv_nsec = 1000000};
    const bool signals = getenv("STRESS_EXEC") == NULL; /* qemu-riscv64 loses some itself */
    pthread_t starters[STARTERS], loader, sender;

    stress = stress_begin(count, arguments);
    REQUIRE(pthread_key_create(&key, destroy_data) == 0 && sem_init(&detached, 0, 0) == 0);
    REQUIRE(sigaction(SIGRTMIN + 3, &action, NULL) == 0);
    for (uintptr_t i = 0; i < STARTERS; i++) {
        REQUIRE(pthread_create(&starters[i], NULL, start_often, (void *)i) == 0);
    }
    if (signals) {
        REQUIRE(pthread_create(&sender, NULL, signal_often, NULL) == 0);
    }
    REQUIRE(count > 3 && pthread_create(&loader, NULL, load_often, arguments[3]) == 0);
    for (unsigned i = 0; i < STARTERS; i++) {
        REQUIRE(pthread_join(starters[i], NULL) == 0);
    }
    over = true;
    REQUIRE(pthread_join(loader, NULL) == 0);
    REQUIRE(!signals || pthread_join(sender, NULL) == 0);
    /* The last detached ones may still be on their way out, and signals on their way in. */
    while (__atomic_load_n(&begun, __ATOMIC_RELAXED) != __atomic_load_n(&ended, __ATOMIC_RELAXED) ||
           __atomic_load_n(&taken, __ATOMIC_RELAXED) != queued) {
        nanosleep(&moment, NULL);
    }
    REQUIRE(cancelled != 0 && cleaned != 0 && cleaned <= cancelled);
    puts("churn: all threads have ended as they should");
    return 0;
}
