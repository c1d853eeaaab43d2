/* Does what its arguments say, one after the other: a program for tests of several on one processor. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static volatile uint64_t sum;

static void say(const char *text)
{
    printf("%s\n", text);
    fflush(stdout);
}

static void count(const char *times)
{
    for (long i = atol(times); i > 0; i--) {
        sum += (uint64_t)i;
    }
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static void sleep_milliseconds(const char *milliseconds)
{
    const long all = atol(milliseconds);
    const struct timespec time = {all / 1000, all % 1000 * 1000000};
    const uint64_t begin = now();
    nanosleep(&time, NULL);
    const uint64_t passed = now() - begin;
    printf("slept %s\n",
           passed >= (uint64_t)all && passed < (uint64_t)all + 100 ? "well" : "badly");
    fflush(stdout);
}

/* Says what comes from a FIFO until its end. */
static void read_all(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        printf("read %s", line);
        fflush(stdout);
    }
    say("read all");
}

/* The file stays open until the program ends. */
static void write_lines(const char *path)
{
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 3; i++) {
        fprintf(file, "line %d\n", i);
        fflush(file);
        count("2000");
    }
}

static void fork_child(void)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        count("20000");
        say("child");
        _exit(7);
    }
    waitpid(child, &status, 0);
    printf("child ended with %d\n", WEXITSTATUS(status));
    fflush(stdout);
}

static void spawn_itself(char **arguments)
{
    char *words[] = {arguments[0],          (char *)"say", (char *)"spawned",
                     (char *)"is-child-of", NULL,          NULL};
    char parent[16];
    snprintf(parent, sizeof parent, "%d", (int)getpid());
    words[4] = parent;
    pid_t child;
    int status = -1;
    posix_spawn(&child, arguments[0], NULL, NULL, words, environ);
    waitpid(child, &status, 0);
    printf("it ended with %d\n", WEXITSTATUS(status));
    fflush(stdout);
}

static void *count_in_thread(void *times)
{
    count(times);
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, count_in_thread, (void *)(uintptr_t) "30000");
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    say("threads joined");
}

/* Executes more different instructions than a companion may have: 16-bit nops, and a return. */
static void run_much_code(void)
{
    const size_t bytes = (size_t)6 << 20;
    uint16_t *code =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < bytes / 2; i++) {
        code[i] = 0x0001;
    }
    code[bytes / 2 - 1] = 0x8082;
    __builtin___clear_cache((char *)code, (char *)code + bytes);
    ((void (*)(void))(uintptr_t)code)();
    say("much code");
}

static void note(int number)
{
    (void)number;
}

static void wait_for_signal(const char *path)
{
    sigset_t blocked, old;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, &old);
    signal(SIGUSR1, note);
    FILE *file = fopen(path, "w");
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
    sigsuspend(&old);
    say("signalled");
}

static void send_signal(const char *path, int number)
{
    FILE *file = fopen(path, "r");
    int pid = 0;
    if (file != NULL && fscanf(file, "%d", &pid) == 1) {
        kill(pid, number);
        say("sent");
    }
}

/* Does one thing; true if `argument` was for it. */
static int act(const char *verb, const char *argument, char **arguments)
{
#define IS(name) (strcmp(verb, name) == 0)
    if (IS("say")) {
        say(argument);
    } else if (IS("count")) {
        count(argument);
    } else if (IS("sleep")) {
        sleep_milliseconds(argument);
    } else if (IS("read")) {
        read_all(argument);
    } else if (IS("write")) {
        write_lines(argument);
    } else if (IS("is-child-of")) {
        say(getppid() == atoi(argument) ? "child of its parent" : "child of another");
    } else if (IS("exit")) {
        exit(atoi(argument));
    } else if (IS("signal")) {
        wait_for_signal(argument);
    } else if (IS("usr1")) {
        send_signal(argument, SIGUSR1);
    } else if (IS("kill")) {
        send_signal(argument, SIGKILL);
    } else if (IS("exec")) {
        char *words[] = {(char *)(uintptr_t)argument, NULL};
        execv(argument, words);
        printf("exec: %s\n", strerror(errno));
        fflush(stdout);
    } else {
        if (IS("fork")) {
            fork_child();
        } else if (IS("spawn")) {
            spawn_itself(arguments);
        } else if (IS("threads")) {
            run_threads();
        } else if (IS("crash")) {
            *(volatile int *)(uintptr_t)atol("8") = 1;
        } else if (IS("wait")) {
            printf("wait: %s\n", wait(NULL) < 0 ? strerror(errno) : "a child");
            fflush(stdout);
        } else if (IS("parent")) {
            printf("parent %d\n", (int)getppid());
            fflush(stdout);
        } else if (IS("much-code")) {
            run_much_code();
        } else if (IS("arguments")) {
            for (char **word = arguments + 1; *word != NULL; word++) {
                printf("<%s>\n", *word);
            }
            fflush(stdout);
            exit(0);
        }
        return 0;
    }
    return 1;
#undef IS
}

int main(int argument_count, char **arguments)
{
    for (int i = 1; i < argument_count; i++) {
        i += act(arguments[i], arguments[i + 1] != NULL ? arguments[i + 1] : "", arguments);
    }
    return 0;
}
