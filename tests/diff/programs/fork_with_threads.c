/* Shows fork in a program with threads: the child has one thread; handlers of pthread_atfork
 * run. */
#include "common.h"
#include <pthread.h>
#include <sys/wait.h>

static volatile int stop;
static char order[16];

static void before(void)
{
    strcat(order, "b");
}

static void in_parent(void)
{
    strcat(order, "p");
}

static void in_child(void)
{
    strcat(order, "c");
}

static void *spin(void *counter)
{
    while (!stop) {
        __atomic_fetch_add((long *)counter, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void *fork_here(void *unused)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        void *data = malloc(1000);

        _exit(data != NULL && strcmp(order, "bc") == 0 ? 12 : 13);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    return (void *)(long)(unused == NULL ? WEXITSTATUS(status) : 0);
}

int main(void)
{
    static long counters[3];
    pthread_t threads[4];
    void *result = NULL;

    REQUIRE(pthread_atfork(before, in_parent, in_child) == 0);
    for (int i = 0; i < 3; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, spin, &counters[i]) == 0);
    }
    for (int i = 0; i < 3; i++) {
        while (__atomic_load_n(&counters[i], __ATOMIC_RELAXED) == 0) {
            sched_yield();
        }
    }
    REQUIRE(pthread_create(&threads[3], NULL, fork_here, NULL) == 0);
    REQUIRE(pthread_join(threads[3], &result) == 0);
    stop = 1;
    for (int i = 0; i < 3; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    printf("child ended with %ld, order here %s\n", (long)result, order);
    return 0;
}
