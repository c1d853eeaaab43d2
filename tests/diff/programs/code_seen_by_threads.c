/* Shows code that is changed while another thread is in it: the thread goes round in a loop of a few
 * instructions, and what it executes behind the loop is new as soon as it sees the flag.
 * qemu-riscv64 7.2 lets a thread go on in the old code for a while; hence .expected. */
#include "common.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE 4096
#define READERS 3
#define ROUNDS 60
#define ALL_THREADS 0L
#define THIS_THREAD 1L /* SYS_RISCV_FLUSH_ICACHE_LOCAL */

extern char wait_start[];
extern char wait_value[];
extern char wait_end[];
extern char fence_start[];
extern char fence_value[];
extern char fence_end[];
extern char turn_start[];
extern char turn_branch[];
extern char turn_end[];

/* Waits until *a0 is a1 and returns what is patched; *a2 counts the readers that are inside.  The second does fence.i itself.  The third has no flag: its branch is patched. */
__asm__(".section .rodata\n"
        ".balign 8\n"
        ".option push\n"
        ".option norvc\n"
        "wait_start:\n"
        "    li t0, 1\n"
        "    amoadd.w.aqrl t1, t0, (a2)\n"
        "1:  lw t0, 0(a0)\n"
        "    bne t0, a1, 1b\n"
        "    fence r, rw\n"
        "wait_value:\n"
        "    li a0, 0\n"
        "    ret\n"
        "wait_end:\n"
        "fence_start:\n"
        "    li t0, 1\n"
        "    amoadd.w.aqrl t1, t0, (a2)\n"
        "1:  lw t0, 0(a0)\n"
        "    bne t0, a1, 1b\n"
        "    fence r, rw\n"
        "    fence.i\n"
        "fence_value:\n"
        "    li a0, 0\n"
        "    ret\n"
        "fence_end:\n"
        "turn_start:\n"
        "    li t0, 1\n"
        "    amoadd.w.aqrl t1, t0, (a2)\n"
        "1:  addi a1, a1, 1\n"
        "turn_branch:\n"
        "    j 1b\n"
        "    li a0, 77\n"
        "    ret\n"
        "turn_end:\n"
        ".option pop\n"
        ".text\n");

static uint32_t *code;
static volatile unsigned flag;
static unsigned inside;
static unsigned factor; /* what a reader gets of the number of the round */
static pthread_barrier_t barrier;

typedef long body(volatile unsigned *, unsigned long, unsigned *);

static void *read_code(void *unused)
{
    unsigned long wrong = 0;

    (void)unused;
    for (unsigned i = 1; i <= ROUNDS; i++) {
        pthread_barrier_wait(&barrier);
        wrong += ((body *)code)(&flag, i, &inside) != i * factor;
        pthread_barrier_wait(&barrier);
    }
    return (void *)wrong;
}

static void flush(long flags)
{
    REQUIRE(syscall(SYS_riscv_flush_icache, code, (char *)code + PAGE, flags) == 0);
}

static void put(const char *start, const char *end)
{
    memcpy(code, start, (size_t)(end - start));
    flush(ALL_THREADS);
    flag = 0;
}

static void await_readers(void)
{
    while (__atomic_load_n(&inside, __ATOMIC_ACQUIRE) != READERS) {
        sched_yield();
    }
    inside = 0;
}

static void run_readers(const char *what, void (*change)(unsigned), unsigned multiple)
{
    pthread_t threads[READERS];
    void *wrong = NULL;

    factor = multiple;
    for (int i = 0; i < READERS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, read_code, NULL) == 0);
    }
    for (unsigned i = 1; i <= ROUNDS; i++) {
        pthread_barrier_wait(&barrier);
        await_readers();
        change(i);
        pthread_barrier_wait(&barrier);
    }
    for (int i = 0; i < READERS; i++) {
        REQUIRE(pthread_join(threads[i], &wrong) == 0);
        printf("%s, reader %d: wrong %lu\n", what, i, (unsigned long)wrong);
    }
}

static uint32_t load_immediate(unsigned value)
{
    return value << 20 | 10u << 7 | 0x13;
}

static void change_value(unsigned number)
{
    code[(wait_value - wait_start) / 4] = load_immediate(number * factor);
    flush(ALL_THREADS);
    __atomic_store_n(&flag, number, __ATOMIC_RELEASE);
}

static void change_value_unflushed(unsigned number)
{
    code[(fence_value - fence_start) / 4] = load_immediate(number * factor);
    __atomic_store_n(&flag, number, __ATOMIC_RELEASE);
}

static void change_value_flushed_here(unsigned number)
{
    code[(fence_value - fence_start) / 4] = load_immediate(number * factor);
    flush(THIS_THREAD);
    __atomic_store_n(&flag, number, __ATOMIC_RELEASE);
}

/* The branch becomes a nop, and is there again for the next round. */
static void change_branch(void)
{
    uint32_t *branch = &code[(turn_branch - turn_start) / 4];
    const uint32_t old = *branch;

    *branch = 0x00000013;
    flush(ALL_THREADS);
    pthread_barrier_wait(&barrier);
    *branch = old;
    flush(ALL_THREADS);
}

static void *turn(void *unused)
{
    long sum = 0;

    (void)unused;
    for (unsigned i = 1; i <= ROUNDS; i++) {
        sum += ((body *)code)(&flag, i, &inside);
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
    }
    return (void *)sum;
}

static void run_turns(void)
{
    pthread_t threads[READERS];
    void *result = NULL;

    for (int i = 0; i < READERS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, turn, NULL) == 0);
    }
    for (unsigned i = 1; i <= ROUNDS; i++) {
        await_readers();
        change_branch();
        pthread_barrier_wait(&barrier);
    }
    for (int i = 0; i < READERS; i++) {
        REQUIRE(pthread_join(threads[i], &result) == 0);
        printf("out of the loop, reader %d: %ld\n", i, (long)result);
    }
}

int main(void)
{
    code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(code != MAP_FAILED && pthread_barrier_init(&barrier, NULL, READERS + 1) == 0);
    put(wait_start, wait_end);
    run_readers("flushed for all", change_value, 3);
    put(fence_start, fence_end);
    run_readers("fence.i in the reader", change_value_unflushed, 5);
    put(fence_start, fence_end);
    run_readers("flushed here and there", change_value_flushed_here, 7);
    put(turn_start, turn_end);
    run_turns();
    return 0;
}
