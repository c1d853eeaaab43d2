/* Shows interrupted system calls: EINTR without SA_RESTART, restarted with it, sleeps never. */
#include "common.h"
#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

static volatile sig_atomic_t count;
static volatile sig_atomic_t armed;
static int ends[2];

static void note(int number)
{
    (void)number;
    count++;
    if (armed && count == 3 && write(ends[1], "data", 4) != 4) {
        _exit(97);
    }
}

static void install(int flags)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = flags};
    struct itimerval timer = {{0, 10000}, {0, 10000}};

    count = 0;
    armed = (flags & SA_RESTART) != 0;
    REQUIRE(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

int main(void)
{
    char text[8] = "";
    struct timespec time = {2, 0};
    struct timespec left = {0, 0};
    pid_t child = 0;
    int status = 0;

    REQUIRE(pipe(ends) == 0);
    install(0);
    printf("read: %s\n", outcome(read(ends[0], text, 4)));
    install(SA_RESTART);
    printf("restarted read: %s", outcome(read(ends[0], text, 4)));
    printf(" [%s] after three signals %d\n", text, count >= 3);
    printf("sleep: %s", outcome(nanosleep(&time, &left)));
    printf(", time left %d\n", left.tv_sec == 1 && left.tv_nsec > 0);
    printf("poll: %s\n", outcome(poll(NULL, 0, 2000)));
    printf("pause: %s\n", outcome(pause()));
    child = fork();
    if (child == 0) {
        _exit(read(ends[0], text, 4) == 4 ? 5 : 6);
    }
    install(0);
    printf("wait: %s\n", outcome(waitpid(child, &status, 0)));
    install(SA_RESTART);
    REQUIRE(waitpid(child, &status, 0) == child);
    printf("restarted wait: %d\n", WEXITSTATUS(status));
    return 0;
}
