/* Shows local sockets: streams, datagrams, shutdown, passing a descriptor, a named listener. */
#include "common.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

static void send_descriptor(int socket, int descriptor)
{
    char byte = 'd';
    char control[CMSG_SPACE(sizeof(int))] = "";
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof(control)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    REQUIRE(sendmsg(socket, &message, 0) == 1);
}

static int receive_descriptor(int socket)
{
    char byte = 0;
    char control[CMSG_SPACE(sizeof(int))] = "";
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof(control)};
    int descriptor = -1;

    REQUIRE(recvmsg(socket, &message, 0) == 1 && byte == 'd');
    memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
    return descriptor;
}

static void show_listener(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "listener"};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    char text[32] = "";
    int peer = 0;

    REQUIRE(listener >= 0);
    REQUIRE(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0);
    printf("bound again: %s\n",
           outcome(bind(listener, (struct sockaddr *)&address, sizeof(address))));
    REQUIRE(listen(listener, 4) == 0);
    if (fork() == 0) {
        int client = socket(AF_UNIX, SOCK_STREAM, 0);

        REQUIRE(connect(client, (struct sockaddr *)&address, sizeof(address)) == 0);
        REQUIRE(send(client, "from the client", 15, MSG_NOSIGNAL) == 15);
        REQUIRE(recv(client, text, sizeof(text), 0) == 5 && memcmp(text, "reply", 5) == 0);
        _exit(0);
    }
    peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    REQUIRE(peer >= 0 && recv(peer, text, sizeof(text), 0) == 15);
    REQUIRE(send(peer, "reply", 5, 0) == 5 && wait(NULL) > 0);
    printf("accepted [%s]\n", text);
}

int main(void)
{
    int pair[2];
    int packets[2];
    char text[64] = "";
    int type = 0;
    socklen_t size = sizeof(type);
    int file = 0;

    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    REQUIRE(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, packets) == 0);
    REQUIRE(write(pair[0], "one", 3) == 3 && write(pair[0], "two", 3) == 3);
    printf("stream joins: %zd", read(pair[1], text, sizeof(text)));
    printf(" [%s]\n", text);
    REQUIRE(send(packets[0], "first", 5, 0) == 5 && send(packets[0], "second", 6, 0) == 6);
    memset(text, 0, sizeof(text));
    printf("packets keep apart: %zd", recv(packets[1], text, 3, 0));
    printf(" [%s]", text);
    printf(" %zd", recv(packets[1], text, sizeof(text), MSG_PEEK));
    printf(" %zd", recv(packets[1], text, sizeof(text), 0));
    printf(" [%s]", text);
    printf(" %s\n", outcome(recv(packets[1], text, sizeof(text), 0)));
    REQUIRE(getsockopt(packets[0], SOL_SOCKET, SO_TYPE, &type, &size) == 0);
    printf("is a datagram socket: %d\n", type == SOCK_DGRAM);
    file = open("data", O_CREAT | O_RDWR, 0600);
    REQUIRE(write(file, "passed on", 9) == 9);
    send_descriptor(pair[0], file);
    REQUIRE(close(file) == 0);
    file = receive_descriptor(pair[1]);
    memset(text, 0, sizeof(text));
    printf("descriptor: %zd", pread(file, text, sizeof(text), 0));
    printf(" [%s]\n", text);
    REQUIRE(shutdown(pair[0], SHUT_WR) == 0);
    printf("after shutdown: %zd", read(pair[1], text, 1));
    printf(", %s\n", outcome(send(pair[0], "x", 1, MSG_NOSIGNAL)));
    show_listener();
    return 0;
}
