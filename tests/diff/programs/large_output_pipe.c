/* Shows a megabyte through a pipe between processes and another to standard output, unharmed. */
#include "common.h"
#include <sys/wait.h>

int main(void)
{
    static char block[65536];
    uint64_t hash = CHECKSUM_START;
    uint64_t state = 99;
    size_t total = 0;
    int ends[2];
    int status = 0;

    REQUIRE(pipe(ends) == 0);
    if (fork() == 0) {
        close(ends[0]);
        for (int i = 0; i < 131072; i++) {
            uint64_t word = next_random(&state);

            REQUIRE(write(ends[1], &word, sizeof(word)) == sizeof(word));
        }
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got = 0; (got = read(ends[0], block, sizeof(block))) > 0;) {
        hash = checksum(hash, block, (size_t)got);
        total += (size_t)got;
    }
    REQUIRE(wait(&status) > 0 && status == 0);
    printf("%zu bytes %016lx\n", total, hash);
    for (int i = 0; i < 20000; i++) {
        printf("%06d %016lx a line of a large output\n", i, next_random(&state));
    }
    return 0;
}
