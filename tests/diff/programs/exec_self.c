/* Shows execve: new arguments and environment, same process, handlers reset, ignored and mask
 * kept. */
#include "common.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static void handle(int number)
{
    (void)number;
}

static int second_stage(int argc, char **argv)
{
    struct sigaction action;
    sigset_t mask;
    long before = strtol(argv[2], NULL, 10);
    int kept = (int)strtol(argv[3], NULL, 10);
    int closed = (int)strtol(argv[4], NULL, 10);
    char text[16] = "";

    printf("name [%s], %d arguments, last [%s]\n", argv[0], argc, argv[argc - 1]);
    printf("same process %d\n", getpid() == before);
    printf("environment [%s] [%s]\n", getenv("STAGE"), getenv("DIFF_VARIABLE") ? "old" : "none");
    REQUIRE(sigaction(SIGUSR1, NULL, &action) == 0);
    printf("handler reset %d\n", action.sa_handler == SIG_DFL);
    REQUIRE(sigaction(SIGUSR2, NULL, &action) == 0);
    printf("ignoring kept %d\n", action.sa_handler == SIG_IGN);
    REQUIRE(sigprocmask(SIG_BLOCK, NULL, &mask) == 0);
    printf("mask kept %d %d\n", sigismember(&mask, SIGHUP), sigismember(&mask, SIGINT));
    printf("open file kept %zd", read(kept, text, sizeof(text)));
    printf(" [%s]\n", text);
    printf("closed on execution: %s\n", outcome(read(closed, text, 1)));
    return 23;
}

int main(int argc, char **argv)
{
    char numbers[3][16];
    char prefix[4096];
    char *arguments[] = {(char *)"a new name", (char *)"second", numbers[0],         numbers[1],
                         numbers[2],           (char *)"",       (char *)"the last", NULL};
    char *environment[] = {(char *)"STAGE=two", prefix, NULL};
    char **words = NULL;
    const char *file = NULL;
    sigset_t mask;
    int kept = 0;
    int closed = 0;
    int status = 0;
    pid_t child = 0;

    if (argc > 1) {
        return second_stage(argc, argv);
    }
    /* Where the emulator stands in front, it finds the dynamic linker by this variable. */
    snprintf(prefix, sizeof(prefix), "QEMU_LD_PREFIX=%s",
             getenv("QEMU_LD_PREFIX") != NULL ? getenv("QEMU_LD_PREFIX") : "");
    kept = open("data", O_CREAT | O_RDWR, 0600);
    closed = open("data", O_RDWR | O_CLOEXEC);
    REQUIRE(kept >= 0 && closed >= 0 && write(kept, "inherited", 9) == 9);
    REQUIRE(lseek(kept, 0, SEEK_SET) == 0);
    sigemptyset(&mask);
    sigaddset(&mask, SIGHUP);
    REQUIRE(sigprocmask(SIG_BLOCK, &mask, NULL) == 0);
    REQUIRE(signal(SIGUSR1, handle) != SIG_ERR && signal(SIGUSR2, SIG_IGN) != SIG_ERR);
    printf("missing: %s\n", outcome(execv("none", arguments)));
    REQUIRE(close(open("plain", O_CREAT | O_RDWR, 0600)) == 0);
    printf("not executable: %s\n", outcome(execv("./plain", arguments)));
    printf("a folder: %s\n", outcome(execv("/", arguments)));
    fflush(stdout);
    child = fork();
    if (child == 0) {
        snprintf(numbers[0], sizeof(numbers[0]), "%ld", (long)getpid());
        snprintf(numbers[1], sizeof(numbers[1]), "%d", kept);
        snprintf(numbers[2], sizeof(numbers[2]), "%d", closed);
        words = exec_arguments(argv[0], arguments, &file);
        execve(file, words, environment);
        _exit(98);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    printf("ended with %d\n", WEXITSTATUS(status));
    return 0;
}
