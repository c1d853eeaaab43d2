/* Shows how wait4 and waitid report children: exits, signals, stops, continuations, no waiting. */
#include "common.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void show(const char *what, int status)
{
    if (WIFEXITED(status)) {
        printf("%s: exit %d\n", what, WEXITSTATUS(status));
    } else if (WIFSIGNALED(status)) {
        printf("%s: signal %d\n", what, WTERMSIG(status));
    } else if (WIFSTOPPED(status)) {
        printf("%s: stop %d\n", what, WSTOPSIG(status));
    } else if (WIFCONTINUED(status)) {
        printf("%s: continued\n", what);
    }
}

static pid_t start(int number)
{
    pid_t child = fork();

    REQUIRE(child >= 0);
    if (child == 0) {
        if (number < 0) {
            raise(-number);
            _exit(77);
        }
        _exit(number);
    }
    return child;
}

int main(void)
{
    static const int numbers[] = {0,        1,        255,      256 + 5,  -SIGTERM,
                                  -SIGKILL, -SIGSEGV, -SIGABRT, -SIGUSR1, -SIGFPE};
    struct rusage usage;
    siginfo_t info;
    int status = 0;
    pid_t child = 0;

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        child = start(numbers[i]);
        memset(&usage, 0xff, sizeof(usage));
        REQUIRE(wait4(child, &status, 0, &usage) == child && usage.ru_utime.tv_usec < 1000000);
        show("wait4", status);
    }
    child = start(-SIGSTOP);
    REQUIRE(waitpid(child, &status, WUNTRACED) == child);
    show("untraced", status);
    printf("nothing new: %d\n", waitpid(child, &status, WNOHANG | WUNTRACED));
    REQUIRE(kill(child, SIGCONT) == 0 && waitpid(child, &status, WCONTINUED) >= 0);
    if (WIFCONTINUED(status)) {
        REQUIRE(waitpid(child, &status, 0) == child);
    }
    show("after continuing", status);
    child = start(9);
    memset(&info, 0, sizeof(info));
    REQUIRE(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0);
    printf("waitid: code %d, status %d, child right %d\n", info.si_code, info.si_status,
           info.si_pid == child);
    REQUIRE(waitid(P_ALL, 0, &info, WEXITED) == 0);
    printf("waitid again: code %d, status %d\n", info.si_code, info.si_status);
    child = start(-SIGTERM);
    REQUIRE(waitid(P_PID, (id_t)child, &info, WEXITED) == 0);
    printf("waitid: killed %d by %d\n", info.si_code == CLD_KILLED, info.si_status);
    printf("none left: %s", outcome(waitpid(-1, &status, WNOHANG)));
    printf(" %s\n", outcome(waitid(P_ALL, 0, &info, WEXITED)));
    return 0;
}
