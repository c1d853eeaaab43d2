/* Shows that system calls which do not exist return ENOSYS and harm nothing. */
#include "common.h"
#include <sys/syscall.h>

int main(void)
{
    static const long numbers[] = {1000, 4095, 100000};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        errno = 0;
        printf("%ld: %s\n", numbers[i], outcome(syscall(numbers[i], 1, 2, 3)));
    }
    errno = 0;
    printf("getpid still works: %d\n", syscall(SYS_getpid) == getpid());
    return 0;
}
