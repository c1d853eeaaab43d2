/* Shows handlers whose frame has no room on the stack: a fault instead, which its own handler gets on
 * another stack or which ends the process.
 * qemu-riscv64 7.2 goes on below an alternate stack and without a handler; hence .expected. */
#include "common.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>

static char area[16384] __attribute__((aligned(16)));
static volatile int count;

static void note(int number)
{
    (void)number;
    count++;
}

static void raise_again(int number)
{
    count++;
    if (count > 1000) {
        _exit(99);
    }
    raise(number);
}

static void install(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    REQUIRE(sigaction(number, &action, NULL) == 0);
}

static void use_area(size_t bytes)
{
    stack_t stack = {.ss_sp = area, .ss_size = bytes};

    REQUIRE(sigaltstack(&stack, NULL) == 0);
}

static void overflow_alternate_stack(void)
{
    use_area(8192);
    install(SIGUSR1, raise_again, SA_ONSTACK | SA_NODEFER);
    raise(SIGUSR1);
}

static void no_stack(void)
{
    install(SIGUSR1, note, 0);
    install(SIGSEGV, note, 0);
    __asm__ volatile("li sp, 64\n"
                     "li a7, 172\n" /* getpid */
                     "ecall\n"
                     "li a1, 10\n"
                     "li a7, 129\n" /* kill */
                     "ecall\n"
                     "ebreak\n");
}

static sigjmp_buf back;

static void leap(int number)
{
    siglongjmp(back, number);
}

/* The fault's handler has a stack. */
static void repaired(void)
{
    int number = 0;

    use_area(sizeof(area));
    install(SIGUSR1, note, 0);
    install(SIGSEGV, leap, SA_ONSTACK);
    number = sigsetjmp(back, 1);
    if (number == 0) {
        __asm__ volatile("li sp, 64\n"
                         "li a7, 172\n"
                         "ecall\n"
                         "li a1, 10\n"
                         "li a7, 129\n"
                         "ecall\n"
                         "ebreak\n");
    }
    _exit(number + count);
}

static void try(const char *name, void (*function)(void))
{
    int status = 0;

    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        function();
        _exit(50);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    printf("%-26s %s %d\n", name, WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

int main(void)
{
    try("an alternate stack", overflow_alternate_stack);
    try("no stack", no_stack);
    try("no stack but for faults", repaired);
    return 0;
}
