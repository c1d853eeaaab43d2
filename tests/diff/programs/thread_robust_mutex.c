/* Shows robust mutexes: the next owner learns that the last one died, a thread and a process.
 * qemu-riscv64 7.2 has no set_robust_list, so its waiters would never learn; hence .expected. */
#include "common.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

struct shared {
    pthread_mutex_t mutex;
    int value;
};

static void *die_holding(void *word)
{
    struct shared *shared = word;

    REQUIRE(pthread_mutex_lock(&shared->mutex) == 0);
    shared->value++;
    return NULL;
}

int main(void)
{
    struct shared *shared =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attribute;
    pthread_t thread;
    int status = 0;

    REQUIRE(shared != MAP_FAILED && pthread_mutexattr_init(&attribute) == 0);
    REQUIRE(pthread_mutexattr_setrobust(&attribute, PTHREAD_MUTEX_ROBUST) == 0);
    REQUIRE(pthread_mutexattr_setpshared(&attribute, PTHREAD_PROCESS_SHARED) == 0);
    REQUIRE(pthread_mutex_init(&shared->mutex, &attribute) == 0);
    REQUIRE(pthread_create(&thread, NULL, die_holding, shared) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    printf("after a thread: %s\n", error_name(pthread_mutex_lock(&shared->mutex)));
    REQUIRE(pthread_mutex_consistent(&shared->mutex) == 0);
    REQUIRE(pthread_mutex_unlock(&shared->mutex) == 0);
    if (fork() == 0) {
        die_holding(shared);
        _exit(0);
    }
    REQUIRE(wait(&status) > 0 && status == 0);
    printf("after a process: %s\n", error_name(pthread_mutex_lock(&shared->mutex)));
    REQUIRE(pthread_mutex_unlock(&shared->mutex) == 0);
    printf("given up: %s\n", error_name(pthread_mutex_lock(&shared->mutex)));
    printf("value %d\n", shared->value);
    return 0;
}
