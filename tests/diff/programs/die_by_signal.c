/* Shows the default action of the signal, fault or limit that the argument names.
 * qemu-riscv64 7.2 shifts real-time signals by two on the host and dies of the shifted one, so the
 * row that ends by one has an .expected. */
#include "common.h"
#include <signal.h>
#include <sys/mman.h>

static void die_of_fault(const char *kind)
{
    volatile int *nothing = NULL;

    if (strcmp(kind, "read") == 0) {
        printf("%d", *nothing);
    } else if (strcmp(kind, "write") == 0) {
        *nothing = 1;
    } else if (strcmp(kind, "jump") == 0) {
        ((void (*)(void))(uintptr_t)0x10)();
    } else if (strcmp(kind, "illegal") == 0) {
        __asm__ volatile(".word 0");
    } else if (strcmp(kind, "break") == 0) {
        __asm__ volatile("ebreak");
    } else if (strcmp(kind, "abort") == 0) {
        abort();
    } else if (strcmp(kind, "alarm") == 0) {
        alarm(1);
        for (;;) {
            pause();
        }
    } else if (strcmp(kind, "pipe") == 0) {
        int ends[2];

        REQUIRE(pipe(ends) == 0);
        close(ends[0]);
        REQUIRE(write(ends[1], "x", 1) == 1);
    } else if (strcmp(kind, "blocked") == 0) {
        /* A fault whose signal is blocked kills all the same. */
        sigset_t all;

        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        *nothing = 1;
    } else if (strcmp(kind, "ignored") == 0) {
        signal(SIGSEGV, SIG_IGN);
        *nothing = 1;
    }
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    char *end = NULL;
    long number = strtol(kind, &end, 10);

    printf("before %s\n", kind);
    fflush(stdout);
    if (*kind != '\0' && *end == '\0') {
        raise((int)number);
    } else {
        die_of_fault(kind);
    }
    printf("still alive\n");
    return 0;
}
