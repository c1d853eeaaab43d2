/* A database in small: processes that share a segment of buffers, each under a semaphore, and wait for work at
 * one of their own; one of them dies with buffers in its hands. */
#include "common.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <time.h>

enum {
    WORKERS = 4,
    BUFFERS = 8,
    BUFFER_WORDS = 64,
    TRANSFERS = 150,
    START = 1000,
    /* semaphores: one for each buffer, then one for each worker, then how many are done */
    FIRST_WORKER = BUFFERS,
    DONE = BUFFERS + WORKERS,
    SEMAPHORES,
};

struct shared {
    long totals[BUFFERS];
    long words[BUFFERS][BUFFER_WORDS];
    long transfers[WORKERS];
};

static int set = -1;
static pid_t first;

static void remove_set(void)
{
    if (set >= 0 && getpid() == first) {
        semctl(set, 0, IPC_RMID);
    }
}

static int operate(int number, int by, int flags)
{
    struct sembuf operation = {(unsigned short)number, (short)by, (short)flags};

    return semop(set, &operation, 1);
}

/* Two buffers at once, so that nobody waits with one in hand. */
static void lock_both(int from, int to, int by)
{
    struct sembuf operations[2] = {{(unsigned short)from, (short)by, SEM_UNDO},
                                   {(unsigned short)to, (short)by, SEM_UNDO}};

    REQUIRE(semop(set, operations, 2) == 0);
}

static void transfer(struct shared *shared, int from, int to, long amount)
{
    lock_both(from, to, -1);
    shared->totals[from] -= amount;
    shared->totals[to] += amount;
    for (int i = 0; i < BUFFER_WORDS; i++) {
        shared->words[from][i]--;
        shared->words[to][i]++;
    }
    lock_both(from, to, 1);
}

static void work(struct shared *shared, int number)
{
    uint64_t random = 88172645463325252u + (uint64_t)number;

    REQUIRE(operate(FIRST_WORKER + number, -1, 0) == 0);
    for (int i = 0; i < TRANSFERS; i++) {
        const int from = (int)(next_random(&random) % BUFFERS);
        const int to = (from + 1 + (int)(next_random(&random) % (BUFFERS - 1))) % BUFFERS;
        transfer(shared, from, to, (long)(next_random(&random) % 10));
        shared->transfers[number]++;
    }
    REQUIRE(operate(DONE, 1, 0) == 0);
    _exit(0);
}

static void check(const struct shared *shared)
{
    long total = 0, words = 0, transfers = 0;

    for (int i = 0; i < BUFFERS; i++) {
        total += shared->totals[i];
        for (int j = 0; j < BUFFER_WORDS; j++) {
            words += shared->words[i][j];
            REQUIRE(shared->words[i][j] == shared->words[i][0]);
        }
    }
    for (int i = 0; i < WORKERS; i++) {
        transfers += shared->transfers[i];
    }
    printf("total %ld, words %ld, transfers %ld\n", total, words, transfers);
}

static void wait_for_child(pid_t child, int wanted)
{
    int status;

    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(wanted == 0 ? status == 0 : WIFSIGNALED(status) && WTERMSIG(status) == wanted);
}

/* What a process has taken with SEM_UNDO comes back when it dies. */
static void die_with_buffers(void)
{
    pid_t child = fork();

    if (child == 0) {
        lock_both(0, 1, -1);
        REQUIRE(operate(2, -1, 0) == 0); /* without SEM_UNDO */
        operate(DONE, 1, 0);
        pause();
    }
    REQUIRE(operate(DONE, -1, 0) == 0);
    printf("while it lives: %d %d %d\n", semctl(set, 0, GETVAL), semctl(set, 1, GETVAL),
           semctl(set, 2, GETVAL));
    pid_t heir = fork();
    if (heir == 0) {
        lock_both(0, 1, -1);
        _exit(operate(2, -1, IPC_NOWAIT) == -1 && errno == EAGAIN ? 0 : 1);
    }
    while (semctl(set, 0, GETNCNT) + semctl(set, 1, GETNCNT) != 1) {
        sched_yield();
    }
    kill(child, SIGKILL);
    wait_for_child(child, SIGKILL);
    wait_for_child(heir, 0);
    printf("when it is dead: %d %d %d\n", semctl(set, 0, GETVAL), semctl(set, 1, GETVAL),
           semctl(set, 2, GETVAL));
}

static void on_signal(int number)
{
    (void)number;
}

/* A child that waits for a semaphore hears of a signal from its parent. */
static void signal_to_waiting(void)
{
    struct sigaction action = {.sa_handler = on_signal};

    sigaction(SIGUSR1, &action, NULL);
    pid_t child = fork();
    if (child == 0) {
        _exit(operate(DONE, -1, 0) == -1 && errno == EINTR ? 0 : 1);
    }
    while (semctl(set, DONE, GETNCNT) != 1) {
        sched_yield();
    }
    kill(child, SIGUSR1);
    wait_for_child(child, 0);
    printf("interrupted, %d wait\n", semctl(set, DONE, GETNCNT));
}

static void *wait_for_one(void *number)
{
    REQUIRE(operate((int)(long)number, -1, 0) == 0);
    return NULL;
}

/* Threads that wait for different semaphores, while their process goes on, and another process that posts both. */
static void threads_of_a_process(void)
{
    pthread_t threads[2];
    volatile long work = 0;
    int status;

    REQUIRE(operate(0, -1, 0) == 0 && operate(1, -1, 0) == 0);
    for (long i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, wait_for_one, (void *)i);
    }
    while (semctl(set, 0, GETNCNT) != 1 || semctl(set, 1, GETNCNT) != 1) {
        sched_yield();
    }
    for (long i = 0; i < 200000; i++) {
        work += i;
    }
    pid_t child = fork();
    if (child == 0) {
        _exit(operate(1, 1, 0) == 0 && operate(0, 1, 0) == 0 ? 0 : 1);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    printf("threads served, work %ld, values %d %d\n", work, semctl(set, 0, GETVAL),
           semctl(set, 1, GETVAL));
}

static void remove_under_waiting(void)
{
    pid_t child = fork();

    if (child == 0) {
        _exit(operate(DONE, -1, 0) == -1 && errno == EIDRM ? 0 : 1);
    }
    while (semctl(set, DONE, GETNCNT) != 1) {
        sched_yield();
    }
    REQUIRE(semctl(set, 0, IPC_RMID) == 0);
    set = -1;
    wait_for_child(child, 0);
    puts("removed");
}

int main(void)
{
    pid_t workers[WORKERS];

    first = getpid();
    set = semget(IPC_PRIVATE, SEMAPHORES, IPC_CREAT | 0600);
    REQUIRE(set >= 0);
    atexit(remove_set);
    int segment = shmget(IPC_PRIVATE, sizeof(struct shared), IPC_CREAT | 0600);
    struct shared *shared = shmat(segment, NULL, 0);
    REQUIRE(shared != (void *)-1 && shmctl(segment, IPC_RMID, NULL) == 0);
    for (int i = 0; i < BUFFERS; i++) {
        shared->totals[i] = START;
        REQUIRE(operate(i, 1, 0) == 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = fork();
        REQUIRE(workers[i] >= 0);
        if (workers[i] == 0) {
            work(shared, i);
        }
    }
    for (int i = 0; i < WORKERS; i++) {
        REQUIRE(operate(FIRST_WORKER + i, 1, 0) == 0);
    }
    REQUIRE(operate(DONE, -WORKERS, 0) == 0);
    check(shared);
    for (int i = 0; i < WORKERS; i++) {
        wait_for_child(workers[i], 0);
    }
    die_with_buffers();
    signal_to_waiting();
    threads_of_a_process();
    remove_under_waiting();
    return 0;
}
