/* Shows epoll: level and edge triggering, one-shot, changing, removing, user data, errors. */
#include "common.h"
#include <sys/epoll.h>

static void wait_and_show(const char *what, int set)
{
    struct epoll_event events[8];
    int count = epoll_wait(set, events, 8, 10);
    uint64_t sum = 0;

    for (int i = 0; i < count; i++) {
        sum += events[i].data.u64 * 16 + (events[i].events & (EPOLLIN | EPOLLOUT)) +
               (events[i].events & EPOLLHUP ? 1000 : 0);
    }
    printf("%s: %d events, sum %lx\n", what, count, sum);
}

int main(void)
{
    int set = epoll_create1(EPOLL_CLOEXEC);
    int level[2];
    int edge[2];
    int once[2];
    char c[8];
    struct epoll_event event = {.events = EPOLLIN};

    REQUIRE(set >= 0 && pipe(level) == 0 && pipe(edge) == 0 && pipe(once) == 0);
    event.data.u64 = 0x123456789abcdef;
    REQUIRE(epoll_ctl(set, EPOLL_CTL_ADD, level[0], &event) == 0);
    event = (struct epoll_event){.events = EPOLLIN | EPOLLET, .data.u64 = 2};
    REQUIRE(epoll_ctl(set, EPOLL_CTL_ADD, edge[0], &event) == 0);
    event = (struct epoll_event){.events = EPOLLIN | EPOLLONESHOT, .data.u64 = 3};
    REQUIRE(epoll_ctl(set, EPOLL_CTL_ADD, once[0], &event) == 0);
    wait_and_show("empty", set);
    REQUIRE(write(level[1], "ab", 2) + write(edge[1], "ab", 2) + write(once[1], "ab", 2) == 6);
    wait_and_show("all", set);
    wait_and_show("level only", set);
    REQUIRE(read(level[0], c, 1) == 1 && read(edge[0], c, 1) == 1 && write(edge[1], "c", 1) == 1);
    wait_and_show("level and new edge", set);
    REQUIRE(read(level[0], c, 1) == 1);
    wait_and_show("drained", set);
    REQUIRE(epoll_ctl(set, EPOLL_CTL_MOD, once[0], &event) == 0);
    wait_and_show("armed again", set);
    REQUIRE(epoll_ctl(set, EPOLL_CTL_DEL, level[0], NULL) == 0 && write(level[1], "x", 1) == 1);
    wait_and_show("removed", set);
    event = (struct epoll_event){.events = EPOLLOUT, .data.u64 = 5};
    REQUIRE(epoll_ctl(set, EPOLL_CTL_ADD, level[1], &event) == 0);
    wait_and_show("writable", set);
    REQUIRE(close(edge[1]) == 0);
    wait_and_show("hung up", set);
    printf("twice %s", outcome(epoll_ctl(set, EPOLL_CTL_ADD, level[1], &event)));
    printf(", missing %s", outcome(epoll_ctl(set, EPOLL_CTL_DEL, 99, NULL)));
    printf(", itself %s", outcome(epoll_ctl(set, EPOLL_CTL_ADD, set, &event)));
    printf(", no room %s\n", outcome(epoll_wait(set, &event, 0, 0)));
    return 0;
}
