/* A key-value server for tests: GET, PUT and DELETE over HTTP/1.1, with a pool of threads.
 *
 * It listens at a free port of the loopback address, which it prints; SIGTERM ends it. */
#include "http.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WORKERS 8
#define WAITING 64

struct server {
    int listener;
    struct store *store;
    uint64_t requests; /* atomic */
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    int waiting[WAITING]; /* a ring of connections that no worker has taken */
    unsigned first, count;
};

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void add_connection(struct server *server, int fd)
{
    pthread_mutex_lock(&server->lock);
    while (server->count == WAITING) {
        pthread_cond_wait(&server->not_full, &server->lock);
    }
    server->waiting[(server->first + server->count++) % WAITING] = fd;
    pthread_cond_signal(&server->not_empty);
    pthread_mutex_unlock(&server->lock);
}

static int take_connection(struct server *server)
{
    pthread_mutex_lock(&server->lock);
    while (server->count == 0) {
        pthread_cond_wait(&server->not_empty, &server->lock);
    }
    const int fd = server->waiting[server->first];
    server->first = (server->first + 1) % WAITING;
    server->count--;
    pthread_cond_signal(&server->not_full);
    pthread_mutex_unlock(&server->lock);
    return fd;
}

static bool get(struct server *server, struct connection *connection, const struct request *request)
{
    static _Thread_local char value[VALUE_BYTES];
    long bytes;

    if (request->key[0] == '\0') { /* how many there are */
        bytes = snprintf(value, sizeof value, "%zu", store_count(server->store));
    } else {
        bytes = store_get(server->store, request->key, value);
    }
    if (bytes < 0) {
        return http_answer(connection, 404, "", 0, request->keep_alive);
    }
    return http_answer(connection, 200, value, (size_t)bytes, request->keep_alive);
}

static bool answer(struct server *server, struct connection *connection,
                   const struct request *request)
{
    int status;

    if (strcmp(request->method, "GET") == 0) {
        return get(server, connection, request);
    }
    if (strcmp(request->method, "PUT") == 0 && request->key[0] != '\0') {
        static const int statuses[] = {
            [STORE_NEW] = 201, [STORE_REPLACED] = 204, [STORE_NO_MEMORY] = 500};
        status =
            statuses[store_put(server->store, request->key, request->body, request->body_bytes)];
    } else if (strcmp(request->method, "DELETE") == 0 && request->key[0] != '\0') {
        status = store_remove(server->store, request->key) ? 204 : 404;
    } else {
        status = 405;
    }
    return http_answer(connection, status, "", 0, request->keep_alive);
}

static void serve(struct server *server, struct connection *connection)
{
    struct request request;
    int status;

    while ((status = http_read(connection, &request)) == 200) {
        __atomic_fetch_add(&server->requests, 1, __ATOMIC_RELAXED);
        if (!answer(server, connection, &request) || !request.keep_alive) {
            break;
        }
    }
    if (status != 200 && status != 0) { /* what follows cannot be understood */
        http_answer(connection, status, "", 0, false);
    }
    http_flush(connection);
}

static void *work(void *argument)
{
    struct server *server = argument;
    struct connection *connection = malloc(sizeof *connection);

    if (connection == NULL) {
        fail("malloc");
    }
    for (;;) {
        connection->fd = take_connection(server);
        connection->in_start = connection->in_end = connection->out_bytes = 0;
        serve(server, connection);
        close(connection->fd);
    }
    return NULL;
}

static void *accept_all(void *argument)
{
    struct server *server = argument;

    for (;;) {
        const int fd = accept(server->listener, NULL, NULL);
        if (fd >= 0) {
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
            add_connection(server, fd);
        }
    }
    return NULL;
}

static int listen_anywhere(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, bytes) != 0 || listen(fd, 128) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &bytes) != 0) {
        fail("listen");
    }
    printf("port %u\n", (unsigned)ntohs(address.sin_port));
    fflush(stdout);
    return fd;
}

static void start(void *(*function)(void *), struct server *server)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, function, server) != 0) {
        fail("pthread_create");
    }
}

int main(void)
{
    static struct server server = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                   .not_empty = PTHREAD_COND_INITIALIZER,
                                   .not_full = PTHREAD_COND_INITIALIZER};
    sigset_t end;
    int number;

    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &end, NULL);
    server.store = store_create();
    if (server.store == NULL) {
        fail("store");
    }
    server.listener = listen_anywhere();
    for (unsigned i = 0; i < WORKERS; i++) {
        start(work, &server);
    }
    start(accept_all, &server);
    while (sigwait(&end, &number) != 0) {
    }
    printf("%lu requests\n", (unsigned long)__atomic_load_n(&server.requests, __ATOMIC_RELAXED));
    return 0;
}
