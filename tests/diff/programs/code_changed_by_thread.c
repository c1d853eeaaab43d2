/* Shows code that one thread changes and others run, told to be ready by a flag and flushed for
 * all. */
#include "common.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define READERS 3
#define ROUNDS 300

static uint32_t *code;
static pthread_barrier_t barrier;

static void *run(void *unused)
{
    uint64_t hash = CHECKSUM_START;

    (void)unused;
    for (unsigned i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&barrier);
        hash = checksum_word(hash, (uint64_t)((long (*)(void))code)());
        pthread_barrier_wait(&barrier);
    }
    return (void *)hash;
}

int main(void)
{
    pthread_t threads[READERS];
    void *result = NULL;

    code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(code != MAP_FAILED && pthread_barrier_init(&barrier, NULL, READERS + 1) == 0);
    for (int i = 0; i < READERS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, run, NULL) == 0);
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        code[0] = i << 20 | 10u << 7 | 0x13;
        code[1] = (i * 3 % 100) << 20 | 10u << 15 | 10u << 7 | 0x13;
        code[2] = 0x00008067;
        REQUIRE(syscall(SYS_riscv_flush_icache, code, code + 3, 0) == 0);
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
    }
    for (int i = 0; i < READERS; i++) {
        REQUIRE(pthread_join(threads[i], &result) == 0);
        printf("reader %d: %016lx\n", i, (uint64_t)result);
    }
    return 0;
}
