/* A thread waits for its child, which has a copy of the memory, while another one goes on. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int to_child[2], from_child[2], end[2];
static volatile int *ended; /* memory of all processes */

/* Runs code that nobody has run yet, then lets the child end. */
static void *go_on(void *argument)
{
    char text[64];
    char byte = 0;

    (void)argument;
    if (read(from_child[0], &byte, 1) != 1) {
        return NULL;
    }
    snprintf(text, sizeof text, "%g", strtod("1.5", NULL));
    printf("the other thread goes on: %s\n", text);
    fflush(stdout);
    if (write(to_child[1], &byte, 1) != 1) {
        return NULL;
    }
    return argument;
}

static int run_child(void)
{
    char byte = 0;

    /* A grandchild that lives on is nobody's business. */
    if (fork() == 0) {
        close(end[1]);
        while (read(end[0], &byte, 1) < 0) {
        }
        return 0;
    }
    if (write(from_child[1], &byte, 1) != 1 || read(to_child[0], &byte, 1) != 1) {
        return 1;
    }
    *ended = 1;
    return 7;
}

int main(void)
{
    pthread_t other;
    int status = 0;

    ended = mmap(NULL, sizeof *ended, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (ended == MAP_FAILED || pipe(to_child) != 0 || pipe(from_child) != 0 || pipe(end) != 0 ||
        pthread_create(&other, NULL, go_on, &status) != 0) {
        return 1;
    }
    long child = syscall(SYS_clone, (long)(CLONE_VFORK | SIGCHLD), 0L, 0L, 0L, 0L);
    if (child == 0) {
        syscall(SYS_exit_group, run_child());
    }
    int has_ended = *ended;
    waitpid((pid_t)child, &status, 0);
    printf("the child has ended: %d, with %d\n", has_ended, WEXITSTATUS(status));
    pthread_join(other, NULL);
    return 0;
}
