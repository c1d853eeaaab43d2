/* Shows handlers inside handlers: different signals nest, the same one waits, SA_NODEFER nests
 * it. */
#include "common.h"
#include <signal.h>

static volatile int depth;
static volatile int deepest;

static void nest(int number)
{
    depth++;
    deepest = depth > deepest ? depth : deepest;
    printf("%*senter %d\n", depth * 2, "", number);
    if (number == SIGUSR1) {
        raise(SIGUSR2);
        raise(SIGUSR1);
        printf("%*swaited\n", depth * 2, "");
        signal(SIGUSR1, SIG_IGN);
    } else if (number == SIGUSR2) {
        raise(SIGHUP);
    } else if (number == SIGTERM && depth < 20) {
        raise(SIGTERM);
    }
    printf("%*sleave %d\n", depth * 2, "", number);
    depth--;
}

int main(void)
{
    struct sigaction action = {.sa_handler = nest};
    struct sigaction old;

    REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGUSR2, &action, NULL) == 0);
    REQUIRE(sigaction(SIGHUP, &action, NULL) == 0);
    action.sa_flags = SA_NODEFER;
    REQUIRE(sigaction(SIGTERM, &action, NULL) == 0);
    REQUIRE(raise(SIGUSR1) == 0);
    REQUIRE(raise(SIGTERM) == 0);
    printf("deepest %d, now %d\n", deepest, depth);
    action.sa_flags = (int)SA_RESETHAND;
    REQUIRE(sigaction(SIGINT, &action, NULL) == 0 && raise(SIGINT) == 0);
    REQUIRE(sigaction(SIGINT, NULL, &old) == 0);
    printf("reset after one: %d\n", old.sa_handler == SIG_DFL);
    return 0;
}
