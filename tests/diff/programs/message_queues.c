/* System V message queues: types, full and empty queues, and who waits at them. */
#include "common.h"
#include <pthread.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/wait.h>

enum { TEXT_BYTES = 64, ROOM_BYTES = 400, MESSAGES = 300 };

struct message {
    long type;
    char text[TEXT_BYTES];
};

static int queue = -1;
static pid_t first;

static void remove_queue(void)
{
    if (queue >= 0 && getpid() == first) {
        msgctl(queue, IPC_RMID, NULL);
    }
}

static int send(long type, const char *text, int flags)
{
    struct message message = {.type = type};

    strcpy(message.text, text);
    return msgsnd(queue, &message, strlen(text) + 1, flags);
}

static const char *receive(long type, int flags)
{
    static char shown[TEXT_BYTES + 64];
    struct message message = {.type = 0};
    const ssize_t bytes = msgrcv(queue, &message, sizeof message.text, type, flags);

    if (bytes < 0) {
        return error_name(errno);
    }
    snprintf(shown, sizeof shown, "%ld:%s:%zd", message.type, message.text, bytes);
    return shown;
}

static struct msqid_ds status(void)
{
    struct msqid_ds found;

    REQUIRE(msgctl(queue, IPC_STAT, &found) == 0);
    return found;
}

static void types(void)
{
    REQUIRE(send(3, "three", 0) == 0 && send(1, "one", 0) == 0 && send(2, "two", 0) == 0 &&
            send(3, "again", 0) == 0);
    printf("%lu messages, %lu bytes\n", (unsigned long)status().msg_qnum,
           (unsigned long)status().__msg_cbytes);
    printf("%s", receive(2, 0));
    printf(" %s", receive(-2, 0));
    printf(" %s", receive(3, MSG_EXCEPT | IPC_NOWAIT));
    printf(" %s", receive(0, 0));
    printf(" %s", receive(0, 0));
    printf(" %s\n", receive(0, IPC_NOWAIT));
    printf("by this process: %d %d\n", status().msg_lspid == getpid(),
           status().msg_lrpid == getpid());
    printf("type 0: %s", outcome(send(0, "x", 0)));
    char large[8] = {1};
    printf(", large: %s", outcome(msgsnd(queue, large, 1 << 20, 0)));
    printf(", nowhere: %s", outcome(msgsnd(queue, (void *)8, 1, 0)));
    REQUIRE(send(1, "too long for that", 0) == 0);
    struct message message;
    printf(", short: %s", outcome(msgrcv(queue, &message, 4, 0, 0)));
    printf(", cut: %s", outcome(msgrcv(queue, &message, 4, 0, MSG_NOERROR)));
    printf(" %.4s\n", message.text);
}

static void *take_all(void *sum)
{
    for (int i = 0; i < MESSAGES; i++) {
        struct message message;
        REQUIRE(msgrcv(queue, &message, sizeof message.text, 0, 0) >= 0);
        *(uint64_t *)sum = checksum(*(uint64_t *)sum, message.text, strlen(message.text));
    }
    return NULL;
}

/* More than there is room for: the sender waits, too. */
static void through_thread(void)
{
    struct msqid_ds changed = status();
    uint64_t sum = CHECKSUM_START;
    pthread_t taker;

    changed.msg_qbytes = ROOM_BYTES;
    REQUIRE(msgctl(queue, IPC_SET, &changed) == 0);
    printf("room %lu\n", (unsigned long)status().msg_qbytes);
    int filled = 0;
    while (send(1, "twenty bytes of text", IPC_NOWAIT) == 0) {
        filled++;
    }
    printf("full after %d: %s\n", filled, error_name(errno));
    for (; filled > 0; filled--) {
        REQUIRE(strcmp(receive(0, 0), "1:twenty bytes of text:21") == 0);
    }
    pthread_create(&taker, NULL, take_all, &sum);
    for (int i = 0; i < MESSAGES; i++) {
        char text[TEXT_BYTES];
        snprintf(text, sizeof text, "message number %d", i);
        REQUIRE(send(i % 7 + 1, text, 0) == 0);
    }
    pthread_join(taker, NULL);
    printf("sum %016llx\n", (unsigned long long)sum);
}

/* Question and answer, by type. */
static void through_process(void)
{
    int child_status;
    pid_t child = fork();

    if (child == 0) {
        for (int i = 0; i < MESSAGES / 3; i++) {
            struct message message;
            REQUIRE(msgrcv(queue, &message, sizeof message.text, 1, 0) >= 0);
            strcat(message.text, "!");
            REQUIRE(send(2, message.text, 0) == 0);
        }
        _exit(0);
    }
    uint64_t sum = CHECKSUM_START;
    for (int i = 0; i < MESSAGES / 3; i++) {
        char text[TEXT_BYTES];
        snprintf(text, sizeof text, "question %d", i);
        REQUIRE(send(1, text, 0) == 0);
        const char *answer = receive(2, 0);
        sum = checksum(sum, answer, strlen(answer));
    }
    REQUIRE(waitpid(child, &child_status, 0) == child && child_status == 0);
    printf("answers %016llx, the last one by the child %d\n", (unsigned long long)sum,
           status().msg_lspid == child);
}

static void on_signal(int number)
{
    (void)number;
}

/* Takes what ends the wait of a child that has nothing to receive. */
static void end_wait(const char *what, int by_signal, int wanted)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    int child_status, ends[2];
    char byte = 0;

    sigaction(SIGUSR1, &action, NULL);
    REQUIRE(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        REQUIRE(write(ends[1], &byte, 1) == 1);
        struct message message;
        _exit(msgrcv(queue, &message, sizeof message.text, 0, 0) == -1 && errno == wanted ? 0 : 1);
    }
    REQUIRE(read(ends[0], &byte, 1) == 1);
    if (by_signal) {
        for (int ended = 0; ended == 0;) { /* the first ones may come before it waits */
            usleep(1000);
            kill(child, SIGUSR1);
            ended = waitpid(child, &child_status, WNOHANG);
        }
    } else {
        usleep(50000);
        REQUIRE(msgctl(queue, IPC_RMID, NULL) == 0);
        queue = -1;
        REQUIRE(waitpid(child, &child_status, 0) == child);
    }
    printf("%s: %d\n", what, child_status);
}

int main(void)
{
    first = getpid();
    queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    REQUIRE(queue >= 0);
    atexit(remove_queue);
    types();
    through_thread();
    fflush(stdout);
    through_process();
    fflush(stdout);
    end_wait("interrupted", 1, EINTR);
    fflush(stdout);
    end_wait("removed", 0, EIDRM);
    return 0;
}
