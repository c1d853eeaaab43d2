/* Shows code that system calls write into a page of code: read, readv, pread, recv, and copies of a child. */
#include "common.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define PAGE 4096
#define WAYS 5

static uint32_t *code;
static int pair[2];
static int file;

static void make_function(uint32_t words[2], unsigned value)
{
    words[0] = value << 20 | 10u << 7 | 0x13;
    words[1] = 0x00008067;
}

static void write_by(unsigned way, unsigned value)
{
    uint32_t words[2];
    struct iovec parts[2] = {{code, 4}, {code + 1, 4}};

    make_function(words, value);
    if (way < 3) {
        REQUIRE(write(pair[1], words, sizeof(words)) == sizeof(words));
    } else {
        REQUIRE(pwrite(file, words, sizeof(words), 64) == sizeof(words));
    }
    switch (way) {
    case 0:
        REQUIRE(read(pair[0], code, 8) == 8);
        break;
    case 1:
        REQUIRE(readv(pair[0], parts, 2) == 8);
        break;
    case 2:
        REQUIRE(recv(pair[0], code, 8, 0) == 8);
        break;
    case 3:
        REQUIRE(pread(file, code, 8, 64) == 8);
        break;
    default:
        REQUIRE(preadv(file, parts, 2, 64) == 8);
        break;
    }
}

int main(void)
{
    uint64_t hash = CHECKSUM_START;
    unsigned wrong = 0;

    code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    file = open("code", O_CREAT | O_RDWR | O_TRUNC, 0600);
    REQUIRE(code != MAP_FAILED && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && file >= 0);
    for (unsigned i = 0; i < 200; i++) {
        write_by(i % WAYS, i * 7 % 2000);
        if (i / WAYS % 2 == 0) {
            __asm__ volatile("fence.i" ::: "memory");
        } else {
            __builtin___clear_cache((char *)code, (char *)(code + 2));
        }
        const long got = ((long (*)(void))code)();
        wrong += got != (long)(i * 7 % 2000);
        hash = checksum_word(hash, (uint64_t)got);
    }
    printf("wrong %u, %016lx\n", wrong, hash);
    return 0;
}
