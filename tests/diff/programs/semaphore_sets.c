/* System V semaphores: operations that wait in turn, for one another, for time and for signals, in threads. */
#include "common.h"
#include <pthread.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <time.h>

union semun {
    int val;
    struct semid_ds *buf;
    unsigned short *array;
};

enum { COUNT = 3, WAITERS = 4, TURNS = 200 };

static int set = -1;

static void remove_set(void)
{
    if (set >= 0) {
        semctl(set, 0, IPC_RMID);
    }
}

static int value(int number)
{
    return semctl(set, number, GETVAL);
}

static void set_value(int number, int to)
{
    union semun argument = {.val = to};

    REQUIRE(semctl(set, number, SETVAL, argument) == 0);
}

static int operate(int number, int by, int flags)
{
    struct sembuf operation = {(unsigned short)number, (short)by, (short)flags};

    return semop(set, &operation, 1);
}

static void wait_for_waiters(int number, int command, int count)
{
    while (semctl(set, number, command) != count) {
        sched_yield();
    }
}

static void controls(void)
{
    unsigned short values[COUNT] = {3, 0, 32767};
    struct semid_ds status;
    union semun argument = {.array = values};

    REQUIRE(semctl(set, 0, SETALL, argument) == 0);
    memset(values, 0, sizeof values);
    REQUIRE(semctl(set, 0, GETALL, argument) == 0);
    printf("values %d %d %d\n", values[0], values[1], values[2]);
    memset(&status, 0xff, sizeof status);
    argument.buf = &status;
    REQUIRE(semctl(set, 0, IPC_STAT, argument) == 0);
    printf("%lu semaphores, mode %o, operated %d, changed %d\n", (unsigned long)status.sem_nsems,
           status.sem_perm.mode, status.sem_otime != 0, status.sem_ctime > 1000000000);
    status.sem_perm.mode = 0640;
    REQUIRE(semctl(set, 0, IPC_SET, argument) == 0 && semctl(set, 0, IPC_STAT, argument) == 0);
    printf("mode %o\n", status.sem_perm.mode);
    printf("too much: %s", outcome(operate(2, 1, 0)));
    printf(", no such: %s", outcome(operate(COUNT, 1, 0)));
    printf(", value: %s", outcome(semctl(set, 0, SETVAL, (union semun){.val = 40000})));
    printf(", command: %s", outcome(semctl(set, 0, 99)));
    printf(", no operations: %s", outcome(semop(set, NULL, 0)));
    printf(", bad pointer: %s\n", outcome(semop(set, (struct sembuf *)8, 1)));
    REQUIRE(operate(0, -1, 0) == 0 && semctl(set, 0, IPC_STAT, argument) == 0);
    printf("operated %d, by this process %d\n", status.sem_otime != 0,
           semctl(set, 0, GETPID) == getpid());
}

/* All or nothing; the first that cannot be done says whether to wait. */
static void several(void)
{
    set_value(0, 1);
    set_value(1, 0);
    struct sembuf both[2] = {{0, -1, 0}, {1, -1, IPC_NOWAIT}};
    printf("one of two: %s", outcome(semop(set, both, 2)));
    printf(", values %d %d\n", value(0), value(1));
    struct sembuf through[3] = {{1, 2, 0}, {1, -2, 0}, {1, 0, 0}};
    printf("up and down: %s", outcome(semop(set, through, 3)));
    printf(", value %d\n", value(1));
    struct sembuf zero = {0, 0, IPC_NOWAIT};
    printf("not zero: %s\n", outcome(semop(set, &zero, 1)));
}

static void timeouts(void)
{
    const struct timespec moment = {0, 3000000}, bad = {0, 2000000000}, none = {0, 0};
    struct sembuf down = {0, -1, 0};
    struct timespec before, after;

    set_value(0, 0);
    clock_gettime(CLOCK_MONOTONIC, &before);
    printf("in time: %s", outcome(semtimedop(set, &down, 1, &moment)));
    clock_gettime(CLOCK_MONOTONIC, &after);
    const long passed =
        (after.tv_sec - before.tv_sec) * 1000000000l + after.tv_nsec - before.tv_nsec;
    printf(", waited %d", passed >= moment.tv_nsec);
    printf(", at once: %s", outcome(semtimedop(set, &down, 1, &none)));
    printf(", bad time: %s", outcome(semtimedop(set, &down, 1, &bad)));
    set_value(0, 1);
    printf(", without: %s", outcome(semtimedop(set, &down, 1, NULL)));
    printf(", value %d\n", value(0));
}

static void on_signal(int number)
{
    (void)number;
}

static void *wait_once(void *result)
{
    *(int *)result = operate(0, -1, 0) == 0 ? 0 : errno;
    return NULL;
}

/* A signal ends the wait, also where others are restarted. */
static void interruption(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    pthread_t waiter;
    int result;

    sigaction(SIGUSR1, &action, NULL);
    set_value(0, 0);
    pthread_create(&waiter, NULL, wait_once, &result);
    wait_for_waiters(0, GETNCNT, 1);
    pthread_kill(waiter, SIGUSR1);
    pthread_join(waiter, NULL);
    printf("interrupted: %s, waiters %d\n", error_name(result), semctl(set, 0, GETNCNT));
}

static int order[WAITERS], served;

static void *wait_in_turn(void *number)
{
    REQUIRE(operate(0, -1, 0) == 0);
    order[served++] = (int)(long)number;
    REQUIRE(operate(1, 1, 0) == 0);
    return NULL;
}

/* Who waits longest is first. */
static void turns(void)
{
    pthread_t waiters[WAITERS];

    set_value(0, 0);
    set_value(1, 0);
    for (long i = 0; i < WAITERS; i++) {
        pthread_create(&waiters[i], NULL, wait_in_turn, (void *)i);
        wait_for_waiters(0, GETNCNT, (int)i + 1);
    }
    for (int i = 0; i < WAITERS; i++) {
        REQUIRE(operate(0, 1, 0) == 0 && operate(1, -1, 0) == 0);
    }
    for (int i = 0; i < WAITERS; i++) {
        pthread_join(waiters[i], NULL);
        printf("%s%d", i == 0 ? "served " : " ", order[i]);
    }
    putchar('\n');
}

static void *wait_for_zero(void *unused)
{
    REQUIRE(operate(0, 0, 0) == 0);
    return unused;
}

static void zero(void)
{
    pthread_t waiter;

    set_value(0, 2);
    pthread_create(&waiter, NULL, wait_for_zero, NULL);
    wait_for_waiters(0, GETZCNT, 1);
    REQUIRE(operate(0, -1, 0) == 0);
    printf("for zero: %d waits, ", semctl(set, 0, GETZCNT));
    REQUIRE(operate(0, -1, 0) == 0);
    pthread_join(waiter, NULL);
    printf("%d waits\n", semctl(set, 0, GETZCNT));
}

static long shared;

/* Two semaphores as a ball that two threads throw to each other. */
static void *throw_ball(void *number)
{
    const int own = (int)(long)number;

    for (int i = 0; i < TURNS; i++) {
        REQUIRE(operate(own, -1, 0) == 0);
        shared = shared * 3 + own;
        REQUIRE(operate(1 - own, 1, 0) == 0);
    }
    return NULL;
}

static void ball(void)
{
    pthread_t players[2];

    set_value(0, 1);
    set_value(1, 0);
    for (long i = 0; i < 2; i++) {
        pthread_create(&players[i], NULL, throw_ball, (void *)i);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(players[i], NULL);
    }
    printf("ball: %lx, values %d %d\n", (unsigned long)shared, value(0), value(1));
}

static void removal(void)
{
    pthread_t waiter;
    int result, gone = set;

    set_value(0, 0);
    pthread_create(&waiter, NULL, wait_once, &result);
    wait_for_waiters(0, GETNCNT, 1);
    REQUIRE(semctl(set, 0, IPC_RMID) == 0);
    pthread_join(waiter, NULL);
    set = -1;
    printf("removed: %s", error_name(result));
    struct sembuf down = {0, -1, 0};
    printf(", afterwards: %s\n", outcome(semop(gone, &down, 1)));
}

int main(void)
{
    set = semget(IPC_PRIVATE, COUNT, IPC_CREAT | 0600);
    REQUIRE(set >= 0);
    atexit(remove_set);
    controls();
    several();
    timeouts();
    interruption();
    turns();
    zero();
    ball();
    removal();
    return 0;
}
