/* Shows libraries that come and go: one in the place of the other, where places are used again, with
 * thread-local data of its own, by turns, in several threads at once, and while others call what stays. */
#include "common.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

#define THREADS 4
#define ROUNDS 12

typedef uint64_t run_function(uint64_t);
typedef uint64_t *place_function(void);

static const struct library {
    const char *name;
    uint64_t number;
} libraries[] = {{"libplugin_first.so", 1009}, {"libplugin_second.so", 2003}};

static uint64_t wanted_of(const struct library *library, uint64_t value)
{
    uint64_t words[8];
    uint64_t smallest, largest;

    for (unsigned i = 0; i < 8; i++) {
        value = words[i] = value * 3 + library->number;
    }
    smallest = largest = words[0];
    for (unsigned i = 1; i < 8; i++) {
        smallest = words[i] % library->number < smallest % library->number ? words[i] : smallest;
        largest = words[i] % library->number >= largest % library->number ? words[i] : largest;
    }
    return smallest * 31 + largest + 1;
}

/* Loads, calls a few times and unloads; how many results are wrong. */
static unsigned use(const struct library *library, uint64_t seed)
{
    void *handle = dlopen(library->name, seed % 2 == 0 ? RTLD_LAZY : RTLD_NOW);
    unsigned wrong = 0;

    REQUIRE(handle != NULL);
    run_function *run = (run_function *)dlsym(handle, "plugin_run");
    place_function *place = (place_function *)dlsym(handle, "plugin_place");
    REQUIRE(run != NULL && place != NULL);
    const uint64_t before = *place();
    for (uint64_t i = 0; i < 5; i++) {
        wrong += run(seed + i) != wanted_of(library, seed + i);
    }
    wrong += *place() != before + 5 || before < library->number;
    REQUIRE(dlclose(handle) == 0);
    return wrong;
}

static void *come_and_go(void *number)
{
    const uint64_t self = (uint64_t)number;
    unsigned long wrong = 0;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        wrong += use(&libraries[(i + self) % 2], self * 1000 + i);
    }
    return (void *)wrong;
}

static volatile bool over;
static run_function *kept;

static void *keep_calling(void *unused)
{
    unsigned long wrong = 0;

    (void)unused;
    for (uint64_t i = 0; !over; i++) {
        wrong += kept(i) != wanted_of(&libraries[0], i);
        sched_yield();
    }
    return (void *)wrong;
}

static void show_threads(const char *what)
{
    pthread_t threads[THREADS];
    unsigned long wrong = 0;
    void *result = NULL;

    for (long i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, come_and_go, (void *)i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], &result) == 0);
        wrong += (unsigned long)result;
    }
    printf("%s: wrong %lu\n", what, wrong);
}

int main(void)
{
    unsigned wrong = 0;
    pthread_t caller;
    void *result = NULL;

    for (unsigned i = 0; i < 40; i++) {
        wrong += use(&libraries[i % 2], i);
    }
    printf("by turns: wrong %u\n", wrong);
    show_threads("in threads");

    void *handle = dlopen(libraries[0].name, RTLD_NOW);
    REQUIRE(handle != NULL);
    kept = (run_function *)dlsym(handle, "plugin_run");
    REQUIRE(kept != NULL && pthread_create(&caller, NULL, keep_calling, NULL) == 0);
    show_threads("beside one that stays");
    over = true;
    REQUIRE(pthread_join(caller, &result) == 0 && dlclose(handle) == 0);
    printf("the one that stays: wrong %lu\n", (unsigned long)result);
    return 0;
}
