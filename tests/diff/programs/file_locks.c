/* Shows locks between processes: flock and record locks refuse, then are released. */
#include "common.h"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

static int in_child(int (*act)(void))
{
    int status = 0;
    pid_t child = fork();

    REQUIRE(child >= 0);
    if (child == 0) {
        _exit(act());
    }
    REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int try_whole(void)
{
    int file = open("data", O_RDWR);

    return flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno == EWOULDBLOCK ? 1 : 2;
}

static int try_records(void)
{
    int file = open("data", O_RDWR);
    struct flock near = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 5, .l_len = 10};
    struct flock far = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 50, .l_len = 10};
    struct flock ask = near;
    int result = 0;

    result |= fcntl(file, F_SETLK, &near) == 0 ? 1 : 0;
    result |= fcntl(file, F_SETLK, &far) == 0 ? 2 : 0;
    REQUIRE(fcntl(file, F_GETLK, &ask) == 0);
    result |= ask.l_type == F_WRLCK && ask.l_pid == getppid() ? 4 : 0;
    result |= ask.l_type == F_UNLCK ? 8 : 0;
    return result;
}

int main(void)
{
    int file = open("data", O_CREAT | O_RDWR, 0600);
    struct flock record = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 20};

    REQUIRE(file >= 0 && flock(file, LOCK_EX) == 0);
    printf("whole file taken: %d\n", in_child(try_whole));
    REQUIRE(flock(file, LOCK_UN) == 0);
    printf("whole file free: %d\n", in_child(try_whole));
    REQUIRE(flock(file, LOCK_SH) == 0);
    printf("whole file shared: %d\n", in_child(try_whole));
    REQUIRE(flock(file, LOCK_UN) == 0 && fcntl(file, F_SETLKW, &record) == 0);
    printf("record taken: %d\n", in_child(try_records));
    record.l_type = F_UNLCK;
    REQUIRE(fcntl(file, F_SETLK, &record) == 0);
    printf("record free: %d\n", in_child(try_records));
    return 0;
}
