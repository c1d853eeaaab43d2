/* Shows fork: private copies on both sides, inherited descriptors with shared offsets,
 * identities. */
#include "common.h"
#include <fcntl.h>
#include <sys/wait.h>

static int data[5000];

int main(void)
{
    int *heap = malloc(100000 * sizeof(*heap));
    int file = open("data", O_CREAT | O_RDWR, 0600);
    pid_t parent = getpid();
    pid_t child = 0;
    int status = 0;
    int ends[2];
    int facts[3];

    REQUIRE(heap != NULL && file >= 0 && pipe(ends) == 0);
    for (int i = 0; i < 100000; i++) {
        heap[i] = i;
    }
    data[100] = 1;
    child = fork();
    if (child == 0) {
        uint64_t hash = 0;

        heap[500] = -1;
        data[100] = 2;
        hash = checksum(CHECKSUM_START, heap, 100000 * sizeof(*heap));
        facts[0] = getppid() == parent;
        facts[1] = getpid() != parent;
        facts[2] = (int)(hash & 0xffff);
        REQUIRE(write(ends[1], facts, sizeof(facts)) == sizeof(facts));
        REQUIRE(write(file, "child ", 6) == 6);
        _exit(17);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(read(ends[0], facts, sizeof(facts)) == sizeof(facts));
    printf("child: parent right %d, own number %d, heap %04x\n", facts[0], facts[1], facts[2]);
    printf("parent: status %d, heap %d, data %d\n", WEXITSTATUS(status), heap[500], data[100]);
    printf("shared offset %ld\n", (long)lseek(file, 0, SEEK_CUR));
    printf("no children: %s\n", outcome(wait(NULL)));
    return 0;
}
