/* Shows a chain of processes joined by pipes, each changing what passes through. */
#include "common.h"
#include <sys/wait.h>

#define LINKS 12

int main(void)
{
    int input = -1;
    int ends[2];
    uint64_t hash = CHECKSUM_START;
    uint32_t value = 0;
    int sum = 0;
    int status = 0;

    for (int i = 0; i < LINKS; i++) {
        REQUIRE(pipe(ends) == 0);
        if (fork() == 0) {
            close(ends[0]);
            if (input < 0) {
                for (value = 0; value < 2000; value++) {
                    REQUIRE(write(ends[1], &value, sizeof(value)) == sizeof(value));
                }
            } else {
                while (read(input, &value, sizeof(value)) == sizeof(value)) {
                    value = value * 1664525u + (uint32_t)i;
                    REQUIRE(write(ends[1], &value, sizeof(value)) == sizeof(value));
                }
            }
            _exit(i);
        }
        close(ends[1]);
        if (input >= 0) {
            close(input);
        }
        input = ends[0];
    }
    while (read(input, &value, sizeof(value)) == sizeof(value)) {
        hash = checksum(hash, &value, sizeof(value));
    }
    while (wait(&status) > 0) {
        sum += WEXITSTATUS(status);
    }
    printf("chain %016lx, statuses %d\n", hash, sum);
    return 0;
}
