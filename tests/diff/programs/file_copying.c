/* Shows copying by system calls: read and write, sendfile, splice, tee, each with the same
 * bytes. */
#include "common.h"
#include <fcntl.h>
#include <sys/sendfile.h>

static uint64_t contents(const char *name)
{
    char buffer[1000];
    uint64_t hash = CHECKSUM_START;
    int file = open(name, O_RDONLY);

    REQUIRE(file >= 0);
    for (ssize_t got = 0; (got = read(file, buffer, sizeof(buffer))) > 0;) {
        hash = checksum(hash, buffer, (size_t)got);
    }
    REQUIRE(close(file) == 0);
    return hash;
}

int main(void)
{
    static char buffer[4096];
    uint64_t state = 12345;
    int from = open("from", O_CREAT | O_RDWR, 0600);
    int to = open("to", O_CREAT | O_RDWR, 0600);
    int ends[2];
    int other[2];
    off_t offset = 100;
    loff_t position = 0;

    REQUIRE(from >= 0 && to >= 0 && pipe(ends) == 0 && pipe(other) == 0);
    for (int i = 0; i < 10000; i++) {
        uint64_t word = next_random(&state);

        REQUIRE(write(from, &word, sizeof(word)) == sizeof(word));
    }
    printf("source %016lx\n", contents("from"));
    REQUIRE(lseek(from, 0, SEEK_SET) == 0);
    for (ssize_t got = 0; (got = read(from, buffer, 777)) > 0;) {
        REQUIRE(write(to, buffer, (size_t)got) == got);
    }
    printf("loop %016lx\n", contents("to"));
    REQUIRE(ftruncate(to, 0) == 0 && lseek(to, 0, SEEK_SET) == 0);
    printf("sendfile %zd, offset %ld\n", sendfile(to, from, &offset, 70000), (long)offset);
    printf("sendfile %016lx\n", contents("to"));
    REQUIRE(ftruncate(to, 0) == 0 && lseek(to, 0, SEEK_SET) == 0);
    for (ssize_t got = 0; (got = splice(from, &position, ends[1], NULL, 5000, 0)) > 0;) {
        while (got > 0) {
            ssize_t moved = splice(ends[0], NULL, to, NULL, (size_t)got, 0);

            REQUIRE(moved > 0);
            got -= moved;
        }
    }
    printf("splice %016lx\n", contents("to"));
    REQUIRE(write(ends[1], "duplicated", 10) == 10);
    printf("tee %zd\n", tee(ends[0], other[1], 100, 0));
    REQUIRE(read(ends[0], buffer, 20) == 10 && read(other[0], buffer + 20, 20) == 10);
    printf("tee [%.10s] [%.10s]\n", buffer, buffer + 20);
    return 0;
}
