/* POSIX message queues: priorities, full and empty queues, time, and being told that something came. */
#include "common.h"
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>

enum { ROOM = 4, BYTES = 64, MESSAGES = 300 };

static char name[64];
static mqd_t queue;
static pid_t first;

static void remove_queue(void)
{
    if (getpid() == first) {
        mq_unlink(name);
    }
}

static int send(const char *text, unsigned priority)
{
    return mq_send(queue, text, strlen(text) + 1, priority);
}

static const char *receive(void)
{
    static char shown[BYTES + 64];
    char text[BYTES];
    unsigned priority;
    const ssize_t bytes = mq_receive(queue, text, sizeof text, &priority);

    if (bytes < 0) {
        return error_name(errno);
    }
    snprintf(shown, sizeof shown, "%u:%s", priority, text);
    return shown;
}

static void set_blocking(int blocks)
{
    struct mq_attr attributes = {.mq_flags = blocks ? 0 : O_NONBLOCK}, before;

    REQUIRE(mq_setattr(queue, &attributes, &before) == 0);
}

static void basics(void)
{
    struct mq_attr attributes;
    char small[8];

    REQUIRE(mq_getattr(queue, &attributes) == 0);
    printf("room for %ld of %ld, %ld there\n", attributes.mq_maxmsg, attributes.mq_msgsize,
           attributes.mq_curmsgs);
    printf("again: %s", outcome(mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, NULL)));
    printf(", another: %s", outcome(mq_open("/strata-no-such-queue", O_RDONLY)));
    printf(", short buffer: %s", outcome(mq_receive(queue, small, sizeof small, NULL)));
    printf(", long message: %s\n", outcome(mq_send(queue, name, BYTES + 1, 0)));
    set_blocking(0);
    printf("empty: %s", receive());
    REQUIRE(send("low", 1) == 0 && send("high", 9) == 0 && send("low again", 1) == 0 &&
            send("middle", 5) == 0);
    printf(", full: %s\n", outcome(send("more", 1)));
    for (int i = 0; i < ROOM; i++) {
        printf("%s%s", i == 0 ? "" : ", ", receive());
    }
    printf(", %s\n", receive());
    set_blocking(1);
}

static void timeouts(void)
{
    struct timespec moment, after;
    char text[BYTES];

    clock_gettime(CLOCK_REALTIME, &moment);
    moment.tv_nsec += 3000000;
    if (moment.tv_nsec >= 1000000000) {
        moment.tv_sec++;
        moment.tv_nsec -= 1000000000;
    }
    printf("in time: %s", outcome(mq_timedreceive(queue, text, sizeof text, NULL, &moment)));
    clock_gettime(CLOCK_REALTIME, &after);
    printf(", waited %d", after.tv_sec > moment.tv_sec ||
                              (after.tv_sec == moment.tv_sec && after.tv_nsec >= moment.tv_nsec));
    printf(", past: %s", outcome(mq_timedreceive(queue, text, sizeof text, NULL, &moment)));
    const struct timespec bad = {0, -1};
    printf(", bad: %s", outcome(mq_timedreceive(queue, text, sizeof text, NULL, &bad)));
    while (mq_timedsend(queue, "x", 2, 0, &moment) == 0) {
    }
    printf(", full: %s\n", error_name(errno));
    while (mq_timedreceive(queue, text, sizeof text, NULL, &moment) >= 0) {
    }
}

static void *take_all(void *sum)
{
    for (int i = 0; i < MESSAGES; i++) {
        const char *shown = receive();
        *(uint64_t *)sum = checksum(*(uint64_t *)sum, shown, strlen(shown));
    }
    return NULL;
}

static void through_thread(void)
{
    uint64_t sum = CHECKSUM_START;
    pthread_t taker;

    pthread_create(&taker, NULL, take_all, &sum);
    for (int i = 0; i < MESSAGES; i++) {
        char text[BYTES];
        snprintf(text, sizeof text, "message number %d", i);
        REQUIRE(send(text, 3) == 0);
    }
    pthread_join(taker, NULL);
    printf("sum %016llx\n", (unsigned long long)sum);
}

static void through_process(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        for (int i = 0; i < MESSAGES; i++) {
            char text[BYTES];
            snprintf(text, sizeof text, "number %d of the child", i);
            REQUIRE(send(text, 3) == 0);
        }
        _exit(0);
    }
    uint64_t sum = CHECKSUM_START;
    take_all(&sum);
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    printf("from the child %016llx\n", (unsigned long long)sum);
}

static void ready(void)
{
    struct pollfd descriptor = {.fd = queue, .events = POLLIN | POLLOUT};
    struct epoll_event event = {.events = EPOLLIN};
    int epoll = epoll_create1(0);

    REQUIRE(epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, queue, &event) == 0);
    REQUIRE(poll(&descriptor, 1, 0) == 1);
    printf("empty: in %d, out %d", (descriptor.revents & POLLIN) != 0,
           (descriptor.revents & POLLOUT) != 0);
    printf(", %d\n", epoll_wait(epoll, &event, 1, 0));
    while (send("x", 0) == 0 && poll(&descriptor, 1, 0) == 1 &&
           (descriptor.revents & POLLOUT) != 0) {
    }
    printf("full: in %d, out %d", (descriptor.revents & POLLIN) != 0,
           (descriptor.revents & POLLOUT) != 0);
    printf(", %d\n", epoll_wait(epoll, &event, 1, -1));
    for (int i = 0; i < ROOM; i++) {
        receive();
    }
    close(epoll);
}

static volatile int told;
static volatile int told_value, told_code;

static void on_message(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    told_value = info->si_value.sival_int;
    told_code = info->si_code;
    told++;
}

static void notification(void)
{
    struct sigaction action = {.sa_sigaction = on_message, .sa_flags = SA_SIGINFO};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};

    event.sigev_value.sival_int = 4711;
    sigaction(SIGRTMIN + 1, &action, NULL);
    REQUIRE(mq_notify(queue, &event) == 0);
    printf("told twice: %s", outcome(mq_notify(queue, &event)));
    int status;
    pid_t child = fork();
    if (child == 0) {
        _exit(send("wake up", 2) == 0 ? 0 : 1);
    }
    while (told == 0) {
        usleep(100);
    }
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    printf(", told %d: %d, %d, %s", told, told_value, told_code == SI_MESGQ, receive());
    REQUIRE(send("once only", 2) == 0);
    printf(", then %d, %s", told, receive());
    REQUIRE(mq_notify(queue, &event) == 0 && mq_notify(queue, NULL) == 0);
    REQUIRE(send("no more", 2) == 0);
    printf(", then %d, %s\n", told, receive());
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int called;

static void in_thread(union sigval value)
{
    pthread_mutex_lock(&mutex);
    called = value.sival_int;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}

static void notification_thread(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD};

    event.sigev_notify_function = in_thread;
    event.sigev_value.sival_int = 42;
    REQUIRE(mq_notify(queue, &event) == 0);
    REQUIRE(send("for a thread", 2) == 0);
    pthread_mutex_lock(&mutex);
    while (called == 0) {
        pthread_cond_wait(&condition, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    printf("in a thread %d, %s\n", called, receive());
}

static void on_alarm(int number)
{
    (void)number;
}

static void interruption(void)
{
    struct sigaction action = {.sa_handler = on_alarm};

    sigaction(SIGALRM, &action, NULL);
    ualarm(2000, 0);
    printf("interrupted: %s", receive());
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    pid_t child = fork();
    if (child == 0) {
        usleep(20000);
        _exit(send("after the alarm", 1) == 0 ? 0 : 1);
    }
    ualarm(2000, 0);
    printf(", restarted: %s\n", receive());
    REQUIRE(waitpid(child, NULL, 0) == child);
}

int main(void)
{
    struct mq_attr attributes = {.mq_maxmsg = ROOM, .mq_msgsize = BYTES};

    first = getpid();
    snprintf(name, sizeof name, "/strata-queue-%d", (int)first);
    queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attributes);
    REQUIRE(queue != (mqd_t)-1);
    atexit(remove_queue);
    basics();
    timeouts();
    through_thread();
    fflush(stdout);
    through_process();
    ready();
    fflush(stdout);
    notification();
    notification_thread();
    fflush(stdout);
    interruption();
    printf("closed: %s", outcome(mq_close(queue)));
    printf(", again: %s", outcome(mq_close(queue)));
    printf(", unlinked: %s", outcome(mq_unlink(name)));
    printf(", again: %s\n", outcome(mq_unlink(name)));
    return 0;
}
