/* Shows what ends a process though it has a handler: one that was reset, a fault while its signal is
 * blocked or ignored. */
#include "common.h"
#include <signal.h>
#include <sys/wait.h>

static volatile int count;
static volatile int *volatile nowhere = (volatile int *)16;

static void fault(void)
{
    *nowhere = 1;
}

static void note(int number)
{
    (void)number;
    count++;
}

static void fault_again(int number)
{
    (void)number;
    count++;
    fault();
}

static void install(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    REQUIRE(sigaction(number, &action, NULL) == 0);
}

static void block(int number)
{
    sigset_t mask;

    sigemptyset(&mask);
    sigaddset(&mask, number);
    REQUIRE(sigprocmask(SIG_BLOCK, &mask, NULL) == 0);
}

static void reset_handler(void)
{
    install(SIGUSR1, note, (int)SA_RESETHAND);
    raise(SIGUSR1);
    raise(SIGUSR1);
}

static void reset_fault_handler(void)
{
    install(SIGSEGV, fault_again, (int)SA_RESETHAND | SA_NODEFER);
    fault();
}

static void fault_in_handler(void)
{
    install(SIGSEGV, fault_again, 0);
    fault();
}

static void fault_while_blocked(void)
{
    install(SIGSEGV, note, 0);
    block(SIGSEGV);
    fault();
}

static void fault_while_ignored(void)
{
    REQUIRE(signal(SIGSEGV, SIG_IGN) != SIG_ERR);
    fault();
}

static void fault_in_other_handler(void)
{
    install(SIGUSR1, fault_again, 0);
    raise(SIGUSR1);
}

static void illegal_while_blocked(void)
{
    install(SIGILL, note, 0);
    block(SIGILL);
    __asm__ volatile(".half 0");
}

static void sent_while_blocked(void)
{
    install(SIGSEGV, note, 0);
    block(SIGSEGV);
    REQUIRE(kill(getpid(), SIGSEGV) == 0);
    _exit(count);
}

static void sent_while_ignored(void)
{
    REQUIRE(signal(SIGSEGV, SIG_IGN) != SIG_ERR && kill(getpid(), SIGSEGV) == 0);
    _exit(1);
}

static void sent_fault(void)
{
    install(SIGSEGV, note, 0);
    REQUIRE(kill(getpid(), SIGSEGV) == 0 && kill(getpid(), SIGSEGV) == 0);
    _exit(count);
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
    try("a reset handler", reset_handler);
    try("a reset fault handler", reset_fault_handler);
    try("a fault in its handler", fault_in_handler);
    try("a fault while blocked", fault_while_blocked);
    try("a fault while ignored", fault_while_ignored);
    try("a fault in another handler", fault_in_other_handler);
    try("illegal while blocked", illegal_while_blocked);
    try("sent while blocked", sent_while_blocked);
    try("sent while ignored", sent_while_ignored);
    try("sent", sent_fault);
    return 0;
}
