/* Shows reads over many pages, of which some hold code that was just executed: each brings all that was asked
 * for, new code among it, and data beside code that stays. */
#include "common.h"
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define PAGE 4096
#define PAGES 12
#define BYTES ((size_t)PAGES * PAGE)
#define CODE_AT 2000 /* in each page that has code */
#define ROUNDS 6

static char *pages;
static char image[BYTES]; /* what is to be read */
static int file, pair[2];

/* Which pages have code: single ones, two in a row, the first, the last. */
static bool has_code(unsigned page, unsigned round)
{
    static const unsigned sets[ROUNDS] = {0x002, 0x066, 0x801, 0xfff, 0x554, 0x800};

    return (sets[round] >> page & 1) != 0;
}

static int value_of(unsigned page, unsigned round)
{
    return (int)(page * 100 + round);
}

static void make_image(unsigned round)
{
    for (size_t i = 0; i < BYTES; i++) {
        image[i] = (char)(i * 7 + i / PAGE + round);
    }
    for (unsigned page = 0; page < PAGES; page++) {
        const uint32_t words[] = {(uint32_t)value_of(page, round) << 20 | 10u << 7 | 0x13,
                                  0x00008067};

        memcpy(image + page * PAGE + CODE_AT, words, sizeof(words));
    }
}

static long call(unsigned page)
{
    return ((int (*)(void))(pages + page * PAGE + CODE_AT))();
}

/* New pages with the image of the round before, whose code is executed: it is about to be read over. */
static void prepare(unsigned round)
{
    const unsigned before = (round + ROUNDS - 1) % ROUNDS;

    pages = mmap(pages, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                 MAP_PRIVATE | MAP_ANONYMOUS | (pages != NULL ? MAP_FIXED : 0), -1, 0);
    REQUIRE(pages != MAP_FAILED);
    make_image(before);
    memcpy(pages, image, BYTES);
    __builtin___clear_cache(pages, pages + BYTES);
    for (unsigned page = 0; page < PAGES; page++) {
        REQUIRE(!has_code(page, round) || call(page) == value_of(page, before));
    }
}

static size_t by_read(size_t from, size_t count)
{
    REQUIRE(lseek(file, (off_t)from, SEEK_SET) == (off_t)from);
    return (size_t)read(file, pages + from, count);
}

static size_t by_pread(size_t from, size_t count)
{
    return (size_t)pread(file, pages + from, count, (off_t)from);
}

/* Parts that do not end where pages do, one of them empty. */
static int split(struct iovec *parts, size_t from, size_t count)
{
    const size_t first = count / 3, second = count / 2;

    parts[0] = (struct iovec){pages + from, first};
    parts[1] = (struct iovec){pages + from + first, 0};
    parts[2] = (struct iovec){pages + from + first, second};
    parts[3] = (struct iovec){pages + from + first + second, count - first - second};
    return 4;
}

static size_t by_readv(size_t from, size_t count)
{
    struct iovec parts[4];

    REQUIRE(lseek(file, (off_t)from, SEEK_SET) == (off_t)from);
    return (size_t)readv(file, parts, split(parts, from, count));
}

static size_t by_preadv(size_t from, size_t count)
{
    struct iovec parts[4];

    return (size_t)preadv(file, parts, split(parts, from, count), (off_t)from);
}

static size_t by_recv(size_t from, size_t count)
{
    REQUIRE(send(pair[1], image + from, count, 0) == (ssize_t)count);
    return (size_t)recv(pair[0], pages + from, count, MSG_WAITALL);
}

static size_t by_recvmsg(size_t from, size_t count)
{
    struct iovec parts[4];
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)split(parts, from, count)};

    REQUIRE(send(pair[1], image + from, count, 0) == (ssize_t)count);
    return (size_t)recvmsg(pair[0], &message, MSG_WAITALL);
}

static void show(const char *name, size_t (*transfer)(size_t from, size_t count), size_t from,
                 size_t end)
{
    uint64_t hash = CHECKSUM_START;
    unsigned short_ones = 0, wrong = 0;

    for (unsigned round = 0; round < 2 * ROUNDS; round++) {
        const unsigned set = round % ROUNDS;

        prepare(set);
        make_image(set);
        REQUIRE(pwrite(file, image, BYTES, 0) == (ssize_t)BYTES);
        short_ones += transfer(from, end - from) != end - from;
        __builtin___clear_cache(pages, pages + BYTES);
        wrong += memcmp(pages + from, image + from, end - from) != 0;
        for (unsigned page = 0; page < PAGES; page++) {
            const size_t at = page * PAGE + CODE_AT;

            if (has_code(page, set) && at >= from && at + 8 <= end) {
                const long got = call(page);
                wrong += got != value_of(page, set);
                hash = checksum_word(hash, (uint64_t)got);
            }
        }
    }
    printf("%s %zu to %zu: short %u, wrong %u, %016lx\n", name, from, end, short_ones, wrong, hash);
}

int main(void)
{
    static const struct {
        const char *name;
        size_t (*transfer)(size_t from, size_t count);
    } ways[] = {{"read", by_read},     {"pread", by_pread}, {"readv", by_readv},
                {"preadv", by_preadv}, {"recv", by_recv},   {"recvmsg", by_recvmsg}};
    /* All; from the middle of a page to that of another; up to a few bytes of a page; one page. */
    static const size_t ranges[][2] = {
        {0, BYTES}, {3000, 5 * PAGE + 2500}, {100, PAGE + 8}, {5 * PAGE, 6 * PAGE}};

    file = open("image", O_CREAT | O_RDWR | O_TRUNC, 0600);
    REQUIRE(file >= 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
        for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
            show(ways[way].name, ways[way].transfer, ranges[i][0], ranges[i][1]);
        }
    }
    return 0;
}
