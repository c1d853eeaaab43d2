/* Walks a list, with slices if it has any, while something happens that its first word names, and prints what it found. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "strata/roi.h"

#define NODES 128
#define PAGE 4096
#ifndef STEPS
#define STEPS 40 /* at a time: the rest is what slices run ahead into */
#endif
#define THREADS 5
#ifndef NAPS
#define NAPS 100
#endif
#ifndef EVENT
#define EVENT "" /* without words */
#endif

struct node {
    struct node *next;
    unsigned long value;
};

/* The sum of `count` nodes; what it ends at is in *at. */
unsigned long walk(struct node **at, unsigned long count);
__asm__(
    ".option push\n.option norvc\n.option norelax\n.text\n.balign 4\n.globl walk, trigger, target\n"
    "walk:\n"
    "    ld t0, 0(a0)\n"
    "    li t2, 0\n"
    "trigger:\n"
    "    ld t1, 8(t0)\n"
    "target:\n"
    "    ld t0, 0(t0)\n"
    "    add t2, t2, t1\n"
    "    li t3, 500\n" /* so that slices come to be ahead */
    "1:  addi t3, t3, -1\n"
    "    bnez t3, 1b\n"
    "    addi a1, a1, -1\n"
    "    bnez a1, trigger\n"
    "    sd t0, 0(a0)\n"
    "    mv a0, t2\n"
    "    ret\n"
    ".option pop\n");

/* A ring: each is so many bytes behind another one. */
static struct node *make_list_of(void *memory, unsigned long stride)
{
    for (unsigned i = 0; i < NODES; i++) {
        struct node *node = (struct node *)((char *)memory + (i * 7 % NODES * stride));
        node->next = (struct node *)((char *)memory + ((i + 1) * 7 % NODES * stride));
        node->value = i;
    }
    return memory;
}

static struct node *make_list(void *memory)
{
    return make_list_of(memory, PAGE);
}

static void *map_pages(unsigned long pages)
{
    return mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *map(void)
{
    return map_pages(NODES);
}

static struct node *first_list;

static unsigned long step(void)
{
    return walk(&first_list, STEPS);
}

static void handler(int number)
{
    (void)number;
    printf("handler %lu\n", step());
}

static void *thread(void *list)
{
    struct node *at = list;
    return (void *)walk(&at, 8 * NODES);
}

/* It is on a context for a moment, again and again. */
static void *napper(void *list)
{
    const struct timespec moment = {.tv_nsec = 1};
    for (unsigned i = 0; i < NAPS; i++) {
        nanosleep(&moment, NULL);
    }
    return (void *)((struct node *)list)->value;
}

static void run_threads(void *(*body)(void *))
{
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, body, make_list(map()));
    }
    unsigned long sum = step();
    for (unsigned i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += (unsigned long)result;
    }
    printf("threads %lu\n", sum);
}

static void run_child(pid_t child, const char *name)
{
    int status;
    if (child == 0) {
        _exit(step() % 100);
    }
    waitpid(child, &status, 0);
    printf("%s %d %lu\n", name, WEXITSTATUS(status), step());
}

/* The trigger is another instruction from now on, at the same address. */
static void change_code(void)
{
    extern unsigned code[] __asm__("trigger");
    void *page = (void *)((unsigned long)code & -(unsigned long)PAGE);
    if (mprotect(page, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        exit(1);
    }
    code[0] = 0x00100313; /* li t1, 1 */
    __builtin___clear_cache((char *)code, (char *)(code + 1));
}

/* Nodes with a page behind each, which then may be read or not. */
static void make_gaps(const char *kind)
{
    char *memory = map_pages(2 * NODES);
    first_list = make_list_of(memory, 2 * PAGE);
    for (unsigned i = 0; i < NODES; i++) {
        char *gap = memory + (2 * i + 1) * PAGE;
        if (strcmp(kind, "unmapped") == 0) {
            munmap(gap, PAGE);
        } else if (strcmp(kind, "unreadable") == 0) {
            mprotect(gap, PAGE, PROT_NONE);
        }
    }
}

static int file = -1;

static void *map_file(void)
{
    file = open("list", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (ftruncate(file, NODES * PAGE) != 0) {
        exit(1);
    }
    return mmap(NULL, NODES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

int main(int count, char **words)
{
    const char *event = count > 1 ? words[1] : EVENT;
    char *memory = strcmp(event, "file") == 0 ? map_file() : map();
    first_list = make_list(memory);
    if (strcmp(event, "gaps") == 0) {
        make_gaps(words[2]);
    }
    printf("%lu\n", step());
    fflush(stdout);
    if (strcmp(event, "call") == 0) {
        for (unsigned i = 0; i < 3; i++) {
            getppid();
            printf("%lu\n", step());
        }
    } else if (strcmp(event, "sleep") == 0) {
        const struct timespec short_time = {.tv_nsec = 100000};
        for (unsigned i = 0; i < 3; i++) {
            nanosleep(&short_time, NULL);
            printf("%lu\n", step());
        }
    } else if (strcmp(event, "code") == 0) {
        change_code();
    } else if (strcmp(event, "roi") == 0) {
        STRATA_ROI_BEGIN();
        const unsigned long sum = step();
        STRATA_ROI_END();
        printf("%lu\n", sum);
    } else if (strcmp(event, "signal") == 0) {
        signal(SIGUSR1, handler);
        raise(SIGUSR1);
    } else if (strcmp(event, "threads") == 0) {
        run_threads(thread);
    } else if (strcmp(event, "naps") == 0) {
        run_threads(napper);
    } else if (strcmp(event, "munmap") == 0) {
        first_list = make_list(map());
        munmap(memory, NODES * PAGE);
    } else if (strcmp(event, "mprotect") == 0) {
        mprotect(memory, NODES * PAGE, PROT_NONE);
        first_list = make_list(map());
        printf("%lu\n", step());
        mprotect(memory, NODES * PAGE, PROT_READ);
        first_list = (struct node *)memory;
    } else if (strcmp(event, "fork") == 0) {
        run_child(fork(), event);
    } else if (strcmp(event, "vfork") == 0) {
        run_child(vfork(), event);
    } else if (strcmp(event, "vfork_alone") == 0) {
        signal(SIGCHLD, SIG_IGN); /* nobody waits for it */
        if (vfork() == 0) {
            _exit(step() % 100);
        }
    } else if (strcmp(event, "exec") == 0) {
        execl(count > 2 ? words[2] : words[0], "again", (char *)NULL);
    } else if (strcmp(event, "file") == 0) {
        first_list = make_list(map());
        if (ftruncate(file, 0) != 0) {
            return 1;
        }
    }
    printf("%lu\n", step());
    return 0;
}
