/* Shows code that changes behind its mapping, which may only be executed: by a write to its file, through a second
 * mapping, by another process, or because its memory is given up.  qemu-riscv64 7.2 does not see such changes; hence .expected. */
#include "common.h"
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define PAGE 4096
#define ROUNDS 50
#define EXECUTED (PROT_READ | PROT_EXEC)

typedef long function(void);

static void make_function(uint32_t words[2], unsigned value)
{
    words[0] = value << 20 | 10u << 7 | 0x13;
    words[1] = 0x00008067;
}

static void synchronize(unsigned round)
{
    if (round % 2 == 0) {
        __asm__ volatile("fence.i" ::: "memory");
    } else {
        __builtin___clear_cache(NULL, NULL);
    }
}

static void show_file(void)
{
    const int file = open("code", O_CREAT | O_RDWR | O_TRUNC, 0700);
    unsigned wrong = 0;
    uint32_t words[2];

    REQUIRE(file >= 0 && ftruncate(file, PAGE) == 0);
    uint32_t *code = mmap(NULL, PAGE, EXECUTED, MAP_SHARED, file, 0);
    REQUIRE(code != MAP_FAILED);
    for (unsigned i = 0; i < ROUNDS; i++) {
        make_function(words, i);
        REQUIRE(pwrite(file, words, sizeof(words), 0) == sizeof(words));
        synchronize(i);
        wrong += ((function *)code)() != i;
    }
    printf("by a write: wrong %u\n", wrong);
    REQUIRE(munmap(code, PAGE) == 0 && close(file) == 0);
}

/* The place in the page changes, too, so that what is compared is the right part of it. */
static void show_second_mapping(void)
{
    const int file = memfd_create("code", 0);
    unsigned wrong = 0;

    REQUIRE(file >= 0 && ftruncate(file, 2 * PAGE) == 0);
    char *written = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    char *code = mmap(NULL, 2 * PAGE, EXECUTED, MAP_SHARED, file, 0);
    REQUIRE(written != MAP_FAILED && code != MAP_FAILED);
    for (unsigned i = 0; i < 4 * ROUNDS; i++) {
        const size_t place = (size_t)i % 5 * 1638; /* one of them over the end of the page */
        uint32_t words[2];

        make_function(words, i);
        memcpy(written + place, words, sizeof(words));
        synchronize(i);
        wrong += ((function *)(code + place))() != i;
        /* Only the second instruction of it: addi a0, a0, 1; and a return behind it. */
        memcpy(written + place + 4, (uint16_t[]){0x0505, 0x8082}, 4);
        synchronize(i);
        wrong += ((function *)(code + place))() != i + 1;
    }
    printf("through a second mapping: wrong %u\n", wrong);
    REQUIRE(munmap(code, 2 * PAGE) == 0 && munmap(written, 2 * PAGE) == 0 && close(file) == 0);
}

static void show_process(void)
{
    uint32_t *code = mmap(NULL, PAGE, PROT_WRITE | EXECUTED, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned wrong = 0;
    int status = 0;

    REQUIRE(code != MAP_FAILED);
    for (unsigned i = 0; i < 10; i++) {
        make_function(code, i);
        synchronize(i);
        wrong += ((function *)code)() != i;
        if (fork() == 0) {
            make_function(code, i + 100);
            synchronize(i);
            _exit(((function *)code)() == i + 100 ? 0 : 1);
        }
        REQUIRE(wait(&status) > 0);
        wrong += status != 0;
        synchronize(i);
        wrong += ((function *)code)() != i + 100;
    }
    printf("by a child: wrong %u\n", wrong);
    REQUIRE(munmap(code, PAGE) == 0);
}

/* Anonymous memory that is given up is full of zeros, which are no instruction. */
static sigjmp_buf back;

static void leave(int number)
{
    siglongjmp(back, number);
}

static void show_emptied(void)
{
    uint32_t *code = mmap(NULL, PAGE, PROT_WRITE | EXECUTED, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(code != MAP_FAILED && signal(SIGILL, leave) != SIG_ERR);
    for (volatile unsigned i = 0; i < 3; i++) {
        make_function(code, i);
        synchronize(i);
        printf("full %ld, ", ((function *)code)());
        REQUIRE(madvise(code, PAGE, MADV_DONTNEED) == 0);
        synchronize(i);
        if (sigsetjmp(back, 1) == 0) {
            printf("emptied %ld\n", ((function *)code)());
        } else {
            printf("emptied: illegal\n");
        }
    }
    REQUIRE(munmap(code, PAGE) == 0);
}

/* As a compiler does that keeps its code unwritable: it writes through the one, its threads execute the other. */
static char *writable;
static char *executable;
static pthread_barrier_t barrier;

static void *execute(void *unused)
{
    unsigned long wrong = 0;

    (void)unused;
    for (unsigned i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&barrier);
        wrong += ((function *)(executable + i % 3 * 1024))() != i;
        pthread_barrier_wait(&barrier);
    }
    return (void *)wrong;
}

static void show_threads(void)
{
    const int file = memfd_create("code", 0);
    pthread_t threads[2];
    void *wrong = NULL;

    REQUIRE(file >= 0 && ftruncate(file, PAGE) == 0);
    writable = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    executable = mmap(NULL, PAGE, EXECUTED, MAP_SHARED, file, 0);
    REQUIRE(writable != MAP_FAILED && executable != MAP_FAILED);
    REQUIRE(pthread_barrier_init(&barrier, NULL, 3) == 0);
    for (int i = 0; i < 2; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, execute, NULL) == 0);
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        make_function((uint32_t *)(void *)(writable + i % 3 * 1024), i);
        __builtin___clear_cache(executable, executable + PAGE);
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
    }
    for (int i = 0; i < 2; i++) {
        REQUIRE(pthread_join(threads[i], &wrong) == 0);
        printf("in thread %d: wrong %lu\n", i, (unsigned long)wrong);
    }
}

int main(void)
{
    show_file();
    show_second_mapping();
    show_process();
    show_emptied();
    show_threads();
    return 0;
}
