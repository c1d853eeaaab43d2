/* Shows code that system calls write over code that was just executed: alone in its page, and in buffers that
 * begin in another page; all that was asked for is there. */
#include "silent.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define WAYS 6
#define ROUNDS 40

static int file, pair[2];

static ssize_t transfer(unsigned way, const char *image, char *to, size_t count)
{
    struct iovec parts[3] = {{to, count / 3}, {to + count / 3, count / 2}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};

    parts[2] = (struct iovec){to + count / 3 + count / 2, count - count / 3 - count / 2};
    if (way < 3) {
        REQUIRE(send(pair[1], image, count, 0) == (ssize_t)count);
    } else {
        REQUIRE(pwrite(file, image, count, 0) == (ssize_t)count && lseek(file, 0, SEEK_SET) == 0);
    }
    switch (way) {
    case 0:
        return recv(pair[0], to, count, MSG_WAITALL);
    case 1:
        return recvmsg(pair[0], &message, MSG_WAITALL);
    case 2:
        return readv(pair[0], parts, 3);
    case 3:
        return read(file, to, count);
    case 4:
        return pread(file, to, count, 0);
    default:
        return preadv(file, parts, 3, 0);
    }
}

/* The function stands in the second page, `inside` bytes behind the beginning of the buffer, which ends `behind`
 * bytes behind the function. */
static void show(const char *name, size_t inside, size_t behind)
{
    unsigned wrong = 0;

    for (unsigned way = 0; way < WAYS; way++) {
        char *pages = map_pages(3);
        char *function = pages + PAGE + 1000;

        for (unsigned i = 0; i < ROUNDS; i++) {
            static char image[2 * PAGE];
            const size_t count = inside + 8 + behind;

            memset(image, (int)i, sizeof(image));
            write_function(image + inside, i * WAYS + way);
            wrong += transfer(way, image, function - inside, count) != (ssize_t)count;
            say_it();
            wrong += call(function) != (long)(i * WAYS + way);
            wrong += memcmp(function - inside, image, count) != 0;
        }
        REQUIRE(munmap(pages, 3 * PAGE) == 0);
    }
    printf("%s: wrong %u\n", name, wrong);
}

int main(void)
{
    file = open("code", O_CREAT | O_RDWR | O_TRUNC, 0600);
    REQUIRE(file >= 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    show("alone", 0, 0);
    show("from the page before", 1200, 0);
    show("up to the next page", 0, 3500);
    show("all three pages", 1500, 4000);
    return 0;
}
