/* Shows pipes: capacity, blocking and not, broken ends, atomic small writes of many writers. */
#include "common.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

int main(void)
{
    static char block[4096];
    int ends[2];
    int filled = 0;
    int waiting = 0;
    char line[16];
    int counts[4] = {0};

    REQUIRE(pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0 && signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    while (write(ends[1], block, sizeof(block)) == sizeof(block)) {
        filled++;
    }
    printf("filled %d blocks, then %s\n", filled, error_name(errno));
    REQUIRE(ioctl(ends[0], FIONREAD, &waiting) == 0);
    printf("waiting %d\n", waiting);
    REQUIRE(read(ends[0], block, 100) == 100);
    printf("no room for a block: %s\n", outcome(write(ends[1], block, sizeof(block))));
    REQUIRE(close(ends[0]) == 0);
    printf("broken: %s\n", outcome(write(ends[1], block, 1)));
    REQUIRE(close(ends[1]) == 0 && pipe(ends) == 0);
    for (int i = 0; i < 4; i++) {
        if (fork() == 0) {
            for (int k = 0; k < 500; k++) {
                memset(line, 'a' + i, sizeof(line));
                REQUIRE(write(ends[1], line, sizeof(line)) == sizeof(line));
            }
            _exit(0);
        }
    }
    REQUIRE(close(ends[1]) == 0);
    for (ssize_t got = 0; (got = read(ends[0], line, sizeof(line))) > 0;) {
        REQUIRE(got == sizeof(line));
        for (int k = 1; k < 16; k++) {
            REQUIRE(line[k] == line[0]);
        }
        counts[line[0] - 'a']++;
    }
    while (wait(NULL) > 0) {
    }
    printf("whole lines %d %d %d %d\n", counts[0], counts[1], counts[2], counts[3]);
    return 0;
}
