/* Uses all descriptors, all memory, or memory for threads, and goes on with code that was not run yet. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static void use_descriptors(void)
{
    const struct rlimit limit = {256, 256};

    setrlimit(RLIMIT_NOFILE, &limit);
    while (dup(0) >= 0) {
    }
    printf("opened: %s\n", strerrorname_np(errno));
}

static int compare(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

static void use_memory(void)
{
    const struct rlimit limit = {400UL << 20, 400UL << 20};
    int numbers[] = {2, 3, 1};

    setrlimit(RLIMIT_AS, &limit);
    for (size_t bytes = 1 << 20; bytes >= 4096; bytes /= 2) {
        while (mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
        }
    }
    printf("mapped: %s\n", strerrorname_np(errno));
    qsort(numbers, 3, sizeof numbers[0], compare);
    printf("new code: %g %d %d %d\n", strtod("3.5", NULL), numbers[0], numbers[1], numbers[2]);
}

static void *wait_for(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static void use_threads(void)
{
    enum { MOST = 8192 };
    static pthread_t threads[MOST];
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int count = 0;
    int error = 0;

    pthread_mutex_lock(&lock);
    while (count < MOST && (error = pthread_create(&threads[count], NULL, wait_for, &lock)) == 0) {
        count++;
    }
    printf("some threads: %d, then %s\n", count > 0, strerrorname_np(error));
    pthread_mutex_unlock(&lock);
    while (count > 0) {
        pthread_join(threads[--count], NULL);
    }
    printf("all ended\n");
}

int main(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "memory") == 0) {
        use_memory();
    } else if (count > 1 && strcmp(words[1], "threads") == 0) {
        use_threads();
    } else {
        use_descriptors();
    }
    return 0;
}
