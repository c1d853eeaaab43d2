/* Processes that threads make while others build code and hold locks: fork, vfork, posix_spawn. */
#include "stress.h"

#include <spawn.h>

#define FORKERS 4
#define SPAWNERS 2
#define BUILDERS 4
#define THREADS (FORKERS + SPAWNERS + BUILDERS)
#define LEAST_ROUNDS 2
#define AREA_BYTES (4 * PAGE)
/* qemu-riscv64 passes execve on to the host's kernel: there this variable says what has to
 * stand in front. */
#define EXEC "STRESS_EXEC"

static struct stress stress;
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t shared[2]; /* equal whenever the lock is free */
static int busy = FORKERS + SPAWNERS;
static char *own_name;

static void run_new_code(uint32_t *area, uint64_t *random)
{
    const uint64_t x = next_random(random);
    uint64_t wanted;
    const size_t words = jit_write(area, random, x, &wanted);

    jit_flush(area, words);
    REQUIRE(jit_call(area, x) == wanted);
}

static uint32_t *map_area(void)
{
    void *area = mmap(NULL, AREA_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(area != MAP_FAILED);
    return area;
}

static void wait_for(pid_t child, int status)
{
    int got;
    pid_t ended;

    do {
        ended = waitpid(child, &got, 0);
    } while (ended < 0 && errno == EINTR);
    REQUIRE(ended == child);
    REQUIRE(WIFEXITED(got) && WEXITSTATUS(got) == status);
}

static void *work_in_child(void *random)
{
    many_check(random, 100);
    return random;
}

/* Checked work, new code, memory, and in some children a thread. */
static _Noreturn void be_child(uint64_t random, int status)
{
    REQUIRE(shared[0] == shared[1]);
    many_check(&random, 200);
    run_new_code(map_area(), &random);
    if (status % 4 == 0 && getenv(EXEC) == NULL) { /* qemu-riscv64 cannot do that */
        pthread_t thread;
        void *result;
        REQUIRE(pthread_create(&thread, NULL, work_in_child, &random) == 0);
        REQUIRE(pthread_join(thread, &result) == 0 && result == &random);
    }
    char *memory = malloc(10000);
    REQUIRE(memory != NULL);
    memset(memory, status, 10000);
    REQUIRE(memory[9999] == (char)status);
    free(memory);
    _exit(status);
}

static void *fork_often(void *argument)
{
    uint64_t random = start_random(stress.seed, (uintptr_t)argument);

    pthread_barrier_wait(&barrier);
    for (unsigned round = 0; stress_goes_on(&stress, round, LEAST_ROUNDS); round++) {
        const int status = (int)(next_random(&random) % 90);
        many_check(&random, 20);
        /* The child must find the lock's data whole. */
        REQUIRE(pthread_mutex_lock(&lock) == 0);
        const pid_t child = fork();
        if (child == 0) {
            be_child(random, status);
        }
        REQUIRE(pthread_mutex_unlock(&lock) == 0);
        REQUIRE(child > 0);
        many_check(&random, 20);
        wait_for(child, status);
    }
    __atomic_fetch_sub(&busy, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* The child of a vfork must not return from here, nor change what is not volatile. */
static __attribute__((noinline)) void vfork_once(int status)
{
    const pid_t child = vfork();

    if (child == 0) {
        _exit(status);
    }
    REQUIRE(child > 0);
    wait_for(child, status);
}

static void spawn_once(int status)
{
    char number[16];
    char *prefix = getenv(EXEC);
    char *words[] = {prefix, own_name, (char *)"child", number, NULL};
    char **arguments = prefix != NULL ? words : words + 1;
    extern char **environ;
    pid_t child;

    snprintf(number, sizeof number, "%d", status);
    REQUIRE(posix_spawn(&child, arguments[0], NULL, NULL, arguments, environ) == 0);
    wait_for(child, status);
}

static void *spawn_often(void *argument)
{
    uint64_t random = start_random(stress.seed, (uintptr_t)argument);

    pthread_barrier_wait(&barrier);
    for (unsigned round = 0; stress_goes_on(&stress, round, LEAST_ROUNDS); round++) {
        const int status = (int)(next_random(&random) % 90);
        many_check(&random, 20);
        if (round % 4 == 0) {
            spawn_once(status);
        } else {
            vfork_once(status);
        }
    }
    __atomic_fetch_sub(&busy, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void *build_often(void *argument)
{
    uint64_t random = start_random(stress.seed, (uintptr_t)argument);
    uint32_t *area = map_area();

    pthread_barrier_wait(&barrier);
    while (__atomic_load_n(&busy, __ATOMIC_RELAXED) != 0) {
        many_check(&random, 300);
        REQUIRE(pthread_mutex_lock(&lock) == 0);
        shared[0]++;
        run_new_code(area, &random);
        shared[1]++;
        REQUIRE(pthread_mutex_unlock(&lock) == 0);
        free(malloc(next_random(&random) % 3000));
    }
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t threads[THREADS];

    if (count == 3 && strcmp(arguments[1], "child") == 0) {
        uint64_t random = start_random(1, 1);
        many_check(&random, 100);
        return atoi(arguments[2]);
    }
    own_name = arguments[0];
    stress = stress_begin(count, arguments);
    REQUIRE(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
    for (uintptr_t i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL,
                               i < FORKERS              ? fork_often
                               : i < FORKERS + SPAWNERS ? spawn_often
                                                        : build_often,
                               (void *)i) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    puts("fork: all children have ended as they should");
    return 0;
}
