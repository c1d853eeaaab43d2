/* Runs until it is told to go on, and writes half a line in between. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t told;

static void on_signal(int number)
{
    (void)number;
    told++;
}

static void spin_until(int signals)
{
    while (told < signals) {
    }
}

int main(int count, char **words)
{
    signal(SIGUSR1, on_signal);
    printf("begin\n");
    fflush(stdout);
    spin_until(1);
    if (count > 1 && strcmp(words[1], "fork") == 0) {
        if (fork() == 0) {
            _exit(0);
        }
        wait(NULL);
        printf("forked\n");
    } else {
        printf("half");
    }
    fflush(stdout);
    spin_until(2);
    printf(" end\n");
    return 0;
}
