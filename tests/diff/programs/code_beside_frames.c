/* Shows stacks in pages that code was executed from just before: for signal handlers, whose frames the system
 * writes there, at each place in a page; for handlers that execute code of the page that they stand on; and for
 * a thread. */
#include "common.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#define PAGE 4096
#define PAGES 8
#define ALL (PROT_READ | PROT_WRITE | PROT_EXEC)

static char *stack; /* each page begins with a function */
static volatile unsigned handled;
static volatile unsigned wrong;
static volatile uint64_t seen;

static long call(unsigned page)
{
    return ((long (*)(void))(stack + page * PAGE))();
}

/* What is left of the functions: a frame may have been written over one of them. */
static void write_functions(void)
{
    for (unsigned page = 0; page < PAGES; page++) {
        memcpy(stack + page * PAGE, (uint32_t[]){(page + 5) << 20 | 10u << 7 | 0x13, 0x00008067},
               8);
    }
    __builtin___clear_cache(stack, stack + PAGES * PAGE);
}

static void run_all(void)
{
    for (unsigned page = 0; page < PAGES; page++) {
        wrong += call(page) != page + 5;
    }
}

static void map_stack(void)
{
    if (stack != NULL) {
        REQUIRE(munmap(stack, PAGES * PAGE) == 0);
    }
    stack = mmap(NULL, PAGES * PAGE, ALL, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(stack != MAP_FAILED);
    write_functions();
    run_all();
}

static void use_stack(size_t bytes)
{
    const stack_t alternate = {.ss_sp = stack, .ss_size = bytes};

    REQUIRE(sigaltstack(&alternate, NULL) == 0);
}

static void note(int number, siginfo_t *info, void *context)
{
    const ucontext_t *frame = context;

    handled++;
    seen = seen * 31 + (uint64_t)number + (uint64_t)info->si_code +
           frame->uc_mcontext.__gregs[REG_A0 + 2];
}

/* The page that the handler's frame is in becomes code, is written to, and becomes code again. */
static void note_and_call(int number, siginfo_t *info, void *context)
{
    ucontext_t *frame = context;
    volatile long sum = 0;

    (void)number;
    (void)info;
    handled++;
    for (unsigned i = 0; i < 4; i++) {
        sum = sum + call(((uintptr_t)context - (uintptr_t)stack) / PAGE);
        frame->uc_mcontext.__gregs[REG_A0 + 2] += i;
    }
    seen = seen * 31 + (uint64_t)sum;
}

/* A fault that is repaired by stepping over it, a step that is two bytes long. */
static void step_over(int number, siginfo_t *info, void *context)
{
    ucontext_t *frame = context;

    (void)info;
    handled++;
    seen = seen * 31 + (uint64_t)number;
    frame->uc_mcontext.__gregs[REG_PC] += 2;
    frame->uc_mcontext.__gregs[REG_A0 + 2] += 1;
}

static void set_handler(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    REQUIRE(sigaction(number, &action, NULL) == 0);
}

/* Sends itself the signal with all that a call need not keep in known registers; returns what a2 then is. */
static uint64_t signal_self(int number)
{
    register uint64_t a0 __asm__("a0") = (uint64_t)getpid();
    register uint64_t a1 __asm__("a1") = (uint64_t)number;
    register uint64_t a2 __asm__("a2") = 1000;
    register uint64_t a7 __asm__("a7") = 129; /* kill */

    __asm__ volatile("ecall" : "+r"(a0), "+r"(a1), "+r"(a2) : "r"(a7) : "memory");
    REQUIRE(a0 == 0 && a1 == (uint64_t)number);
    return a2;
}

static uint64_t break_here(void)
{
    register uint64_t a2 __asm__("a2") = 2000;

    __asm__ volatile("c.ebreak" : "+r"(a2)::"memory");
    return a2;
}

/* New pages each time, and a frame that begins 16 bytes lower: it covers the end of one page and the beginning
 * of the next in most of the rounds. */
static void show_places(void)
{
    uint64_t sum = 0;

    handled = wrong = 0;
    seen = 0;
    set_handler(SIGUSR1, note);
    for (size_t lower = 0; lower < PAGE; lower += 112) {
        map_stack();
        use_stack(PAGES * PAGE - lower);
        sum += signal_self(SIGUSR1);
    }
    printf("places: handled %u, wrong %u, %lu, %016lx\n", handled, wrong, sum, seen);
}

/* The same stack: what the frames write over is written again and executed each time. */
static void show_again(const char *what, void (*handler)(int, siginfo_t *, void *),
                       uint64_t (*cause)(void))
{
    uint64_t sum = 0;

    handled = wrong = 0;
    seen = 0;
    map_stack();
    use_stack(PAGES * PAGE);
    set_handler(SIGUSR1, handler);
    set_handler(SIGTRAP, handler);
    for (unsigned i = 0; i < 300; i++) {
        if (i % 3 == 2) {
            write_functions();
        }
        run_all();
        sum += cause();
    }
    printf("%s: handled %u, wrong %u, %lu, %016lx\n", what, handled, wrong, sum, seen);
}

static uint64_t cause_signal(void)
{
    return signal_self(SIGUSR1);
}

/* Each call writes to a page of code and each return reads there.  The function at the beginning of a page is
 * executed as long as the stack has not come down to it. */
static long recurse(long depth)
{
    volatile long here[20];

    for (int i = 0; i < 20; i++) {
        here[i] = depth + i;
    }
    const uintptr_t page = ((uintptr_t)here - (uintptr_t)stack) / PAGE;
    if ((uintptr_t)here % PAGE >= 64) {
        wrong += call((unsigned)page) != (long)page + 5;
    }
    return (depth > 0 ? recurse(depth - 1) : 0) + here[3] + here[19];
}

static void *work(void *unused)
{
    (void)unused;
    return (void *)recurse(60);
}

static void show_thread(void)
{
    static const size_t bytes = 64 * PAGE;
    pthread_attr_t attributes;
    pthread_t thread;
    void *result = NULL;

    wrong = 0;
    stack = mmap(NULL, bytes, ALL, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(stack != MAP_FAILED && pthread_attr_init(&attributes) == 0);
    for (unsigned page = 0; page < 64; page++) {
        memcpy(stack + page * PAGE, (uint32_t[]){(page + 5) << 20 | 10u << 7 | 0x13, 0x00008067},
               8);
    }
    __builtin___clear_cache(stack, stack + bytes);
    REQUIRE(pthread_attr_setstack(&attributes, stack, bytes) == 0);
    REQUIRE(pthread_create(&thread, &attributes, work, NULL) == 0);
    REQUIRE(pthread_join(thread, &result) == 0);
    printf("a thread: wrong %u, %ld\n", wrong, (long)result);
}

int main(void)
{
    show_places();
    show_again("again", note, cause_signal);
    show_again("with calls", note_and_call, cause_signal);
    show_again("faults", step_over, break_here);
    show_thread();
    return 0;
}
