/* Shows signal handlers that change the code that they interrupted, and return to it: an illegal instruction that
 * is replaced, breakpoints that are taken away and set again, a loop that a handler ends.  The program's own faults
 * are its own: a page that it made unwritable itself is opened by its handler. */
#include "silent.h"
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

#define ROUNDS 50

extern char spin_start[], spin_branch[], spin_end[];

/* Turns until the branch is gone; counts in a0. */
__asm__(".section .rodata\n"
        ".balign 8\n"
        ".option push\n"
        ".option norvc\n"
        "spin_start:\n"
        "    li a0, 0\n"
        "1:  addi a0, a0, 1\n"
        "spin_branch:\n"
        "    j 1b\n"
        "    snez a0, a0\n"
        "    ret\n"
        "spin_end:\n"
        ".option pop\n"
        ".text\n");

static char *code;
static volatile uint32_t replacement;
static char *volatile place;
static volatile unsigned handled;

static void replace(int number, siginfo_t *info, void *context)
{
    const uint32_t word = replacement;

    (void)number;
    (void)info;
    REQUIRE(number == SIGALRM ||
            ((ucontext_t *)context)->uc_mcontext.__gregs[REG_PC] == (uintptr_t)place);
    memcpy(place, &word, sizeof(word));
    say_it();
    handled++;
}

static void open_page(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    REQUIRE(info->si_addr == place && mprotect(code, PAGE, ALL) == 0);
    handled++;
}

static void set_handler(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

    REQUIRE(sigaction(number, &action, NULL) == 0);
}

/* In the middle of straight code: `stop` is the instruction that makes the signal. */
static void show_replaced(const char *name, uint32_t stop)
{
    long sum = 0;

    handled = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint32_t *words = (uint32_t *)(void *)(code + i % 5 * 64);

        words[0] = 0x00000513; /* li a0, 0 */
        words[1] = i << 20 | 10u << 15 | 10u << 7 | 0x13;
        words[2] = stop;
        words[3] = 0x00150513; /* addi a0, a0, 1 */
        words[4] = 0x00008067;
        say_it();
        place = (char *)&words[2];
        replacement = 0x06450513; /* addi a0, a0, 100 */
        sum = sum * 3 % 1000003 + call((char *)words);
        words[2] = stop; /* again, behind code that was executed meanwhile */
        say_it();
        replacement = 0x00351513; /* slli a0, a0, 3 */
        sum = sum * 3 % 1000003 + call((char *)words);
        sum = sum * 3 % 1000003 + call((char *)words);
    }
    printf("%s: handled %u, %ld\n", name, handled, sum);
}

static void show_spin(void)
{
    const struct itimerval soon = {.it_value = {0, 2000}};
    long sum = 0;
    uint32_t old = 0;

    handled = 0;
    set_handler(SIGALRM, replace);
    memcpy(code, spin_start, (size_t)(spin_end - spin_start));
    place = code + (spin_branch - spin_start);
    memcpy(&old, place, sizeof(old));
    say_it();
    for (unsigned i = 0; i < 10; i++) {
        replacement = 0x00000013;
        REQUIRE(setitimer(ITIMER_REAL, &soon, NULL) == 0);
        sum += call(code);
        memcpy(place, &old, sizeof(old));
        say_it();
    }
    printf("a loop that a handler ends: handled %u, %ld\n", handled, sum);
}

static void show_own_faults(void)
{
    unsigned wrong = 0;

    handled = 0;
    set_handler(SIGSEGV, open_page);
    place = code;
    for (unsigned i = 0; i < ROUNDS; i++) {
        write_function(code, i); /* opens the page, if it is closed */
        say_it();
        wrong += call(code) != i;
        write_function(code, i + 1); /* it is open */
        say_it();
        wrong += call(code) != i + 1;
        if (i % 2 == 0) {
            REQUIRE(mprotect(code, PAGE, PROT_READ | PROT_EXEC) == 0);
            wrong += call(code) != i + 1;
        }
    }
    printf("own faults: wrong %u, handled %u\n", wrong, handled);
}

int main(void)
{
    code = map_pages(1);
    set_handler(SIGILL, replace);
    set_handler(SIGTRAP, replace);
    show_replaced("illegal instructions", 0xc0001073);
    show_replaced("breakpoints", 0x00100073);
    show_spin();
    show_own_faults();
    return 0;
}
