/* Threads that make and run new code all the time, while they call more old code than the cache holds. */
#include "stress.h"

#define THREADS 16
#define LEAST_ROUNDS 1
#define AREA_BYTES (16 * PAGE)

static struct stress stress;
static pthread_barrier_t barrier;

/* A function that threads take turns to write anew, and all of them call. */
static struct {
    pthread_rwlock_t lock;
    uint32_t *code;
    uint64_t x, wanted;
} shared = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static void *map(int protection)
{
    void *area = mmap(NULL, AREA_BYTES, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(area != MAP_FAILED);
    return area;
}

/* Code of this thread alone, one function over the other. */
static void write_and_call(uint32_t *area, uint64_t *random)
{
    for (unsigned i = 0; i < 8; i++) {
        uint32_t *code = area + next_random(random) % 64;
        const uint64_t x = next_random(random) >> (i * 7);
        uint64_t wanted;
        const size_t words = jit_write(code, random, x, &wanted);
        if ((i & 1) != 0) {
            jit_fence();
        } else {
            jit_flush(code, words);
        }
        REQUIRE(jit_call(code, x) == wanted);
        REQUIRE(jit_call(code, x) == wanted);
    }
}

/* Never writable and executable at once, and gone behind it. */
static void map_and_call(uint64_t *random)
{
    uint32_t *area = map(PROT_READ | PROT_WRITE);
    const uint64_t x = next_random(random);
    uint64_t wanted;

    jit_write(area, random, x, &wanted);
    REQUIRE(mprotect(area, AREA_BYTES, PROT_READ | PROT_EXEC) == 0);
    jit_fence();
    REQUIRE(jit_call(area, x) == wanted);
    REQUIRE(mprotect(area, AREA_BYTES, PROT_READ | PROT_WRITE) == 0);
    jit_write(area, random, x, &wanted);
    REQUIRE(mprotect(area, AREA_BYTES, PROT_READ | PROT_EXEC) == 0);
    jit_fence();
    REQUIRE(jit_call(area, x) == wanted);
    REQUIRE(munmap(area, AREA_BYTES) == 0);
}

static void write_shared(uint64_t *random)
{
    REQUIRE(pthread_rwlock_wrlock(&shared.lock) == 0);
    shared.x = next_random(random);
    const size_t words = jit_write(shared.code, random, shared.x, &shared.wanted);
    jit_flush(shared.code, words);
    REQUIRE(pthread_rwlock_unlock(&shared.lock) == 0);
}

static void call_shared(void)
{
    REQUIRE(pthread_rwlock_rdlock(&shared.lock) == 0);
    jit_fence();
    REQUIRE(jit_call(shared.code, shared.x) == shared.wanted);
    REQUIRE(pthread_rwlock_unlock(&shared.lock) == 0);
}

static void *work(void *argument)
{
    uint64_t random = start_random(stress.seed, (uintptr_t)argument);
    uint32_t *area = map(PROT_READ | PROT_WRITE | PROT_EXEC);

    pthread_barrier_wait(&barrier);
    for (unsigned round = 0; stress_goes_on(&stress, round, LEAST_ROUNDS); round++) {
        many_check(&random, 100);
        switch (next_random(&random) % 8) {
        case 0:
            map_and_call(&random);
            break;
        case 1:
            write_shared(&random);
            break;
        case 2:
            write_and_call(area, &random);
            break;
        case 3:
            call_shared();
            break;
        default: /* most of the time the cache shall become full by itself */
            many_check(&random, 300);
            break;
        }
    }
    REQUIRE(munmap(area, AREA_BYTES) == 0);
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t threads[THREADS];
    uint64_t random = start_random(1, THREADS);

    stress = stress_begin(count, arguments);
    shared.code = map(PROT_READ | PROT_WRITE | PROT_EXEC);
    write_shared(&random);
    REQUIRE(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
    for (uintptr_t i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    puts("build: all results are right");
    return 0;
}
