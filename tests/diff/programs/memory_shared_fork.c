/* Shows which memory a child shares: anonymous shared and file pages yes, private pages no. */
#include "common.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

static int ordinary = 1;

int main(void)
{
    int rw = PROT_READ | PROT_WRITE;
    int *shared = mmap(NULL, 8192, rw, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int *private = mmap(NULL, 8192, rw, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int memory = memfd_create("area", 0);
    int *named = NULL;
    int status = 0;

    REQUIRE(shared != MAP_FAILED && private != MAP_FAILED && memory >= 0);
    REQUIRE(ftruncate(memory, 8192) == 0);
    named = mmap(NULL, 8192, rw, MAP_SHARED, memory, 0);
    REQUIRE(named != MAP_FAILED);
    *private = 5;
    for (int i = 0; i < 4; i++) {
        if (fork() == 0) {
            for (int k = 0; k < 10000; k++) {
                __atomic_fetch_add(shared, 1, __ATOMIC_RELAXED);
                __atomic_fetch_add(named + 1024, 2, __ATOMIC_SEQ_CST);
            }
            *private += 100;
            ordinary += 100;
            _exit(*private == 105 && ordinary == 101 ? i : 50);
        }
    }
    for (int i = 0, sum = 0; i < 4; i++) {
        REQUIRE(wait(&status) > 0 && WIFEXITED(status));
        sum += WEXITSTATUS(status);
        if (i == 3) {
            printf("statuses add up to %d\n", sum);
        }
    }
    printf("shared %d, named %d, private %d, ordinary %d\n", *shared, named[1024], *private,
           ordinary);
    return 0;
}
