/* Shows that a thread which waits for a descriptor stops no other: FIFOs, locks, full sockets. */
#include "common.h"
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define LARGE (4 << 20)

static pthread_t start(void *(*run)(void *), void *argument)
{
    pthread_t thread;

    REQUIRE(pthread_create(&thread, NULL, run, argument) == 0);
    return thread;
}

static void *write_fifo(void *unused)
{
    int file = open("fifo", O_WRONLY);

    (void)unused;
    REQUIRE(file >= 0 && write(file, "through", 7) == 7 && close(file) == 0);
    return NULL;
}

static void show_fifo(int delay)
{
    char text[16] = "";
    pthread_t writer = start(write_fifo, NULL);
    int file = 0;

    usleep((useconds_t)delay);
    file = open("fifo", O_RDONLY);
    REQUIRE(file >= 0 && read(file, text, 7) == 7);
    printf("fifo [%s], then %zd\n", text, read(file, text, 1));
    REQUIRE(close(file) == 0 && pthread_join(writer, NULL) == 0);
}

static void *take_lock(void *unused)
{
    int file = open("lock", O_CREAT | O_RDWR, 0600);

    (void)unused;
    printf("taken at once: %s\n", outcome(flock(file, LOCK_EX | LOCK_NB)));
    printf("taken later: %s\n", outcome(flock(file, LOCK_EX)));
    REQUIRE(close(file) == 0);
    return NULL;
}

static void show_lock(void)
{
    int file = open("lock", O_CREAT | O_RDWR, 0600);
    pthread_t other;

    REQUIRE(file >= 0 && flock(file, LOCK_EX) == 0);
    other = start(take_lock, NULL);
    usleep(20000);
    printf("given up\n");
    REQUIRE(flock(file, LOCK_UN) == 0 && pthread_join(other, NULL) == 0 && close(file) == 0);
}

static void *receive_all(void *socket)
{
    static char buffer[70000];
    uint64_t hash = CHECKSUM_START;
    size_t total = 0;
    ssize_t count = 0;
    int peer = *(int *)socket;

    REQUIRE(recv(peer, buffer, 9, MSG_WAITALL) == 9);
    printf("waited for all of [%.9s]\n", buffer);
    while ((count = read(peer, buffer, sizeof(buffer))) > 0) {
        hash = checksum(hash, buffer, (size_t)count);
        total += (size_t)count;
    }
    printf("received %zu, %016lx\n", total, hash);
    return NULL;
}

static void send_large(int socket)
{
    char *data = malloc(LARGE);
    struct iovec parts[3] = {{data, 100000}, {data, 0}, {data + 5, 900000}};

    REQUIRE(data != NULL);
    for (size_t i = 0; i < LARGE; i++) {
        data[i] = (char)(i * 7 + i / 1000);
    }
    for (int i = 0; i < 3; i++) {
        REQUIRE(send(socket, "xyz", 3, 0) == 3);
        usleep(1000);
    }
    printf("send %zd\n", send(socket, data, LARGE, 0));
    printf("write %zd\n", write(socket, data, LARGE / 2));
    printf("writev %zd\n", writev(socket, parts, 3));
    free(data);
}

static void *accept_and_receive(void *listener)
{
    int peer = accept(*(int *)listener, NULL, NULL);

    REQUIRE(peer >= 0);
    receive_all(&peer);
    REQUIRE(close(peer) == 0);
    return NULL;
}

static void show_internet(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    int client = socket(AF_INET, SOCK_STREAM, 0);
    pthread_t server;

    REQUIRE(bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 1) == 0);
    REQUIRE(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    server = start(accept_and_receive, &listener);
    printf("connect %s\n", outcome(connect(client, (struct sockaddr *)&address, size)));
    send_large(client);
    REQUIRE(shutdown(client, SHUT_WR) == 0 && pthread_join(server, NULL) == 0);
    REQUIRE(close(client) == 0 && close(listener) == 0);
    client = socket(AF_INET, SOCK_STREAM, 0);
    printf("connect %s\n", outcome(connect(client, (struct sockaddr *)&address, size)));
}

static void show_time_limit(void)
{
    struct timeval limit = {0, 30000};
    int pair[2];
    char byte = 0;

    REQUIRE(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
    REQUIRE(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
    printf("after its time: %s\n", outcome(recv(pair[0], &byte, 1, 0)));
}

int main(void)
{
    int pair[2];
    pthread_t receiver;

    setvbuf(stdout, NULL, _IOLBF, 0);
    REQUIRE(mkfifo("fifo", 0600) == 0);
    show_fifo(0);
    show_fifo(20000);
    show_lock();
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    receiver = start(receive_all, &pair[1]);
    send_large(pair[0]);
    REQUIRE(close(pair[0]) == 0 && pthread_join(receiver, NULL) == 0);
    show_internet();
    show_time_limit();
    return 0;
}
