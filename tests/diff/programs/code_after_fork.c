/* Shows code that parent and child change after a fork, each its own copy, at the same time; and pages that only
 * one of them ever writes to.  What was executed before the fork is what both have at first.
 *
 * Any argument: memory that stays shared.  qemu-riscv64 7.2 does not see what the other process writes; hence
 * .expected for it. */
#include "common.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define PAGE 4096
#define PAGES 3
#define ROUNDS 60

static char *pages;

static void write_function(unsigned page, unsigned value)
{
    char *at = pages + page * PAGE;

    memcpy(at, (uint32_t[]){value << 20 | 10u << 7 | 0x13, 0x00008067}, 8);
    __builtin___clear_cache(at, at + 8);
}

static long call(unsigned page)
{
    return ((long (*)(void))(pages + page * PAGE))();
}

/* The first page is changed, the second has data that is, the third stays as it is. */
static unsigned change(unsigned factor)
{
    volatile uint64_t *data = (volatile uint64_t *)(void *)(pages + PAGE + 1024);
    unsigned wrong = call(0) != 11 || call(1) != 12 || call(2) != 13 || *data != 5;

    for (unsigned i = 0; i < ROUNDS; i++) {
        write_function(0, i * factor);
        *data += factor;
        wrong += call(0) != i * factor || call(1) != 12 || call(2) != 13;
        if (i % 8 == 0) {
            sched_yield();
        }
    }
    return wrong + (*data != 5 + (uint64_t)ROUNDS * factor);
}

static void prepare(void)
{
    if (pages != NULL) {
        REQUIRE(munmap(pages, PAGES * PAGE) == 0);
    }
    pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED);
    *(uint64_t *)(void *)(pages + PAGE + 1024) = 5;
    for (unsigned page = 0; page < PAGES; page++) {
        write_function(page, page + 11);
        REQUIRE(call(page) == page + 11);
    }
}

static int wait_for(pid_t child)
{
    int status = -1;

    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

static void show_both(void)
{
    prepare();
    const pid_t child = fork();
    if (child == 0) {
        _exit(change(7) != 0);
    }
    const unsigned wrong = change(3);
    printf("both: parent wrong %u, child %d\n", wrong, wait_for(child));
}

/* The child's copy is another one for its own child, after the child has changed it. */
static void show_generations(void)
{
    prepare();
    const pid_t child = fork();
    if (child == 0) {
        write_function(0, 500);
        REQUIRE(call(0) == 500);
        const pid_t grandchild = fork();
        if (grandchild == 0) {
            const long inherited = call(0);
            write_function(0, 11);
            _exit(inherited != 500 || change(5) != 0);
        }
        const int status = wait_for(grandchild);
        _exit(status != 0 || call(0) != 500);
    }
    const int status = wait_for(child);
    printf("generations: %d, parent %ld\n", status, call(0));
}

/* Memory that stays shared: each sees what the other has written, after it says so. */
static void show_turns(void)
{
    int to_child[2], to_parent[2];
    unsigned wrong = 0;
    char byte = 0;

    pages = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED && pipe(to_child) == 0 && pipe(to_parent) == 0);
    write_function(0, 1);
    REQUIRE(call(0) == 1);
    const pid_t child = fork();
    if (child == 0) {
        for (unsigned i = 0; i < ROUNDS; i++) {
            REQUIRE(read(to_child[0], &byte, 1) == 1);
            __asm__ volatile("fence.i" ::: "memory");
            wrong += call(0) != 2 * i;
            write_function(0, 2 * i + 1);
            wrong += call(0) != 2 * i + 1;
            REQUIRE(write(to_parent[1], "", 1) == 1);
        }
        _exit(wrong != 0);
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        write_function(0, 2 * i);
        wrong += call(0) != 2 * i;
        REQUIRE(write(to_child[1], "", 1) == 1 && read(to_parent[0], &byte, 1) == 1);
        __asm__ volatile("fence.i" ::: "memory");
        wrong += call(0) != 2 * i + 1;
    }
    printf("by turns: parent wrong %u, child %d\n", wrong, wait_for(child));
}

static void *fork_in_thread(void *unused)
{
    (void)unused;
    show_both();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    (void)argv;
    if (argc > 1) {
        show_turns();
        return 0;
    }
    show_both();
    show_generations();
    REQUIRE(pthread_create(&thread, NULL, fork_in_thread, NULL) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    return 0;
}
