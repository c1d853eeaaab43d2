/* Shows the fields of /proc/self/stat that programs look for, before and after threads. */
#include "common.h"
#include <pthread.h>

enum { PARENT = 4, GROUP = 5, SESSION = 6, THREAD_COUNT = 20, PAGES = 24, FIELDS = 52 };
enum { THREADS = 2 };

static pthread_barrier_t barrier;

static void show_stat(void)
{
    FILE *file = fopen("/proc/self/stat", "r");
    unsigned long values[FIELDS + 1] = {0};
    char state = '?';
    int pid = 0;

    REQUIRE(file != NULL && fscanf(file, "%d (%*[^)]) %c", &pid, &state) == 2);
    for (int i = PARENT; i <= FIELDS; i++) {
        REQUIRE(fscanf(file, "%lu", &values[i]) == 1);
    }
    REQUIRE(fclose(file) == 0);
    printf("state %c, pid %d, parent %d, group %d, session %d, some pages %d, threads %lu\n", state,
           pid == getpid(), values[PARENT] == (unsigned long)getppid(),
           values[GROUP] == (unsigned long)getpgrp(), values[SESSION] == (unsigned long)getsid(0),
           values[PAGES] > 0, values[THREAD_COUNT]);
}

static void *wait_for_main(void *unused)
{
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];

    show_stat();
    REQUIRE(pthread_barrier_init(&barrier, NULL, THREADS + 1) == 0);
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, wait_for_main, NULL) == 0);
    }
    show_stat();
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    show_stat();
    return 0;
}
